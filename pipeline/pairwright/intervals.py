"""Intervals by cluster of an accuracy, and whether it keeps to a bound; Holm's levels.

An accuracy is a mean of points: 1 for the chosen response, 0 for the other, one half for a tie; and
for a gain one quarter or three where a tie became a wrong or a right one.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from pairwright.estimate import Estimate, no_estimate, wilson
from pairwright.records import Cluster

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]
"""Numbers of clusters, shape (n,); or of natural twins shape (n, 3): couple and both responses."""
LEVEL = 0.05
"""The chance of a false finding that all tests of one question share."""
MOST = 10_000_000
"""Pairs beyond which nobody would go to settle a check."""
_NEAR, _FAR = 1e-3, 37.0
"""Quantiles between which a p is looked for: from 1 to the smallest numbers that a float has."""


class AccuracyLimits(NamedTuple):
    """What decides on an accuracy. It fails where its whole interval lies above the one limit, and
    passes where it lies below the other, which is the same limit for most."""

    fails_above: float
    passes_below: float
    either_side: bool = True
    """Whether max(accuracy, 1 - accuracy) is what counts."""


class Accuracy(NamedTuple):
    """What an interval needs to know of points, shape (n,), in clusters."""

    value: float
    tied: float
    """Share of ties, one at one quarter or three counting as three quarters: mean of 4x(1 - x)."""
    n: int
    clusters: int
    design: float
    """Variance of the mean by cluster over that of n independent points; at least 1."""
    fewest: int
    """Clusters that the design was estimated on: of couples and responses the fewer."""

    def effective(self, z: float) -> float:
        """As how many independent pairs without ties these count, for an interval of width `z`.

        n over the design effect, times (t(n - 1) / t(fewest - 1)) squared for the few clusters it
        was estimated on (Korn and Graubard 1998, Survey Methodology 24, 193-201). A tie has no
        variance of its own: points x vary by p(1 - p) less the mean of x(1 - x), which is ties/4.
        z^2 / 4 wins and as many losses more (at 95 % one each, Bonett and Price 2012, J. Educ.
        Behav. Stat. 37, 479-488) keep that above 0 where all are ties.
        """
        if self.fewest < 2:
            return 0.0
        tail = scipy.special.ndtr(-z)
        few = scipy.special.stdtrit(self.n - 1, tail) / scipy.special.stdtrit(self.fewest - 1, tail)
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
        low, high = self.interval(z)
        return Estimate(
            value=round(self.value, 6),
            low=round(low, 6),
            high=round(high, 6),
            n=self.n,
            clusters=self.clusters,
        )

    def p_of_one_half(self) -> float:
        """The least level at which its interval leaves out one half; 1 where none does."""

        def beyond(z: float) -> float:
            # Wilson's interval leaves out p where (value - p)^2 > z^2 p(1 - p)/n.
            return 4 * (self.value - 0.5) ** 2 * self.effective(z) - z * z

        if self.fewest < 2 or beyond(_NEAR) <= 0:
            return 1.0
        z = _FAR if beyond(_FAR) > 0 else scipy.optimize.brentq(beyond, _NEAR, _FAR)
        return float(2 * scipy.special.ndtr(-z))

    def settles(self, limits: AccuracyLimits, z: float) -> Literal["pass", "fail"] | None:
        """Where the whole interval lies; None: neither above the one limit nor below the other."""
        low, high = self.interval(z)
        if limits.either_side:
            low, high = max(low, 1 - high), max(high, 1 - low)
        if low > limits.fails_above:
            return "fail"
        return "pass" if high < limits.passes_below else None

    def needed(self, limits: AccuracyLimits, z: float) -> int | None:
        """The fewest pairs that settle it with the same accuracy and share of ties, in clusters of
        the same size; None where `MOST` do not."""

        def settled(n: int) -> bool:
            fewest = round(self.fewest * n / self.n)
            return self._replace(n=n, fewest=fewest).settles(limits, z) is not None

        return bisect_left(range(MOST), True, lo=self.n, key=settled) if settled(MOST) else None


def accuracy(points: Floats, clusters: Places) -> Accuracy | None:
    """Of points, shape (n,), and their `Places`; None where n = 0."""
    if not len(points):
        return None
    n, value = len(points), float(points.mean())
    tied = float((4 * points * (1 - points)).mean())
    couples, fewest = _counts(clusters)
    return Accuracy(value, tied, n, couples, _design(points - value, clusters), fewest)


def cluster_numbers(clusters: Sequence[Cluster]) -> Places:
    """Their `Places`: numbers from 0 in the order of their first occurrence."""
    numbers: dict[str, int] = {}
    return np.array(
        [
            numbers.setdefault(name, len(numbers))
            if isinstance(name, str)
            else [numbers.setdefault(one, len(numbers)) for one in name]
            for name in clusters
        ],
        np.intp,
    )


def mean_points(points: Floats, clusters: Places) -> Estimate:
    """The accuracy of points, shape (n,), with its 95 % interval; without a value where n = 0."""
    estimate = accuracy(points, clusters)
    return estimate.found(z_of(LEVEL)) if estimate else no_estimate()


def accuracy_by_cluster(points: Sequence[tuple[Cluster, float]]) -> Estimate | None:
    """The accuracy of points, each beside the name of its cluster, with its 95 % interval; None of
    no points."""
    clusters = cluster_numbers([names for names, _ in points])
    values = np.array([point for _, point in points], np.float64)
    return mean_points(values, clusters) if points else None


def difference(differences: Floats, clusters: Places) -> Estimate:
    """The mean of differences of points, from -1 to 1, with its 95 % interval by cluster: halved
    and moved they are points, and no difference is a tie. Without a value where n = 0."""
    interval = mean_points((differences + 1) / 2, clusters)
    value, low, high = (
        None if x is None else round(2 * x - 1, 6)
        for x in (interval.value, interval.low, interval.high)
    )
    return interval.model_copy(update={"value": value, "low": low, "high": high})


def newcombe(
    first: Estimate, second: Estimate, *, weight: float = 1.0, correlation: float = 0.0
) -> Estimate:
    """The one value less `weight` times the other, with a 95 % interval from the interval of each
    (Newcombe 1998, Statist. Med. 17, 873-890, method 10). `correlation` is that of the two values
    (Zou 2007, Psychol. Methods 12, 399-413); without it the clusters of the two are different ones.
    Without a value where one of the two has none, and without an interval where one has none."""
    n, clusters = first.n + second.n, first.clusters + second.clusters
    if first.value is None or second.value is None:
        return Estimate(value=None, low=None, high=None, n=n, clusters=clusters)
    value, low, high = first.value - weight * second.value, None, None
    if None not in (first.low, first.high, second.low, second.high):
        below, above = (
            math.sqrt(max(0.0, a * a - 2 * correlation * a * b + b * b))
            for a, b in (
                (first.value - (first.low or 0.0), weight * ((second.high or 0.0) - second.value)),
                ((first.high or 0.0) - first.value, weight * (second.value - (second.low or 0.0))),
            )
        )
        low, high = round(value - below, 6), round(value + above, 6)
    return Estimate(value=round(value, 6), low=low, high=high, n=n, clusters=clusters)


def correlation_of_means(points: Floats, clusters: Places, second: Flags) -> float:
    """The correlation of two means by the clusters that have points of both, all arguments of shape
    (n,): the mean of the points where `second` is true, and that of the others. 0 where one of the
    two does not vary."""
    sums = [
        np.bincount(clusters[part], points[part] - points[part].mean(), clusters.max() + 1)
        for part in (second, ~second)
        if part.any()
    ]
    squares = math.prod(float(one @ one) for one in sums)
    return float(sums[0] @ sums[-1]) / math.sqrt(squares) if len(sums) == 2 and squares else 0.0


def _design(errors: Floats, clusters: Places) -> float:
    n, squares = len(errors), float(errors @ errors)
    if not squares:
        # Nothing varies, so nothing shows how alike a cluster's pairs are: wholly, then.
        return max(squares for squares, _ in _dependence(np.ones(n), clusters)) / n
    if _counts(clusters)[1] < 2:
        return float(n)
    return max(1.0, _variance_of_sum(errors, clusters) / (n / (n - 1) * squares))


def first_clusters(clusters: Places) -> Places:
    """Shape (n,): the cluster or couple of each pair."""
    return clusters if clusters.ndim == 1 else clusters[:, 0]


def _counts(clusters: Places) -> tuple[int, int]:
    """How many clusters there are; and of couples and responses the fewer."""
    if clusters.ndim == 1:
        return (_different(clusters),) * 2
    couples, responses = _different(clusters[:, 0]), _different(clusters[:, 1:].ravel())
    return couples, min(couples, responses)


def _variance_of_sum(errors: Floats, clusters: Places) -> float:
    """By the clusters of two or more, with what few of them underestimate."""
    return max(squares * n / (n - 1) for squares, n in _dependence(errors, clusters))


def _dependence(errors: Floats, clusters: Places) -> list[tuple[float, int]]:
    """The sum of the products of errors of all two pairs that share a cluster, and how many
    clusters there are.

    Where couples and responses are crossed there are two, and the greater one counts: that of
    couples alone, and that of couples and of responses less that of both (Cameron, Gelbach and
    Miller 2011, J. Bus. Econ. Stat. 29, 238-249). A pair has two responses: a sum over responses
    counts pairs that share both of them twice, so the sum over such pairs is taken away.
    """
    if clusters.ndim == 1:
        return [(_squares(errors, clusters), _different(clusters))]
    couples, responses = clusters[:, 0], np.sort(clusters[:, 1:], axis=1)
    size = int(clusters.max()) + 1
    twice, each = np.tile(errors, 2), responses.T.ravel()
    both = responses[:, 0] * size + responses[:, 1]
    shared = _squares(twice, each) - _squares(errors, both)
    own = _squares(twice, np.tile(couples, 2) * size + each)
    own -= _squares(errors, np.unique(both, return_inverse=True)[1] * size + couples)
    alone = _squares(errors, couples)
    n_couples, fewest = _counts(clusters)
    return [(alone, n_couples), (alone + shared - own, fewest)]


def _squares(errors: Floats, clusters: Places) -> float:
    """The squares of the sums of errors by cluster."""
    if clusters.max(initial=0) < 4 * len(clusters):  # Else there would be too many sums of none.
        sums = np.bincount(clusters, errors)[np.bincount(clusters) > 0]
    else:
        sums = np.bincount(np.unique(clusters, return_inverse=True)[1], errors)
    return float(sums @ sums)


def _different(clusters: Places) -> int:
    """How many clusters there are."""
    return int(np.count_nonzero(np.bincount(clusters)))


def z_of(level: float) -> float:
    """The normal quantile of a two-sided interval that errs at `level`."""
    return float(-scipy.special.ndtri(level / 2))


def holm(settled: Sequence[Callable[[float], bool]], level: float = LEVEL) -> list[float]:
    """For each test the level of its error, so that all decisions together err at `level`.

    `settled` says of each test whether it decides at a level. Holm 1979, Scand. J. Statist. 6,
    65-70: the test settled at level / m makes the next one one of m - 1. Where one does not settle,
    all that are left have its level, and do not settle at it.
    """
    levels: dict[int, float] = {}
    while len(levels) < len(settled):
        own = level / (len(settled) - len(levels))
        left = [place for place in range(len(settled)) if place not in levels]
        levels |= dict.fromkeys([place for place in left if settled[place](own)] or left, own)
    return [levels[place] for place in range(len(settled))]


def exact(k: float, n: int, level: float) -> tuple[float, float]:
    """The interval of a share k of n > 0 that errs in at most `level`, however small that is:
    Clopper and Pearson 1934, Biometrika 26, 404-413. Wilson's errs several times as often where
    the level is a thousandth. For a share that is assumed, k need not be whole."""
    low = float(scipy.special.betaincinv(k, n - k + 1, level / 2)) if k > 0 else 0.0
    high = float(scipy.special.betaincinv(k + 1, n - k, 1 - level / 2)) if k < n else 1.0
    return low, high


def with_width(interval: Estimate) -> Estimate:
    """The estimate without its interval where that has no width: nothing shows a spread then."""
    if interval.low is None or interval.low != interval.high:
        return interval
    return interval.model_copy(update={"low": None, "high": None})


def mean(values: Floats, clusters: Places, *, least: float, most: float = math.inf) -> Estimate:
    """A mean of values from `least` to `most`, with its 95 % interval by cluster: errors summed by
    cluster, t with clusters - 1 degrees (Cameron and Miller 2015, J. Human Resources 50, 317-372,
    eq. 11 and section VI.D). Without a value where n = 0."""
    n = len(values)
    if not n:
        return no_estimate()
    count, fewest = _counts(clusters)
    value = float(values.mean())
    low = high = None
    if fewest > 1:
        error = math.sqrt(_variance_of_sum(values - value, clusters)) / n
        width = -float(scipy.special.stdtrit(fewest - 1, LEVEL / 2)) * error
        low = round(max(least, value - width), 6)
        high = round(min(most, value + width), 6)
    return Estimate(value=round(value, 6), low=low, high=high, n=n, clusters=count)


def difference_of_means(
    values: Floats, first: npt.NDArray[np.bool_], clusters: Places, *, share: bool
) -> Estimate:
    """The mean of the `first` values less that of the others, with its 95 % interval by cluster.
    There must be values of both.

    Welch's interval (1938, Biometrika 29, 350-362) with errors summed by cluster, which may have
    values on both sides. With one cluster on a side there is none. Of a `share`, whose values are 0
    and 1, it is that of one more cluster of 0 and one of 1 on each side (Agresti and Caffo 2000,
    Am. Statist. 54, 280-288): so it has a width where no value varies.
    """
    value = float(values[first].mean() - values[~first].mean())
    n, count = len(values), len(np.unique(clusters))
    if share:
        values = np.append(values, (0.0, 1.0, 0.0, 1.0))
        first = np.append(first, (True, True, False, False))
        clusters = np.append(clusters, clusters.max() + np.arange(1, 5))
    sides = (first, ~first)
    groups = [len(np.unique(clusters[side])) for side in sides]
    low = high = None
    if min(groups) > 1:
        middle = values[first].mean() - values[~first].mean()
        errors, squares = np.zeros(len(values)), list[float]()
        for side, many, sign in zip(sides, groups, (1, -1), strict=True):
            own = values[side] - values[side].mean()
            errors[side] = sign * math.sqrt(many / (many - 1)) * own / len(own)
            squares.append(_squares(errors[side], clusters[side]))
        parts = sum(one * one / (many - 1) for one, many in zip(squares, groups, strict=True))
        degrees = sum(squares) ** 2 / parts if parts else math.inf
        width = -float(scipy.special.stdtrit(degrees, LEVEL / 2))
        width *= math.sqrt(_squares(errors, clusters))
        end = 1.0 if share else math.inf
        low, high = round(max(-end, middle - width), 6), round(min(end, middle + width), 6)
    return with_width(Estimate(value=round(value, 6), low=low, high=high, n=n, clusters=count))


def mean_by_user(
    values: Sequence[tuple[str, float]], least: float = 0.0, most: float = 1.0
) -> Estimate | None:
    """The mean of each item's value, from `least` to `most`, beside its user, with its 95 %
    interval by user; None of no items. Where nothing varies, nothing shows how wide that is: it
    has none."""
    places = {user: n for n, user in enumerate(dict.fromkeys(user for user, _ in values))}
    points = np.array([value for _, value in values], dtype=float)
    clusters = np.array([places[user] for user, _ in values], dtype=np.intp)
    return with_width(mean(points, clusters, least=least, most=most)) if values else None
