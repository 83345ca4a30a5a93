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

The coefficients are functions of sums over items, for many sets of sums at once: leaving out items
takes their part from the sums, so a coefficient without each cluster or each rater in turn costs
little more than the coefficient itself. That is why they are not those of libraries, which the
tests hold them to. What the data cannot define is None with a reason: never 0, never a number by
convention.

    percent         the chance that two ratings of an item agree: Fleiss (1971), the mean of his
                    P_i; Gwet (2008), p_a
    alpha_*         1 - D_o / D_e over pairable ratings: Krippendorff (2011), Computing
                    Krippendorff's Alpha-Reliability, sections C and D
    gwet_ac1        (p_a - p_e) / (1 - p_e), p_e = sum of pi_k (1 - pi_k) over q - 1, pi_k the mean
                    share of level k over all rated items: Gwet (2008), with missing ratings as in
                    his Handbook of Inter-Rater Reliability (2014). q counts unused levels too.
    fleiss_kappa    Fleiss (1971), Psychological Bulletin 76, 378-382: defined where all items have
                    the same number of ratings, and only there
    cohen_kappa     Cohen (1960), the mean over every two raters who share at least two items, each
                    weighed by the items they share. Where all rate all it is Light's kappa (1971);
                    the weights keep two raters who hardly met from counting like two who met often.
                    A kappa over few items errs downward: at a true 0.49 by about 0.01 with 25
                    shared items, 0.05 with 5 and 0.09 with 2. The other coefficients pool, and do
                    not.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import stdtrit

from pairwright.estimate import Estimate
from pairwright.intervals import Floats
from pairwright.records import Record
from pairwright_human_eval.agreement.models import Indices, Level, Ratings

Measurement = Literal["nominal", "ordinal", "interval"]
"""What the levels mean: names; an order; numbers with distances."""
LEAST_SHARED = 2
"""Items two raters must both have rated before a kappa of the two means anything."""


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over items: a row for each set of items, shape (sets, 3 + 2 levels + levels squared)."""

    rows: Floats
    levels: int

    @classmethod
    def of_items(cls, counts: Indices) -> "Sums":
        """Every item as a set of its own; `counts` has shape (items, levels)."""
        given = counts.astype(np.float64)
        items, levels = given.shape
        rated = given.sum(axis=1)
        paired = (rated > 1).astype(np.float64)
        shares = given / np.maximum(rated, 1)[:, None]
        # Krippendorff's coincidences: an item with m ratings spreads m over its ordered pairs.
        pairs = given[:, :, None] * given[:, None, :]
        every = np.arange(levels)
        pairs[:, every, every] -= given
        pairs *= (paired / np.maximum(rated - 1, 1))[:, None, None]
        agreed = np.einsum("ikk->i", pairs) / np.maximum(rated, 1)
        single = np.stack([agreed, paired, (rated > 0).astype(np.float64)], axis=1)
        rows = [single, shares, shares * paired[:, None], pairs.reshape(items, levels * levels)]
        return cls(np.concatenate(rows, axis=1), levels)

    def grouped(self, place: Indices, sets: int) -> "Sums":
        """The rows added up by place."""
        shape = (sets, len(place))
        table = sparse.csr_array((np.ones(len(place)), (place, np.arange(len(place)))), shape=shape)
        return Sums(table @ self.rows, self.levels)

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(self.rows + other.rows, self.levels)

    def __sub__(self, other: "Sums") -> "Sums":
        return Sums(self.rows - other.rows, self.levels)

    @property
    def percent(self) -> Floats:
        """Shape (sets,): agreement in percent, as a share."""
        found: Floats = self.rows[:, 0] / self.rows[:, 1]
        return found

    @property
    def shares(self) -> Floats:
        """Shape (sets, levels): the mean share of each level over all rated items."""
        found: Floats = self.rows[:, 3 : 3 + self.levels] / self.rows[:, 2:3]
        return found

    @property
    def paired_shares(self) -> Floats:
        """The same over the items with two ratings or more."""
        found: Floats = self.rows[:, 3 + self.levels : 3 + 2 * self.levels] / self.rows[:, 1:2]
        return found

    @property
    def coincidences(self) -> Floats:
        """Shape (sets, levels, levels)."""
        return self.rows[:, 3 + 2 * self.levels :].reshape(-1, self.levels, self.levels)


def alpha(sums: Sums, measurement: Measurement, numbers: Floats) -> Floats:
    """Shape (sets,). `numbers`: the levels as numbers, for `interval`."""
    margins = sums.coincidences.sum(axis=2)
    places = np.broadcast_to(numbers, margins.shape)
    if measurement == "ordinal":
        # How many ratings lie between two levels, those of the two by half: a difference of ranks.
        places = np.cumsum(margins, axis=1) - margins / 2
    squared = (places[:, :, None] - places[:, None, :]) ** 2
    if measurement == "nominal":
        squared = np.broadcast_to(1 - np.eye(sums.levels), squared.shape)
    expected = np.einsum("si,sij,sj->s", margins, squared, margins) / (margins.sum(axis=1) - 1)
    found: Floats = 1 - (sums.coincidences * squared).sum(axis=(1, 2)) / expected
    return found


def ac1(sums: Sums) -> Floats:
    expected = (sums.shares * (1 - sums.shares)).sum(axis=1) / (sums.levels - 1)
    found: Floats = (sums.percent - expected) / (1 - expected)
    return found


def fleiss(sums: Sums) -> Floats:
    expected = (sums.paired_shares**2).sum(axis=1)
    found: Floats = (sums.percent - expected) / (1 - expected)
    return found


COEFFICIENTS: dict[str, Callable[[Sums, Floats], Floats]] = {
    "percent": lambda sums, _: sums.percent,
    "alpha_nominal": lambda sums, numbers: alpha(sums, "nominal", numbers),
    "alpha_ordinal": lambda sums, numbers: alpha(sums, "ordinal", numbers),
    "alpha_interval": lambda sums, numbers: alpha(sums, "interval", numbers),
    "gwet_ac1": lambda sums, _: ac1(sums),
    "fleiss_kappa": lambda sums, _: fleiss(sums),
}
"""By name: a coefficient of sums and of the levels as numbers. Where the sums define none, 0 / 0
says so. Cohen's kappa by two is not a function of these sums: `left_out` has it."""


class LeaveOutValues(NamedTuple):
    """One coefficient; not finite where the rest of the ratings defines none."""

    whole: float
    """With nothing left out."""
    clusters: Floats
    """Shape (clusters,): without each."""
    raters: Floats
    """Shape (raters,)."""
    cells: Floats
    """Shape (cells,): only those that hold a rating."""


def left_out(ratings: Ratings, cluster: Indices, names: Iterable[str]) -> dict[str, LeaveOutValues]:
    """By name of the coefficient. `cluster` has shape (items,), counted from 0."""
    # The levels as numbers; their places where they are names, and only order is asked of them.
    levels = ratings.levels if _all_numbers(ratings.levels) else range(len(ratings.levels))
    numbers = np.array(levels, np.float64)
    cells = cluster[ratings.item] * len(ratings.raters) + ratings.rater
    cell = np.unique(cells, return_inverse=True)[1]
    counts = ratings.counts()
    items = Sums.of_items(counts)
    # What leaving out one rating changes in its item.
    fewer = counts[ratings.item]
    fewer[np.arange(len(fewer)), ratings.value] -= 1
    change = Sums.of_items(fewer) - Sums(items.rows[ratings.item], items.levels)
    whole = items.grouped(np.zeros(len(counts), np.intp), 1)
    without = (
        whole,
        whole - items.grouped(cluster, int(cluster.max()) + 1),
        whole + change.grouped(ratings.rater, len(ratings.raters)),
        whole + change.grouped(cell, int(cell.max()) + 1),
    )
    found = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        for name in names:
            if name == "cohen_kappa":
                found[name] = _cohen(ratings, cluster, cell)
            else:
                value, *others = (COEFFICIENTS[name](sums, numbers) for sums in without)
                found[name] = LeaveOutValues(float(value[0]), *others)
    return found


def _cohen(ratings: Ratings, cluster: Indices, cell: Indices) -> LeaveOutValues:
    """Cohen's kappa by two: only the tables of two raters in which a part has answers change.
    `cell` is that of each rating."""
    levels = len(ratings.levels)
    one, other = ratings.meetings()
    first, second = ratings.rater[one], ratings.rater[other]
    pairs, table = np.unique(first * len(ratings.raters) + second, return_inverse=True)
    answers = ratings.value[one] * levels + ratings.value[other]
    tables = _tables(table * levels**2 + answers, len(pairs), levels)
    weighed, weight = _weighed_kappas(tables)

    def without(part: Indices, parts: int, table: Indices, answers: Indices) -> Floats:
        """Meetings by the part that they leave with."""
        touched, place = np.unique(part * len(pairs) + table, return_inverse=True)
        of_part, of_table = np.divmod(touched, len(pairs))
        taken = _tables(place * levels**2 + answers, len(touched), levels)
        left, left_weight = _weighed_kappas(tables[of_table] - taken)
        above = np.bincount(of_part, left - weighed[of_table], parts) + weighed.sum()
        below = np.bincount(of_part, left_weight - weight[of_table], parts) + weight.sum()
        return np.where(below > 0, above / below, np.nan)

    # A meeting leaves with either of its two ratings.
    twice = np.tile(table, 2), np.tile(answers, 2)
    return LeaveOutValues(
        float(np.divide(weighed.sum(), weight.sum())),
        without(cluster[ratings.item[one]], int(cluster.max()) + 1, table, answers),
        without(np.concatenate([first, second]), len(ratings.raters), *twice),
        without(np.concatenate([cell[one], cell[other]]), int(cell.max()) + 1, *twice),
    )


def _tables(cell: Indices, tables: int, levels: int) -> Floats:
    """Shape (tables, levels, levels): how often each cell of each table was met."""
    counts = np.bincount(cell, minlength=tables * levels**2).reshape(tables, levels, levels)
    return counts.astype(np.float64)


def cohen_kappas(tables: Floats) -> Floats:
    """Cohen (1960) of tables, shape (tables, levels, levels); NaN where agreement by chance is
    whole, and of none."""
    n = tables.sum(axis=(1, 2))
    by_chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = (np.einsum("tkk->t", tables) * n - by_chance) / (n * n - by_chance)
    return found


def _weighed_kappas(tables: Floats) -> tuple[Floats, Floats]:
    """Of each table: kappa times its weight, and the weight, its number of items; both 0 where it
    has no kappa."""
    kappa, n = cohen_kappas(tables), tables.sum(axis=(1, 2))
    defined = (n >= LEAST_SHARED) & np.isfinite(kappa)
    return np.where(defined, n * kappa, 0.0), np.where(defined, n, 0.0)


COVERAGE = 0.95
NO_SHARED = "no two raters share two items and differ in any answer"
UNORDERED = {
    ("alpha_ordinal", "nominal"), ("alpha_interval", "nominal"), ("alpha_interval", "ordinal"),
}  # fmt: skip
"""Coefficients that a measurement does not have."""
NOTHING = 1e-9
"""A half-width below this is rounding: leaving out nothing changed anything."""


class Agreement(Record):
    """All coefficients of one question. Of each, n counts the ratings of items with two or more,
    and clusters are those of these items; its note says why the value or its interval is missing.
    """

    items: int
    """With two ratings or more."""
    raters: int
    """Who gave those."""
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
    twin; without it each item is sampled alone. Raises KeyError where it lacks an item.
    """
    cluster: Indices = np.arange(len(ratings.items))
    if clusters is not None:
        labels = [clusters[item] for item in ratings.items]
        cluster = np.unique(labels, return_inverse=True)[1]
    reasons = {
        name: _undefined(name, ratings, measurement) for name in (*COEFFICIENTS, "cohen_kappa")
    }
    defined = [name for name, reason in reasons.items() if not reason]
    left = left_out(ratings, cluster, defined) if defined else {}
    paired = ratings.pairable()
    items, raters = (len(np.unique(places[paired])) for places in (ratings.item, ratings.rater))
    clusters_paired = len(np.unique(cluster[ratings.item[paired]]))
    found = {}
    for name, reason in reasons.items():
        value = low = high = None
        if name in left and not np.isfinite(left[name].whole):
            reason = NO_SHARED
        elif name in left:
            value = round(left[name].whole, 6)
            half, reason = half_width(left[name], clusters_paired, raters)
            if half is not None:
                least = 0.0 if name == "percent" else -1.0
                low = round(max(least, left[name].whole - half), 6)
                high = round(min(1.0, left[name].whole + half), 6)
        found[name] = Estimate(
            value=value, low=low, high=high, n=int(paired.sum()), clusters=clusters_paired,
            note=reason,
        )  # fmt: skip
    return Agreement(items=items, raters=raters, **found)


def _undefined(name: str, ratings: Ratings, measurement: Measurement) -> str:
    """Why the ratings define no such coefficient; empty where they do. Whether any two raters share
    enough for a kappa is only known once it is computed."""
    if name == "alpha_interval" and measurement == "interval" and not _all_numbers(ratings.levels):
        return "the levels are not numbers"
    if (name, measurement) in UNORDERED:
        return f"the levels are {measurement}"
    counts = ratings.counts()
    paired = counts[counts.sum(axis=1) > 1]
    if not len(paired):
        return NO_SHARED if name == "cohen_kappa" else "no item has two ratings"
    if name == "gwet_ac1" and len(ratings.levels) < 2:
        return "there is only one level"
    if name.startswith(("alpha", "fleiss")) and np.count_nonzero(paired.sum(axis=0)) == 1:
        return "all ratings are the same"
    least, most = counts.sum(axis=1).min(), counts.sum(axis=1).max()
    if name == "fleiss_kappa" and least < most:
        return f"items have {least} to {most} ratings; it takes equal numbers"
    return ""


def _all_numbers(levels: Sequence[Level]) -> bool:
    return all(isinstance(level, int) for level in levels)


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
