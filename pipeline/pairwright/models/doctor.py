"""Examining the servers of a config's endpoints: are they reachable and able?"""

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from typer import Argument

from pairwright import assets
from pairwright.errors import CallFailed, EndpointRefused
from pairwright.models.call import KEY_ADVICE, Response, Transient
from pairwright.models.client import Meter, Server
from pairwright.models.connect import api_key
from pairwright.models.model import Model, Reply
from pairwright.models.recording import read_recording
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
    given, played = config.endpoints[name].model_dump(), _played(config, name)
    patience = {"attempts": 2, "timeout_s": min(given["timeout_s"], PATIENCE_S)}
    endpoint, notes = Endpoint(**{**given, **patience}), list[str]()
    async with Server(name, endpoint, Meter(), api_key=key, say=notes.append) as server:
        try:
            async with asyncio.timeout(LIST_S):
                reply = await server.exchange(f"{server.where}/models")
        except (Transient, TimeoutError):
            reply = Response(0, b"")
        need = (endpoint.thinking_tokens or 0) + max(how.max_tokens for how in played)
        roles = config.roles
        reads = name == roles.planner and config.aspects == "planner"
        reads |= name in roles.generator and config.paper_writers
        need += INSTRUCTIONS + reads * config.planner.history_tokens
        findings = _of_list(reply, endpoint, need)
        if findings[0].state == "stop":
            return findings
        ask = Prompts.load(assets.PROMPTS).ask(PROMPT, question=QUESTION, max_aspects=8)
        try:
            followed = await Model(server, endpoint, played[0]).answer(ask, _Aspects)
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


_NONE = (
    "A build would drop its units like this. Switch thinking, tools or filters of the server off,"
    " raise max_tokens, or set structured = false: the schema is then in the prompt."
)
_LATE = (
    "Raise max_tokens under [sampling] if replies are cut short; if the model thinks first, set"
    " thinking_tokens of its endpoint, or switch thinking off in `extra`."
)


def _played(config: Config, name: str) -> list[Sampling]:
    """The sampling of each role that an endpoint plays."""
    roles, how = config.roles, config.sampling
    played = {"planner": (roles.planner,), "generator": roles.generator, "judge": roles.judge}
    return [getattr(how, role) for role, names in played.items() if name in names]


def _of_list(reply: Response, endpoint: Endpoint, need: int) -> list[ServerFinding]:
    """Findings from a server's list of models on the wanted model and its context; `need` are the
    tokens of the longest prompt with its reply."""
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
    length, advice = served[model].get("max_model_len"), ""
    known = isinstance(length, int) and length > 0
    found = f"{length:,} tokens" if known else "length not reported"
    if known and length < need:
        advice = "Long histories will lose posts. Start vLLM with --max-model-len"
        advice += f" {need} or more, or set history_tokens or max_tokens lower."
    context = f"{found}; this config needs about {need:,}"
    fits = ServerFinding("note" if advice else "ok", "context", context, advice)
    return [ServerFinding("ok", "server", f"reachable, and serves {model}"), fits]
