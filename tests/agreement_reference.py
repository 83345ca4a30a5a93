"""Coefficients of agreement one by one, as libraries or their authors define them: what those with
intervals are held to. What the data cannot define is None with a reason."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

from pairwright_human_eval.agreement import Level, Measurement, Ratings
from pairwright_human_eval.agreement.models import Floats, Indices

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


class RaterKappa(NamedTuple):
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
