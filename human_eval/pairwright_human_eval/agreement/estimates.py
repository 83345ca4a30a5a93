"""Agreement with 95 % intervals that take both items and raters as samples.

The variance has two parts, by the jackknife (Tukey 1958; for kappa, Fleiss and Davies 1982, Am. J.
Epidemiol. 115, 841-845; for raters, Gwet 2008, Br. J. Math. Stat. Psychol. 61, 29-48):

items    leaving out one cluster of items after the other;
raters   leaving out one rater after the other, less the same of the cells, a rater's ratings in one
         cluster: Cameron, Gelbach and Miller (2011), J. Bus. Econ. Stat. 29, 238-249. What is due
         to single ratings is in the first part already. Never below 0.

Each part alone would give an interval by Student's t, with clusters - 1 and raters - 1 degrees of
freedom. The squares of their half-widths are added: Howe (1974), J. Am. Stat. Assoc. 69, 789-794.
Nothing is drawn, so the same ratings always give the same interval. How often the intervals hold
the truth is measured by `benchmarks/agreement.py`.
"""

from collections.abc import Mapping
from typing import Literal

import numpy as np
from scipy.special import stdtrit

from pairwright.records import Record
from pairwright_human_eval.agreement import coefficients
from pairwright_human_eval.agreement.coefficients import Coefficient, Measurement
from pairwright_human_eval.agreement.jackknife import LeaveOutValues, left_out
from pairwright_human_eval.agreement.ratings import Floats, Indices, Ratings

Name = Literal[
    "percent", "alpha_nominal", "alpha_ordinal", "alpha_interval", "cohen_kappa", "gwet_ac1",
    "fleiss_kappa",
]  # fmt: skip

COVERAGE = 0.95
NOTHING = 1e-9
"""A half-width below this is rounding: leaving out nothing changed anything."""


class Estimate(Record):
    """A coefficient with its 95 % interval and the data it rests on."""

    value: float | None
    low: float | None
    high: float | None
    items: int
    """With two ratings or more."""
    ratings: int
    """Of those items."""
    raters: int
    """Who gave those."""
    reason: str
    """Why the value is missing, or else its interval; empty where neither is."""


class Agreement(Record):
    """All coefficients of one question."""

    percent: Estimate
    alpha_nominal: Estimate
    alpha_ordinal: Estimate
    alpha_interval: Estimate
    cohen_kappa: Estimate
    gwet_ac1: Estimate
    fleiss_kappa: Estimate


def agreement(
    ratings: Ratings,
    *,
    measurement: Measurement = "nominal",
    clusters: Mapping[str, str] | None = None,
) -> Agreement:
    """Estimate every coefficient that the levels allow: `ordinal` adds ordinal alpha to the nominal
    coefficients, `interval` (levels that are numbers) both.

    `clusters` maps items to what is sampled in their stead, such as both halves of a twin to the
    twin; without it each item is sampled alone. Raises ValueError where it lacks an item.
    """
    points = _points(ratings, measurement)
    cluster = _cluster_places(ratings, clusters)
    defined = [name for name, point in points.items() if point.value is not None]
    left: dict[str, LeaveOutValues] = {}
    if defined:
        left = left_out(ratings, cluster, defined, _numbers(ratings))
    paired = ratings.pairable()
    items, raters = (len(np.unique(places[paired])) for places in (ratings.item, ratings.rater))
    clusters_paired = len(np.unique(cluster[ratings.item[paired]]))
    found = {}
    for name, point in points.items():
        low = high = None
        reason = point.reason
        if point.value is not None:
            half, reason = half_width(left[name], clusters_paired, raters)
            if half is not None:
                least = 0.0 if name == "percent" else -1.0
                low, high = max(least, point.value - half), min(1.0, point.value + half)
        found[str(name)] = Estimate(
            value=point.value,
            low=low,
            high=high,
            items=items,
            ratings=int(paired.sum()),
            raters=raters,
            reason=reason,
        )
    return Agreement(**found)


def _points(ratings: Ratings, measurement: Measurement) -> dict[Name, Coefficient]:
    alpha, no = coefficients.krippendorff_alpha, Coefficient(None, f"the levels are {measurement}")
    return {
        "percent": coefficients.percent_agreement(ratings),
        "alpha_nominal": alpha(ratings, "nominal"),
        "alpha_ordinal": no if measurement == "nominal" else alpha(ratings, "ordinal"),
        "alpha_interval": alpha(ratings, "interval") if measurement == "interval" else no,
        "cohen_kappa": coefficients.cohen_kappa(ratings),
        "gwet_ac1": coefficients.gwet_ac1(ratings),
        "fleiss_kappa": coefficients.fleiss_kappa(ratings),
    }


def _cluster_places(ratings: Ratings, clusters: Mapping[str, str] | None) -> Indices:
    """Shape (items,): which cluster each item is in, counted from 0."""
    if clusters is None:
        return np.arange(len(ratings.items))
    for item in ratings.items:
        if item not in clusters:
            raise ValueError(f"item {item} is in no cluster")
    labels = [clusters[item] for item in ratings.items]
    places = {label: place for place, label in enumerate(sorted(set(labels)))}
    return np.array([places[label] for label in labels], np.intp)


def _numbers(ratings: Ratings) -> Floats:
    """The levels as numbers; their places where they are names, and only order is asked of them."""
    given = [level for level in ratings.levels if isinstance(level, int)]
    whole = len(given) == len(ratings.levels)
    return np.array(given if whole else range(len(ratings.levels)), np.float64)


def half_width(left: LeaveOutValues, clusters: int, raters: int) -> tuple[float | None, str]:
    """Half the width of the 95 % interval, or why there is none. `clusters` and `raters` are how
    many have two ratings of an item."""
    if clusters < 2:
        return None, "no interval: a single item or cluster"
    for name, values in (("cluster", left.clusters), ("rater", left.raters), ("cell", left.cells)):
        undefined = int((~np.isfinite(values)).sum())
        if undefined:
            return None, f"no interval: undefined without {undefined} of {len(values)} {name}s"
    of_clusters, of_raters, of_cells = (
        float(((values - left.whole) ** 2).sum())
        for values in (left.clusters, left.raters, left.cells)
    )
    items = (clusters - 1) / clusters * of_clusters
    people = (raters - 1) / raters * max(0.0, of_raters - of_cells)
    t = {n: float(stdtrit(n - 1, (1 + COVERAGE) / 2)) for n in (clusters, raters)}
    half = (t[clusters] ** 2 * items + t[raters] ** 2 * people) ** 0.5
    return (half, "") if half > NOTHING else (None, "no interval: the ratings do not vary")
