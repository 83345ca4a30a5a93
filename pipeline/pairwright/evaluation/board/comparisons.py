"""All ranked rows of one table compared with each other, two at a time: by their accuracies, or by
their net right flips.

By sign flips of clusters, or where couples and responses are crossed by the intervals of the
differences: see `sign_flips`.
"""

import math
from collections.abc import Callable, Mapping, Sequence, Set
from itertools import combinations

import numpy as np
from statsmodels.stats.multitest import multipletests

from pairwright.estimate import Estimate
from pairwright.evaluation.board.sign_flips import RankingTest, equality_p, step_down
from pairwright.evaluation.measure.flips import UnitFlip, flip_places, net_right_flips
from pairwright.intervals import Floats, Places, accuracy, difference
from pairwright.records import Record


class RowComparison(Record):
    """Two ranked rows on the same pairs. In an accuracy a pair without a score is wrong; net right
    flips are of the units that every ranked row has both scores of."""

    first: str
    second: str
    difference: float
    """The figure of the first that they are ranked by less that of the second."""
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


Comparisons = tuple[list[RowComparison], RankingTest]


def compare_rows(
    names: Sequence[str],
    points: Mapping[str, Floats],
    clusters: Places,
    exact: Set[str] = frozenset(),
) -> Comparisons:
    """Compare the accuracies of each two of two or more ranked rows, all at once. The arguments are
    as in `rank`; `exact` are the rows that are at one half by identity."""
    every = np.array([points[name] for name in names])
    # What counts for one row counts for each of them.
    due = ~np.isnan(every[0])
    every, clusters = every[:, due], clusters[due]
    if clusters.ndim > 1:
        return _compare_crossed(names, every, clusters, exact)
    return _step_down(
        names, every, clusters, lambda a, b: difference(every[a] - every[b], clusters)
    )


def compare_flips(names: Sequence[str], flips: Mapping[str, Mapping[str, UnitFlip]]) -> Comparisons:
    """Compare the net right flips of each two of two or more ranked rows, all at once, on the units
    that all of them have both scores of; `flips` has them by row and unit."""
    units = [
        unit
        for unit in flips[names[0]]
        if all(flips[name][unit].point is not None for name in names)
    ]
    placebo, clusters = flip_places([flips[names[0]][unit] for unit in units])
    every = np.array([[flips[name][unit].point for unit in units] for name in names], np.float64)
    # In whole numbers, of which no sum loses anything.
    twins, placebos = int((~placebo).sum()), int(placebo.sum())
    shared = math.gcd(2 * placebos, twins) or 1
    weighed = every * np.where(placebo, -twins // shared, 2 * placebos // shared)

    def estimate(a: int, b: int) -> Estimate:
        return net_right_flips(every[a] - every[b], placebo, clusters, difference)

    return _step_down(names, weighed, clusters, estimate)


def _step_down(
    names: Sequence[str],
    every: Floats,
    clusters: Places,
    estimate: Callable[[int, int], Estimate],
) -> Comparisons:
    """Compare each two rows of `every`, shape (rows, n), by flips of the signs of whole clusters;
    `estimate` gives the difference of two by their places."""
    pairs = list(combinations(range(len(names)), 2))
    adjusted, test = step_down(every, clusters, pairs)
    compared = [
        _comparison(
            (names[a], names[b]), estimate(a, b), equality_p(every[a] - every[b], clusters), p
        )
        for (a, b), p in zip(pairs, adjusted.tolist(), strict=True)
    ]
    return compared, test.model_copy(update={"least": six_digits(test.least)})


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
        # Of differences to one half, twice as much is what has the accuracy's interval.
        times = 1 if len(tested) == 2 else 2
        found = difference(times * differences, clusters)
        ends = found.model_dump(include={"value", "low", "high"}, exclude_none=True)
        found = found.model_copy(update={end: round(x / times, 6) for end, x in ends.items()})
        compared.append(_comparison(pair, found, equality_p(times * differences, clusters)))
        if tested:
            tests[tested] = compared[-1].p
    together = multipletests(list(tests.values()), method="holm")[1].tolist() if tests else []
    adjusted = dict(zip(tests, together, strict=True))
    compared = [
        one.model_copy(update={"adjusted": six_digits(adjusted.get(tested, 1.0))})
        for one in compared
        for tested in (frozenset({one.first, one.second}) - exact,)
    ]
    ahead = accuracy(np.ones(every.shape[1]), clusters)
    assert ahead, "a ranked row has an accuracy"
    least = min(1.0, len(tests) * ahead._replace(design=1.0).p_of_one_half())
    return compared, RankingTest(
        clusters=ahead.clusters,
        least=six_digits(least) if tests else 1.0,
        flips=0 if tests else 1,
        exact=True,
    )


def _comparison(
    names: tuple[str, str], estimate: Estimate, p: float, adjusted: float = 0.0
) -> RowComparison:
    return RowComparison(
        first=names[0],
        second=names[1],
        difference=estimate.value or 0.0,
        low=estimate.low,
        high=estimate.high,
        n=estimate.n,
        clusters=estimate.clusters,
        p=six_digits(p),
        # Drawn flips may fall on the other side of the exact p of one comparison.
        adjusted=six_digits(max(p, adjusted)),
    )


def six_digits(p: float) -> float:
    """The same on every machine."""
    return float(f"{p:.6g}")
