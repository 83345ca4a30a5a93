"""Coefficients of agreement one by one, as libraries or their authors define them: what those with
intervals are held to. What the data cannot define is None."""

from collections.abc import Callable
from functools import cache, partial
from itertools import combinations

import numpy as np
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

from pairwright_human_eval.agreement.intervals import Measurement
from pairwright_human_eval.agreement.models import Indices, Level, Ratings

Row = tuple[str, str, Level]


def rows_of(ratings: Ratings) -> list[Row]:
    """Item, rater and level of each."""
    return [
        (ratings.items[item], ratings.raters[rater], ratings.levels[value])
        for item, rater, value in zip(ratings.item, ratings.rater, ratings.value, strict=True)
    ]


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


def cohen_kappa(ratings: Ratings) -> float | None:
    """Cohen (1960), by `scikit-learn`, of every two raters who share two items and do not give one
    and the same answer throughout; the mean, each weighed by the items they share. Where all rate
    all it is Light's kappa (1971)."""
    people = [ratings.rater == rater for rater in range(len(ratings.raters))]
    given = [dict(zip(ratings.item[own], ratings.value[own], strict=True)) for own in people]
    kappas, weights = [], []
    for one, other in combinations(given, 2):
        shared = sorted(one.keys() & other.keys())
        answers = [tuple(person[item] for item in shared) for person in (one, other)]
        if len(shared) > 1 and len({*answers[0], *answers[1]}) > 1:
            kappas.append(_kappa(*answers))
            weights.append(len(shared))
    return float(np.average(kappas, weights=weights)) if kappas else None


@cache
def _kappa(ours: tuple[int, ...], theirs: tuple[int, ...]) -> float:
    return float(cohen_kappa_score(ours, theirs))


def _pairable(ratings: Ratings) -> Indices:
    counts = ratings.counts()
    paired: Indices = counts[counts.sum(axis=1) > 1]
    return paired


COEFFICIENTS: dict[str, Callable[[Ratings], float | None]] = {
    "percent": percent_agreement,
    "alpha_nominal": partial(krippendorff_alpha, measurement="nominal"),
    "alpha_ordinal": partial(krippendorff_alpha, measurement="ordinal"),
    "alpha_interval": partial(krippendorff_alpha, measurement="interval"),
    "cohen_kappa": cohen_kappa,
    "gwet_ac1": gwet_ac1,
    "fleiss_kappa": fleiss_kappa,
}
"""By the names that `agreement` gives them."""
