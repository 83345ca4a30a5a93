"""Coefficients of agreement one by one, as libraries or their authors define them: what those with
intervals are held to. What the data cannot define is None."""

from functools import cache
from typing import NamedTuple

import numpy as np
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

from pairwright_human_eval.agreement.intervals import Measurement
from pairwright_human_eval.agreement.models import Indices, Ratings

LEAST_SHARED = 2
"""Items two raters must both have rated before a kappa of the two means anything."""


class RaterKappa(NamedTuple):
    """Cohen's kappa of two raters over the items both rated; None where both gave one and the
    same answer throughout."""

    raters: tuple[str, str]
    items: int
    kappa: float | None


def percent_agreement(ratings: Ratings) -> float | None:
    """The chance that two ratings of an item agree, averaged over the items with two or more:
    Fleiss (1971), the mean of his P_i; Gwet (2008), p_a."""
    counts = _pairable(ratings)
    if not len(counts):
        return None
    rated = counts.sum(axis=1)
    return float(np.mean((counts * (counts - 1)).sum(axis=1) / (rated * (rated - 1))))


def krippendorff_alpha(ratings: Ratings, measurement: Measurement) -> float | None:
    """1 - D_o / D_e over pairable ratings: Krippendorff (2011), Computing Krippendorff's
    Alpha-Reliability, sections C and D (missing ratings, other metrics)."""
    counts = _pairable(ratings).astype(np.float64)
    if np.count_nonzero(counts.sum(axis=0)) < 2:
        return None
    # Every pair of an item's ratings counts one over the item's ratings less one.
    weights = 1 / (counts.sum(axis=1) - 1)
    coincidences = (counts.T * weights) @ counts - np.diag(weights @ counts)
    totals = coincidences.sum(axis=1)
    # The squared difference of two levels. Of an order it is the number of ratings between the two,
    # half of those at each included.
    places = np.array(ratings.levels, np.float64)
    if measurement == "ordinal":
        places = np.cumsum(totals) - totals / 2
    distances = (places[:, None] - places[None, :]) ** 2
    if measurement == "nominal":
        distances = 1 - np.eye(len(places))
    observed = float((coincidences * distances).sum())
    expected = float((np.outer(totals, totals) * distances).sum() / (totals.sum() - 1))
    return 1 - observed / expected


def gwet_ac1(ratings: Ratings) -> float | None:
    """(p_a - p_e) / (1 - p_e), p_e = sum of pi_k (1 - pi_k) over q - 1, pi_k the mean share of
    level k over all rated items: Gwet (2008), Br. J. Math. Stat. Psychol. 61, 29-48, with missing
    ratings as in his Handbook of Inter-Rater Reliability (2014). q counts the unused levels too.
    """
    observed = percent_agreement(ratings)
    if observed is None:
        return None
    counts = ratings.counts()
    shares = (counts / counts.sum(axis=1, keepdims=True)).mean(axis=0)
    expected = float((shares * (1 - shares)).sum() / (len(ratings.levels) - 1))
    return (observed - expected) / (1 - expected)


def fleiss_kappa(ratings: Ratings) -> float | None:
    """Fleiss (1971), Psychological Bulletin 76, 378-382: defined where all items have the same
    number of ratings, and only there. By `statsmodels`."""
    counts = ratings.counts()
    uneven = len(set(counts.sum(axis=1))) > 1
    if uneven or np.count_nonzero(_pairable(ratings).sum(axis=0)) < 2:
        return None
    return float(inter_rater.fleiss_kappa(counts))


def rater_kappas(ratings: Ratings) -> tuple[RaterKappa, ...]:
    """Cohen (1960) for every two raters who share at least two items. By `scikit-learn`."""
    first, second = ratings.meetings()
    pairs = np.stack([ratings.rater[first], ratings.rater[second]], axis=1)
    found = []
    for one, other in np.unique(pairs, axis=0) if len(pairs) else ():
        places = (pairs == (one, other)).all(axis=1)
        if places.sum() >= LEAST_SHARED:
            ours, theirs = ratings.value[first[places]], ratings.value[second[places]]
            alike = len(np.union1d(ours, theirs)) == 1
            kappa = None if alike else _kappa(tuple(ours), tuple(theirs))
            raters = ratings.raters[one], ratings.raters[other]
            found.append(RaterKappa(raters, int(places.sum()), kappa))
    return tuple(found)


@cache
def _kappa(ours: tuple[int, ...], theirs: tuple[int, ...]) -> float:
    return float(cohen_kappa_score(ours, theirs))


def cohen_kappa(ratings: Ratings) -> float | None:
    """The mean of all defined `rater_kappas`, each weighed by the items the two share. Where all
    rate all it is Light's kappa (1971)."""
    defined = [(one.kappa, one.items) for one in rater_kappas(ratings) if one.kappa is not None]
    if not defined:
        return None
    kappas, items = zip(*defined, strict=True)
    return float(np.average(kappas, weights=items))


def _pairable(ratings: Ratings) -> Indices:
    counts = ratings.counts()
    paired: Indices = counts[counts.sum(axis=1) > 1]
    return paired
