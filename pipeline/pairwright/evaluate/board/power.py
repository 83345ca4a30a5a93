"""What a leaderboard could distinguish, before there is any score: the power of its own tests.

A release is simulated many times, each time with the right and wrong answers of scorers on its
pairs. Answers are drawn pair by pair; within a cluster each one is the cluster's common draw with
probability sqrt(correlation), so that any two of a cluster correlate by `correlation`. No ties.

Two scorers alone are compared by the sign-flip test: by its exact p where the normal distribution,
with half a step of the sum for continuity, leaves it open. Two of many scorers are compared by the
first step of the step-down test, whose critical value is that of the flips of simulated tables in
which all scorers are equally good. The later steps could only find more. Against chance the
interval of the accuracy must lie above one half, at Holm's first level where several scorers are
compared with it. The table is the only one of its leaderboard that can distinguish rows: several
share 5 %, and each finds less.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from pairwright.evaluate.board.flips import critical_value, sign_flip
from pairwright.intervals import LEVEL, Floats, Places, z_of

Answers = npt.NDArray[np.bool_]
POWER = 0.8
"""The chance of finding it at which a difference is called detectable."""
CORRELATION = 0.1
"""Of what two pairs of one cluster say, where nothing is known."""
EXACT_RANGE = (-0.5, 0.1)
"""Where the normal distribution does not settle a sign-flip test: how far around its quantile."""
RELEASES, DRAWS = 10_000, 10_000_000
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
        releases = min(RELEASES, DRAWS // len(self._clusters))
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

    def _by_cluster(self, answers: Answers) -> Places:
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
