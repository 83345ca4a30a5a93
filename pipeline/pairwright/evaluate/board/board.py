"""The leaderboard of one release: every result with its figures, ranked by mode and condition."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from pairwright.evaluate.board.inputs import Pairs, check_shown_alike, pairs_of
from pairwright.evaluate.board.ranking import BoardEntry, Ranking, rank
from pairwright.evaluate.conditions import Condition
from pairwright.evaluate.decision import PairDecision
from pairwright.evaluate.measure import RULE, ScorerFigure, accuracy, gains
from pairwright.evaluate.release import ReleaseRef
from pairwright.evaluate.results import Result
from pairwright.evaluate.scorers.baselines import BASELINES
from pairwright.intervals import Floats
from pairwright.records import Mode, Record

CONTROLS: tuple[Condition, ...] = ("none", "wrong-profile")
"""What the profile's accuracy is held against."""
WITH_BASELINES: dict[Condition, tuple[str, ...]] = {
    "none": ("longer", "constant"),
    "profile": tuple(BASELINES),
    "planner": tuple(BASELINES),
}
"""The baselines that belong into the tables that rank: with nothing shown, nothing overlaps."""
ORDER: tuple[Condition, ...] = ("profile", "planner", "none", "wrong-profile", "rubric")
"""Of the tables."""


class Leaderboard(Record):
    """Everything that stands in it. The page shows these values and computes none."""

    release: ReleaseRef
    limit: int | None
    split: str | None
    rule: str
    """How figures are averaged."""
    rankings: tuple[Ranking, ...]
    entries: dict[str, BoardEntry]
    """By name, SCORER.CONDITION."""
    missing: dict[Condition, tuple[str, ...]]
    """Baselines without results, by condition."""


def leaderboard(results: Sequence[Result], done: Callable[[], None] = lambda: None) -> Leaderboard:
    """Of results that `gather` let through; `done` is called after each. Raises InputError where
    two are not of the same pairs, or lines are not those that their summary is of."""
    pairs = pairs_of(results)
    entries, points = {}, {}
    for _, of_scorer in groupby(results, key=lambda of: of.about.scorer.name):
        for entry, own in _entries(list(of_scorer), pairs, done):
            entries[entry.name], points[entry.name] = entry, own
    check_shown_alike(points, results, pairs)
    first = results[0].about
    return Leaderboard(
        release=first.release,
        limit=first.limit,
        split=first.split,
        rule=RULE,
        rankings=tuple(_rankings(entries, points, pairs)),
        entries=entries,
        missing=_missing(entries),
    )


def _entries(
    results: Sequence[Result], pairs: Pairs, done: Callable[[], None]
) -> Iterator[tuple[BoardEntry, Floats]]:
    """The entries of one scorer, each with its points on all pairs."""
    decided: dict[Condition, list[PairDecision]] = {}
    for result in results:
        decisions = list(result.decisions())
        pairs.check(result, decisions)
        decided[result.about.condition] = decisions
    for result in results:
        decisions = decided[result.about.condition]
        own: tuple[ScorerFigure, ...] = ()
        if result.about.condition == "profile":
            own = tuple(
                gain
                for control in CONTROLS
                if control in decided
                for gain in gains(decisions, decided[control], gain_over(control))
            )
        entry = BoardEntry(about=result.about, figures=accuracy(decisions), gains=own)
        yield entry, pairs.points(decisions)
        done()


def gain_over(control: Condition) -> str:
    """What a gain over a control is called among an entry's figures."""
    return f"gain over {control}"


def _rankings(
    entries: dict[str, BoardEntry], points: dict[str, Floats], pairs: Pairs
) -> Iterator[Ranking]:
    modes: dict[Mode | None, None] = dict.fromkeys(("twin", "violate", None))
    clusters = pairs.clusters
    for mode in modes:
        places = pairs.of_mode(mode)
        for condition in ORDER:
            of = [entry for entry in entries.values() if entry.about.condition == condition]
            there = [entry for entry in of if entry.figure("coverage", mode)]
            if there:
                own = {entry.name: points[entry.name][places] for entry in there}
                yield rank(mode, condition, there, own, clusters[places])


def _missing(entries: dict[str, BoardEntry]) -> dict[Condition, tuple[str, ...]]:
    shown = {entry.about.condition for entry in entries.values()}
    wanted = {
        condition: tuple(name for name in names if f"{name}.{condition}" not in entries)
        for condition, names in WITH_BASELINES.items()
        if condition in shown
    }
    return {condition: names for condition, names in wanted.items() if names}
