"""The planner under test, connected; and whether it is the one that built the release."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from pairwright import assets
from pairwright.cli.crew import client_of
from pairwright.client import Meter
from pairwright.dataset import model_name
from pairwright.errors import ConfigError
from pairwright.evaluate.planned import PlannerUnderTest
from pairwright.evaluate.release import Construction
from pairwright.evaluate.scorers.spec import Scorers
from pairwright.llm import Model
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
    endpoint, sampling = scorers.endpoints[spec.endpoint], spec.sampling
    async with client_of(spec.endpoint, endpoint, meter) as client:
        model = Model(
            llm=Durable(store, client),
            name=endpoint.model,
            revision=endpoint.revision,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            max_tokens=sampling.max_tokens,
            seed=sampling.seed,
            attempts=sampling.attempts,
            extra=sampling.extra_json,
            history_tokens=endpoint.history_tokens,
            structured=endpoint.structured,
        )
        domains = Domains.load(assets.RUBRICS)
        planner = PlannerUnderTest(model, prompts, spec, domains, spec.words)
        yield OpenPlanner(planner, client.stop)


def prompts_of(scorers: Scorers, base: Path) -> Prompts:
    """The prompts of the file, whose paths are relative to `base`, or those that ship."""
    if scorers.prompts is None:
        return Prompts.load(assets.PROMPTS)
    folder = base / scorers.prompts
    if not folder.is_dir():
        raise ConfigError(
            f"no folder {folder}", where="[prompts]", fix="Name a folder, or leave the key out."
        )
    return Prompts.load(folder)
