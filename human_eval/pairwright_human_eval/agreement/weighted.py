"""The coefficients over weighted items and raters: what one bootstrap replicate computes.

Two ratings of an item by raters j and k count w_j w_k, and never j with itself, however often j
was drawn: a copy would agree with its original and lift every coefficient. With n the weights
given to a level and q their squares, pairs within a level weigh n^2 - q and pairs across two
levels the product of their n. At weights of 1 these are the coefficients of `coefficients`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pairwright_human_eval.agreement.coefficients import LEAST_SHARED, Measurement
from pairwright_human_eval.agreement.ratings import Floats, Indices, Ratings


@dataclass(frozen=True, eq=False)
class Tally:
    """Weighted counts. `given` and `alike` have shape (levels, items): sums over the few levels are
    then sums of long rows. The rest has shape (items,)."""

    weight: Floats
    given: Floats
    """Sum of the weights of the raters who gave the level."""
    alike: Floats
    """Weight of the ordered pairs of different raters who both gave it."""
    rated: Floats
    """Sum of the weights of those who rated the item."""
    pairs: Floats
    """Weight of the ordered pairs of different raters."""

    @classmethod
    def of(cls, ratings: Ratings, items: Floats, raters: Floats) -> "Tally":
        """From one weight an item and one weight a rater."""
        shape = len(ratings.levels), len(ratings.items)
        cells, weight = ratings.value * shape[1] + ratings.item, raters[ratings.rater]
        given, own = (
            sums(cells, of, shape[0] * shape[1]).reshape(shape) for of in (weight, weight * weight)
        )
        rated = given.sum(axis=0)
        pairs = rated * rated - own.sum(axis=0)
        return cls(items, given, given * given - own, rated, pairs)

    @cached_property
    def per_pair(self) -> Floats:
        """Item weights over pair weights; 0 for an item without a pair."""
        return _over(self.weight, self.pairs)

    @cached_property
    def paired(self) -> Floats:
        """Item weights; 0 for an item without a pair."""
        return np.where(self.pairs > 0, self.weight, 0.0)

    @cached_property
    def coincidences(self) -> Floats:
        """Shape (levels, levels): Krippendorff's o. Each item brings the weight of its ratings,
        spread over its pairs."""
        scale = self.per_pair * self.rated
        found: Floats = (self.given * scale) @ self.given.T
        np.fill_diagonal(found, self.alike @ scale)
        return found

    @cached_property
    def percent(self) -> float:
        """Agreement in percent, as a share."""
        return float(np.float64(self.per_pair @ self.alike.sum(axis=0)) / self.paired.sum())

    def shares(self, weight: Floats) -> Floats:
        """Shape (levels,): the mean share of each level, items weighed so."""
        totals: Floats = self.given @ _over(weight, self.rated)
        found: Floats = totals / totals.sum()
        return found


def sums(places: Indices, weights: Floats, n: int) -> Floats:
    """Shape (n,): the weights summed by place."""
    return np.bincount(places, weights, n).astype(np.float64, copy=False)


def _over(numerator: Floats, denominator: Floats) -> Floats:
    """Their quotients; 0 where the denominator is."""
    found = np.zeros_like(denominator)
    np.divide(numerator, denominator, out=found, where=denominator > 0)
    return found


def alpha(tally: Tally, measurement: Measurement, numbers: Floats) -> float:
    """`numbers`: the levels as numbers, for `interval`."""
    margins = tally.coincidences.sum(axis=1)
    squared = _distances(measurement, margins, numbers)
    expected = margins @ squared @ margins / (margins.sum() - 1)
    return float(1 - (tally.coincidences * squared).sum() / expected)


def _distances(measurement: Measurement, margins: Floats, numbers: Floats) -> Floats:
    """Shape (levels, levels): squared distances."""
    if measurement == "nominal":
        return np.ones((len(margins), len(margins))) - np.eye(len(margins))
    if measurement == "ordinal":
        # How many ratings lie between two levels, those of the two by half: a difference of ranks.
        numbers = np.cumsum(margins) - margins / 2
    return (numbers[:, None] - numbers[None, :]) ** 2


def ac1(tally: Tally) -> float:
    shares = tally.shares(tally.weight)
    expected = (shares * (1 - shares)).sum() / (len(shares) - 1)
    return float((tally.percent - expected) / (1 - expected))


def fleiss(tally: Tally) -> float:
    expected = (tally.shares(tally.paired) ** 2).sum()
    return float((tally.percent - expected) / (1 - expected))


Reweighted = Callable[[Tally, Floats], float]
COEFFICIENTS: dict[str, Reweighted] = {
    "percent": lambda tally, _: tally.percent,
    "alpha_nominal": lambda tally, numbers: alpha(tally, "nominal", numbers),
    "alpha_ordinal": lambda tally, numbers: alpha(tally, "ordinal", numbers),
    "alpha_interval": lambda tally, numbers: alpha(tally, "interval", numbers),
    "gwet_ac1": lambda tally, _: ac1(tally),
    "fleiss_kappa": lambda tally, _: fleiss(tally),
}
"""By name: a coefficient of a tally and of the levels as numbers."""


@dataclass(frozen=True, eq=False)
class Meetings:
    """Every two ratings of an item, laid out for `cohen`: one square table of answers for every two
    raters who share enough items."""

    item: Indices
    cell: Indices
    """Which cell of all tables the two answers fall in; the same cell of all tables is one row."""
    first: Indices
    """Shape (tables,): the raters of each table."""
    second: Indices
    levels: int

    @classmethod
    def of(cls, ratings: Ratings, alike: Indices) -> "Meetings":
        """`alike`: how many items each item of `ratings` stands for."""
        one, other = ratings.meetings()
        code = ratings.rater[one] * len(ratings.raters) + ratings.rater[other]
        enough = np.bincount(code, alike[ratings.item[one]])[code] >= LEAST_SHARED
        one, other, code = one[enough], other[enough], code[enough]
        tables, table = np.unique(code, return_inverse=True)
        q = len(ratings.levels)
        cell = (ratings.value[one] * q + ratings.value[other]) * len(tables) + table
        first, second = np.divmod(tables, len(ratings.raters))
        return cls(ratings.item[one], cell, first, second, q)


def cohen(meetings: Meetings, items: Floats, raters: Floats) -> float:
    q, tables = meetings.levels, len(meetings.first)
    table = sums(meetings.cell, items[meetings.item], q * q * tables).reshape(q, q, tables)
    firsts, seconds = table.sum(axis=1), table.sum(axis=0)
    total = firsts.sum(axis=0)
    agreed = sum(table[level, level] for level in range(q))
    by_chance = (firsts * seconds).sum(axis=0)
    kappa = _over(agreed * total - by_chance, total * total - by_chance)
    weight = np.where(total * total > by_chance, total, 0.0)
    weight *= raters[meetings.first] * raters[meetings.second]
    return float(np.float64(weight @ kappa) / weight.sum())
