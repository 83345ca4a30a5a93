"""Agreement and attention of annotators, from a table of their ratings or votes.

    percent     the chance that two ratings of an item agree (Fleiss 1971; Gwet 2008, p_a)
    alpha_*     1 - D_o / D_e over pairable ratings (Krippendorff 2011, Computing Krippendorff's
                Alpha-Reliability, sections C and D)
    gwet_ac1    (p_a - p_e) / (1 - p_e), p_e = sum of pi_k (1 - pi_k) over q - 1, pi_k the mean
                share of level k over all rated items (Gwet 2008; missing ratings as in his
                Handbook of Inter-Rater Reliability, 2014). q counts unused levels too.

Intervals are jackknives over clusters of items. A cluster counts in the interval of a coefficient
if its ratings count in the value: an item with a single rating counts in AC1 alone.

**Attention.** Every vote on a side of a twin can be a check. Two groups of people see the same
question and responses, each with the posts of one of two users. The posts decide if most of the
others who saw these posts, two or more, choose one response, and most of the other group the other.
The right answer is then that of the others who saw the same posts. Which side an annotator gets is
drawn: whoever does not read is right with probability 1/2. Every second "cannot tell" counts as
right. No task is made for a check, and no label is used.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pairwright.records import Record, Side
from pairwright.stats import Estimate, Floats, jackknife, no_estimate
from pairwright_human_eval.records import CANNOT_TELL, EQUAL
from pairwright_human_eval.units import Outline

Measurement = Literal["nominal", "ordinal"]
"""Meaning of the levels: names, or an order."""
FEWEST_CHECKS = 4  # With fewer, one slip would exclude an attentive annotator.
FEWEST_OTHERS = 2  # One other person's answer is no measure of anybody.
SIDES: tuple[Side, ...] = ("chosen", "rejected")
NAMES = ("percent", "alpha_nominal", "alpha_ordinal", "gwet_ac1")


class Agreement(Record):
    """All coefficients of one question; a note says why a value or an interval is missing."""

    measurement: Measurement
    items: int
    """Items with two ratings or more."""
    raters: int
    percent: Estimate
    alpha_nominal: Estimate
    alpha_ordinal: Estimate
    gwet_ac1: Estimate

    @property
    def alpha(self) -> Estimate:
        """Krippendorff's, for labels of this kind."""
        return self.alpha_nominal if self.measurement == "nominal" else self.alpha_ordinal


def agreement(
    ratings: pd.DataFrame, levels: Sequence[object] | None = None,
    measurement: Measurement = "nominal",
) -> Agreement:  # fmt: skip
    """Estimate every coefficient that the levels allow: `ordinal` adds ordinal alpha.

    `ratings` has the columns item, annotator and label, and `cluster` if items are not sampled one
    by one. `levels` are all labels that count, in their order; without it those that were given.
    Raises ValueError if an annotator rated an item twice.
    """
    levels = sorted(set(ratings["label"])) if levels is None else list(levels)
    own = ratings[ratings["label"].isin(levels)]
    if own.duplicated(["item", "annotator"]).any():
        raise ValueError("somebody rated an item twice")
    item, names = pd.factorize(own["item"], sort=True)
    given = np.zeros((len(names), len(levels)))
    np.add.at(given, (item, pd.Index(levels).get_indexer(pd.Index(own["label"]))), 1)
    clusters = np.arange(len(names))
    if "cluster" in own:
        clusters = pd.factorize(own.groupby(item)["cluster"].first(), sort=True)[0]
    paired = given.sum(axis=1) > 1
    n = int(paired[item].sum())
    rows = item_sums(given)
    by_cluster = np.zeros((int(clusters.max(initial=-1)) + 1, rows.shape[1]))
    np.add.at(by_cluster, clusters, rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        sets = np.concatenate([np.zeros((1, rows.shape[1])), by_cluster])
        found = coefficients(rows.sum(axis=0) - sets, len(levels))
    missing: dict[str, str] = {}
    if np.count_nonzero(given[paired].sum(axis=0)) == 1:
        missing |= dict.fromkeys(NAMES[1:3], "all ratings are the same")
    if len(levels) < 2:
        missing["gwet_ac1"] = "there is only one level"
    if not paired.any():
        missing |= dict.fromkeys(NAMES, "no item has two ratings")
    if measurement == "nominal":
        missing["alpha_ordinal"] = "the levels are nominal"
    both, estimates = by_cluster[:, 1] > 0, dict[str, Estimate]()
    for name, values in found.items():
        if name in missing:
            estimates[name] = no_estimate(missing[name])
            continue
        value, without = float(values[0]), values[1:] if name == "gwet_ac1" else values[1:][both]
        least = 0.0 if name == "percent" else -1.0
        found_value = jackknife(value, without, n).estimate(least=least, most=1.0)
        estimates[name] = Estimate(**dict(found_value) | {"value": round(value, 12)})
    raters = own["annotator"][paired[item]].nunique()
    items = int(paired.sum())
    return Agreement(measurement=measurement, items=items, raters=raters, **estimates)


def item_sums(given: Floats) -> Floats:
    """Terms that coefficients sum over items, shape (items, 3 + levels + levels squared), from
    counts of ratings, shape (items, levels).

    The columns are the agreement of an item with two ratings or more, whether it has them, and
    whether it is rated at all. The shares of the levels follow, then Krippendorff's coincidences:
    an item with m ratings spreads m over its ordered pairs.
    """
    items, levels = given.shape
    rated, every = given.sum(axis=1), np.arange(levels)
    paired = (rated > 1).astype(np.float64)
    pairs = given[:, :, None] * given[:, None, :]
    pairs[:, every, every] -= given
    pairs *= (paired / np.maximum(rated - 1, 1))[:, None, None]
    agreed = np.einsum("ikk->i", pairs) / np.maximum(rated, 1)
    single = np.stack([agreed, paired, (rated > 0).astype(np.float64)], axis=1)
    shares = given / np.maximum(rated, 1)[:, None]
    return np.concatenate([single, shares, pairs.reshape(items, levels**2)], axis=1)


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


def majority(counts: Mapping[Any, int], fewest: int = 1) -> Any:
    """The label of more than half; empty without one, or with fewer than `fewest` votes."""
    label, most = max(counts.items(), key=lambda one: one[1], default=("", 0))
    n = sum(counts.values())
    return label if 2 * most > n >= fewest else ""


def count_labels(votes: pd.DataFrame) -> dict[str, Counter[Any]]:
    """Count each label by item. "Cannot tell" is missing."""
    counts: dict[str, Counter[Any]] = {}
    for item, label in zip(votes["item"], votes["label"], strict=True):
        counts.setdefault(item, Counter())[label] += int(label != CANNOT_TELL)
    return counts


def others_say(votes: pd.DataFrame, fewest: int = 1) -> pd.Series:
    """Label, for each vote, of more than half of the other votes on its item; else empty."""
    counts = count_labels(votes)
    said = [
        majority(counts[item] - Counter({label: 1}), fewest)
        for item, label in zip(votes["item"], votes["label"], strict=True)
    ]
    return pd.Series(said, index=votes.index, dtype=object)


def with_others(votes: pd.DataFrame) -> pd.DataFrame:
    """Count votes of each annotator where most of the others agree (`n`), and the same (`k`)."""
    votes = votes[votes["label"] != CANNOT_TELL]
    most = others_say(votes)
    agreed = most.map(lambda label: label != "").astype(bool)
    return count_hits(votes["annotator"][agreed], (votes["label"] == most)[agreed])


def count_hits(who: pd.Series, hits: pd.Series) -> pd.DataFrame:
    """Count the rows of each person (`n`), and those that are hits (`k`)."""
    table = pd.DataFrame({"who": who, "hit": hits.astype(int)})
    return table.groupby("who").agg(k=("hit", "sum"), n=("hit", "size"))


def votes_of(answers: pd.DataFrame, round: int = 1) -> pd.DataFrame:
    """The preference votes of a round; `item` is the pair."""
    votes = answers[(answers["kind"] == "preference") & (answers["round"] == round)]
    return votes.assign(item=votes["pair"])


def checks(answers: pd.DataFrame, outlines: Iterable[Outline]) -> pd.DataFrame:
    """Count the votes of each annotator that are attention checks (`n`), and the right ones (`k`).
    In the words of each side, the posts decide if both sides have the same majority."""
    twins = (unit.pairs for unit in outlines if unit.label != EQUAL and len(unit.pairs) == 2)
    other_half = {pair.id: pairs[1 - n].id for pairs in twins for n, pair in enumerate(pairs)}
    votes = votes_of(answers)
    votes = votes[votes["pair"].isin(other_half)]
    said = {pair: majority(+counts, FEWEST_OTHERS) for pair, counts in count_labels(votes).items()}
    here = others_say(votes, FEWEST_OTHERS)
    across = votes["pair"].map(lambda pair: said.get(other_half[pair], ""))
    votes = votes.assign(here=here)[here.isin(SIDES) & (here == across)]
    unknown = count_hits(votes["annotator"], votes["label"] == CANNOT_TELL)["k"]
    right = count_hits(votes["annotator"], votes["label"] == votes["here"])
    return right.assign(k=right["k"] + (unknown + 1) // 2)


def repeats(answers: pd.DataFrame) -> pd.DataFrame:
    """Count swapped repeats of each annotator (`n`), and those answered as before (`k`)."""
    told = answers[answers["label"] != CANNOT_TELL]
    again = votes_of(told).merge(votes_of(told, 0), on=["annotator", "pair"])
    return count_hits(again["annotator"], again["label_x"] == again["label_y"])


def excluded_by(passed: pd.DataFrame, floor: float) -> frozenset[str]:
    """Annotators who passed less than `floor` of at least `FEWEST_CHECKS` checks."""
    low = (passed["n"] >= FEWEST_CHECKS) & (passed["k"] / passed["n"] < floor)
    return frozenset(passed.index[low])


def annotators(answers: pd.DataFrame, outlines: Iterable[Outline]) -> pd.DataFrame:
    """Counts per annotator of checks, repeats and votes where others agree (`_n`; right: `_k`)."""
    found = {"checks": checks(answers, outlines), "repeats": repeats(answers)}
    found["others"] = with_others(votes_of(answers))
    table = pd.concat([own.add_prefix(f"{name}_") for name, own in found.items()], axis=1)
    return table.reindex(sorted(set(answers["annotator"]))).fillna(0).astype(int)
