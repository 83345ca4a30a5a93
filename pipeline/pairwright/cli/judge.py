"""The judge of outputs, connected."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from pairwright.errors import ConfigError
from pairwright.evaluate.outputs import AspectJudge
from pairwright.evaluate.results import ScorerRef
from pairwright.evaluate.scorers.spec import Scorers
from pairwright.models import key_of
from pairwright.models.client import Meter
from pairwright.models.store import Durable, Store
from pairwright.settings.config import Endpoint, Sampling
from pairwright.settings.prompt import Prompts
from pairwright.workflows.run_models import client_of, in_flight, model_of


class OpenJudge(NamedTuple):
    """A judge of outputs that can be asked."""

    judge: AspectJudge
    ref: ScorerRef
    workers: int
    stop: Callable[[], None]


@asynccontextmanager
async def judge_of_outputs(
    scorers: Scorers, prompts: Prompts, store: Store, meter: Meter
) -> AsyncIterator[OpenJudge]:
    """The judge of the file. Raises ConfigError where it has none."""
    spec = scorers.judge
    if spec is None:
        raise ConfigError(
            "there is no judge of outputs",
            where="--scorers",
            fix="Give it a file with a table [judge] that names an endpoint.",
        )
    endpoint = scorers.endpoints[spec.endpoint]
    asked = [prompts.hashes[name] for name in ("adherence", "system")]
    ref = ref_of("judge", endpoint, spec.sampling, *asked)
    async with client_of(spec.endpoint, endpoint, meter) as client:
        model = model_of(Durable(store, client), endpoint, spec.sampling)
        yield OpenJudge(AspectJudge(model, prompts), ref, in_flight(endpoint), client.stop)


def ref_of(kind: str, endpoint: Endpoint, sampling: Sampling, *deciding: str) -> ScorerRef:
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
