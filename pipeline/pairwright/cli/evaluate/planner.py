"""The planner under test, connected; and whether it is the one that built the release."""

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from pairwright import assets
from pairwright.errors import ConfigError
from pairwright.evaluate.conditions import PlannerUnderTest
from pairwright.evaluate.release import Construction
from pairwright.evaluate.results import PlannerVersion
from pairwright.evaluate.scorers.spec import Scorers
from pairwright.models import key_of
from pairwright.models.client import Meter
from pairwright.models.store import Durable, ReplyStore
from pairwright.settings.config import Endpoint, Planner
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import Prompts
from pairwright.workflows.run_models import client_of, model_of


class OpenPlanner(NamedTuple):
    """A planner that can be asked."""

    planner: PlannerUnderTest
    ref: PlannerVersion
    stop: Callable[[], None]

    def agrees_with(self, built: Construction) -> bool:
        """Whether it shares its model or its prompt with the planner that built the release."""
        same = _bare(self.ref.model) == _bare(built.planner)
        return same or self.ref.prompt == built.prompt


@asynccontextmanager
async def planner_under_test(
    scorers: Scorers, prompts: Prompts, store: ReplyStore, meter: Meter
) -> AsyncIterator[OpenPlanner]:
    """The planner of the file. Raises ConfigError where it has none."""
    spec = scorers.planner
    if spec is None:
        raise ConfigError(
            "no planner is under test",
            where="--condition planner",
            fix="Give --scorers a file with a table [planner] that names an endpoint.",
        )
    endpoint = scorers.endpoints[spec.endpoint]
    async with client_of(spec.endpoint, endpoint, meter) as client:
        model = model_of(Durable(store, client), endpoint, spec.sampling)
        domains = Domains.load(assets.RUBRICS)
        planner = PlannerUnderTest(model, prompts, spec.rules, domains, spec.words)
        yield OpenPlanner(planner, _ref(spec, endpoint, prompts), client.stop)


def _bare(model: str) -> str:
    """A model's name whoever serves it: a release names one that lay in a folder by its last part,
    and "org/Model" may be served as "model"."""
    return re.split(r"[/\\]", model.rstrip("/\\"))[-1].casefold()


def _ref(spec: Planner, endpoint: Endpoint, prompts: Prompts) -> PlannerVersion:
    deciding = [
        spec.model_dump_json(exclude={"endpoint"}),
        [prompts.hashes[name] for name in ("history", "system")],
        endpoint.structured,
        endpoint.history_tokens,
    ]
    return PlannerVersion(
        model=endpoint.model,
        revision=endpoint.revision,
        prompt=prompts.hashes["plan"],
        settings=key_of(json.dumps(deciding)),
    )
