"""What the workflows that ask models share: settings, stored calls, progress and stopping."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

from pairwright import assets
from pairwright.errors import ConfigError, on_disk
from pairwright.evaluate.settings import Scorers, load_scorers
from pairwright.models.client import Meter
from pairwright.models.store import CallStore, recorded_store
from pairwright.settings.prompt import Prompts
from pairwright.settings.prompt_variables import LISTING, VARIABLES
from pairwright.workflows.output import output_folder
from pairwright.workflows.progress import Note, Progress, Stop, counter
from pairwright.workflows.scorers import OpenScorer, open_scorers
from pairwright.workflows.scoring_roles import (
    OpenJudge,
    OpenPlanner,
    OpenPolicy,
    open_judge,
    open_planner,
    open_policy,
)


class ScorerSettings(NamedTuple):
    """A file of scorers, with the prompts it names."""

    scorers: Scorers
    prompts: Prompts


class ScoringCalls(NamedTuple):
    """The calls of a workflow: where they are stored, counted, reported and stopped."""

    store: CallStore
    meter: Meter
    progress: Progress
    stop: Stop

    @contextmanager
    def step(
        self, name: str, total: int, end: Callable[[], object]
    ) -> Iterator[Callable[[], None]]:
        """Report a step and yield what counts one more as done.

        Until the block ends, a wish to stop calls `end`.
        """
        with self.stop.heard_by(end, self.meter):
            yield counter(self.progress, name, total)

    def note(self, text: str) -> None:
        """Report what a person should know at once."""
        self.progress(Note(text))

    def any_simulated(self, models: set[str]) -> bool:
        """Whether a simulated model answered for one of these models."""
        return bool(models & self.store.simulated_models())


class ScorerSession(NamedTuple):
    """Opens what a file of scorers names, and holds the calls to it."""

    settings: Scorers
    prompts: Prompts
    calls: ScoringCalls

    @asynccontextmanager
    async def scorer(self, name: str) -> AsyncIterator[OpenScorer]:
        """Open one scorer. Raises ConfigError.

        A model in this process stays in memory until the block ends, so open one at a time.
        """
        async with self.scorers(name) as opened:
            yield opened[name]

    def scorers(self, *names: str) -> AbstractAsyncContextManager[dict[str, OpenScorer]]:
        """Open scorers by name. Raises ConfigError."""
        store, meter = self.calls.store, self.calls.meter
        return open_scorers(self.settings, names, self.prompts, store, meter, self.calls.note)

    def planner(self) -> AbstractAsyncContextManager[OpenPlanner]:
        """Open the planner under test. Raises ConfigError."""
        return open_planner(self.settings, self.prompts, self.calls.store, self.calls.meter)

    def judge(self) -> AbstractAsyncContextManager[OpenJudge]:
        """Open the judge of outputs. Raises ConfigError."""
        return open_judge(self.settings, self.prompts, self.calls.store, self.calls.meter)

    def policy(self, deciding: tuple[str, ...]) -> AbstractAsyncContextManager[OpenPolicy]:
        """Open the policy; `deciding` are the prompts that decide what it writes. Raises
        ConfigError."""
        store, meter = self.calls.store, self.calls.meter
        return open_policy(self.settings, self.prompts, deciding, store, meter)


def scorer_settings(scorers: str | Path | Scorers | None) -> ScorerSettings:
    """Read a file of scorers with its prompts; None has the baselines alone.

    Paths in a `Scorers` record start from the current folder. Raises ConfigError and PromptError.
    """
    if isinstance(scorers, str | Path):
        path = Path(scorers)
        settings = load_scorers(path)
        return ScorerSettings(settings, prompts_of(settings, path.resolve().parent))
    settings = scorers or Scorers()
    return ScorerSettings(settings, prompts_of(settings, Path.cwd()))


def prompts_of(scorers: Scorers, base: Path) -> Prompts:
    """The prompts that a file of scorers names, with paths relative to `base`, or those that ship.

    Raises ConfigError and PromptError.
    """
    if scorers.prompts is None:
        return Prompts.load(assets.PROMPTS, VARIABLES.keys() - LISTING)
    folder = base / scorers.prompts
    if not folder.is_dir():
        raise ConfigError(
            f"there is no folder {folder}",
            where="[prompts]",
            fix="Name a folder, or leave the key out.",
        )
    return Prompts.load(folder, VARIABLES.keys() - LISTING)


@contextmanager
def open_calls(out: Path, progress: Progress, stop: Stop | None) -> Iterator[ScoringCalls]:
    """Make the folder `out` and open its `calls.sqlite`, where every finished call is stored.

    Raises InputError where `out` cannot be a folder of results, and StoreError, also where calls
    are missing that were stored there.
    """
    output_folder(out)
    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    consent = "remove calls.json beside it and run the same command."
    with recorded_store(out / "calls.sqlite", consent=consent) as store:
        yield ScoringCalls(store, Meter(), progress, stop or Stop())


@contextmanager
def open_session(
    settings: ScorerSettings, out: Path, progress: Progress, stop: Stop | None
) -> Iterator[ScorerSession]:
    """Open the calls of `out` for what a file of scorers names. Raises as `open_calls` does."""
    with open_calls(out, progress, stop) as calls:
        yield ScorerSession(settings.scorers, settings.prompts, calls)
