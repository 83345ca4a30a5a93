"""Each coefficient with a part of the ratings left out, part by part: what the jackknife needs.

Three sorts of parts: the clusters of items; the raters; and the cells, one rater's ratings in one
cluster. The coefficients are functions of sums over items, for many sets of sums at once.

Leaving out items takes their part from the sums, so a coefficient without each cluster or each
rater in turn costs little more than the coefficient itself. On all ratings these are the
coefficients of `coefficients`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from pairwright_human_eval.agreement.coefficients import LEAST_SHARED, Measurement
from pairwright_human_eval.agreement.ratings import Floats, Indices, Ratings


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over items: a row for each set of items, shape (sets, 3 + 2 levels + levels squared)."""

    rows: Floats
    levels: int

    @classmethod
    def of_items(cls, counts: Indices) -> "Sums":
        """Every item as a set of its own; `counts` has shape (items, levels)."""
        given = counts.astype(np.float64)
        items, levels = given.shape
        rated = given.sum(axis=1)
        paired = (rated > 1).astype(np.float64)
        shares = given / np.maximum(rated, 1)[:, None]
        # Krippendorff's coincidences: an item with m ratings spreads m over its ordered pairs.
        pairs = given[:, :, None] * given[:, None, :]
        every = np.arange(levels)
        pairs[:, every, every] -= given
        pairs *= (paired / np.maximum(rated - 1, 1))[:, None, None]
        agreed = np.einsum("ikk->i", pairs) / np.maximum(rated, 1)
        single = np.stack([agreed, paired, (rated > 0).astype(np.float64)], axis=1)
        rows = [single, shares, shares * paired[:, None], pairs.reshape(items, levels * levels)]
        return cls(np.concatenate(rows, axis=1), levels)

    def grouped(self, place: Indices, sets: int) -> "Sums":
        """The rows added up by place."""
        shape = (sets, len(place))
        table = sparse.csr_array((np.ones(len(place)), (place, np.arange(len(place)))), shape=shape)
        return Sums(table @ self.rows, self.levels)

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(self.rows + other.rows, self.levels)

    def __sub__(self, other: "Sums") -> "Sums":
        return Sums(self.rows - other.rows, self.levels)

    @property
    def percent(self) -> Floats:
        """Shape (sets,): agreement in percent, as a share."""
        found: Floats = self.rows[:, 0] / self.rows[:, 1]
        return found

    @property
    def shares(self) -> Floats:
        """Shape (sets, levels): the mean share of each level over all rated items."""
        found: Floats = self.rows[:, 3 : 3 + self.levels] / self.rows[:, 2:3]
        return found

    @property
    def paired_shares(self) -> Floats:
        """The same over the items with two ratings or more."""
        found: Floats = self.rows[:, 3 + self.levels : 3 + 2 * self.levels] / self.rows[:, 1:2]
        return found

    @property
    def coincidences(self) -> Floats:
        """Shape (sets, levels, levels)."""
        return self.rows[:, 3 + 2 * self.levels :].reshape(-1, self.levels, self.levels)


def alpha(sums: Sums, measurement: Measurement, numbers: Floats) -> Floats:
    """Shape (sets,). `numbers`: the levels as numbers, for `interval`."""
    margins = sums.coincidences.sum(axis=2)
    squared = _distances(measurement, margins, numbers)
    expected = np.einsum("si,sij,sj->s", margins, squared, margins) / (margins.sum(axis=1) - 1)
    found: Floats = 1 - (sums.coincidences * squared).sum(axis=(1, 2)) / expected
    return found


def _distances(measurement: Measurement, margins: Floats, numbers: Floats) -> Floats:
    """Shape (sets, levels, levels): squared distances."""
    sets, levels = margins.shape
    if measurement == "nominal":
        return np.broadcast_to(1 - np.eye(levels), (sets, levels, levels))
    places = np.broadcast_to(numbers, (sets, levels))
    if measurement == "ordinal":
        # How many ratings lie between two levels, those of the two by half: a difference of ranks.
        places = np.cumsum(margins, axis=1) - margins / 2
    found: Floats = (places[:, :, None] - places[:, None, :]) ** 2
    return found


def ac1(sums: Sums) -> Floats:
    expected = (sums.shares * (1 - sums.shares)).sum(axis=1) / (sums.levels - 1)
    found: Floats = (sums.percent - expected) / (1 - expected)
    return found


def fleiss(sums: Sums) -> Floats:
    expected = (sums.paired_shares**2).sum(axis=1)
    found: Floats = (sums.percent - expected) / (1 - expected)
    return found


COEFFICIENTS: dict[str, Callable[[Sums, Floats], Floats]] = {
    "percent": lambda sums, _: sums.percent,
    "alpha_nominal": lambda sums, numbers: alpha(sums, "nominal", numbers),
    "alpha_ordinal": lambda sums, numbers: alpha(sums, "ordinal", numbers),
    "alpha_interval": lambda sums, numbers: alpha(sums, "interval", numbers),
    "gwet_ac1": lambda sums, _: ac1(sums),
    "fleiss_kappa": lambda sums, _: fleiss(sums),
}
"""By name: a coefficient of sums and of the levels as numbers. Where the sums define none, 0 / 0
says so. Cohen's kappa by two is not a function of these sums: `left_out` has it."""


class LeaveOutValues(NamedTuple):
    """One coefficient; not finite where the rest of the ratings defines none."""

    whole: float
    """With nothing left out."""
    clusters: Floats
    """Shape (clusters,): without each."""
    raters: Floats
    """Shape (raters,)."""
    cells: Floats
    """Shape (cells,): only those that hold a rating."""


@dataclass(frozen=True, eq=False)
class _RatingParts:
    """The parts of a set of ratings."""

    ratings: Ratings
    cluster: Indices
    """Shape (items,): the cluster of each, counted from 0."""

    @cached_property
    def clusters(self) -> int:
        return int(self.cluster.max()) + 1

    @cached_property
    def cells(self) -> Indices:
        """Shape (cells,), ascending: cluster times raters plus rater."""
        return np.unique(self.cell_code(self.ratings.item, self.ratings.rater))

    def cell_code(self, item: Indices, rater: Indices) -> Indices:
        return self.cluster[item] * len(self.ratings.raters) + rater

    def cell(self, item: Indices, rater: Indices) -> Indices:
        """The places in `cells` of ratings of an item by a rater."""
        return np.searchsorted(self.cells, self.cell_code(item, rater))


def left_out(
    ratings: Ratings, cluster: Indices, names: Iterable[str], numbers: Floats
) -> dict[str, LeaveOutValues]:
    """By name of the coefficient. `cluster` has shape (items,); `numbers` are the levels as
    numbers."""
    parts = _RatingParts(ratings, cluster)
    counts = ratings.counts()
    items = Sums.of_items(counts)
    # What leaving out one rating changes in its item.
    fewer = counts[ratings.item]
    fewer[np.arange(len(fewer)), ratings.value] -= 1
    change = Sums.of_items(fewer) - Sums(items.rows[ratings.item], items.levels)
    whole = items.grouped(np.zeros(len(counts), np.intp), 1)
    without = (
        whole,
        whole - items.grouped(cluster, parts.clusters),
        whole + change.grouped(ratings.rater, len(ratings.raters)),
        whole + change.grouped(parts.cell(ratings.item, ratings.rater), len(parts.cells)),
    )
    found = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        for name in names:
            if name == "cohen_kappa":
                found[name] = _cohen(parts)
            else:
                value, *others = (COEFFICIENTS[name](sums, numbers) for sums in without)
                found[name] = LeaveOutValues(float(value[0]), *others)
    return found


def _cohen(parts: _RatingParts) -> LeaveOutValues:
    """Cohen's kappa by two: only the tables of two raters in which a part has answers change."""
    ratings, levels = parts.ratings, len(parts.ratings.levels)
    one, other = ratings.meetings()
    item, first, second = ratings.item[one], ratings.rater[one], ratings.rater[other]
    pairs, table = np.unique(first * len(ratings.raters) + second, return_inverse=True)
    answers = ratings.value[one] * levels + ratings.value[other]
    tables = _tables(table * levels**2 + answers, len(pairs), levels)
    weighed, weight = _weighed_kappas(tables)

    def without(part: Indices, parts: int, table: Indices, answers: Indices) -> Floats:
        """Meetings by the part that they leave with."""
        touched, place = np.unique(part * len(pairs) + table, return_inverse=True)
        of_part, of_table = np.divmod(touched, len(pairs))
        taken = _tables(place * levels**2 + answers, len(touched), levels)
        left, left_weight = _weighed_kappas(tables[of_table] - taken)
        above = np.bincount(of_part, left - weighed[of_table], parts) + weighed.sum()
        below = np.bincount(of_part, left_weight - weight[of_table], parts) + weight.sum()
        return np.where(below > 0, above / below, np.nan)

    # A meeting leaves with either of its two ratings.
    twice = np.tile(table, 2), np.tile(answers, 2)
    cells = np.concatenate([parts.cell(item, first), parts.cell(item, second)])
    return LeaveOutValues(
        float(weighed.sum() / weight.sum()),
        without(parts.cluster[item], parts.clusters, table, answers),
        without(np.concatenate([first, second]), len(ratings.raters), *twice),
        without(cells, len(parts.cells), *twice),
    )


def _tables(cell: Indices, tables: int, levels: int) -> Floats:
    """Shape (tables, levels, levels): how often each cell of each table was met."""
    counts = np.bincount(cell, minlength=tables * levels**2).reshape(tables, levels, levels)
    return counts.astype(np.float64)


def _weighed_kappas(tables: Floats) -> tuple[Floats, Floats]:
    """Of each table: kappa times its weight, and the weight, its number of items; both 0 where it
    has no kappa."""
    n = tables.sum(axis=(1, 2))
    agreed = np.einsum("tkk->t", tables)
    by_chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1)
    defined = (n >= LEAST_SHARED) & (n * n > by_chance)
    weight = np.where(defined, n, 0.0)
    kappa = (agreed * n - by_chance) / np.where(defined, n * n - by_chance, 1.0)
    return weight * kappa, weight
