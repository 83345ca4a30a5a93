"""What a run has come to, as a record and in the words that a terminal shows."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from pairwright.construct.folder import RunFolder
from pairwright.construct.manifest import cost, for_each_pair
from pairwright.construct.outcomes import funnel_rows
from pairwright.construct.tally import ReplyCheck, Tally, tally_outcomes
from pairwright.dataset import read_lines
from pairwright.models import Totals
from pairwright.models.completion import MODEL_REFUSED, TOOL_CALL, is_same_model
from pairwright.models.model import CUT_IN_THINKING, CUT_SHORT
from pairwright.models.store import Store, is_held
from pairwright.modes import MODES, STAGES
from pairwright.options import RunPath
from pairwright.settings.config import Config
from pairwright.sources import Problems, SourceProblem
from pairwright.text import number_of, visible


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
    """Show what a run has made so far; works while it is running.

    The table counts what was kept, dropped and failed, and how often a history showed no personal
    signal. Exits with 1 if units failed, a tenth had no usable reply or nothing was kept, and
    with 3 if units wait for the replies of a batch.

    Raises ConfigError where `run` is not a run folder, and StoreError where its store cannot be
    read.

        print(status("study/run").pairs)

    Examples::

        pairwright status runs/first
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
    problems = Problems()
    for problem in read_lines(run.problems, SourceProblem):
        problems.add(problem)
    return tuple(map(visible, problems.lines()))


SHORT = 0.05
"""The share of failed units above which a run is called short in plain words."""
NODS = 0.2
"""The share of strangers' posts above which a support judge is said to accept anything."""
SHOWN = 4
"""So many reasons are printed, the most frequent first."""
MEANINGS = {
    "unparseable": "not what was asked for",
    "unusable_reply": "empty, or thinking alone",
    CUT_IN_THINKING: "thinking without end; doctor says which thinking_tokens to set",
    CUT_SHORT: "cut short at max_tokens",
    MODEL_REFUSED: "a refusal",
    TOOL_CALL: "a tool call",
}
"""What each reason of a refusal for want of a usable reply means."""
RunRow = tuple[str, str, str]
"""One figure of a run: its name, what of it is counted where the name does not say it all, and the
number."""


def run_sections(status: RunStatus, sent: int | None = None) -> tuple[list[RunRow], ...]:
    """Outcomes, the funnel, checks of the models, and costs.

    `sent` is the number of calls that were sent just now.
    """
    sections = (_outcomes(status), _funnel(status), _checks(status), _costs(status, sent))
    return tuple(map(list, sections))


def _outcomes(status: RunStatus) -> Iterator[RunRow]:
    """What came in, and what came of it."""
    counted = status.tally
    for mode in status.config.modes:
        yield ("items in", mode, f"{counted.of_mode(mode):,}")
    for mode in status.config.modes:
        mode_of = MODES[mode]
        units = f" ({number_of(counted.kept[mode], mode_of.unit)})" if mode_of.halves == 2 else ""
        yield ("pairs kept", mode + units, f"{counted.pairs[mode]:,}")
    if status.surveyed and not status.finished:
        yield ("surveyed", "items; twins follow when all are", f"{status.surveyed:,}")
    if not counted.rejected:
        yield ("refused", "", "0")
    for (where, _, reason), n in counted.rejected.most_common():
        yield ("refused", f"{where}: {reason}", f"{n:,}")
    for why, n in counted.dropped.most_common():
        yield ("no aspects", why, f"{n:,}")
    for gate, n in counted.drafts.most_common():
        yield ("drafts", f"refused: {gate}", f"{n:,}")
    if not counted.failed:
        yield ("failed", "", "0")
    for (where, reason), n in counted.failed.most_common():
        yield ("failed", f"{where}: {reason}", f"{n:,}")
    for (where, purpose), n in counted.waiting.most_common():
        yield ("waiting", f"{where}: for {purpose}", f"{n:,}")


def _funnel(status: RunStatus) -> Iterator[RunRow]:
    """How many units reached each stage of their mode, the first one left out."""
    for mode in status.config.modes:
        for stage, reached in funnel_rows(status.tally.reached, mode)[1:]:
            if reached.n:
                yield ("funnel", f"{mode}: {STAGES[stage]}", reached.counted())


def _checks(status: RunStatus) -> Iterator[RunRow]:
    """What is known of the models: signals by length of history, controls."""
    counted = status.tally
    for posts, share in counted.no_signal_by_length():
        yield ("no signal", f"of {posts} posts", share.counted())
    for check in status.checks:
        if check.found.n:
            yield ("check", check.meaning, check.found.counted())


def _costs(status: RunStatus, sent: int | None) -> Iterator[RunRow]:
    """Calls and tokens: of all, and for one kept pair."""
    totals = status.stored
    now = "" if sent is None else f"; {sent:,} sent now"
    yield ("calls", f"stored{now}", f"{totals.calls:,}")
    for asked, names in status.served.items():
        for name, n in names.items():
            yield ("calls", f"for {asked}, of which replies name {visible(name)}", f"{n:,}")
    yield ("tokens", "of prompts", f"{totals.prompt_tokens:,}")
    if totals.cached_tokens:
        yield ("tokens", "of them from caches", f"{totals.cached_tokens:,}")
    yield ("tokens", "of replies", f"{totals.completion_tokens:,}")
    if status.cost:
        yield ("cost", "by the config's prices", f"{status.cost:,.2f}")
    each = for_each_pair(status.pairs, totals, status.cost)
    if each:
        price = f", cost {each['cost']:,.4f}" if "cost" in each else ""
        tokens = f"{each['prompt_tokens']:,.0f} + {each['completion_tokens']:,.0f} tokens"
        of = f"for one of {number_of(status.pairs, 'kept pair')}"
        yield ("each", of, f"{each['calls']:,.1f} calls, {tokens}{price}")


def shortfalls(status: RunStatus) -> Iterator[str]:
    """Why a build made less than it could, failed units aside. While units wait for a batch, what
    is missing in the end is not known yet."""
    yield from _unusable_replies(status)
    yield from _nothing_kept(status)
    for check in status.checks:
        if check.name == "support_control" and (check.found.value or 0) > NODS:
            yield (
                "The judge says that a stranger's posts support what is expected of a user, in"
                f" {check.found.counted()} cases: it accepts what it should refuse. Try another"
                " judge."
            )
    if status.budget_spent:
        yield "The budget is spent: raise [budget] to go on."


def _nothing_kept(status: RunStatus) -> Iterator[str]:
    """That no unit is kept, and why; where units failed, they come first."""
    counted = status.tally
    if not counted.nothing_kept or counted.failed:
        return
    refused = Counter[str]()
    for (_, _, reason), n in counted.rejected.items():
        refused[reason] += n
    reasons = ", ".join(f"{reason} {n:,}" for reason, n in refused.most_common())
    yield f"Nothing is kept of {number_of(counted.units, 'unit')}: {reasons}."
    if counted.dropped:
        found = ", ".join(f"{why} {n:,}" for why, n in counted.dropped.most_common())
        yield f"Why aspects were dropped, by the number of these units: {found}."
    yield f"{status.run / 'dropped.jsonl'} has what was measured of each."


def _unusable_replies(status: RunStatus) -> Iterator[str]:
    """That so many units have no usable reply that the run is short, and what to do."""
    counted = status.tally
    if not counted.short_of_replies:
        return
    reasons = "; ".join(
        f"{stage}: {n:,} times {MEANINGS[reason]}"
        for (stage, reason), n in counted.unusable.most_common(SHOWN)
    )
    n = number_of(counted.unusable.total(), "unit was", "units were")
    yield (
        f"This run is short: {n} refused of {counted.units:,} because a model gave no reply that"
        f" can be used ({reasons}). `pairwright doctor` tries its server. Once it is mended, raise"
        " attempts under [sampling], or max_tokens where replies were cut short, and build again"
        " with --accept-changes: further draws are asked for, and what is stored stays."
    )


def failure_sentence(status: RunStatus) -> str:
    """How many units failed, and why; and that a run of which many did is short."""
    reasons: Counter[str] = Counter()
    for (_, reason), n in status.tally.failed.items():
        reasons[reason] += n
    most = ", ".join(f"{why} {n:,}" for why, n in reasons.most_common(3))
    share = status.failed / max(1, status.tally.units)
    short = (
        f" This run is short: {share:.0%} of its units have no outcome." if share > SHORT else ""
    )
    return (
        f"{status.failed:,} of {number_of(status.tally.units, 'unit')} failed ({most});"
        f" {status.run / 'failed.jsonl'} says why.{short}"
    )
