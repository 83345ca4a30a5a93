"""Each coefficient with a part of the ratings left out, part by part: what the jackknife needs.

Three sorts of parts: the clusters of items; the raters; and the cells, one rater's ratings in one
cluster.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pairwright_human_eval.agreement.coefficients import LEAST_SHARED
from pairwright_human_eval.agreement.ratings import Floats, Indices, Ratings
from pairwright_human_eval.agreement.sums import COEFFICIENTS, Sums


class LeftOut(NamedTuple):
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
class _Parts:
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
) -> dict[str, LeftOut]:
    """By name of the coefficient. `cluster` has shape (items,); `numbers` are the levels as
    numbers."""
    parts = _Parts(ratings, cluster)
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
                found[name] = LeftOut(float(value[0]), *others)
    return found


def _cohen(parts: _Parts) -> LeftOut:
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
    return LeftOut(
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
