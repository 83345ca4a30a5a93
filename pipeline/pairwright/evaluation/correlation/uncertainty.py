"""How sure a measure of some models is: what chance would give, and a jackknife over lineages.

Each lineage is left out in turn. No model is ever there twice, so no tie is made that the scores do
not have, as a bootstrap makes one of every model that it draws again: rank-biased overlap counts
ties against a ranking, and two columns that are the same would seem to differ.

The spread is that of Fisher's z, arctanh of the measure where it runs from -1 to 1, whose
distribution is closer to a normal one, with Student's t for the few lineages (Hinkley 1978,
Biometrika 65, 13-21; Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 11). A
measure that depends on how many models there are (NDCG, RBO) is taken for that of as many models.
"""

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from pairwright.evaluation.correlation.measures import RankMeasure
from pairwright.intervals import LEVEL, Floats, Places
from pairwright.records import Record

EXACT = 7
"""Up to so many models every order is computed: 5,040."""
ORDERS = 2000


class Chance(Record):
    """The measure over orders of the downstream scores that have nothing to do with the benchmark.

    `p` is the share of orders as far out as the value that was found: on both sides of the mean
    where the measure has two, above it otherwise. Sampled orders count the one found, too
    (Phipson and Smyth 2010), so `p` is never 0. Where models descend from one another, `p` is that
    of the means of lineages: models of one lineage are not orders of their own.
    """

    mean: float
    low: float
    high: float
    """The middle 95 % of orders."""
    p: float
    orders: int
    exact: bool
    lineage_value: float | None = None
    """The measure of the lineages' means, which p is of then; None where each model is a lineage of
    its own, and where the means do not differ."""


def compare_with_chance(
    measure: RankMeasure, x: Floats, y: Floats, seed: int, lineages: tuple[str, ...] = ()
) -> Chance:
    """Shuffle the downstream scores: every order up to EXACT models, else ORDERS seeded ones.

    Where some models share a lineage, `p` is that of orders of the lineages' means.
    """
    values = _by_orders(measure, x, y, seed)
    p, lineage_value = _beyond(measure, x, y, values), None
    if len(set(lineages)) < len(lineages):
        p = 1.0  # One lineage has one order.
        if len(set(lineages)) > 1:
            means = _lineage_means(x, lineages), _lineage_means(y, lineages)
            p = _beyond(measure, *means, _by_orders(measure, *means, seed))
            value = float(measure.compute(*means))
            lineage_value = None if np.isnan(value) else value
    low, high = np.quantile(values, (LEVEL / 2, 1 - LEVEL / 2))
    return Chance(
        mean=float(values.mean()),
        low=float(low),
        high=float(high),
        p=p,
        orders=len(values),
        exact=len(x) <= EXACT,
        lineage_value=lineage_value,
    )


def _by_orders(measure: RankMeasure, x: Floats, y: Floats, seed: int) -> Floats:
    """The measure over orders of y."""
    n = len(x)
    if n <= EXACT:
        orders = np.array(list(itertools.permutations(range(n))))
    else:
        orders = np.random.default_rng(seed).permuted(np.tile(np.arange(n), (ORDERS, 1)), axis=1)
    # Some hundred at a time: a measure may look at each pair of models.
    pieces = (orders[start : start + 250] for start in range(0, len(orders), 250))
    return np.concatenate([measure.compute(x, y[some]) for some in pieces])


def _beyond(measure: RankMeasure, x: Floats, y: Floats, values: Floats) -> float:
    """The share of orders as far out as the value of x and y."""
    value, mean = float(measure.compute(x, y)), float(values.mean())
    if np.isnan(value):
        # Floats that do not differ go with nothing.
        return 1.0
    # Sums come out in another order: equal values may differ in their last digits.
    edge = 1e-9
    if measure.both_ways:
        beyond = int((np.abs(values - mean) >= abs(value - mean) - edge).sum())
    else:
        beyond = int((values >= value - edge).sum())
    return beyond / len(values) if len(x) <= EXACT else (beyond + 1) / (len(values) + 1)


def _lineage_means(scores: Floats, lineages: tuple[str, ...]) -> Floats:
    names = np.array(lineages)
    return np.array([scores[names == name].mean() for name in dict.fromkeys(lineages)])


LEAST_LEFT = 3
"""The fewest models that must be left: with two every correlation is 1 or -1."""

Statistic = Callable[[Places], Floats]
"""A value for each row of places of models in the table, shape (rows, models)."""


class MeasureInterval(Record):
    """The 95 % interval of a measure; None where there is none, for the reason in `note`."""

    low: float | None
    high: float | None
    note: str = ""

    def text(self, *, sign: bool = False) -> str:
        """`0.61 to 0.94`, or why there is no interval. Ends are rounded outwards: a value of 0.9981
        does not lie between "1.00 and 1.00"."""
        if self.low is None or self.high is None:
            return f"none: {self.note}"
        low = math.floor(round(100 * self.low, 6)) / 100
        high = math.ceil(round(100 * self.high, 6)) / 100
        form = "+.2f" if sign else ".2f"
        return f"{low:{form}} to {high:{form}}"


class Jackknife(NamedTuple):
    """A measure of all models, and without each lineage."""

    value: float
    without: Floats
    """Shape (lineages,); nan where the models that are left do not differ."""
    least: float
    """The least value of the measure: -1, or 0. The greatest is 1."""
    left: int
    """The fewest models that are left without a lineage."""

    @property
    def note(self) -> str:
        """Why there is no interval; empty where there is one."""
        if self.left == 0:
            return "one lineage"
        if self.left < LEAST_LEFT:
            return "too few models"
        if np.isnan(self.without).any():
            return "all others are equal without one lineage"
        return ""

    def interval(self) -> MeasureInterval:
        """The interval of the measure, within its bounds."""
        if self.note:
            return MeasureInterval(low=None, high=None, note=self.note)
        with np.errstate(divide="ignore", invalid="ignore"):
            z, without = self._z(np.array(self.value)), self._z(self.without)
            spread = _spread(without - z)
        if np.isfinite(spread):
            low, high = float(self._of_z(z - spread)), float(self._of_z(z + spread))
        else:
            # Without some lineage, or with all, agreement is whole, which has no z.
            spread = _spread(self.without - self.value)
            low, high = self.value - spread, self.value + spread
        return MeasureInterval(low=max(self.least, low), high=min(1.0, high))

    def lengths(self) -> tuple[float, float]:
        """How far the interval goes below and above the value."""
        interval = self.interval()
        return self.value - (interval.low or 0.0), (interval.high or 0.0) - self.value

    def _z(self, values: Floats) -> Floats:
        z_values: Floats = np.arctanh(np.clip((values - self._middle) / self._half, -1.0, 1.0))
        return z_values

    def _of_z(self, z: Floats) -> Floats:
        return self._middle + self._half * np.tanh(z)

    @property
    def _middle(self) -> float:
        return (1 + self.least) / 2

    @property
    def _half(self) -> float:
        return (1 - self.least) / 2


def jackknife(statistic: Statistic, lineages: tuple[str, ...], least: float = -1.0) -> Jackknife:
    """Leave out each lineage in turn: models that descend from one another are not independent."""
    names, by_size = np.array(lineages), dict[int, list[Places]]()
    for name in dict.fromkeys(lineages):
        places = np.flatnonzero(names != name)
        by_size.setdefault(len(places), []).append(places)
    value = float(statistic(np.arange(len(names))[None, :])[0])
    left = min(by_size)
    if left < LEAST_LEFT:
        return Jackknife(value, np.empty(0), least, left)
    # The measures of as many models at once; their order does not matter.
    without = [statistic(np.array(rows)) for rows in by_size.values()]
    return Jackknife(value, np.concatenate(without), least, left)


def difference_interval(first: Jackknife, second: Jackknife) -> MeasureInterval:
    """The interval of the difference of two measures of the same models: from the interval of each,
    and from how far the two go together when a lineage is left out (Zou 2007, Psychol. Methods 12,
    399-413, eq. 15)."""
    if note := first.note or second.note:
        return MeasureInterval(low=None, high=None, note=note)
    difference = first.value - second.value
    if np.array_equal(first.without - first.value, second.without - second.value):
        return MeasureInterval(low=difference, high=difference)
    one, other = (measure.without - measure.value for measure in (first, second))
    size = float(np.sqrt((one @ one) * (other @ other)))
    together = float(one @ other) / size if size else 0.0
    (low, high), (other_low, other_high) = first.lengths(), second.lengths()

    def length(own: float, its: float) -> float:
        return math.sqrt(max(0.0, own**2 + its**2 - 2 * together * own * its))

    return MeasureInterval(
        low=difference - length(low, other_high), high=difference + length(high, other_low)
    )


def _spread(errors: Floats) -> float:
    """Half the width of the interval: errors about the value itself, not about their mean, so that
    what a measure changes with one model fewer counts as spread too."""
    n = len(errors)
    width = -float(stdtrit(n - 1, LEVEL / 2))
    return width * float(np.sqrt((n - 1) / n * (errors @ errors)))
