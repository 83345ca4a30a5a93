"""How far a run is: what was kept, refused and failed, what its checks gave, what it cost."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from pairwright.construct.folder import RunFolder
from pairwright.construct.manifest import cost
from pairwright.construct.tally import ReplyCheck, Tally, tally_outcomes
from pairwright.dataset import read_lines
from pairwright.models import Totals
from pairwright.models.completion import is_same_model
from pairwright.models.store import Store, is_held
from pairwright.options import RunPath
from pairwright.settings.config import Config
from pairwright.sources import SourceProblem
from pairwright.sources.problems import ProblemCounts
from pairwright.text import visible


@dataclass(frozen=True)
class RunStatus:
    """What a run has made so far."""

    run: Path
    """The run folder."""
    config: Config
    """The config that the run was last built with."""
    tally: Tally
    """Units, pairs and drafts, counted by what came of them."""
    checks: tuple[ReplyCheck, ...]
    """What the planner and the support judge are worth, as shares with 95 % intervals."""
    stored: Totals
    """Calls and tokens of the run's store, those of earlier builds included."""
    cost: float | None
    """The cost of all stored calls, by the config's prices; None where none is set."""
    served: dict[str, dict[str, int]]
    """By model that was asked for, the other models that replies name, with the number of calls;
    dated versions of the same model are left out."""
    surveyed: int
    """Items that are surveyed, where twins are built."""
    finished: bool
    """Whether the last build ended, and the outcome files are there."""
    running: bool
    """Whether a build was writing to the folder when this was read."""
    source_problems: tuple[str, ...]
    """Why rows and posts of the source were refused or repaired, one line a reason."""

    @property
    def pairs(self) -> int:
        """The number of pairs; a twin has two."""
        return self.tally.pairs.total()

    @property
    def rejected(self) -> int:
        """The number of units that were refused."""
        return self.tally.rejected.total()

    @property
    def failed(self) -> int:
        """The number of units with a call that failed; the next build asks again."""
        return self.tally.failed.total()

    @property
    def waiting(self) -> int:
        """The number of units that wait for the replies of a batch."""
        return self.tally.waiting.total()

    @property
    def budget_spent(self) -> bool:
        """Whether units failed because a budget of the config is spent."""
        return any(reason == "budget_spent" for _, reason in self.tally.failed)

    @property
    def recorded(self) -> tuple[str, ...]:
        """The models whose replies came from a recording of an earlier run."""
        return tuple(sorted(self.tally.recorded))


def status(run: RunPath) -> RunStatus:
    """Read what a run has made so far; works while it is being built.

    Raises ConfigError where `run` is not a run folder, and StoreError where its store cannot be
    read.

        print(status("study/run").pairs)
    """
    folder = RunFolder(Path(run))
    with closing(Store(folder.calls, writing=False)) as store:
        # First: a build that ends meanwhile has then its last outcome counted.
        running = is_held(folder.calls)
        counted = tally_outcomes(store)
        return status_of(folder, store, folder.settings(), counted, running=running)


def status_of(
    folder: RunFolder,
    store: Store,
    config: Config,
    counted: Tally,
    *,
    running: bool = False,
) -> RunStatus:
    """The status of a run whose outcomes are counted already."""
    served = {
        model: {name: n for name, n in names.items() if not is_same_model(name, model)}
        for model, names in store.served_names().items()
    }
    finished = store.finished and (folder.path / "manifest.json").exists()
    return RunStatus(
        run=folder.path,
        config=config,
        tally=counted,
        checks=counted.checks,
        stored=store.totals(),
        cost=cost(store, config),
        served={model: names for model, names in served.items() if names},
        surveyed=store.surveyed,
        finished=finished,
        running=running,
        source_problems=source_problems(folder),
    )


def source_problems(run: RunFolder) -> tuple[str, ...]:
    """The reasons of `source_problems.jsonl`, each with its count and what to do.

    Invisible characters of the source are removed, so that the lines can be printed.
    """
    if not run.problems.is_file():
        return ()
    problems = ProblemCounts()
    for problem in read_lines(run.problems, SourceProblem):
        problems.add(problem)
    return tuple(map(visible, problems.lines()))
