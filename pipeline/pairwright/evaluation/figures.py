"""The figures of a scorer, as functions of the table that joins its scores with their pairs.

A figure of a mode is the mean over its pairs, or over its twins if it is of twins; each counts the
same. Modes are never averaged. A pair without a score counts as wrong: leaving out what is hard
does not pay.

A scorer flips where it prefers one response for one user, and the other response for the other
user. On a twin a flip is right in one direction. On a placebo nothing about the two users speaks
for either response, so a flip in either direction is wrong. A tie on one side is not a flip.

    net_right_flips = both_right on twins - 1/2 of the flips on placebos

A flip that has nothing to do with the users goes either way, so half of such flips would be right
on a twin. The figure is near 1 for a scorer that reads its users. It is 0 for one that cannot see
them, answers by chance (1/4 - 1/4) or always flips (1/2 - 1/2).
"""

from collections.abc import Iterator

import pandas as pd

from pairwright.evaluation.benchmark import QUESTIONS
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
            found = net.estimate(least=-0.5, most=1)
            even = blind and found.value == 0
            figures.append(_figure("net_right_flips", mode, mode, found, even=even))
    return tuple(figures)


def _of_mode(
    mode: str, pairs: pd.DataFrame, units: pd.DataFrame, *, blind: bool
) -> Iterator[ScorerFigure]:
    points, twins = pairs.point.fillna(0.0), bool((units.halves == 2).all())
    even = blind and twins and bool((points.groupby(pairs.unit).sum() == 1).all())
    yield _figure("coverage", mode, mode, _share(units.whole, units))
    if (units.label == "equal").all():
        whole = units[units.whole]
        yield _figure("placebo_flips", mode, mode, _share(whole.flip, whole), even=even)
        return
    groups = {mode: units.label.notna()}
    groups |= {str(name): units.domain == name for name in units.domain.unique() if name}
    groups |= {title: units.follows == name for name, title in FOLLOWS.items()}
    for group, inside in groups.items():
        if not inside.any():
            continue
        own = pairs[pairs.unit.isin(units.index[inside])]
        chance = round(float(own.chance.mean()), 6) if mode == QUESTIONS else None
        share = _share(points[own.index], own)
        yield _figure("accuracy", mode, group, share, even=even, chance=chance)
        if twins:
            yield _figure("both_right", mode, group, _share(units.flip, units[inside]), even=even)
    if len(judged := pairs[pairs.twice]):
        same = judged.forward == judged.backward
        yield _figure("swap_consistency", mode, mode, _share(same, judged))


def _share(values: pd.Series, lines: pd.DataFrame) -> Estimate:
    """The mean of these lines' values from 0 to 1, with Wilson's interval by cluster."""
    return mean_points(values[lines.index].to_numpy(float), cluster_numbers(list(lines.cluster)))


def _figure(
    name: str, mode: str, group: str, estimate: Estimate, *, even: bool = False,
    chance: float | None = None,
) -> ScorerFigure:  # fmt: skip
    fixed = {"low": None, "high": None, "note": IDENTITY} if even else {}
    return ScorerFigure(
        name=name, mode=mode, group=group, chance=chance, **estimate.model_dump() | fixed
    )


def net_right_flips(units: pd.DataFrame, mode: str) -> Jackknife | None:
    """The mean of the flips on twins less half of that on placebos, of those that are whole; None
    if either has none."""
    own = units[units.whole & ((units["mode"] == mode) | (units.label == "equal"))]
    if own.label.nunique() < 2:
        return None
    twins, clusters = own.label != "equal", cluster_numbers(list(own.cluster))
    return jackknife_difference(
        own.flip.to_numpy(float), twins.to_numpy(bool), clusters, weight=0.5
    )


def compared(above: pd.DataFrame, below: pd.DataFrame, mode: str, by: str) -> Jackknife:
    """The difference of two accuracies on a mode, pair by pair; or of two corrected twin
    accuracies, on the units that both have whole. Units of one couple depend on each other, whether
    they are twins or placebos."""
    if by == "net_right_flips":
        units, other = units_of(above), units_of(below)
        flip, whole = units.flip - other.flip, units.whole & other.whole
        found = net_right_flips(units.assign(flip=flip, whole=whole), mode)
        assert found, "both rows have twins and placebos"
        return found
    both = above[above["mode"] == mode].merge(below[["pair", "point"]], on="pair")
    differences = both.point_x.fillna(0.0) - both.point_y.fillna(0.0)
    return jackknife_mean(differences.to_numpy(float), cluster_numbers(list(both.cluster)))


def gains(pairs: pd.DataFrame, control: pd.DataFrame, name: str) -> Iterator[ScorerFigure]:
    """The gain in accuracy over a control, on the pairs with a score in both. On twins there is
    none: without a user their accuracy is 50 %, so a gain over that adds nothing."""
    both = pairs.merge(control[["pair", "point"]], on="pair", suffixes=("", "_control"))
    both["gain"] = both.point - both.point_control
    for mode, own in both[both.label != "equal"].groupby("mode", sort=False):
        if (own.halves == 1).all():
            counted = own[own.gain.notna()]
            clusters = cluster_numbers(list(counted.cluster))
            found = mean(counted.gain.to_numpy(float), clusters, least=-1, most=1)
            yield _figure(f"gain over {name}", str(mode), str(mode), found)
