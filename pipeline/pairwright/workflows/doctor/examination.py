"""Examining the servers of a config's endpoints: are they reachable and able?"""

from dataclasses import dataclass
from pathlib import Path

from pairwright.construct.build_rules import BuildRules
from pairwright.errors import CallFailed, EndpointRefused, InputError
from pairwright.models.client import Client, Meter
from pairwright.notebook import run_async
from pairwright.settings.config import Config
from pairwright.settings.endpoints import Sampling
from pairwright.settings.prompt import Prompts
from pairwright.workflows.build_estimate import ConfigPath, read_config
from pairwright.workflows.doctor.replies import (
    check_backend,
    check_prefix_cache,
    check_schema,
    check_seeds,
    check_thinking,
)
from pairwright.workflows.doctor.server import (
    ServerFinding,
    ServerQuestions,
    cache_metrics,
    finding,
    list_models,
)
from pairwright.workflows.progress import Progress, Step, log_notes
from pairwright.workflows.recording import recording_of
from pairwright.workflows.run_models import MeterCounts, api_key, call_counts, client_of

PATIENCE_S = 120.0
INSTRUCTIONS = 1000
"""Tokens of a prompt beside a history: system text, question and what is asked."""


@dataclass(frozen=True)
class ServerReport:
    """What the examination of one server found."""

    endpoint: str
    """The endpoint's name in the config."""
    model: str
    url: str
    """Empty for a model that runs in the build's own process, which is not examined."""
    findings: tuple[ServerFinding, ...]
    usage: MeterCounts
    """The requests that were sent, and their tokens."""

    @property
    def usable(self) -> bool:
        """Whether a build can use the server."""
        return all(finding.state != "stop" for finding in self.findings)


def examine_endpoints(
    config: ConfigPath,
    *,
    folder: str | Path | None = None,
    progress: Progress = log_notes,
) -> tuple[ServerReport, ...]:
    """Examine each server of each endpoint that a role of the config names.

    About twelve small requests go to each server. `config` is a TOML file, or a Config whose paths
    start from `folder`. Raises ConfigError where the config cannot be used or a key is not set.

        for report in examine_endpoints("pairwright.toml"):
            print(report.endpoint, report.usable)
    """
    config, base = read_config(config, folder)
    prompts = BuildRules.load(config, base).prompts
    return tuple(run_async(_examine_all(config, prompts, progress)))


async def _examine_all(config: Config, prompts: Prompts, progress: Progress) -> list[ServerReport]:
    reports: list[ServerReport] = []
    # Every key is there before anything is sent.
    keys = {name: api_key(name, config.endpoints[name]) for name in config.roles.all}
    for name, key in keys.items():
        endpoint = config.endpoints[name]
        if endpoint.engine == "vllm":
            reports.append(ServerReport(name, endpoint.model, "", (), MeterCounts()))
        elif endpoint.recording is not None:
            read = finding("recording", "usable")
            try:
                recording_of(endpoint)
            except InputError as error:
                read = finding("recording", "unusable", what=error.what, fix=error.fix)
            reports.append(
                ServerReport(name, endpoint.model, endpoint.base_url or "", (read,), MeterCounts())
            )
        else:
            progress(Step(f"asking {name}"))
            reports.append(await _examine(config, name, endpoint.base_url or "", prompts, key))
    return reports


async def _examine(
    config: Config, name: str, url: str, prompts: Prompts, key: str | None
) -> ServerReport:
    endpoint = config.endpoints[name]
    patience = min(endpoint.timeout_s, PATIENCE_S)
    changes = {"base_url": url, "attempts": 2, "timeout_s": patience}
    endpoint = endpoint.model_copy(update=changes)
    # How the first role that it plays samples.
    sampling = _samplings(config, name)[0]
    meter = Meter()
    # The report says what a server that does not answer has; nothing else is to say it, too.
    async with client_of(name, endpoint, meter, say=lambda _: None) as client:
        questions = ServerQuestions(client, endpoint, sampling, prompts)
        findings = await _findings(questions, url, key, context_needed(config, name))
    return ServerReport(name, endpoint.model, url, tuple(findings), call_counts(meter))


async def _findings(
    questions: ServerQuestions, url: str, key: str | None, context: int
) -> list[ServerFinding]:
    models = await list_models(url, key, questions.endpoint)
    if models.finding.state == "stop":
        return [models.finding]
    metrics = await cache_metrics(url)
    findings = [models.finding, check_context(models.context, context)]
    try:
        findings.append(await check_schema(questions))
        findings.append(await check_thinking(questions))
        if questions.endpoint.structured:
            vllm = models.vllm or metrics is not None
            findings.append(await check_backend(questions, vllm=vllm))
        findings.append(await check_prefix_cache(questions, metrics))
        findings.append(await check_seeds(questions))
        findings.extend(check_served(questions.client, questions.endpoint.model))
    except (CallFailed, EndpointRefused) as error:
        findings.append(finding("requests", "unanswered", error=error))
    return findings


def check_served(client: Client, model: str) -> list[ServerFinding]:
    """Whether the replies were of the model that was asked for; nothing where they were."""
    if not client.others:
        return []
    return [finding("model", "another", others=", ".join(sorted(client.others)), model=model)]


def _samplings(config: Config, name: str) -> list[Sampling]:
    """How each role samples that an endpoint plays."""
    roles, sampling = config.roles, config.sampling
    played = [
        (roles.planner == name, sampling.planner),
        (name in roles.generator, sampling.generator),
        (name in roles.judges, sampling.judge),
    ]
    return [role for plays, role in played if plays]


def context_needed(config: Config, name: str) -> int:
    """Tokens of the longest prompt with its reply that an endpoint gets, by the config.

    Histories are measured as the build measures them (`text.token_estimate`); a reply that
    is cut short is asked for again with twice the room.
    """
    endpoint, roles, sampling = config.endpoints[name], config.roles, config.sampling
    thinking = endpoint.thinking_tokens or 0
    rooms = [INSTRUCTIONS + 2 * role.max_tokens for role in _samplings(config, name)]
    reads = name == roles.planner and config.aspects == "planner"
    if reads or (name in roles.generator and config.paper_writers):
        history = min(
            config.planner.history_tokens, endpoint.history_tokens or config.planner.history_tokens
        )
        reader = sampling.planner if reads else sampling.generator
        rooms.append(history + INSTRUCTIONS + 2 * reader.max_tokens)
    return thinking + max(rooms)


def check_context(length: int | None, need: int) -> ServerFinding:
    """Whether the longest prompt fits."""
    if length is None:
        return finding("context", "unknown", need=need)
    return finding("context", "short" if length < need else "enough", length=length, need=need)
