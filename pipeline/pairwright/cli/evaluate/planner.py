"""The planner under test, connected; and whether it is the one that built the release."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from pairwright import assets
from pairwright.cli.crew import client_of, model_of
from pairwright.client import Meter
from pairwright.dataset import model_name
from pairwright.errors import ConfigError
from pairwright.evaluate.planned import PlannerUnderTest
from pairwright.evaluate.release import Construction
from pairwright.evaluate.results import PlannerRef
from pairwright.evaluate.scorers.spec import Scorers
from pairwright.prompt import Prompts
from pairwright.rubric import Domains
from pairwright.store import Durable, Replies


class OpenPlanner(NamedTuple):
    """A planner that can be asked."""

    planner: PlannerUnderTest
    stop: Callable[[], None]

    @property
    def ref(self) -> PlannerRef:
        model = self.planner.model
        return PlannerRef(
            model=model.name, revision=model.revision, prompt=self.planner.prompts.hashes["plan"]
        )

    def agrees_with(self, built: Construction) -> bool:
        """Whether it shares its model or its prompt with the planner that built the release."""
        return model_name(self.ref.model) == built.planner or self.ref.prompt == built.prompt


@asynccontextmanager
async def planner_under_test(
    scorers: Scorers, prompts: Prompts, store: Replies, meter: Meter
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
        planner = PlannerUnderTest(model, prompts, spec.policy, domains, spec.words)
        yield OpenPlanner(planner, client.stop)
