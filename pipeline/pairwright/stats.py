"""The figures that are reported, each with its interval, n and clusters.

    share(5, 20).counted()                 # "5 of 20: 25 % (11 to 47)"
    estimate.percent()                     # "25 % (11 to 47)"
    estimate.text()                        # "0.250 (0.112 to 0.469)"

A share has Wilson's interval, at the effective number of its clusters; a mean, a difference and a
jackknifed statistic have Student's t by cluster. What is missing says why in its note.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from pairwright.records import Record

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]
"""Numbers of clusters, shape (n,)."""
LEVEL = 0.05
"""The chance of a false finding that all tests of one question share."""
FEWEST = 5
"""Clusters below which no figure over clusters has an interval."""
TOO_FEW = f"no interval: fewer than {FEWEST} clusters"
ALIKE = "no interval: the clusters do not differ"
"""The note of a value that every cluster has."""
NOTHING = 1e-9
"""The bound below which a standard error is only rounding error."""
Z_95 = 1.959964


class Estimate(Record):
    """A value with its 95 % interval, rounded to six places. A missing number is None."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    """The number of observations behind the value: pairs, votes, users, ..."""
    clusters: int
    """The number of independent clusters: user pairs, users, prompts; n if each one is its own."""
    note: str = ""
    """The reason that the value or its interval is missing; empty if neither is."""

    @property
    def k(self) -> int:
        """The number of successes if the value is a share of n; 0 without a value."""
        return round((self.value or 0.0) * self.n)

    def text(self, digits: int = 3, *, sign: bool = False) -> str:
        """`0.712 (0.651 to 0.768)`; `n/a (why)` without a value; `sign` is for a difference."""
        return self._text(1, digits, sign, "")

    def percent(self, digits: int = 0, *, sign: bool = False) -> str:
        """`71 % (65 to 77)`; of a difference with a sign, `+12 (+3 to +21)`, in points."""
        return self._text(100, digits, sign, "" if sign else " %")

    def counted(self) -> str:
        """`5 of 20: 25 % (11 to 47)`; of none, `0 of 0`."""
        return f"{self.k:,} of {self.n:,}: {self.percent()}" if self.n else "0 of 0"

    def _text(self, scale: int, digits: int, sign: bool, unit: str) -> str:
        if self.value is None:
            return f"n/a ({self.note})" if self.note else "n/a"
        form = f"{'+' if sign else ''},.{digits}f"
        # Rounded first, so that no zero has a minus sign.
        value, low, high = (
            None if x is None else f"{round(scale * x, digits) + 0.0:{form}}"
            for x in (self.value, self.low, self.high)
        )
        if low is None:
            return f"{value}{unit} ({self.note or 'no interval'})"
        return f"{value}{unit} ({low} to {high})"


def no_estimate(note: str = "") -> Estimate:
    """The estimate of n = 0: no value and no interval."""
    return Estimate(value=None, low=None, high=None, n=0, clusters=0, note=note)


def _rounded(
    value: float, ends: tuple[float, float] | None, n: int, clusters: int, note: str = ""
) -> Estimate:
    low, high = (round(end, 6) for end in ends) if ends else (None, None)
    value = round(value, 6)
    return Estimate(value=value, low=low, high=high, n=n, clusters=clusters, note=note)


def wilson(p: float, n: float, z: float = Z_95) -> tuple[float, float]:
    """Wilson's score interval of a share p of n > 0 (Wilson 1927, eq. 6): never outside 0 to 1,
    defined at 0 and 1."""
    square = z * z / n
    centre, spread = p + square / 2, z * math.sqrt(p * (1 - p) / n + square / (4 * n))
    low, high = (centre - spread) / (1 + square), (centre + spread) / (1 + square)
    return max(0.0, low), min(1.0, high)


def share(k: int, n: int) -> Estimate:
    """k of n independent ones with Wilson's interval. Of n = 0 nothing is known."""
    return _rounded(k / n, wilson(k / n, n), n, n) if n else no_estimate("none of them")


def p_value(p: float) -> str:
    """A p value as text with three places; `< 0.001` for smaller ones."""
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


class Accuracy(NamedTuple):
    """The statistics of points, shape (n,), in clusters that an interval needs."""

    value: float
    tied: float
    """Share of ties."""
    n: int
    clusters: int
    design: float
    """Variance of the mean by cluster over that of n independent points; at least 1."""
    freedom: float
    """Effective number of clusters (Kish 1965), less 1."""

    def effective(self, z: float) -> float:
        """The effective number of independent pairs without ties, for an interval of width `z`.

        n over the design effect, times (t(n - 1) / t(freedom)) squared, which corrects for few
        clusters (Korn and Graubard 1998, Survey Methodology 24, 193-201). A tie has no
        variance of its own: points x vary by p(1 - p) less the mean of x(1 - x), which is ties/4.
        z^2 / 4 wins and as many losses more (at 95 % one each, Bonett and Price 2012, J. Educ.
        Behav. Stat. 37, 479-488) keep that above 0 where all are ties.
        """
        if self.clusters < 2:
            return 0.0
        tail = scipy.special.ndtr(-z)
        few = scipy.special.stdtrit(self.n - 1, tail) / scipy.special.stdtrit(self.freedom, tail)
        n = self.n + z * z / 2
        p = (self.value * self.n + z * z / 4) / n
        tied = self.tied * self.n / n / (4 * p * (1 - p))
        return float(self.n / self.design * few * few / (1 - tied))

    def interval(self, z: float) -> tuple[float, float]:
        """Wilson's score interval at the effective number of pairs."""
        n = self.effective(z)
        return wilson(self.value, n, z) if n else (0.0, 1.0)

    def found(self, z: float) -> Estimate:
        """The accuracy with its interval as it is reported."""
        ends, note = (self.interval(z), "") if self.clusters >= FEWEST else (None, TOO_FEW)
        return _rounded(self.value, ends, self.n, self.clusters, note)


def accuracy(points: Floats, clusters: Places) -> Accuracy | None:
    """The accuracy of points, shape (n,), in clusters; None if n = 0."""
    if not len(points):
        return None
    names, places = np.unique(clusters, return_inverse=True)
    n, value = len(points), float(points.mean())
    tied, sizes = float((4 * points * (1 - points)).mean()), np.bincount(places)
    # One large cluster among small ones would leave no degree of freedom.
    freedom = max(n * n / float(sizes @ sizes), min(len(names), FEWEST)) - 1
    return Accuracy(value, tied, n, len(names), _design(points - value, places, sizes), freedom)


def cluster_numbers(clusters: Sequence[str]) -> Places:
    """The `Places` of clusters: numbers from 0 in the order of their first occurrence."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in clusters], np.intp)


def mean_points(points: Floats, clusters: Places) -> Estimate:
    """The accuracy of points, shape (n,), with its 95 % interval; without a value where n = 0."""
    estimate = accuracy(points, clusters)
    return estimate.found(z_of(LEVEL)) if estimate else no_estimate()


def _design(errors: Floats, places: Places, sizes: Places) -> float:
    """The design effect of errors in clusters of these `sizes`, numbered by `places`."""
    n, squares, count = len(errors), float(errors @ errors), len(sizes)
    if not squares:
        # Nothing varies, so nothing shows how alike a cluster's pairs are: wholly, then.
        return float(sizes @ sizes) / n
    if count < 2:
        return float(n)
    # The variance of the mean by leaving out each cluster in turn, over that of independent points.
    moves = np.bincount(places, errors) / (n - sizes)
    return max(1.0, float(moves @ moves) * (count - 1) / count / (squares / n / (n - 1)))


def z_of(level: float) -> float:
    """The normal quantile of a two-sided interval that errs at `level`."""
    return float(-scipy.special.ndtri(level / 2))


class Jackknife(NamedTuple):
    """A value with its standard error by leaving out each cluster in turn, at clusters - 1 degrees
    of freedom."""

    value: float
    error: float
    n: int
    clusters: int
    note: str = ""
    """The reason that there is no interval; empty if there is one."""

    def estimate(self, *, least: float = -math.inf, most: float = math.inf) -> Estimate:
        """The value, from `least` to `most`, with its 95 % interval of Student's t."""
        half = 0.0
        if not self.note:
            half = -float(scipy.special.stdtrit(self.clusters - 1, LEVEL / 2)) * self.error
        ends = max(least, self.value - half), min(most, self.value + half)
        return _rounded(self.value, None if self.note else ends, self.n, self.clusters, self.note)

    @property
    def p(self) -> float | None:
        """The two-sided p that the value is 0; None without an interval."""
        if self.note:
            return None
        return float(2 * scipy.special.stdtr(self.clusters - 1, -abs(self.value) / self.error))


def jackknife(value: float, without: Floats, n: int) -> Jackknife:
    """A statistic of n observations, and what it is without each cluster; nan where it has no value
    then."""
    clusters, note, error = len(without), "", 0.0
    if clusters < FEWEST:
        note = TOO_FEW
    elif undefined := int(np.count_nonzero(~np.isfinite(without))):
        note = f"no interval: undefined without {undefined} of {clusters} clusters"
    else:
        error = math.sqrt((clusters - 1) / clusters * float(((without - value) ** 2).sum()))
        note = "" if error > NOTHING else ALIKE
    return Jackknife(value, error, n, clusters, note)


def jackknife_mean(values: Floats, clusters: Places) -> Jackknife:
    """The mean of one value or more."""
    return jackknife_difference(values, np.ones(len(values), np.bool_), clusters)


def jackknife_difference(
    values: Floats, first: Flags, clusters: Places, *, weight: float = 1.0
) -> Jackknife:
    """The mean of the `first` values, less `weight` times that of the others if there are any."""
    _, places = np.unique(clusters, return_inverse=True)
    value, without = 0.0, np.zeros(int(places.max()) + 1)
    for side, sign in ((first, 1.0), (~first, -weight)):
        if side.any():
            sums, counts = (np.bincount(places, of, len(without)) for of in (values * side, side))
            value += sign * float(values[side].mean())
            with np.errstate(invalid="ignore", divide="ignore"):
                without += sign * (sums.sum() - sums) / (counts.sum() - counts)
    return jackknife(value, without, len(values))


def mean(values: Floats, clusters: Places, *, least: float, most: float = math.inf) -> Estimate:
    """A mean of values from `least` to `most`, with its 95 % interval by cluster. Without a value
    where n = 0."""
    if not len(values):
        return no_estimate()
    return jackknife_mean(values, clusters).estimate(least=least, most=most)
