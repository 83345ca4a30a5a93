"""The models beside the scorers in a file of scorers, connected: planner, judge and policy."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from pairwright import assets
from pairwright.errors import ConfigError
from pairwright.evaluate.builders import bare_name
from pairwright.evaluate.content import PlannerUnderTest
from pairwright.evaluate.outputs import AspectJudge
from pairwright.evaluate.release import Construction
from pairwright.evaluate.results import PlannerVersion, ScorerRef
from pairwright.evaluate.settings import OutputJudge, Policy, Scorers
from pairwright.models import Model, key_of
from pairwright.models.client import Meter
from pairwright.models.store import Durable, ReplyStore
from pairwright.settings.config import Planner
from pairwright.settings.domains import Domains
from pairwright.settings.endpoints import Endpoint, Sampling
from pairwright.settings.prompt import Prompts
from pairwright.workflows.run_models import client_of, in_flight, model_of


class OpenPlanner(NamedTuple):
    """A planner under test that can be asked."""

    planner: PlannerUnderTest
    ref: PlannerVersion
    stop: Callable[[], None]

    def agrees_with(self, built: Construction) -> bool:
        """Whether it shares its model or its prompt with the planner that built the release."""
        same = bare_name(self.ref.model) == bare_name(built.planner)
        return same or self.ref.prompt == built.prompt


class OpenJudge(NamedTuple):
    """A judge of outputs that can be asked."""

    judge: AspectJudge
    ref: ScorerRef
    workers: int
    stop: Callable[[], None]


class OpenPolicy(NamedTuple):
    """A policy that can be sampled from."""

    model: Model
    ref: ScorerRef
    workers: int
    stop: Callable[[], None]


@asynccontextmanager
async def open_planner(
    scorers: Scorers, prompts: Prompts, store: ReplyStore, meter: Meter
) -> AsyncIterator[OpenPlanner]:
    """Connect the planner of a file of scorers. Raises ConfigError where it has none."""
    spec = scorers.planner
    if spec is None:
        raise ConfigError(
            "no planner is under test",
            where="--condition planner",
            fix="Give --scorers a file with a table [planner] that names an endpoint.",
        )
    endpoint = scorers.endpoints[spec.endpoint]
    async with _connected(spec, endpoint, store, meter) as (model, stop):
        domains = Domains.load(assets.RUBRICS)
        planner = PlannerUnderTest(model, prompts, spec.rules, domains, spec.words)
        yield OpenPlanner(planner, _planner_ref(spec, endpoint, prompts), stop)


@asynccontextmanager
async def open_judge(
    scorers: Scorers, prompts: Prompts, store: ReplyStore, meter: Meter
) -> AsyncIterator[OpenJudge]:
    """Connect the judge of a file of scorers. Raises ConfigError where it has none."""
    spec = scorers.judge
    if spec is None:
        raise ConfigError(
            "there is no judge of outputs",
            where="--scorers",
            fix="Give it a file with a table [judge] that names an endpoint.",
        )
    endpoint = scorers.endpoints[spec.endpoint]
    hashes = [prompts.hashes[name] for name in ("adherence", "system_judging")]
    ref = _model_ref("judge", endpoint, spec.sampling, *hashes)
    async with _connected(spec, endpoint, store, meter) as (model, stop):
        yield OpenJudge(AspectJudge(model, prompts), ref, in_flight(endpoint), stop)


def policy_of(scorers: Scorers, samples: int) -> Policy:
    """The policy of a file of scorers.

    Raises ConfigError where the file has none, or where the policy would write the same text
    `samples` times.
    """
    if scorers.policy is None:
        raise ConfigError(
            "there is no policy to sample from",
            where="--scorers",
            fix="Give it a file with a table [policy] that names an endpoint.",
        )
    if scorers.policy.sampling.temperature == 0 and samples > 1:
        raise ConfigError(
            f"at temperature 0 the {samples} samples of a question are one and the same",
            where="[policy.sampling] temperature",
            fix="Give it a temperature such as 1.0, or leave the key out.",
        )
    return scorers.policy


@asynccontextmanager
async def open_policy(
    scorers: Scorers, prompts: Prompts, deciding: tuple[str, ...], store: ReplyStore, meter: Meter
) -> AsyncIterator[OpenPolicy]:
    """Connect the policy of a file of scorers; `deciding` names the prompts it is asked with.

    Raises ConfigError where the file has none.
    """
    spec = policy_of(scorers, 1)
    endpoint = scorers.endpoints[spec.endpoint]
    hashes = [prompts.hashes[name] for name in deciding]
    shown = spec.history.model_dump_json()
    ref = _model_ref("policy", endpoint, spec.sampling, *hashes, shown, str(spec.words))
    async with _connected(spec, endpoint, store, meter) as (model, stop):
        yield OpenPolicy(model, ref, in_flight(endpoint), stop)


@asynccontextmanager
async def _connected(
    spec: Planner | OutputJudge | Policy, endpoint: Endpoint, store: ReplyStore, meter: Meter
) -> AsyncIterator[tuple[Model, Callable[[], None]]]:
    """The model of a role, whose replies are stored, and what stops it."""
    async with client_of(spec.endpoint, endpoint, meter) as client:
        yield model_of(Durable(store, client), endpoint, spec.sampling), client.stop


def _planner_ref(spec: Planner, endpoint: Endpoint, prompts: Prompts) -> PlannerVersion:
    deciding = [
        spec.model_dump_json(exclude={"endpoint"}),
        [prompts.hashes[name] for name in ("history", "system_planning")],
        endpoint.structured,
        endpoint.history_tokens,
    ]
    return PlannerVersion(
        model=endpoint.model,
        revision=endpoint.revision,
        prompt=prompts.hashes["plan"],
        settings=key_of(json.dumps(deciding)),
    )


def _model_ref(kind: str, endpoint: Endpoint, sampling: Sampling, *deciding: str) -> ScorerRef:
    """What a judge or a policy is, exactly; `deciding` is what else its replies depend on."""
    taken = [endpoint.structured, endpoint.history_tokens]
    settings = json.dumps([sampling.model_dump(mode="json"), *taken, *deciding], sort_keys=True)
    return ScorerRef(
        name=kind,
        kind=kind,
        model=endpoint.model,
        revision=endpoint.revision,
        settings=key_of(settings),
    )
