"""`pairwright doctor`: is every endpoint of a config reachable and able?"""

import asyncio
import json
from pathlib import Path
from typing import Annotated, NamedTuple

import httpx2
import typer
from openai import APIConnectionError, APIStatusError, AsyncOpenAI
from rich.console import Console
from rich.markup import escape

from pairwright import simulated
from pairwright.build.policy import Policy
from pairwright.cli.crew import api_key
from pairwright.client import Client, Meter
from pairwright.config import SIMULATED_URL, Config, Endpoint, Sampling, load
from pairwright.errors import PairwrightError
from pairwright.llm import Model, Unstored
from pairwright.prompt import Prompts
from pairwright.records import Rejected
from pairwright.stages.plan import plan_blind


def doctor_command(
    config_path: Annotated[
        Path, typer.Argument(metavar="CONFIG.toml", help="The run's configuration.")
    ],
) -> None:
    """Check the endpoints that the roles name: reachable, model there, context, structured output.

    Sends one small request to each. Exits with 2 if an endpoint cannot be used.

    Example:

      pairwright doctor pairwright.toml
    """
    config = load(config_path)
    prompts = Policy.load(config, config_path.resolve().parent).prompts
    if not asyncio.run(_examine_all(config, prompts, Console())):
        raise typer.Exit(2)


class Probe(NamedTuple):
    """The request that each endpoint gets: a real prompt, sampled as the planner's are."""

    prompts: Prompts
    sampling: Sampling


async def _examine_all(config: Config, prompts: Prompts, console: Console) -> bool:
    fine, probe = True, Probe(prompts, config.sampling.planner)
    for name in config.roles.all:
        endpoint = config.endpoints[name]
        console.print(f"[bold]{escape(name)}[/bold] {escape(endpoint.model)}")
        if SIMULATED_URL in endpoint.base_urls:
            async with simulated.serve() as url:
                local = endpoint.model_copy(update={"base_url": url})
                fine &= await _examine(name, local, probe, console)
        else:
            fine &= await _examine(name, endpoint, probe, console)
    return fine


async def _examine(name: str, endpoint: Endpoint, probe: Probe, console: Console) -> bool:
    fine = True
    for url in endpoint.base_urls:
        fine &= await _models(name, endpoint, url, console)
    return fine and await _structured(name, endpoint, probe, console)


async def _models(name: str, endpoint: Endpoint, url: str, console: Console) -> bool:
    key = api_key(name, endpoint)
    async with AsyncOpenAI(base_url=url, api_key=key or "none", max_retries=0, timeout=20) as api:
        try:
            response = await api.get("/models", cast_to=httpx2.Response)
            served = {m["id"]: m for m in json.loads(response.content)["data"]}
        except APIConnectionError as error:
            console.print(f"  [red]not reachable[/red] {escape(url)}: {escape(str(error))}")
            console.print("  Is the server running, and does the address end in /v1?")
            return False
        except APIStatusError as error:
            console.print(f"  [red]{error.status_code}[/red] {escape(url)}/models")
            return error.status_code not in (401, 403)
        except (ValueError, KeyError, TypeError):
            console.print(f"  [yellow]no list of models[/yellow] at {escape(url)}/models")
            return True
    if endpoint.model not in served:
        known = ", ".join(sorted(served)) or "none"
        console.print(f"  [red]model not served[/red] at {escape(url)}; there are: {escape(known)}")
        return False
    context = served[endpoint.model].get("max_model_len")
    told = f"context {context:,} tokens" if context else "context length not told"
    console.print(f"  [green]reachable[/green] {escape(url)}, {told}")
    return True


async def _structured(name: str, endpoint: Endpoint, probe: Probe, console: Console) -> bool:
    """One request with a schema, through the same client that a build uses."""
    impatient = endpoint.model_copy(update={"attempts": 2})
    async with Client(name, impatient, api_key(name, endpoint), Meter()) as client:
        model = Model(
            llm=Unstored(client),
            name=endpoint.model,
            max_tokens=probe.sampling.max_tokens,
            temperature=probe.sampling.temperature,
            top_p=probe.sampling.top_p,
            seed=probe.sampling.seed,
            extra=probe.sampling.extra_json,
            structured=endpoint.structured,
        )
        try:
            reply = await plan_blind("How do I keep bread fresh?", model, probe.prompts)
        except PairwrightError as error:
            console.print(f"  [red]refused[/red] {escape(str(error))}")
            return False
    if isinstance(reply, Rejected):
        console.print(
            f"  [yellow]structured output[/yellow] not followed: {escape(reply.detail)}\n"
            "  Builds ask again and reject what stays unreadable; structured = false puts the"
            " schema into the prompt instead."
        )
        return True
    console.print("  [green]structured output[/green] follows the schema")
    return True
