"""The rows of one mode in one condition, best first, and which of them differ.

A row is one scorer in one condition, with all its figures. Rows that share a letter cannot be
distinguished.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import combinations, count
from string import ascii_lowercase

import numpy as np
from pydantic import Field
from statsmodels.stats.multitest import multipletests

from pairwright.estimate import Estimate
from pairwright.evaluation.board.sign_flips import equality_p, step_down
from pairwright.evaluation.conditions import CONDITIONS, ConditionName
from pairwright.evaluation.measure.calibration import Calibration
from pairwright.evaluation.measure.figure import ScorerFigure, mode_group
from pairwright.evaluation.release import BuildTie
from pairwright.evaluation.results import ResultSummary
from pairwright.intervals import LEVEL, Floats, Places, accuracy, difference
from pairwright.modes import is_twin
from pairwright.records import Mode, Record

COVERAGE = 0.95
"""Share of a mode's twins or pairs that must have a score for a row to be ranked: below it, too
much of an accuracy is what was left out."""


class BoardEntry(Record):
    """A row of the leaderboard."""

    about: ResultSummary
    figures: tuple[ScorerFigure, ...]
    gains: tuple[ScorerFigure, ...] = ()
    """In condition profile: the gain over each control that was evaluated."""
    calibrations: tuple[Calibration, ...] = ()
    """How far its margins can be trusted, by mode."""
    build_ties: tuple[BuildTie, ...] = ()
    """What its scorer has to do with the models that built the release: it is marked."""

    @property
    def name(self) -> str:
        """`SCORER.CONDITION`."""
        return self.about.stem

    @property
    def baseline(self) -> bool:
        """Whether its scorer is a baseline, an embedding's cosine included."""
        return self.about.scorer.kind in ("baseline", "embedding")

    def figure(self, name: str, mode: Mode | None) -> ScorerFigure | None:
        """A figure or gain of all pairs of a mode; None where there is none."""
        return self.groups(name, mode).get(mode_group(mode).name)

    def value(self, name: str, mode: Mode | None) -> float | None:
        """Its value; None where there is none."""
        figure = self.figure(name, mode)
        return figure.value if figure else None

    def groups(self, name: str, mode: Mode | None) -> dict[str, ScorerFigure]:
        """The figures or gains of one name in a mode, by group: all pairs, configurations, ..."""
        every = (*self.figures, *self.gains)
        return {one.group: one for one in every if (one.name, one.mode) == (name, mode)}

    def unranked(self, mode: Mode | None) -> str:
        """Why it is shown and not ranked; empty where it is ranked."""
        if why := CONDITIONS[self.about.condition].unranked:
            return why
        if self.about.simulated:
            return "simulated: no result"
        if self.about.self_agreement:
            return "self-agreement: its planner has the model or prompt that built the pairs"
        coverage = self.value("coverage", mode)
        if self.value("accuracy", mode) is None or not coverage:
            return "no pair has a score"
        if coverage < COVERAGE:
            units = "twins have both scores" if is_twin(mode) else "pairs have a score"
            return f"only {coverage:.1%} of the {units}"
        return ""


def gain_over(control: ConditionName) -> str:
    """What a gain over a control is called among an entry's figures."""
    return f"gain over {control}"


def group_letters(
    rows: Sequence[str], differing_pairs: Iterable[tuple[str, str]]
) -> dict[str, str]:
    """The letters of each row, from the pairs of rows that differ; `a` is the first row's group."""
    groups = [frozenset(rows)]
    for first, second in differing_pairs:
        split = [group for group in groups if first in group and second in group]
        left = [group for group in groups if group not in split]
        for group in split:
            left += [group - {first}, group - {second}]
        left = list(dict.fromkeys(left))
        groups = [group for group in left if not any(group < other for other in left)]
    place = {row: n for n, row in enumerate(rows)}
    groups.sort(key=lambda group: sorted(place[row] for row in group))
    # a to z, then a2 to z2 and so on.
    turns = ("" if turn == 1 else str(turn) for turn in count(1))
    letters = (f"{letter}{turn}" for turn in turns for letter in ascii_lowercase)
    lettered = list(zip(letters, groups, strict=False))
    return {row: " ".join(name for name, group in lettered if row in group) for row in rows}


class RowComparison(Record):
    """Two ranked rows on the same pairs; a pair without a score is wrong."""

    first: str
    second: str
    difference: float
    """Accuracy of the first less that of the second."""
    low: float | None
    high: float | None
    """Its 95 % interval by cluster, of this one comparison."""
    n: int
    clusters: int
    p: float
    """The p of these two alone: see `sign_flips.equality_p`."""
    adjusted: float
    """The p of the step-down test of all pairs of rows in the ranking, or where couples and
    responses are crossed of Holm's procedure, times the number of the leaderboard's rankings that
    can distinguish any rows."""

    @property
    def estimate(self) -> Estimate:
        """The difference with its interval."""
        return Estimate(
            value=self.difference, low=self.low, high=self.high, n=self.n, clusters=self.clusters
        )


class RankingTest(Record):
    """How the rows of one ranking were compared."""

    clusters: int
    """Couples, users or prompts: what is flipped, where anything is."""
    least: float
    """The smallest adjusted p that two rows of this table can have, times the same number. Where
    couples and responses are crossed, that of a row ahead on every pair, all of them independent
    but for the few couples or responses."""
    flips: int
    """The number of flips that were computed; 0 where couples and responses are crossed."""
    exact: bool
    """Whether all flips were computed."""

    @property
    def crossed(self) -> bool:
        """Whether rows are compared by the intervals of their differences, and not by flips."""
        return self.flips == 0

    @property
    def can_distinguish(self) -> bool:
        """Whether any flip changes a difference of two rows, whichever row is ahead: a table of
        scorers that cannot see the user has none on whole twins. Where couples and responses are
        crossed, whether any row is not at one half by identity."""
        return self.flips != 1


class Ranking(Record):
    """Rows by their names, SCORER.CONDITION."""

    mode: Mode | None
    condition: ConditionName
    ranked: tuple[str, ...]
    """The ranked rows by accuracy, best first; equal ones by name."""
    groups: dict[str, str]
    """The letters of each ranked row."""
    unranked: dict[str, str]
    """Why each of the others is not ranked."""
    comparisons: tuple[RowComparison, ...]
    """The comparisons of all pairs of ranked rows."""
    test: RankingTest | None
    """None below two ranked rows."""
    apart: dict[str, int] = Field(default={})
    """Pairs of the mode that are not part of the condition, by reason; the same for all rows."""

    @property
    def leaders(self) -> tuple[str, ...]:
        """The best row, and those that share a letter with it."""
        best = set(self.groups[self.ranked[0]].split()) if self.ranked else set()
        return tuple(name for name in self.ranked if best & set(self.groups[name].split()))

    def next_to(self, name: str) -> RowComparison | None:
        """A ranked row beside the one below it; None for the last."""
        pair = (name, *self.ranked[self.ranked.index(name) + 1 :][:1])
        found = (one for one in self.comparisons if (one.first, one.second) == pair)
        return next(found, None)


def rank(
    mode: Mode | None,
    condition: ConditionName,
    entries: Sequence[BoardEntry],
    points: Mapping[str, Floats],
    clusters: Places,
) -> Ranking:
    """Rank the entries, all of this condition.

    `points`: by entry, of shape (n,) over the mode's pairs, NaN where one counts for no entry;
    `clusters`: their `Places`.
    """
    unranked = {entry.name: why for entry in entries if (why := entry.unranked(mode))}
    accuracies = {
        entry.name: figure
        for entry in entries
        if entry.name not in unranked and (figure := entry.figure("accuracy", mode))
    }
    names = tuple(sorted(accuracies, key=lambda name: (-(accuracies[name].value or 0.0), name)))
    exact = {name for name in names if accuracies[name].by_identity}
    comparisons, test = (
        compare_rows(names, points, clusters, exact) if len(names) > 1 else ([], None)
    )
    # Between two of these no difference could have come out.
    comparisons = [
        one.model_copy(update={"low": None, "high": None})
        if {one.first, one.second} <= exact
        else one
        for one in comparisons
    ]
    return Ranking(
        mode=mode,
        condition=condition,
        ranked=names,
        groups=_groups(names, comparisons),
        unranked=unranked,
        comparisons=tuple(comparisons),
        test=test,
    )


def level_sharers(rankings: Iterable[Ranking]) -> int:
    """The number of rankings that share the 5 % of a leaderboard: those that could distinguish
    rows. Which these are does not depend on who is ahead, so it favours no finding."""
    return sum(one.test.can_distinguish for one in rankings if one.test)


def share_level(rankings: Sequence[Ranking]) -> Iterator[Ranking]:
    """The rankings of a leaderboard, each with its p times the number of those that share 5 %
    (Bonferroni). By Holm's procedure a later table would have more of it, but that holds only where
    every difference of the tables before is true, and a table has many."""
    sharers = max(1, level_sharers(rankings))
    for one in rankings:
        comparisons = [
            pair.model_copy(update={"adjusted": _six_digits(min(1.0, sharers * pair.adjusted))})
            for pair in one.comparisons
        ]
        least = one.test and _six_digits(min(1.0, sharers * one.test.least))
        yield one.model_copy(
            update={
                "comparisons": tuple(comparisons),
                "groups": _groups(one.ranked, comparisons),
                "test": one.test and one.test.model_copy(update={"least": least}),
            }
        )


def _groups(names: Sequence[str], comparisons: Iterable[RowComparison]) -> dict[str, str]:
    differing_pairs = [(one.first, one.second) for one in comparisons if one.adjusted < LEVEL]
    return group_letters(names, differing_pairs)


def compare_rows(
    names: Sequence[str],
    points: Mapping[str, Floats],
    clusters: Places,
    exact: Set[str] = frozenset(),
) -> tuple[list[RowComparison], RankingTest]:
    """Compare each two of two or more ranked rows, all at once. The arguments are as in `rank`;
    `exact` are the rows that are at one half by identity."""
    every = np.array([points[name] for name in names])
    # What counts for one row counts for each of them.
    due = ~np.isnan(every[0])
    every, clusters = every[:, due], clusters[due]
    if clusters.ndim > 1:
        return _compare_crossed(names, every, clusters, exact)
    pairs = list(combinations(range(len(names)), 2))
    result = step_down(every, clusters, pairs)
    compared = [
        _comparison((names[a], names[b]), every[a] - every[b], clusters, p)
        for (a, b), p in zip(pairs, result.p.tolist(), strict=True)
    ]
    return compared, RankingTest(
        clusters=len(np.unique(clusters)),
        least=_six_digits(result.least),
        flips=result.flips,
        exact=result.exact,
    )


def _compare_crossed(
    names: Sequence[str], every: Floats, clusters: Places, exact: Set[str]
) -> tuple[list[RowComparison], RankingTest]:
    """Compare rows of `every`, shape (rows, n), where couples and responses are crossed.

    Each p is that of the interval of the difference, and they are adjusted by Holm's procedure. The
    rows of `exact` have one point on each twin, whatever the data: the difference to any of them is
    the accuracy less one half, which is one test, and two of them need none.
    """
    rows = dict(zip(names, every, strict=True)) | dict.fromkeys(exact, np.full_like(every[0], 0.5))
    compared, tests = [], dict[frozenset[str], float]()
    for pair in combinations(names, 2):
        tested, differences = frozenset(pair) - exact, rows[pair[0]] - rows[pair[1]]
        if len(tested) == 2:
            compared.append(_comparison(pair, differences, clusters))
        else:
            # Of differences to one half, twice as much is what has the accuracy's interval.
            twice = _comparison(pair, 2 * differences, clusters)
            ends = twice.model_dump(include={"difference", "low", "high"}, exclude_none=True)
            halves = {end: round(value / 2, 6) for end, value in ends.items()}
            compared.append(twice.model_copy(update=halves))
        if tested:
            tests[tested] = compared[-1].p
    together = multipletests(list(tests.values()), method="holm")[1].tolist() if tests else []
    adjusted = dict(zip(tests, together, strict=True))
    compared = [
        one.model_copy(update={"adjusted": _six_digits(adjusted.get(tested, 1.0))})
        for one in compared
        for tested in (frozenset({one.first, one.second}) - exact,)
    ]
    ahead = accuracy(np.ones(every.shape[1]), clusters)
    assert ahead, "a ranked row has an accuracy"
    least = min(1.0, len(tests) * ahead._replace(design=1.0).p_of_one_half())
    return compared, RankingTest(
        clusters=ahead.clusters,
        least=_six_digits(least) if tests else 1.0,
        flips=0 if tests else 1,
        exact=True,
    )


def _comparison(
    names: tuple[str, str], differences: Floats, clusters: Places, adjusted: float = 0.0
) -> RowComparison:
    p = equality_p(differences, clusters)
    estimate = difference(differences, clusters)
    return RowComparison(
        first=names[0],
        second=names[1],
        difference=estimate.value or 0.0,
        low=estimate.low,
        high=estimate.high,
        n=estimate.n,
        clusters=estimate.clusters,
        p=_six_digits(p),
        # Drawn flips may fall on the other side of the exact p of one comparison.
        adjusted=_six_digits(max(p, adjusted)),
    )


def _six_digits(p: float) -> float:
    """The same on every machine."""
    return float(f"{p:.6g}")
