"""Who rated what how, and the coefficients of agreement on it.

Fleiss' kappa is by `statsmodels` and Cohen's by `scikit-learn`. Alpha is our own: the library that
has it may not be required by a package of our licence. What the data cannot define is None with a
reason: never 0, never a number by convention.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

from pairwright.records import Record

Indices = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
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

        Raises ValueError where a rater rated an item twice or a value is none of the levels.
        """
        ordered = sorted(rows, key=lambda row: row[:2])
        for (item, rater, _), (next_item, next_rater, _) in pairwise(ordered):
            if (item, rater) == (next_item, next_rater):
                raise ValueError(f"{rater} rated {item} twice")
        codes = {level: code for code, level in enumerate(levels)}
        if len(codes) < len(levels):
            raise ValueError(f"a level is there twice among {levels}")
        for item, rater, value in ordered:
            if value not in codes:
                raise ValueError(f"{rater} rated {item} {value!r}, which is none of {levels}")
        items = {item: place for place, item in enumerate(sorted({row[0] for row in ordered}))}
        raters = {rater: place for place, rater in enumerate(sorted({row[1] for row in ordered}))}
        return cls(
            item=np.array([items[item] for item, _, _ in ordered], np.intp),
            rater=np.array([raters[rater] for _, rater, _ in ordered], np.intp),
            value=np.array([codes[value] for _, _, value in ordered], np.intp),
            items=tuple(items),
            raters=tuple(raters),
            levels=tuple(levels),
        )

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


Measurement = Literal["nominal", "ordinal", "interval"]
"""What the levels mean: names; an order; numbers with distances."""

NO_PAIRS = "no item has two ratings"
ONE_LEVEL = "all ratings are the same"
NOT_NUMBERS = "the levels are not numbers"
NO_SHARED = "no two raters share two items and differ in any answer"
LEAST_SHARED = 2
"""Items two raters must both have rated before a kappa of the two means anything."""


class Coefficient(NamedTuple):
    """A value, or the reason why there is none."""

    value: float | None
    reason: str = ""


class RaterKappa(Record):
    """Cohen's kappa of two raters over the items both rated; None where both gave one and the
    same answer throughout."""

    first: str
    second: str
    items: int
    kappa: float | None


def percent_agreement(ratings: Ratings) -> Coefficient:
    """The chance that two ratings of an item agree, averaged over the items with two or more:
    Fleiss (1971), the mean of his P_i; Gwet (2008), p_a."""
    counts = _pairable(ratings.counts())
    if not len(counts):
        return Coefficient(None, NO_PAIRS)
    rated = counts.sum(axis=1)
    return Coefficient(float(np.mean((counts * (counts - 1)).sum(axis=1) / (rated * (rated - 1)))))


def krippendorff_alpha(ratings: Ratings, measurement: Measurement) -> Coefficient:
    """1 - D_o / D_e over pairable ratings: Krippendorff (2011), Computing Krippendorff's
    Alpha-Reliability, sections C and D (missing ratings, other metrics)."""
    if measurement == "interval" and not numbers(ratings.levels):
        return Coefficient(None, NOT_NUMBERS)
    counts = _pairable(ratings.counts()).astype(np.float64)
    reason = _nothing_by_chance(_pairable(ratings.counts()))
    if reason:
        return Coefficient(None, reason)
    # Every pair of an item's ratings counts one over the item's ratings less one.
    weights = 1 / (counts.sum(axis=1) - 1)
    coincidences = (counts.T * weights) @ counts - np.diag(weights @ counts)
    totals = coincidences.sum(axis=1)
    distances = _distances(ratings.levels, totals, measurement)
    observed = float((coincidences * distances).sum())
    expected = float((np.outer(totals, totals) * distances).sum() / (totals.sum() - 1))
    return Coefficient(1 - observed / expected)


def _distances(levels: Sequence[Level], totals: Floats, measurement: Measurement) -> Floats:
    """Shape (levels, levels): the squared difference of two levels by Krippendorff's metrics.

    Of an order it is the number of ratings between the two, half of those at each included.
    """
    if measurement == "nominal":
        return 1 - np.eye(len(levels))
    places = (
        np.cumsum(totals) - totals / 2 if measurement == "ordinal" else np.array(levels, np.float64)
    )
    squared: Floats = (places[:, None] - places[None, :]) ** 2
    return squared


def gwet_ac1(ratings: Ratings) -> Coefficient:
    """(p_a - p_e) / (1 - p_e), p_e = sum of pi_k (1 - pi_k) over q - 1, pi_k the mean share of
    level k over all rated items: Gwet (2008), Br. J. Math. Stat. Psychol. 61, 29-48, with missing
    ratings as in his Handbook of Inter-Rater Reliability (2014). q counts the unused levels too.
    """
    observed = percent_agreement(ratings).value
    if observed is None:
        return Coefficient(None, NO_PAIRS)
    q = len(ratings.levels)
    if q < 2:
        return Coefficient(None, "there is only one level")
    counts = ratings.counts()
    shares = (counts / counts.sum(axis=1, keepdims=True)).mean(axis=0)
    expected = float((shares * (1 - shares)).sum() / (q - 1))
    return Coefficient((observed - expected) / (1 - expected))


def fleiss_kappa(ratings: Ratings) -> Coefficient:
    """Fleiss (1971), Psychological Bulletin 76, 378-382: defined where all items have the same
    number of ratings, and only there. By `statsmodels`."""
    counts = ratings.counts()
    reason = _nothing_by_chance(_pairable(counts))
    if reason:
        return Coefficient(None, reason)
    least, most = counts.sum(axis=1).min(), counts.sum(axis=1).max()
    if least < most:
        return Coefficient(None, f"items have {least} to {most} ratings; it takes equal numbers")
    return Coefficient(float(inter_rater.fleiss_kappa(counts)))


def rater_kappas(ratings: Ratings) -> tuple[RaterKappa, ...]:
    """Cohen (1960) for every two raters who share at least two items. By `scikit-learn`."""
    first, second = ratings.meetings()
    code = ratings.rater[first] * len(ratings.raters) + ratings.rater[second]
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    found = []
    for places in np.split(order, starts[1:]) if len(order) else []:
        if len(places) < LEAST_SHARED:
            continue
        ours, theirs = ratings.value[first[places]], ratings.value[second[places]]
        alike = len(np.union1d(ours, theirs)) == 1
        found.append(
            RaterKappa(
                first=ratings.raters[ratings.rater[first[places[0]]]],
                second=ratings.raters[ratings.rater[second[places[0]]]],
                items=len(places),
                kappa=None if alike else float(cohen_kappa_score(ours, theirs)),
            )
        )
    return tuple(found)


def cohen_kappa(ratings: Ratings) -> Coefficient:
    """The mean of all defined `rater_kappas`, each weighed by the items the two share. Where all
    rate all it is Light's kappa (1971); the weights keep two raters who hardly met from counting
    like two who met often. A kappa over few items errs downward: at a true 0.49 by about 0.01 with
    25 shared items, 0.05 with 5 and 0.09 with 2. The other coefficients pool, and do not."""
    defined = [
        (rater_kappa.kappa, rater_kappa.items)
        for rater_kappa in rater_kappas(ratings)
        if rater_kappa.kappa is not None
    ]
    if not defined:
        return Coefficient(None, NO_SHARED)
    kappas, items = zip(*defined, strict=True)
    return Coefficient(float(np.average(kappas, weights=items)))


def numbers(levels: Sequence[Level]) -> bool:
    return all(isinstance(level, int) for level in levels)


def _pairable(counts: Indices) -> Indices:
    paired: Indices = counts[counts.sum(axis=1) > 1]
    return paired


def _nothing_by_chance(counts: Indices) -> str:
    """Why agreement beyond chance is undefined, if it is."""
    if not len(counts):
        return NO_PAIRS
    return ONE_LEVEL if np.count_nonzero(counts.sum(axis=0)) == 1 else ""
