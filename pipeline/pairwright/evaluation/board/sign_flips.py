"""Tests of which scorers differ, by flipping the sign of whole clusters: two scorers alone, or all
pairs of scorers of a table at once; and the power of these tests, before there is any score.

If two scorers are equally good, each cluster's difference could as well have come out with the
other sign (Fisher 1935, The Design of Experiments, section 21).

Two scorers alone: points are halves, so the sums over all 2^c flips of c clusters lie on a grid,
and their distribution is a convolution of binomials: it is computed for every c, and nothing is
drawn. Of independent pairs without ties it is McNemar's exact test.

All pairs of a table: a flip turns a cluster's differences round for every pair of scorers together,
so the flips keep how the pairs depend on each other: 171 pairs of 19 scorers are far from 171
independent tests. The statistic of a pair is |sum of its differences| over the root of the sum of
their squares by cluster, which no flip changes. The greatest one is compared first; where a pair is
found to differ it leaves, and the rest are compared with the greatest of the rest (the step-down
max-T procedure of Westfall and Young 1993, Resampling-Based Multiple Testing, section 2.6; Romano
and Wolf 2005, J. Am. Stat. Assoc. 100, 94-108, for when it keeps the chance of any false finding).
Up to `EXACT` clusters every flip is looked at; beyond, `DRAWS` seeded ones, and then p is
(b + 1) / (m + 1), so that it is never 0 (Phipson and Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9,
article 39).

Where couples and responses are crossed, as those of natural twins are, neither is done: pairs of
different couples with a common response go together, and no flip of couples keeps that. The p of
`equality_p` is then that of the interval, and `ranking` adjusts those of a table by Holm's
procedure.

Power: a release is simulated many times, each time with the right and wrong answers of scorers on
its pairs. Answers are drawn pair by pair; within a cluster each one is the cluster's common draw
with probability sqrt(correlation), so that any two of it correlate by `correlation`. No ties.

Two scorers alone are then compared by the exact p where the normal distribution, with half a step
of the sum for continuity, leaves it open. Two of many scorers are compared by the first step of the
step-down test, whose critical value is that of the flips of simulated tables in which all scorers
are equally good. The later steps could only find more. Against chance the interval of the accuracy
must lie above one half, at Holm's first level where several scorers are compared with it. The table
is the only one of its leaderboard that can distinguish rows: several share 5 %, and each finds
less.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.signal import convolve
from scipy.special import stdtrit
from scipy.stats import binom

from pairwright.intervals import LEVEL, Floats, Places, z_of
from pairwright.records import Record


def sign_flip(differences: Floats, clusters: Places) -> float:
    """The two-sided p of a sum of differences of points, which are multiples of one half; both
    arguments of shape (n,). 1 where all clusters are even."""
    _, places = np.unique(clusters, return_inverse=True)
    # In halves, so that sums are whole numbers.
    sums = np.rint(2 * np.bincount(places, differences)).astype(np.intp)
    sizes, counts = np.unique(np.abs(sums[sums != 0]), return_counts=True)
    total_difference = abs(int(sums.sum()))
    if not total_difference:
        return 1.0
    chances = np.ones(1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        of_size = np.zeros(size * count + 1)
        of_size[::size] = _heads(count)
        chances = convolve(chances, of_size)
    # chances[k]: that the clusters with the one sign come to k; the sum is then 2 k - total.
    total = len(chances) - 1
    p = 2 * float(chances[: (total - total_difference) // 2 + 1].sum())
    # Never below the share of the two outermost flips: a transform may lose so little.
    least = math.ldexp(1.0, 1 - int(counts.sum()))
    return min(1.0, max(p, least))


@cache
def _heads(count: int) -> Floats:
    """The chances of 0 to `count` heads of as many coins. Kept: a study's plan asks for the same
    ones thousands of times."""
    chances: Floats = binom.pmf(np.arange(count + 1), count, 0.5)
    return chances


EXACT = 14
"""Clusters: 8,192 flips, since a flip and its opposite give the same statistics."""
DRAWS = 9_999
CHUNK = 500
"""Flips looked at together, and fewer of many clusters."""


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


def step_down(
    points: Floats, clusters: Places, pairs: Sequence[tuple[int, int]]
) -> tuple[Floats, RankingTest]:
    """Compare rows of `points`, shape (rows, n), two at a time; `clusters` is of shape (n,) and
    `pairs` names places of rows. Gives for each pair, shape (pairs,), the least level of the whole
    table at which it is distinguished. Raises ValueError where a point is not a number."""
    if np.isnan(points).any():
        raise ValueError("a point is not a number")
    sums = _by_cluster(points, clusters)
    first, second = np.array(pairs, np.intp).reshape(-1, 2).T
    independent = sums.shape[1]
    # A cluster in which no two rows differ changes nothing, whichever way it is flipped.
    sums = sums[:, (sums != sums[0]).any(axis=0)]
    # The squares of differences from those of rows: halves, so that nothing is lost.
    squares = sums @ sums.T
    norms = np.sqrt(squares[first, first] + squares[second, second] - 2 * squares[first, second])
    whole = sums.sum(axis=1)
    statistics = _statistic(whole[first] - whole[second], norms)
    order = np.argsort(-statistics, kind="stable")
    beyond, outer, flips = np.zeros(len(pairs)), 0, 0
    exact = sums.shape[1] <= EXACT
    for signs in _every_flip(sums.shape[1]) if exact else _drawn_flips(sums.shape[1]):
        totals = signs @ sums.T
        drawn = _statistic(totals[:, first] - totals[:, second], norms)[:, order]
        # At each step the greatest of the pairs that are left.
        greatest = np.maximum.accumulate(drawn[:, ::-1], axis=1)[:, ::-1]
        beyond += (greatest >= statistics[order] - 1e-9).sum(axis=0)
        outer += int((greatest[:, :1] >= np.sqrt(independent) - 1e-9).sum())
        flips += len(signs)
    correction = 0 if exact else 1
    p = np.empty(len(pairs))
    p[order] = np.maximum.accumulate((beyond + correction) / (flips + correction))
    p[statistics == 0] = 1.0
    # The flip that changes nothing and its opposite give such a pair its own statistic.
    alone = 2.0 ** (1 - independent)
    least = max(alone, (outer + correction) / (flips + correction))
    return p, RankingTest(clusters=len(np.unique(clusters)), least=least, flips=flips, exact=exact)


def critical_value(points: Floats, clusters: Places) -> float:
    """The statistic that a pair of rows must reach at the first step to be distinguished: in
    5 % of the flips the greatest one of all pairs of rows is above it. `points` and `clusters`
    are as in `step_down`."""
    sums = _by_cluster(points, clusters)
    first, second = np.triu_indices(len(sums), 1)
    norms = np.sqrt(((sums[first] - sums[second]) ** 2).sum(axis=1))
    greatest = []
    for signs in _drawn_flips(sums.shape[1]):
        totals = signs @ sums.T
        greatest.append(_statistic(totals[:, first] - totals[:, second], norms).max(axis=1))
    return float(np.quantile(np.concatenate(greatest), 1 - LEVEL))


def clusters_needed(tables: int = 1) -> int:
    """The fewest clusters that can distinguish two rows of so many tables that share the level: the
    least p of c clusters is 2^(1 - c)."""
    return int(np.floor(1 - np.log2(LEVEL / tables))) + 1


def _by_cluster(points: Floats, clusters: Places) -> Floats:
    _, places = np.unique(clusters, return_inverse=True)
    sums = np.zeros((len(points), int(places.max()) + 1 if len(places) else 0))
    for row, own in zip(sums, points, strict=True):
        row[:] = np.bincount(places, own, minlength=len(row))
    return sums


def _statistic(sums: Floats, norms: Floats) -> Floats:
    statistic: Floats = np.divide(np.abs(sums), norms, out=np.zeros(sums.shape), where=norms > 0)
    return statistic


def _every_flip(clusters: int) -> Iterator[Floats]:
    """Shape (flips, clusters), in chunks: one of each two opposites, which flip the same pairs."""
    numbers = np.arange(2 ** max(0, clusters - 1))
    for start in range(0, len(numbers), CHUNK):
        some = numbers[start : start + CHUNK, None] >> np.arange(clusters)
        yield np.where(some & 1, -1.0, 1.0)


def _drawn_flips(clusters: int) -> Iterator[Floats]:
    chance, chunk = np.random.default_rng(0), max(1, min(CHUNK, 5_000_000 // clusters))
    for start in range(0, DRAWS, chunk):
        size = (min(chunk, DRAWS - start), clusters)
        yield np.where(chance.integers(0, 2, size, dtype=np.int8), -1.0, 1.0)


SimulatedAnswers = npt.NDArray[np.bool_]
POWER = 0.8
"""The chance of finding it at which a difference is called detectable."""
CORRELATION = 0.1
"""Of what two pairs of one cluster say, where nothing is known."""
EXACT_RANGE = (-0.5, 0.1)
"""Where the normal distribution does not settle a sign-flip test: how far around its quantile."""
RELEASES, ANSWERS = 10_000, 10_000_000
"""Simulated releases; and fewer of large ones, whose pairs are so many in all."""
SIGN_FLIPS = 4000
"""Simulated releases that the sign-flip test is computed for."""
TABLES = 4
STEP = 0.001
"""A tenth of a point, to which the smallest detectable difference is found."""


class SimulatedReleases:
    """Releases of one size and shape, drawn once and used for every question."""

    def __init__(
        self,
        sizes: Sequence[int],
        disagreement: float,
        correlation: float = CORRELATION,
        seed: int = 0,
    ) -> None:
        """`sizes` are the pairs of each cluster. `disagreement` is the share of pairs, above 0 to
        0.5, on which one of two scorers is right and the other wrong."""
        self._sizes = np.array(sizes, np.intp)
        self._clusters = np.repeat(np.arange(len(sizes)), self._sizes)
        self._starts = np.cumsum(self._sizes) - self._sizes
        self._disagreement = disagreement
        self._correlation = correlation
        self._chance = np.random.default_rng(seed)
        releases = min(RELEASES, ANSWERS // len(self._clusters))
        self._draws = _correlated(releases, self._clusters, correlation, self._chance)
        # By the number of scorers: it takes longer than everything else.
        self._critical = cache(self._critical_value)

    def difference_power(self, difference: float, scorers: int = 2) -> float:
        """The chance that the leaderboard of so many scorers distinguishes two of them whose
        accuracies differ by `difference`, from 0 to the disagreement."""
        draws = self._draws if scorers > 2 else self._draws[:SIGN_FLIPS]
        above = draws < (self._disagreement + difference) / 2
        below = draws > 1 - (self._disagreement - difference) / 2
        sums = self._by_cluster(above).astype(np.float64) - self._by_cluster(below)
        total, squares = sums.sum(axis=1), (sums**2).sum(axis=1)
        root = np.sqrt(np.maximum(squares, 1))
        if scorers > 2:
            return float((total / root >= self._critical(scorers)).mean())
        # The tails of few flips are lighter than normal ones, so more is open below than above.
        beyond = (total - 1) / root - z_of(LEVEL)
        found = beyond > EXACT_RANGE[1]
        for place in np.flatnonzero((beyond >= EXACT_RANGE[0]) & ~found):
            found[place] = sign_flip(sums[place], np.arange(len(self._sizes))) < LEVEL
        return float(found.mean())

    def chance_power(self, accuracy: float, scorers: int = 1) -> float:
        """The chance that the interval of a scorer of this accuracy lies above one half, where so
        many scorers are compared with one half."""
        if len(self._sizes) < 2:
            return 0.0
        right = self._draws < accuracy
        n, clusters, z = right.shape[1], len(self._sizes), z_of(LEVEL / scorers)
        mean = right.mean(axis=1)
        errors = self._by_cluster(right) - mean[:, None] * self._sizes
        # As `Accuracy.interval`, of all releases at once.
        independent = n / (n - 1) * n * mean * (1 - mean)
        by_cluster = clusters / (clusters - 1) * (errors**2).sum(axis=1)
        alike = float(self._sizes @ self._sizes) / n
        design = np.divide(
            by_cluster, independent, out=np.full(len(mean), alike), where=independent > 0
        )
        few = stdtrit(n - 1, LEVEL / scorers / 2) / stdtrit(clusters - 1, LEVEL / scorers / 2)
        effective = n / np.maximum(1, design) * few**2
        square = z * z / effective
        spread = z * np.sqrt(mean * (1 - mean) / effective + square / (4 * effective))
        return float(((mean + square / 2 - spread) / (1 + square) > 0.5).mean())

    def least_difference(self, scorers: int = 2) -> float | None:
        """The smallest difference of two accuracies that is found with the power `POWER`; None
        where not even the greatest possible one is."""
        return _least(lambda x: self.difference_power(x, scorers), 0, self._disagreement)

    def least_accuracy(self, scorers: int = 1) -> float | None:
        """The smallest accuracy above one half that is found with the power `POWER`; None where not
        even the greatest possible one is."""
        return _least(lambda x: self.chance_power(x, scorers), 0.5, 1)

    def _by_cluster(self, answers: SimulatedAnswers) -> Places:
        sums: Places = np.add.reduceat(answers, self._starts, axis=1, dtype=np.intp)
        return sums

    def _critical_value(self, scorers: int) -> float:
        tables = (self._table(scorers) for _ in range(TABLES))
        return float(np.mean([critical_value(table, self._clusters) for table in tables]))

    def _table(self, scorers: int) -> Floats:
        """The answers of equally good scorers: one is the pair's common answer so often that two
        scorers disagree as they should. Shape (scorers, pairs)."""
        common = self._chance.random(len(self._clusters)) < 0.5
        own = _correlated(scorers, self._clusters, self._correlation, self._chance) < 0.5
        copied = self._chance.random(own.shape) < math.sqrt(1 - 2 * self._disagreement)
        return np.where(copied, common, own).astype(np.float64)


def _correlated(
    rows: int, clusters: Places, correlation: float, chance: np.random.Generator
) -> Floats:
    """Draws from 0 to 1, shape (rows, pairs), of which two of a cluster correlate."""
    shape = rows, len(clusters)
    own = chance.random(shape, np.float32)
    common = chance.random((rows, int(clusters.max()) + 1), np.float32)[:, clusters]
    drawn: Floats = np.where(chance.random(shape, np.float32) ** 2 < correlation, common, own)
    return drawn


def _least(power: Callable[[float], float], low: float, high: float) -> float | None:
    steps = round((high - low) / STEP)
    found = bisect_left(range(steps), POWER, lo=1, key=lambda n: power(low + n * STEP))
    return round(low + found * STEP, 3) if found < steps else None
