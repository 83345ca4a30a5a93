"""Who rated what how, what raters say together, and whether two responses are of equal quality."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import softmax
from scipy.stats import t
from statsmodels.regression.linear_model import WLS
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from pairwright.estimate import Estimate, share
from pairwright.intervals import Floats
from pairwright.records import Record

LEVEL = 0.05
APART = 1.0
"""Points between the responses of a pair from which on its readers would notice."""
Indices = npt.NDArray[np.intp]
Level = str | int


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings in long form, one place an array for every rating, in the order of items and, within
    an item, of raters. A missing rating is absent."""

    item: Indices
    """Shape (ratings,): places in `items`."""
    rater: Indices
    """Shape (ratings,): places in `raters`."""
    value: Indices
    """Shape (ratings,): places in `levels`."""
    items: tuple[str, ...]
    raters: tuple[str, ...]
    levels: tuple[Level, ...]
    """All that could be answered, in order, used or not."""

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, Level]], levels: Sequence[Level]) -> "Ratings":
        """From rows (item, rater, value) in any order.

        Raises ValueError where a rater rated an item twice, or a value is none of the levels.
        """
        ordered = sorted(rows, key=lambda row: row[:2])
        for (item, rater, _), (next_item, next_rater, _) in pairwise(ordered):
            if (item, rater) == (next_item, next_rater):
                raise ValueError(f"{rater} rated {item} twice")
        codes = {level: code for code, level in enumerate(levels)}
        for item, rater, value in ordered:
            if value not in codes:
                raise ValueError(f"{rater} rated {item} {value!r}, which is none of {levels}")
        items, item_of = np.unique([row[0] for row in ordered], return_inverse=True)
        raters, rater_of = np.unique([row[1] for row in ordered], return_inverse=True)
        values = np.array([codes[row[2]] for row in ordered], np.intp)
        return cls(
            item_of, rater_of, values,
            items=tuple(items.tolist()), raters=tuple(raters.tolist()), levels=tuple(levels),
        )  # fmt: skip

    def counts(self) -> Indices:
        """Shape (items, levels): how many rated the item so."""
        shape = len(self.items), len(self.levels)
        cells = self.item * shape[1] + self.value
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)

    def pairable(self) -> npt.NDArray[np.bool_]:
        """Shape (ratings,): whether somebody else rated the same item."""
        paired: npt.NDArray[np.bool_] = np.bincount(self.item)[self.item] > 1
        return paired

    def meetings(self) -> tuple[Indices, Indices]:
        """Every two ratings of one item, once: their places, the earlier rater's first."""
        most = int(np.bincount(self.item).max(initial=0))
        firsts = [np.flatnonzero(self.item[step:] == self.item[:-step]) for step in range(1, most)]
        if not firsts:
            return np.empty(0, np.intp), np.empty(0, np.intp)
        seconds = [first + step for step, first in enumerate(firsts, start=1)]
        return np.concatenate(firsts), np.concatenate(seconds)


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """The fitted model; axes in the order of the ratings' items, raters and levels."""

    posterior: Floats
    """Shape (items, levels): how probable it is that the item truly is of the level."""
    confusion: Floats
    """Shape (raters, levels, levels): by rater and true level, how probable each answer is."""
    prior: Floats
    """Shape (levels,): the share of each true level."""
    iterations: int
    converged: bool


def dawid_skene(
    ratings: Ratings, *, smoothing: float = 1.0, tolerance: float = 1e-6, most: int = 1000
) -> DawidSkene:
    """Fit by EM from the shares of the votes, until no posterior moves by more than `tolerance`.

    `smoothing` is the number of imaginary ratings, spread evenly over the answers, that each rater
    starts from for every true level (a Dirichlet prior): without it a rater who has not erred yet
    is taken to be unable to. Near 0 it is the maximum likelihood of the paper. Levels are taken as
    they come: who wants a result blind to the study's design gives neutral ones. Deterministic.
    Raises ValueError for no ratings or a smoothing not above 0.
    """
    if not len(ratings.items):
        raise ValueError("there are no ratings")
    if smoothing <= 0:
        raise ValueError(f"smoothing must be above 0, not {smoothing}")
    people, q = len(ratings.raters), len(ratings.levels)
    # Row an item, column a rater's answer: both steps are one product with it.
    answers = sparse.csr_array(
        (np.ones(len(ratings.item)), (ratings.item, ratings.rater * q + ratings.value)),
        shape=(len(ratings.items), people * q),
    )
    votes = ratings.counts()
    posterior = votes / votes.sum(axis=1, keepdims=True)
    iterations, moved = 0, np.inf
    while moved > tolerance and iterations < most:
        # Equations 2.3 and 2.4: error rates and prior, as if the posteriors were the truth.
        given = (answers.T @ posterior).reshape(people, q, q).transpose(0, 2, 1) + smoothing / q
        confusion = given / given.sum(axis=2, keepdims=True)
        prior = posterior.sum(axis=0) + smoothing / q
        prior /= prior.sum()
        # Equation 2.5: posteriors, as if those were.
        evidence = np.log(confusion).transpose(0, 2, 1).reshape(people * q, q)
        before, posterior = posterior, softmax(np.log(prior) + answers @ evidence, axis=1)
        moved = np.abs(posterior - before).max()
        iterations += 1
    return DawidSkene(posterior, confusion, prior, iterations, bool(moved <= tolerance))


class Parity(Record):
    """Two one-sided tests of the mean difference, in points."""

    margin: float
    mean: float | None
    """Every pair counts once, however many annotators it has."""
    low: float | None
    high: float | None
    """The 90 % interval: it lies within the margin just when the two are equivalent."""
    p_above: float | None
    """Of a mean at or below -margin."""
    p_below: float | None
    """Of a mean at or above +margin."""
    equivalent: bool | None
    """Both p below 0.05; None where nothing can be tested."""
    pairs: int
    clusters: int
    annotators: int
    apart: Estimate
    """Pairs whose mean difference is one point or more, either way."""
    reason: str
    """Why nothing can be tested; empty where it can."""

    @property
    def difference(self) -> Estimate:
        """The mean with its 90 % interval."""
        return Estimate(
            value=self.mean, low=self.low, high=self.high, n=self.pairs, clusters=self.clusters,
            note=self.reason,
        )  # fmt: skip


def parity(
    differences: Iterable[tuple[str, str, float]],
    margin: float,
    *,
    clusters: Mapping[str, str] | None = None,
) -> Parity:
    """Test whether the mean difference lies within the margin. Each of the `differences` has a
    pair, an annotator, and what they scored one response above the other, in points. Schuirmann
    (1987), J. Pharmacokinet. Biopharm. 15, 657-680, both t tests at 0.05.

    The standard error is robust to clusters of pairs (`clusters` maps a pair to its cluster; each
    is its own without it) and of annotators: Cameron, Gelbach and Miller (2011), J. Bus. Econ.
    Stat. 29, 238-249, by `statsmodels`; the largest of the two-way and both one-way errors, since
    the first can fall below either. Degrees of freedom: the smaller number of clusters less one.
    Raises ValueError for an annotator twice at a pair, and KeyError for a pair in no cluster.
    """
    rows = sorted(differences)
    for (pair, who, _), following in pairwise(rows):
        if (pair, who) == following[:2]:
            raise ValueError(f"{who} scored {pair} twice")
    by_pair: defaultdict[str, list[float]] = defaultdict(list)
    for pair, _, scored in rows:
        by_pair[pair].append(scored)
    means = [sum(points) / len(points) for points in by_pair.values()]
    names = [pair if clusters is None else clusters[pair] for pair, _, _ in rows]
    cluster = np.unique(names, return_inverse=True)[1]
    annotator = np.unique([who for _, who, _ in rows], return_inverse=True)[1]
    sizes = [int(places.max(initial=-1)) + 1 for places in (cluster, annotator)]
    points = np.array([scored for _, _, scored in rows], np.float64)
    weights = np.array([1 / len(by_pair[pair]) for pair, _, _ in rows], np.float64)
    error, reason = _standard_error(points, weights, cluster, annotator, min(sizes))
    mean = sum(means) / len(means) if means else None
    low = high = p_above = p_below = None
    if mean is not None and error is not None:
        student = t(min(sizes) - 1)
        low, high = (float(mean + side * student.ppf(1 - LEVEL) * error) for side in (-1, 1))
        p_above, p_below = (float(student.sf((margin + side * mean) / error)) for side in (1, -1))
    equivalent = None if p_above is None or p_below is None else max(p_above, p_below) < LEVEL
    mean, low, high, p_above, p_below = (
        None if x is None else round(x, 6) for x in (mean, low, high, p_above, p_below)
    )
    return Parity(
        margin=margin,
        mean=mean,
        low=low,
        high=high,
        p_above=p_above,
        p_below=p_below,
        equivalent=equivalent,
        pairs=len(means),
        clusters=sizes[0],
        annotators=sizes[1],
        apart=share(sum(round(abs(of_pair), 9) >= APART for of_pair in means), len(means)),
        reason=reason,
    )


def _standard_error(
    points: Floats, weights: Floats, cluster: Indices, annotator: Indices, fewest: int
) -> tuple[float | None, str]:
    """Of the weighted mean, or why it has none."""
    if fewest < 2:
        return None, "it takes two pairs (or clusters of pairs) and two annotators"
    fit = WLS(points, np.ones((len(points), 1)), weights).fit()
    variance = max(
        float(covariance[0, 0]) for covariance in cov_cluster_2groups(fit, cluster, annotator)
    )
    if variance <= np.finfo(float).eps:
        return None, "the differences do not vary"
    return variance**0.5, ""
