"""Agreement with intervals that take both items and raters as samples.

The two-way bootstrap of Owen (2007), The pigeonhole bootstrap, Ann. Appl. Stat. 1, 386-411: items
(or clusters of items) and raters are drawn with replacement, independently, and a rating counts as
often as both were drawn. It is on the safe side: what is due to single ratings, rather than to
items or raters, enters the variance up to three times.

Percentiles over few raters are too narrow, so they are taken further out, as in Hesterberg (2015),
What Teachers Should Know About the Bootstrap, Am. Stat. 69, 371-386 (expanded percentiles): where
the normal distribution reaches the t of as many clusters or raters, whichever are fewer.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

import numpy as np
from scipy.special import ndtr, stdtrit

from pairwright.records import Record
from pairwright_human_eval.agreement import coefficients, weighted
from pairwright_human_eval.agreement.coefficients import Coefficient, Measurement
from pairwright_human_eval.agreement.ratings import Floats, Indices, Ratings

Name = Literal[
    "percent", "alpha_nominal", "alpha_ordinal", "alpha_interval", "cohen_kappa", "gwet_ac1",
    "fleiss_kappa",
]  # fmt: skip

ENOUGH = 0.8
"""Least share of replicates that must define a coefficient. Three raters who rate everything are
one and the same in 11 % of replicates; with two it is half, which tells nothing of raters."""


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
    replicates: int = 1000,
    seed: int = 0,
) -> Agreement:
    """Estimate every coefficient that the levels allow: `ordinal` adds ordinal alpha to the nominal
    coefficients, `interval` (levels that are numbers) both.

    `clusters` maps items to what is drawn in their stead, such as both halves of a twin to the
    twin; without it each item is drawn alone. Raises ValueError where it lacks an item.
    """
    points = _points(ratings, measurement)
    cluster = _cluster_places(ratings, clusters)
    names = [name for name, point in points.items() if point.value is not None]
    draws: dict[Name, Floats] = {}
    if names and cluster.any():
        draws = _draws(ratings, names, cluster, replicates, np.random.default_rng(seed))
    paired = ratings.pairable()
    items, raters = (len(np.unique(of[paired])) for of in (ratings.item, ratings.rater))
    fewest = min(len(np.unique(cluster)), len(ratings.raters))
    found = {}
    for name, point in points.items():
        low, high, why = _interval(draws.get(name), fewest)
        found[str(name)] = Estimate(
            value=point.value,
            low=low,
            high=high,
            items=items,
            ratings=int(paired.sum()),
            raters=raters,
            reason=point.reason if point.value is None else why,
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


def _draws(
    ratings: Ratings,
    names: Iterable[Name],
    cluster: Indices,
    replicates: int,
    rng: np.random.Generator,
) -> dict[Name, Floats]:
    """By name, shape (replicates,): what each replicate gives; not finite where undefined."""
    # Items answered alike are weighed together: a fraction of the work for the same sums.
    once, kind = ratings.distinct()
    meetings = weighted.Meetings.of(once, np.bincount(kind))
    numbers = np.array(_numbers(ratings), np.float64)
    clusters, people = int(cluster.max()) + 1, len(ratings.raters)
    draws: dict[Name, Floats] = {name: np.empty(replicates) for name in names}
    for replicate in range(replicates):
        items = weighted.sums(kind, _drawn(clusters, rng)[cluster], len(once.items))
        raters = _drawn(people, rng)
        tally = weighted.Tally.of(once, items, raters)
        # Where a replicate defines no coefficient, 0 / 0 says so.
        with np.errstate(divide="ignore", invalid="ignore"):
            for name, values in draws.items():
                if name == "cohen_kappa":
                    values[replicate] = weighted.cohen(meetings, items, raters)
                else:
                    values[replicate] = weighted.COEFFICIENTS[name](tally, numbers)
    return draws


def _drawn(n: int, rng: np.random.Generator) -> Floats:
    """Shape (n,): how often each of n came up in n draws with replacement."""
    return np.bincount(rng.integers(n, size=n), minlength=n).astype(np.float64)


def _numbers(ratings: Ratings) -> list[int]:
    """The levels as numbers; their places where they are names, and only order is asked of them."""
    given = [level for level in ratings.levels if isinstance(level, int)]
    return given if len(given) == len(ratings.levels) else list(range(len(ratings.levels)))


def _interval(draws: Floats | None, fewest: int) -> tuple[float | None, float | None, str]:
    """The expanded 95 % percentiles of the replicates, or why there are none. `fewest`: the number
    of clusters or of raters, whichever is smaller."""
    if draws is None:
        return None, None, "no interval: a single item or cluster"
    defined = draws[np.isfinite(draws)]
    if len(defined) < ENOUGH * len(draws):
        return None, None, f"no interval: defined in {len(defined)} of {len(draws)} replicates"
    tail = ndtr((fewest / (fewest - 1)) ** 0.5 * stdtrit(fewest - 1, 0.025))
    low, high = np.quantile(defined, [tail, 1 - tail])
    if low == high:
        return None, None, "no interval: the ratings do not vary"
    return float(low), float(high), ""
