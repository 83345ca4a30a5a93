"""The command: each server of each endpoint that a role names, one table a server."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console

from pairwright.cli.doctor.backend import backend
from pairwright.cli.doctor.context import context, needed
from pairwright.cli.doctor.finding import Finding, State, table
from pairwright.cli.doctor.prefix import prefix
from pairwright.cli.doctor.questions import Questions
from pairwright.cli.doctor.seeds import seeds
from pairwright.cli.doctor.server import listed, metrics
from pairwright.cli.doctor.structured import structured
from pairwright.construct.build_rules import BuildRules
from pairwright.errors import CallFailed, EndpointRefused
from pairwright.models import simulated
from pairwright.models.client import Client, Meter
from pairwright.settings.config import SIMULATED_URL, Config, Endpoint, Sampling, load
from pairwright.settings.prompt import Prompts
from pairwright.text import number_of
from pairwright.workflows.run_models import api_key

PATIENCE_S = 120.0


def doctor_command(
    config_path: Annotated[
        Path, typer.Argument(metavar="CONFIG.toml", help="The run's configuration.")
    ],
) -> None:
    """Check the servers of the endpoints that the roles name, and say what to change.

    Finds out whether each is reachable and serves the model, how long its context is, whether
    replies follow a JSON schema and what holds them to it, whether a repeated prompt is computed
    once, and whether seeds repeat. Sends about ten small requests to each server, two of them
    with 1,500 tokens, and prints their number. Exits with 2 if an endpoint cannot be used.

    Example:

      pairwright doctor pairwright.toml
    """
    config = load(config_path)
    prompts = BuildRules.load(config, config_path.resolve().parent).prompts
    console = Console()
    states = asyncio.run(_examine_all(config, prompts, console))
    if "stop" in states:
        console.print("A build cannot go on like this: see `stop` above.", style="red")
        raise typer.Exit(2)
    notes = states.count("note")
    told = f"; {notes} to think about" if notes else ""
    console.print(f"A build can use what was examined{told}.")


class Wanted(NamedTuple):
    """One server of an endpoint, and what the config will ask of it."""

    name: str
    endpoint: Endpoint
    url: str
    sampling: Sampling
    context: int
    """Tokens of the longest prompt with its reply."""


async def _examine_all(config: Config, prompts: Prompts, console: Console) -> list[State]:
    states: list[State] = []
    for name in config.roles.all:
        endpoint, sampling = config.endpoints[name], _sampling(config, name)
        if endpoint.engine == "vllm":
            console.print(
                f"{name}: {endpoint.model} runs in the build's own process and is not examined;"
                " `pairwright build --limit 1` tries it",
                markup=False,
            )
            continue
        async with AsyncExitStack() as stack:
            urls: tuple[str, ...] = endpoint.base_urls
            if SIMULATED_URL in urls:
                urls = (await stack.enter_async_context(simulated.serve()),)
            for url in urls:
                wanted = Wanted(name, endpoint, url, sampling, needed(config, name))
                states += await _examine(wanted, prompts, console)
    return states


async def _examine(wanted: Wanted, prompts: Prompts, console: Console) -> list[State]:
    """Print what is found of one server; the states of the findings."""
    name, url = wanted.name, wanted.url
    patience = min(wanted.endpoint.timeout_s, PATIENCE_S)
    endpoint = wanted.endpoint.model_copy(
        update={"base_url": url, "attempts": 2, "timeout_s": patience}
    )
    key, meter = api_key(name, endpoint), Meter()
    with console.status(f"asking {name}"):
        async with Client(name, endpoint, key, meter) as client:
            questions = Questions(client, endpoint, wanted.sampling, prompts)
            findings = await _findings(questions, wanted, key)
    console.print(table(f"{name}: {endpoint.model} at {url}", findings))
    sent, got = meter.prompt_tokens, meter.completion_tokens
    console.print(
        f"  {number_of(meter.sent, 'request')} sent: {sent:,} tokens of prompts, {got:,} of replies"
    )
    return [finding.state for finding in findings]


async def _findings(questions: Questions, wanted: Wanted, key: str | None) -> list[Finding]:
    server = await listed(wanted.url, key, questions.endpoint)
    if server.finding.state == "stop":
        return [server.finding]
    told = await metrics(wanted.url)
    findings = [server.finding, context(server.context, wanted.context)]
    try:
        findings.append(await structured(questions))
        if questions.endpoint.structured:
            vllm = server.vllm or told is not None
            findings.append(await backend(questions, vllm=vllm))
        findings.append(await prefix(questions, told))
        findings.append(await seeds(questions))
    except (CallFailed, EndpointRefused) as error:
        findings.append(Finding("stop", "requests", f"not answered: {error}"))
    return findings


def _sampling(config: Config, name: str) -> Sampling:
    """How the first role that an endpoint plays samples."""
    if name == config.roles.planner:
        return config.sampling.planner
    generates = name in config.roles.generator
    return config.sampling.generator if generates else config.sampling.judge
