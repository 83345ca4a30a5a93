"""Examining the servers of a config's endpoints: are they reachable and able?"""

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from typer import Argument

from pairwright import assets
from pairwright.errors import CallFailed, EndpointRefused
from pairwright.models.call import Response
from pairwright.models.client import Meter, Server
from pairwright.models.connect import api_key
from pairwright.models.model import Model, Reply
from pairwright.models.recording import read_recording
from pairwright.models.refusals import KEY_ADVICE, Transient
from pairwright.progress import run_async
from pairwright.records import Dropped
from pairwright.settings.config import Config, load
from pairwright.settings.endpoints import Endpoint, Sampling
from pairwright.settings.prompt import Prompts

PATIENCE_S, LIST_S = 120.0, 20.0
INSTRUCTIONS = 1000
"""Tokens of a prompt beside a history: system text, question and what is asked."""
PROMPT, QUESTION = "plan_blind", "How do I keep bread fresh?"


class ServerFinding(NamedTuple):
    """One thing that a build depends on, and what to do about it; `stop` if a build cannot use the
    server."""

    state: Literal["ok", "note", "stop"]
    about: str
    found: str
    advice: str = ""


class ServerReport(NamedTuple):
    """The findings on one endpoint."""

    endpoint: str
    model: str
    url: str
    """Empty for a model that runs in the build's own process, which is not examined."""
    findings: tuple[ServerFinding, ...]

    @property
    def usable(self) -> bool:
        """Whether a build can use the server."""
        return all(finding.state != "stop" for finding in self.findings)


def examine_endpoints(
    config: Annotated[
        str | Path | Config, Argument(help="The run's configuration.", metavar="CONFIG.toml")
    ],
    *,
    folder: str | Path | None = None,
) -> tuple[ServerReport, ...]:
    """Check the servers of the endpoints that the roles name, and say what to change.

    Finds out whether each is reachable and serves the model, how long its context is, and whether
    a reply follows a JSON schema. Sends one small request to each server, more if its reply cannot
    be read. Exits with 2 if an endpoint cannot be used.

    Raises ConfigError if the config cannot be used or a key is not set, InputError for a
    recording that cannot be read. The paths of a Config start from `folder`.

    Examples::

        pairwright doctor pairwright.toml
    """
    base = Path(folder or ".")
    if not isinstance(config, Config):
        base, config = Path(folder or Path(config).parent), load(Path(config))
    return tuple(run_async(_examine_all(config.beside(base.resolve()))))


async def _examine_all(config: Config) -> list[ServerReport]:
    # Every key is there before anything is sent.
    keys = {name: api_key(name, config.endpoints[name]) for name in config.roles.all}
    reports = list[ServerReport]()
    for name, key in keys.items():
        endpoint, findings = config.endpoints[name], list[ServerFinding]()
        if endpoint.recording is not None:
            read_recording(Path(endpoint.recording))
            findings = [ServerFinding("ok", "recording", "can be read")]
        elif endpoint.engine == "http":
            findings = await examine(config, name, key)
        reports.append(ServerReport(name, endpoint.model, endpoint.base_url or "", tuple(findings)))
    return reports


class _Aspects(Reply):
    """The reply that the prompt asks for."""

    aspects: list[str]


async def examine(config: Config, name: str, key: str | None) -> list[ServerFinding]:
    """Findings from a server's list of models, and from its reply to a real prompt."""
    given = config.endpoints[name].model_dump()
    patience = {"attempts": 2, "timeout_s": min(given["timeout_s"], PATIENCE_S)}
    endpoint, notes = Endpoint(**{**given, **patience}), list[str]()
    async with Server(name, endpoint, Meter(), api_key=key, say=notes.append) as server:
        try:
            async with asyncio.timeout(LIST_S):
                reply = await server.exchange(f"{server.where}/models")
        except (Transient, TimeoutError):
            reply = Response(0, b"")
        findings = check_list(reply, endpoint, context_needed(config, name))
        if findings[0].state == "stop":
            return findings
        # How the first role that it plays samples.
        model = Model(server, endpoint, _samplings(config, name)[0])
        ask = Prompts.load(assets.PROMPTS).ask(PROMPT, question=QUESTION, max_aspects=8)
        try:
            followed = await model.answer(ask, _Aspects)
        except (CallFailed, EndpointRefused) as error:
            return [*findings, ServerFinding("stop", "requests", f"not answered: {error}")]
    findings += [ServerFinding("note", "replies", said) for said in notes]
    about, draws = "structured output", server.meter.calls
    if isinstance(followed, Dropped):
        return [*findings, ServerFinding("stop", about, f"not followed: {followed.detail}", _NONE)]
    found = f"follows the schema{'' if endpoint.structured else ' in the prompt'}"
    if draws > 1:
        return [*findings, ServerFinding("note", about, f"{found} at draw {draws}", _LATE)]
    return [*findings, ServerFinding("ok", about, found)]


_SHORT = (
    "Long histories will lose posts. Start vLLM with --max-model-len {} or more, or set"
    " history_tokens or max_tokens lower."
)
_NONE = (
    "A build would drop its units like this. Switch thinking, tools or filters of the server off,"
    " raise max_tokens, or set structured = false: the schema is then in the prompt."
)
_LATE = (
    "Raise max_tokens under [sampling] if replies are cut short; if the model thinks first, set"
    " thinking_tokens of its endpoint, or switch thinking off in `extra`."
)


def check_list(reply: Response, endpoint: Endpoint, need: int) -> list[ServerFinding]:
    """Findings from a server's list of models on the wanted model and its context."""
    where, model = f"{(endpoint.base_url or '').rstrip('/')}/models", endpoint.model
    if reply.status in (401, 403):
        said = f"{where} refuses the key: {reply.status}"
        return [ServerFinding("stop", "server", said, KEY_ADVICE)]
    try:
        served: dict[str, Any] = {str(one["id"]): one for one in json.loads(reply.body)["data"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        # The next request says more of a server that is not there.
        found = f"no list of models at {where}" + (f": {reply.status}" if reply.status else "")
        advice = "Some servers have none. Otherwise: does base_url end in /v1?"
        return [ServerFinding("note", "server", found, advice)]
    if model not in served:
        found = f"{model} is not served; there are: {', '.join(sorted(served)) or 'none'}"
        advice = "Write one of these names as `model`, or start the server with another one."
        return [ServerFinding("stop", "model", found, advice)]
    length = served[model].get("max_model_len")
    known = isinstance(length, int) and length > 0
    found = f"{length:,} tokens" if known else "length not reported"
    found += f"; this config needs about {need:,}"
    fits = ServerFinding("ok", "context", found)
    if known and length < need:
        fits = ServerFinding("note", "context", found, _SHORT.format(need))
    return [ServerFinding("ok", "server", f"reachable, and serves {model}"), fits]


def _samplings(config: Config, name: str) -> list[Sampling]:
    """The sampling of each role that an endpoint plays."""
    roles, sampling = config.roles, config.sampling
    played = (
        ((roles.planner,), sampling.planner),
        (roles.generator, sampling.generator),
        (roles.judge, sampling.judge),
    )
    return [how for names, how in played if name in names]


def context_needed(config: Config, name: str) -> int:
    """Tokens of the longest prompt with its reply that an endpoint gets, by the config: a reply
    that is cut short is asked for again with twice the room."""
    endpoint, roles, most = config.endpoints[name], config.roles, config.planner.history_tokens
    plans = name == roles.planner and config.aspects == "planner"
    reads = plans or (name in roles.generator and config.paper_writers)
    history = most if reads else 0
    reply = 2 * max(role.max_tokens for role in _samplings(config, name))
    return (endpoint.thinking_tokens or 0) + history + INSTRUCTIONS + reply
