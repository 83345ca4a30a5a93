"""How far annotators agree: a table of ratings in, coefficients with their intervals out.

    percent     the chance that two ratings of an item agree (Fleiss 1971; Gwet 2008, p_a)
    alpha_*     1 - D_o / D_e over pairable ratings (Krippendorff 2011, Computing Krippendorff's
                Alpha-Reliability, sections C and D)
    gwet_ac1    (p_a - p_e) / (1 - p_e), p_e = sum of pi_k (1 - pi_k) over q - 1, pi_k the mean
                share of level k over all rated items (Gwet 2008; missing ratings as in his
                Handbook of Inter-Rater Reliability, 2014). q counts unused levels too.

Intervals are jackknives that leave out one cluster of items after the other, with Student's t. The
coefficients are functions of sums over items, so leaving a cluster out takes its part from the
sums. What the data cannot define is None with a reason.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from pairwright.records import Record
from pairwright.stats import Estimate, Floats, Places

Measurement = Literal["nominal", "ordinal"]
"""What the levels mean: names, or an order."""
FEWEST = 5
"""Fewer clusters do not show the spread: no interval."""
NOTHING = 1e-9
"""A half-width below this is rounding: leaving out nothing changed anything."""


class Agreement(Record):
    """All coefficients of one question. In each, n counts the ratings of items with two or more,
    and clusters are those of these items; its note says why the value or its interval is missing.
    """

    items: int
    """With two ratings or more."""
    raters: int
    """Who gave those."""
    percent: Estimate
    alpha_nominal: Estimate
    alpha_ordinal: Estimate
    gwet_ac1: Estimate

    def alpha(self, measurement: Measurement) -> Estimate:
        """Krippendorff's, for labels of this kind."""
        return self.alpha_nominal if measurement == "nominal" else self.alpha_ordinal


def agreement(
    ratings: pd.DataFrame,
    levels: Sequence[object] | None = None,
    measurement: Measurement = "nominal",
) -> Agreement:
    """Estimate every coefficient that the levels allow: `ordinal` adds ordinal alpha.

    `ratings` has the columns item, annotator and label, and `cluster` if items are not sampled one
    by one. `levels` are all labels that could be given, in their order; without it those that were.
    A label that is none of them is a missing rating. Raises ValueError if somebody rated an item
    twice.
    """
    levels = sorted(set(ratings["label"])) if levels is None else list(levels)
    own = ratings[ratings["label"].isin(levels)]
    if own.duplicated(["item", "annotator"]).any():
        raise ValueError("somebody rated an item twice")
    item, names = pd.factorize(own["item"], sort=True)
    given = np.zeros((len(names), len(levels)))
    np.add.at(given, (item, pd.Index(levels).get_indexer(pd.Index(own["label"]))), 1)
    cluster = np.arange(len(names))
    if "cluster" in own:
        cluster = pd.factorize(own.groupby(item)["cluster"].first(), sort=True)[0]
    paired = given.sum(axis=1) > 1
    n, clusters = int(paired[item].sum()), len(np.unique(cluster[paired]))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = coefficients(sums_without_each(given, cluster), len(levels))
    missing = _undefined(given[paired], measurement)
    none = {name: Estimate(value=None, low=None, high=None, n=n, clusters=clusters, note=why)
            for name, why in missing.items()}  # fmt: skip
    estimates = {
        name: none.get(name) or _jackknifed(values, n, clusters, 0.0 if name == "percent" else -1.0)
        for name, values in found.items()
    }
    raters = own["annotator"][paired[item]].nunique()
    return Agreement(items=int(paired.sum()), raters=raters, **estimates)


def _undefined(paired: Floats, measurement: Measurement) -> dict[str, str]:
    """Why the counts of items with two ratings or more do not define a coefficient, by name."""
    found: dict[str, str] = {}
    if np.count_nonzero(paired.sum(axis=0)) == 1:
        found |= dict.fromkeys(("alpha_nominal", "alpha_ordinal"), "all ratings are the same")
    if paired.shape[1] < 2:
        found["gwet_ac1"] = "there is only one level"
    if not len(paired):
        names = ("percent", "alpha_nominal", "alpha_ordinal", "gwet_ac1")
        found |= dict.fromkeys(names, "no item has two ratings")
    if measurement == "nominal":
        found["alpha_ordinal"] = "the levels are nominal"
    return found


def _jackknifed(values: Floats, n: int, clusters: int, least: float) -> Estimate:
    """The first value, with the interval from those without each cluster."""
    whole, without = float(values[0]), values[1:]
    half, note = 0.0, ""
    if clusters < FEWEST:
        note = f"no interval: fewer than {FEWEST} clusters"
    elif undefined := int((~np.isfinite(without)).sum()):
        note = f"no interval: undefined without {undefined} of {len(without)} clusters"
    else:
        variance = (clusters - 1) / clusters * float(((without - whole) ** 2).sum())
        half = float(stdtrit(clusters - 1, 0.975)) * variance**0.5
        note = "" if half > NOTHING else "no interval: the ratings do not vary"
    return Estimate(
        value=round(whole, 12),
        low=None if note else round(max(least, whole - half), 6),
        high=None if note else round(min(1.0, whole + half), 6),
        n=n,
        clusters=clusters,
        note=note,
    )


def sums_without_each(given: Floats, cluster: Places) -> Floats:
    """Sums over items: with all, then without each cluster; shape (1 + clusters, 3 + levels +
    levels squared). `given`, shape (items, levels), counts ratings; `cluster` has shape (items,),
    counted from 0.

    The columns are the agreement of each item with two ratings or more, how many these are, how
    many are rated at all, the shares of the levels, and Krippendorff's coincidences: an item with m
    ratings spreads m over its ordered pairs.
    """
    items, levels = given.shape
    rated = given.sum(axis=1)
    paired = (rated > 1).astype(np.float64)
    pairs = given[:, :, None] * given[:, None, :]
    every = np.arange(levels)
    pairs[:, every, every] -= given
    pairs *= (paired / np.maximum(rated - 1, 1))[:, None, None]
    agreed = np.einsum("ikk->i", pairs) / np.maximum(rated, 1)
    single = np.stack([agreed, paired, (rated > 0).astype(np.float64)], axis=1)
    shares = given / np.maximum(rated, 1)[:, None]
    rows = np.concatenate([single, shares, pairs.reshape(items, levels**2)], axis=1)
    of_clusters = np.zeros((int(cluster.max(initial=-1)) + 1, rows.shape[1]))
    np.add.at(of_clusters, cluster, rows)
    whole = rows.sum(axis=0)
    return np.concatenate([whole[None], whole - of_clusters])


def coefficients(sums: Floats, levels: int) -> dict[str, Floats]:
    """Each coefficient, shape (sets,), of sets of sums."""
    percent = sums[:, 0] / sums[:, 1]
    shares = sums[:, 3 : 3 + levels] / sums[:, 2:3]
    by_chance = (shares * (1 - shares)).sum(axis=1) / (levels - 1)
    seen = sums[:, 3 + levels :].reshape(-1, levels, levels)
    margins = seen.sum(axis=2)
    # How many ratings lie between two levels, those of the two by half: a difference of ranks.
    ranks = np.cumsum(margins, axis=1) - margins / 2
    apart = {
        "nominal": np.broadcast_to(1 - np.eye(levels), seen.shape),
        "ordinal": (ranks[:, :, None] - ranks[:, None, :]) ** 2,
    }
    pairs = margins[:, :, None] * margins[:, None, :] / (margins.sum(axis=1) - 1)[:, None, None]
    alphas = {
        f"alpha_{name}": 1 - (seen * squared).sum(axis=(1, 2)) / (pairs * squared).sum(axis=(1, 2))
        for name, squared in apart.items()
    }
    return {"percent": percent, **alphas, "gwet_ac1": (percent - by_chance) / (1 - by_chance)}
