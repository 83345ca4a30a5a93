"""How far annotators agree: tables of ratings in, coefficients out.

Nothing here reads files or knows of pairs or the chosen side. Each coefficient has a 95 % jackknife
interval that leaves out one cluster of items after the other (Tukey 1958), by Student's t with
clusters - 1 degrees of freedom.

    percent         the chance that two ratings of an item agree: Fleiss (1971), the mean of his
                    P_i; Gwet (2008), p_a
    alpha_*         1 - D_o / D_e over pairable ratings: Krippendorff (2011), Computing
                    Krippendorff's Alpha-Reliability, sections C and D
    gwet_ac1        (p_a - p_e) / (1 - p_e), p_e = sum of pi_k (1 - pi_k) over q - 1, pi_k the mean
                    share of level k over all rated items: Gwet (2008), with missing ratings as in
                    his Handbook of Inter-Rater Reliability (2014). q counts unused levels too.

The coefficients are functions of sums over items, for many sets of sums at once: leaving out a
cluster takes its part from the sums. What the data cannot define is None with a reason.
"""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import stdtrit

from pairwright.records import Record
from pairwright.stats import Estimate, Floats

Indices = npt.NDArray[np.intp]
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
    value = pd.Index(levels).get_indexer(pd.Index(own["label"]))
    given = np.zeros((len(names), len(levels)))
    np.add.at(given, (item, value), 1)
    cluster: Indices = np.arange(len(names))
    if "cluster" in own:
        cluster = pd.factorize(own.groupby(item)["cluster"].first(), sort=True)[0]
    paired = given.sum(axis=1) > 1
    rated = paired[item]
    n, clusters = int(rated.sum()), len(np.unique(cluster[paired]))
    sums = left_out(given, cluster)

    def estimate(name: str) -> Estimate:
        reason = _undefined(name, given, measurement)
        if reason:
            return Estimate(value=None, low=None, high=None, n=n, clusters=clusters, note=reason)
        with np.errstate(divide="ignore", invalid="ignore"):
            whole, *without = COEFFICIENTS[name](sums, len(levels))
        half, note = half_width(float(whole), np.array(without), clusters)
        least = 0.0 if name == "percent" else -1.0
        return Estimate(
            value=round(float(whole), 12),
            low=None if half is None else round(max(least, whole - half), 6),
            high=None if half is None else round(min(1.0, whole + half), 6),
            n=n,
            clusters=clusters,
            note=note,
        )

    return Agreement(
        items=int(paired.sum()),
        raters=own["annotator"][rated].nunique(),
        percent=estimate("percent"),
        alpha_nominal=estimate("alpha_nominal"),
        alpha_ordinal=estimate("alpha_ordinal"),
        gwet_ac1=estimate("gwet_ac1"),
    )


def half_width(whole: float, without: Floats, clusters: int) -> tuple[float | None, str]:
    """Half the width of the 95 % interval, or why there is none. `without` has the coefficient
    without each cluster, of which `clusters` have two ratings of an item."""
    if clusters < FEWEST:
        return None, f"no interval: fewer than {FEWEST} clusters"
    if undefined := int((~np.isfinite(without)).sum()):
        return None, f"no interval: undefined without {undefined} of {len(without)} clusters"
    variance = (clusters - 1) / clusters * float(((without - whole) ** 2).sum())
    half = float(stdtrit(clusters - 1, 0.975)) * variance**0.5
    return (half, "") if half > NOTHING else (None, "no interval: the ratings do not vary")


def left_out(given: Floats, cluster: Indices) -> Floats:
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


def percent(sums: Floats, _: int = 0) -> Floats:
    """Shape (sets,): agreement in percent, as a share."""
    found: Floats = sums[:, 0] / sums[:, 1]
    return found


def alpha(sums: Floats, levels: int, measurement: Measurement) -> Floats:
    """Shape (sets,): Krippendorff's alpha."""
    coincidences = sums[:, 3 + levels :].reshape(-1, levels, levels)
    margins = coincidences.sum(axis=2)
    squared = np.broadcast_to(1 - np.eye(levels), coincidences.shape)
    if measurement == "ordinal":
        # How many ratings lie between two levels, those of the two by half: a difference of ranks.
        ranks = np.cumsum(margins, axis=1) - margins / 2
        squared = (ranks[:, :, None] - ranks[:, None, :]) ** 2
    expected = np.einsum("si,sij,sj->s", margins, squared, margins) / (margins.sum(axis=1) - 1)
    found: Floats = 1 - (coincidences * squared).sum(axis=(1, 2)) / expected
    return found


def ac1(sums: Floats, levels: int) -> Floats:
    """Shape (sets,): Gwet's AC1."""
    shares = sums[:, 3 : 3 + levels] / sums[:, 2:3]
    expected = (shares * (1 - shares)).sum(axis=1) / (levels - 1)
    found: Floats = (percent(sums) - expected) / (1 - expected)
    return found


COEFFICIENTS: dict[str, Callable[[Floats, int], Floats]] = {
    "percent": percent,
    "alpha_nominal": lambda sums, levels: alpha(sums, levels, "nominal"),
    "alpha_ordinal": lambda sums, levels: alpha(sums, levels, "ordinal"),
    "gwet_ac1": ac1,
}


def _undefined(name: str, given: Floats, measurement: Measurement) -> str:
    """Why the ratings define no such coefficient; empty if they do."""
    if name == "alpha_ordinal" and measurement == "nominal":
        return "the levels are nominal"
    paired = given[given.sum(axis=1) > 1]
    if not len(paired):
        return "no item has two ratings"
    if name == "gwet_ac1" and given.shape[1] < 2:
        return "there is only one level"
    if name.startswith("alpha") and np.count_nonzero(paired.sum(axis=0)) == 1:
        return "all ratings are the same"
    return ""
