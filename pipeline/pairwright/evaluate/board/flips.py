"""Tests of which scorers differ, by flipping the sign of whole clusters: two scorers alone, or all
pairs of scorers of a table at once.

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
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.signal import convolve
from scipy.stats import binom

from pairwright.intervals import LEVEL, Floats, Places, first_clusters


def sign_flip(differences: Floats, clusters: Places) -> float:
    """The two-sided p of a sum of differences of points, which are multiples of one half; both
    arguments of shape (n,). 1 where all clusters are even."""
    _, places = np.unique(first_clusters(clusters), return_inverse=True)
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


@lru_cache(maxsize=1024)
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


class StepDownResult(NamedTuple):
    """What the flips say of all pairs of rows."""

    p: Floats
    """Shape (pairs,): of each, the least level of the whole table at which it is distinguished."""
    least: float
    """No pair of rows of this table could have a smaller p, not even one whose one row is ahead by
    as much in every cluster."""
    flips: int
    exact: bool


def step_down(points: Floats, clusters: Places, pairs: Sequence[tuple[int, int]]) -> StepDownResult:
    """Compare rows of `points`, shape (rows, n), two at a time; `clusters` is of shape (n,) and
    `pairs` names places of rows. Raises ValueError where a point is not a number."""
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
    return StepDownResult(p, max(alone, (outer + correction) / (flips + correction)), flips, exact)


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
    _, places = np.unique(first_clusters(clusters), return_inverse=True)
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
