"""The figures of a scorer, as functions of the table that joins its scores with their pairs.

**The twin is the unit**: one side alone would let a scorer that cannot see the user be right on
more than 50 %. A pair without a score counts as wrong: leaving out what is hard does not pay.

**The averaging rule.** A figure of a mode is the mean over its pairs, or over its twins if it is of
twins; each counts the same, whatever its domain. Modes are never averaged with one another.

**Flips.** A scorer flips where it prefers one response for one user, and the other response for the
other user. On a twin a flip is right in one direction. On a placebo nothing about the two users
speaks for either response, so a flip in either direction is wrong.

    net_right_flips = both_right on twins - 1/2 of the flips on placebos

A flip that has nothing to do with the users goes either way, so half of such flips would be right
on a twin. The figure is near 1 for a scorer that reads its users. It is 0 for one that cannot see
them, answers by chance (1/4 - 1/4) or always flips (1/2 - 1/2). A tie on one side is not a flip.
"""

from collections.abc import Iterator

import pandas as pd

from pairwright.evaluation.benchmark import QUESTIONS
from pairwright.evaluation.scores import judged_twice
from pairwright.stats import (
    Estimate,
    Jackknife,
    cluster_numbers,
    jackknife_difference,
    jackknife_mean,
    mean,
    mean_points,
)

FIGURES: dict[str, str] = {
    "accuracy": "share of pairs where the chosen response is ahead, ties counting 1/2 and pairs"
    " without a score as wrong; of questions with options, share where the right one is ahead"
    " of all others, and ties share",
    "both_right": "share of twins with both sides right: 0 for a scorer that cannot see the user",
    "coverage": "share of pairs with a score; for twins, of those with both sides scored",
    "swap_consistency": "share of pairs where a comparing judge says the same in both orders",
    "placebo_flips": "share of placebos where another response is preferred for the other user, of"
    " those with both sides scored",
    "net_right_flips": "right flips on twins less 50 % of the flips on placebos, of those with both"
    " sides scored: near 1 for a scorer that reads its users, 0 for one that cannot see them",
}
"""The description of each figure by name. Gains over controls are figures, too."""
FOLLOWS = {
    "stated": "all aspects stated",
    "inferred": "an aspect inferred, none a pattern",
    "pattern": "an aspect shown by a pattern",
}
"""The groups of pairs by how the aspect follows that is hardest to find."""
IDENTITY = "exact"
"""The note instead of an interval if the figure is exact by construction."""


class ScorerFigure(Estimate):
    """The estimate of one group of pairs: n are pairs or twins; no value where it is empty."""

    name: str
    """A key of FIGURES, or a gain over a control."""
    mode: str
    group: str
    """The mode for all of its pairs, a domain, or a value of FOLLOWS."""
    chance: float | None = None
    """The accuracy of blind choice, 0 to 1; only for the accuracy of questions with options."""


def units_of(pairs: pd.DataFrame) -> pd.DataFrame:
    """One line per unit: `mode, label, halves, cluster, domain, follows`, whether it is `whole`
    (scored in full), and its `flip`: 1 for a right one on a twin or any on a placebo, else 0."""
    by_unit = pairs.groupby("unit", sort=False)
    units = by_unit[["mode", "label", "halves", "cluster", "domain", "follows"]].first()
    units["whole"] = pairs.point.notna().groupby(pairs.unit, sort=False).all()
    right, wrong = (
        pairs.choice.eq(side).groupby(pairs.unit, sort=False).sum() == units.halves
        for side in ("chosen", "rejected")
    )
    units["flip"] = (right | (wrong & (units.label == "equal"))).astype(float)
    return units


def figures_of(pairs: pd.DataFrame, *, blind: bool = False) -> tuple[ScorerFigure, ...]:
    """All figures of one table: of each mode in turn, and the corrected twin accuracy.

    A `blind` scorer gives both sides of a twin the same scores, and the chosen response of one
    side is the rejected one of the other. So it is right on exactly one side, or tied on both.
    Such a figure is exact by construction, and has no interval.
    """
    figures, units = list[ScorerFigure](), units_of(pairs)
    for mode, own in pairs.groupby("mode", sort=False):
        figures += _of_mode(str(mode), own, units[units["mode"] == mode], blind=blind)
    for mode in units[(units.label == "chosen") & (units.halves == 2)]["mode"].unique():
        if net := net_right_flips(units, mode):
            even = blind and net.value == 0
            figures.append(_figure("net_right_flips", mode, mode, net, even=even))
    return tuple(figures)


def _of_mode(
    mode: str, pairs: pd.DataFrame, units: pd.DataFrame, *, blind: bool
) -> Iterator[ScorerFigure]:
    points, twins = pairs.point.fillna(0.0), bool((units.halves == 2).all())
    even = blind and twins and bool((points.groupby(pairs.unit).sum() == 1).all())
    yield _figure("coverage", mode, mode, _share(units.whole, units.cluster))
    if (units.label == "equal").all():
        whole = units[units.whole]
        share = _share(whole.flip, whole.cluster)
        yield _figure("placebo_flips", mode, mode, share, even=even)
        return
    groups = {mode: units.label.notna()}
    groups |= {str(name): units.domain == name for name in units.domain.unique() if name}
    groups |= {title: units.follows == name for name, title in FOLLOWS.items()}
    for group, of in groups.items():
        own, flips = pairs[pairs.unit.isin(units.index[of])], units[of]
        if not len(own):
            continue
        chance = round(float(own.chance.mean()), 6) if mode == QUESTIONS else None
        share = _share(points[own.index], own.cluster)
        yield _figure("accuracy", mode, group, share, even=even, chance=chance)
        if twins:
            share = _share(flips.flip, flips.cluster)
            yield _figure("both_right", mode, group, share, even=even)
    if len(judged := pairs[judged_twice(pairs)]):
        same = judged.forward == judged.backward
        yield _figure("swap_consistency", mode, mode, _share(same, judged.cluster))


def _share(values: pd.Series, clusters: pd.Series) -> Estimate:
    """The mean of points from 0 to 1, with Wilson's interval by cluster."""
    return mean_points(values.to_numpy(float), cluster_numbers(list(clusters)))


def _figure(
    name: str, mode: str, group: str, estimate: Estimate, *, even: bool = False,
    chance: float | None = None,
) -> ScorerFigure:  # fmt: skip
    fixed = {"low": None, "high": None, "note": IDENTITY} if even else {}
    return ScorerFigure(
        name=name, mode=mode, group=group, chance=chance, **estimate.model_dump() | fixed
    )


def flips(units: pd.DataFrame, mode: str) -> pd.DataFrame:
    """The twins of a mode and the placebos that are whole, with `flip`, `cluster` and `label`."""
    return units[units.whole & ((units["mode"] == mode) | (units.label == "equal"))]


def net_right_flips(units: pd.DataFrame, mode: str) -> Estimate | None:
    """The mean of the flips on twins less half of that on placebos; None if either has none."""
    own = flips(units, mode)
    if own.label.nunique() < 2:
        return None
    return _net(own, own.flip).estimate(least=-0.5, most=1)


def _net(units: pd.DataFrame, values: pd.Series) -> Jackknife:
    twins = (units.label != "equal").to_numpy(bool)
    clusters = cluster_numbers(list(units.cluster))
    return jackknife_difference(values.to_numpy(float), twins, clusters, weight=0.5)


def compared(above: pd.DataFrame, below: pd.DataFrame, mode: str, by: str) -> Jackknife:
    """The difference of two accuracies on a mode, pair by pair; or of two corrected twin
    accuracies, on the units that both have whole. Units of one couple depend on each other, whether
    they are twins or placebos."""
    if by == "net_right_flips":
        own = flips(units_of(above), mode)
        both = own.join(flips(units_of(below), mode).flip.rename("flip_below"), how="inner")
        return _net(both, both.flip - both.flip_below)
    both = above[above["mode"] == mode].merge(below[["pair", "point"]], on="pair")
    differences = both.point_x.fillna(0.0) - both.point_y.fillna(0.0)
    return jackknife_mean(differences.to_numpy(float), cluster_numbers(list(both.cluster)))


def gains(
    pairs: pd.DataFrame, control: pd.DataFrame, name: str, *, of_twins: bool
) -> Iterator[ScorerFigure]:
    """The gain in accuracy over a control, on the units that are whole in both.

    Gains on twins need `of_twins`: without a user their accuracy is 50 %, so a gain over that adds
    nothing to the accuracy.
    """
    both = pairs.merge(control[["pair", "point"]], on="pair", suffixes=("", "_control"))
    gain = both.point - both.point_control
    whole = gain.notna().groupby(both.unit).transform("sum") == both.halves
    for mode, own in both[both.label != "equal"].groupby("mode", sort=False):
        if of_twins or (own.halves == 1).all():
            counted = own[whole[own.index]]
            clusters = cluster_numbers(list(counted.cluster))
            found = mean(gain[counted.index].to_numpy(float), clusters, least=-1, most=1)
            yield _figure(f"gain over {name}", str(mode), str(mode), found)
