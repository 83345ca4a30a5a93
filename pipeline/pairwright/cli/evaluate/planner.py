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
from pairwright.evaluate.scorers.spec import Scorers
from pairwright.prompt import Prompts
from pairwright.rubric import Domains
from pairwright.store import Durable, Store


class OpenPlanner(NamedTuple):
    """A planner that can be asked."""

    planner: PlannerUnderTest
    stop: Callable[[], None]

    def agrees_with(self, built: Construction) -> bool:
        """Whether it shares its model or its prompt with the planner that built the release."""
        model, prompt = model_name(self.planner.model.name), self.planner.prompts.hashes["plan"]
        return model == built.planner or prompt == built.prompt


@asynccontextmanager
async def planner_under_test(
    scorers: Scorers, prompts: Prompts, store: Store, meter: Meter
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
