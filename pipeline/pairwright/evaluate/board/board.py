"""The leaderboard of one release: every result with its figures, ranked by mode and condition."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from pairwright.evaluate.board.inputs import Pairs, check_shown_alike, pairs_of
from pairwright.evaluate.board.ranking import BoardEntry, Ranking, rank
from pairwright.evaluate.builders import build_ties
from pairwright.evaluate.conditions import CONDITIONS, ConditionName
from pairwright.evaluate.decision import PairDecision
from pairwright.evaluate.measure import RULE, figures_of, gains
from pairwright.evaluate.measure.units import by_mode
from pairwright.evaluate.release import ReleaseRef
from pairwright.evaluate.results import Result
from pairwright.intervals import Floats
from pairwright.modes import MODES
from pairwright.records import Mode, Record
from pairwright_human_eval.report.people import PeopleAccuracy

_Apart = dict[tuple[ConditionName, Mode | None], dict[str, int]]
ORDER = tuple(sorted(CONDITIONS, key=lambda name: CONDITIONS[name].table))
"""The order of the tables."""


class Leaderboard(Record):
    """All that the leaderboard has. The page shows these values and computes none."""

    release: ReleaseRef
    limit: int | None
    split: str | None
    rule: str
    """The rule by which figures are averaged."""
    rankings: tuple[Ranking, ...]
    entries: dict[str, BoardEntry]
    """The rows by name, SCORER.CONDITION."""
    people: tuple[PeopleAccuracy, ...] = ()
    """One reader against the majority of the others, by mode: shown below the scorers, and not
    ranked among them."""
    missing: dict[ConditionName, tuple[str, ...]]
    """Baselines without results, by condition."""


def leaderboard(results: Sequence[Result], done: Callable[[], None] = lambda: None) -> Leaderboard:
    """The leaderboard of results that `gather_results` accepted; `done` is called after each.
    Raises InputError where two are not of the same pairs, or lines are not those that their summary
    is of."""
    pairs, apart = pairs_of(results), _Apart()
    entries, points = {}, {}
    for _, of_scorer in groupby(results, key=lambda result: result.about.scorer.name):
        for entry, own in _entries(list(of_scorer), pairs, apart, done):
            entries[entry.name], points[entry.name] = entry, own
    check_shown_alike(points, results, pairs)
    first = results[0].about
    return Leaderboard(
        release=first.release,
        limit=first.limit,
        split=first.split,
        rule=RULE,
        rankings=tuple(_rankings(entries, points, pairs, apart)),
        entries=entries,
        people=next((result.about.release.people for result in results
                     if result.about.release.people), ()),
        missing=_missing(entries),
    )  # fmt: skip


def people_of(board: Leaderboard, ranking: Ranking) -> PeopleAccuracy | None:
    """The row of people below a ranking, of a condition whose content people saw, too."""
    if not CONDITIONS[ranking.condition].shown_to_people:
        return None
    return next((one for one in board.people if one.mode == ranking.mode), None)


def _entries(
    results: Sequence[Result], pairs: Pairs, apart: _Apart, done: Callable[[], None]
) -> Iterator[tuple[BoardEntry, Floats]]:
    """The entries of one scorer, each with its points on all pairs."""
    decided: dict[ConditionName, list[PairDecision]] = {}
    for result in results:
        decisions = list(result.decisions())
        pairs.check(result, decisions)
        decided[result.about.condition] = decisions
    for result in results:
        decisions = decided[result.about.condition]
        for mode_pairs in by_mode(decisions):
            apart[result.about.condition, mode_pairs.mode] = mode_pairs.apart
        own = tuple(
            gain
            for control in CONDITIONS[result.about.condition].compared_with
            if control in decided
            for gain in gains(
                decisions,
                decided[control],
                gain_over(control),
                of_twins=CONDITIONS[control].gain_of_twins,
            )
        )
        scorer = result.about.scorer
        entry = BoardEntry(
            about=result.about,
            figures=figures_of(decisions),
            gains=own,
            build_ties=build_ties((scorer.model, scorer.beside), pairs.builders),
        )
        yield entry, pairs.points(decisions)
        done()


def gain_over(control: ConditionName) -> str:
    """What a gain over a control is called among an entry's figures."""
    return f"gain over {control}"


def _rankings(
    entries: dict[str, BoardEntry], points: dict[str, Floats], pairs: Pairs, apart: _Apart
) -> Iterator[Ranking]:
    clusters = pairs.clusters
    for mode in (*MODES, None):
        places = pairs.of_mode(mode)
        for condition in ORDER:
            of_condition = [
                entry for entry in entries.values() if entry.about.condition == condition
            ]
            there = [entry for entry in of_condition if entry.figure("coverage", mode)]
            if there:
                own = {entry.name: points[entry.name][places] for entry in there}
                ranking = rank(mode, condition, there, own, clusters[places])
                yield ranking.model_copy(update={"apart": apart[condition, mode]})


def _missing(entries: dict[str, BoardEntry]) -> dict[ConditionName, tuple[str, ...]]:
    shown = {entry.about.condition for entry in entries.values()}
    wanted = {
        condition: tuple(name for name in record.baselines if f"{name}.{condition}" not in entries)
        for condition, record in CONDITIONS.items()
        if condition in shown
    }
    return {condition: names for condition, names in wanted.items() if names}
