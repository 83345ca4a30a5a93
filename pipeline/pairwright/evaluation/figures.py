"""The figures of a scorer's decisions, each with its n, its clusters and its 95 % interval.

**The twin is the unit**: a half alone would let a scorer that cannot see the user be right on more
than one half. A pair without a score counts as wrong: leaving out what is hard does not pay.

**The averaging rule.** A figure of a mode is the mean over its pairs, or over its twins where it is
of twins; each counts the same, whatever its domain. Modes are never averaged with one another.

**Flips.** A scorer flips where it prefers one response for one user, and the other response for the
other user. On a twin a flip is right in one direction. On a placebo nothing about the two users
speaks for either response, so a flip in either direction is wrong.

    net right flips = right flips on twins - half of the flips on placebos

A flip that has nothing to do with the users goes either way, so half of such flips would be right
on a twin. The figure is near 1 for a scorer that reads its users, and 0 for one that cannot see
them, answers by chance (1/4 - 1/4) or always flips (1/2 - 1/2). A tie in a half is no flip.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pairwright.evaluation.decision import AspectsFollow, PairDecision, hardest_kind
from pairwright.evaluation.scorers.scorer import NOTHING_TO_SHOW
from pairwright.modes import halves_of, label_of
from pairwright.stats import (
    Estimate,
    cluster_numbers,
    less,
    mean,
    mean_points,
    with_width,
)

RULE = (
    "Averages are over pairs, or over twins where a figure is of twins: each counts the same,"
    " whatever its domain. Modes are never averaged with one another."
)
FIGURES: dict[str, str] = {
    "accuracy": "share of pairs where the chosen response is ahead, ties counting one half and"
    " pairs without a score as wrong",
    "both_right": "share of twins with both halves right: 0 for a scorer that cannot see the user",
    "coverage": "share of pairs with a score, and of twins of those with both halves scored",
    "swap_consistency": "share of pairs where a comparing judge says the same in both orders",
    "placebo_flips": "share of placebos where another response is preferred for the other user, of"
    " those with both halves scored",
    "net_right_flips": "right flips on twins less half of the flips on placebos, of those with both"
    " halves scored: near 1 for a scorer that reads its users, 0 for one that cannot see them",
}
"""The figures by name, and what they are; beside them are gains over controls."""
FOLLOWS: dict[AspectsFollow, str] = {
    "stated": "all aspects stated",
    "inferred": "an aspect inferred, none a pattern",
    "pattern": "an aspect shown by a pattern",
}
"""The groups of pairs by how the aspect follows that is hardest to find."""
IDENTITY = "by identity"
"""What is said in place of an interval of what could not have come out otherwise."""
Unit = tuple[PairDecision, ...]
"""A whole twin, or in other modes a pair."""


class ScorerFigure(Estimate):
    """The estimate of one group of pairs: n are pairs or twins; no value where it is empty."""

    name: str
    """A key of FIGURES, or a gain over a control."""
    mode: str | None
    group: str
    """The mode's name for all of its pairs, a configuration's, or a value of FOLLOWS."""


class ModeDecisions(NamedTuple):
    """The decisions of one mode."""

    mode: str | None
    units: tuple[Unit, ...]
    """Those for which the release has something to show: what a scorer is asked for."""

    @property
    def name(self) -> str:
        """The group of all of its pairs."""
        return self.mode or "pairs"

    @property
    def whole(self) -> tuple[Unit, ...]:
        """The units with a score for every pair."""
        return tuple(unit for unit in self.units if all(one.choice is not None for one in unit))

    def groups(self) -> Iterator[tuple[str, list[Unit]]]:
        """All units, those of each configuration, and those of each kind of aspects."""
        yield self.name, list(self.units)
        configs, follows = dict[str, list[Unit]](), dict[str, list[Unit]]()
        for unit in self.units:
            configs.setdefault(unit[0].config, []).append(unit)
            if kind := hardest_kind(one.follows for one in unit):
                follows.setdefault(FOLLOWS[kind], []).append(unit)
        yield from configs.items()
        yield from follows.items()


def every_mode(decisions: Iterable[PairDecision]) -> Iterator[ModeDecisions]:
    """Each mode that there is, in the order of its first decision."""
    modes: dict[str | None, dict[str, list[PairDecision]]] = {}
    for one in decisions:
        modes.setdefault(one.mode, {}).setdefault(one.twin_id or one.id, []).append(one)
    for mode, units in modes.items():
        yield ModeDecisions(
            mode,
            tuple(
                tuple(unit)
                for unit in units.values()
                if len(unit) == halves_of(mode)
                and not any(one.unscored in NOTHING_TO_SHOW for one in unit)
            ),
        )


def by_mode(decisions: Iterable[PairDecision]) -> Iterator[ModeDecisions]:
    """Each mode whose labels say which response is preferred: those of placebos are drawn."""
    return (one for one in every_mode(decisions) if label_of(one.mode) != "equal")


def points(decision: PairDecision) -> float:
    """The points of a pair in an accuracy: 1, 0 or one half, and 0 without a score."""
    return decision.points or 0.0


def figures_of(
    decisions: Sequence[PairDecision], *, blind: bool = False
) -> tuple[ScorerFigure, ...]:
    """All figures of one result: of each mode in turn, and the net right flips.

    A `blind` scorer gives both halves of a twin the same scores, and the chosen response of one
    half is the rejected one of the other: it is right on exactly one half, or tied on both. An
    interval around such a figure would say that it could have come out otherwise.
    """
    figures: list[ScorerFigure] = []
    for one in every_mode(decisions):
        twins = halves_of(one.mode) == 2
        even = blind and twins and all(sum(map(points, unit)) == 1 for unit in one.units)
        scored = set(one.whole)
        figures.append(
            _share("coverage", one, one.name, [((unit[0],), unit in scored) for unit in one.units])
        )
        if label_of(one.mode) == "equal":
            flips = [(unit, _flips(unit)) for unit in one.whole]
            figures.append(_share("placebo_flips", one, one.name, flips, even=even))
            continue
        for group, units in one.groups():
            right = [((pair,), points(pair)) for unit in units for pair in unit]
            figures.append(_share("accuracy", one, group, right, even=even))
            if twins:
                both = [(unit, _flips(unit)) for unit in units]
                figures.append(_share("both_right", one, group, both, even=even))
        orders = [(unit, pair.orders) for unit in one.units for pair in unit if pair.orders]
        if orders:
            same = [(unit, first == second) for unit, (first, second) in orders]
            figures.append(_share("swap_consistency", one, one.name, same))
    for one in by_mode(decisions):
        if net := net_right_flips(list(unit_flips(decisions, one.mode).values())):
            even = blind and net.value == 0
            figures.append(_figure("net_right_flips", one.mode, one.name, net, even=even))
    return tuple(figures)


def _share(
    name: str,
    mode: ModeDecisions,
    group: str,
    given: Sequence[tuple[Unit, float]],
    *,
    even: bool = False,
) -> ScorerFigure:
    """A mean of points from 0 to 1, each beside its unit, with Wilson's interval by cluster."""
    values = np.array([value for _, value in given], np.float64)
    estimate = mean_points(values, cluster_numbers([unit[0].cluster for unit, _ in given]))
    return _figure(name, mode.mode, group, estimate, even=even)


def _figure(
    name: str, mode: str | None, group: str, estimate: Estimate, *, even: bool = False
) -> ScorerFigure:
    fixed = {"low": None, "high": None, "note": IDENTITY} if even else {}
    return ScorerFigure(name=name, mode=mode, group=group, **estimate.model_dump() | fixed)


def _flips(unit: Unit) -> float:
    """1 for a right flip on a twin and for any flip on a placebo, 0 for another outcome. Responses
    are swapped in the other half: who is right in both, or wrong in both, flips."""
    first, second = (half.choice for half in unit)
    any_way = label_of(unit[0].mode) == "equal"
    return float(first == second and (first == "chosen" or (any_way and first == "rejected")))


class UnitFlip(NamedTuple):
    """What a scorer's preferences between the same two responses are for two users."""

    placebo: bool
    cluster: str
    point: float
    """1 for a right flip on a twin and for any flip on a placebo, 0 for another outcome."""


def unit_flips(decisions: Sequence[PairDecision], twins: str | None) -> dict[str, UnitFlip]:
    """By unit, the placebos and the twins of one mode that were built with both scores. Twins that
    people chose themselves have no placebos."""
    labels: dict[str | None, str] = {one.mode: label_of(one.mode) for one in decisions}
    if halves_of(twins) == 1 or labels.get(twins) != "chosen":
        return {}
    return {
        unit[0].twin_id or unit[0].id: UnitFlip(
            labels[one.mode] == "equal", unit[0].cluster, _flips(unit)
        )
        for one in every_mode(decisions)
        if one.mode == twins or labels[one.mode] == "equal"
        for unit in one.whole
    }


def net_right_flips(flips: Sequence[UnitFlip]) -> Estimate | None:
    """The mean of the points of twins less half of that of placebos; None where either has none."""
    sides = [[one for one in flips if one.placebo is placebo] for placebo in (False, True)]
    if not all(sides):
        return None
    right, flipped = (
        mean_points(
            np.array([one.point for one in side], np.float64),
            cluster_numbers([one.cluster for one in side]),
        )
        for side in sides
    )
    return less(right, flipped, 0.5, len({one.cluster for one in flips}))


def gain_over(control: str) -> str:
    """What a gain over a control is called among a row's figures."""
    return f"gain over {control}"


def gains(
    decisions: Sequence[PairDecision],
    control: Sequence[PairDecision],
    name: str,
    *,
    of_twins: bool,
) -> Iterator[ScorerFigure]:
    """Accuracy of `decisions` less that in a control, on the pairs that have a score in both, of
    twins on those that are whole in both.

    Only where `of_twins` has it are there any of twins: without a user their accuracy is one half,
    so a gain over that says no more than the accuracy.
    """
    there = {one.id: one for mode in by_mode(control) for unit in mode.whole for one in unit}
    for mode in by_mode(decisions):
        if halves_of(mode.mode) == 2 and not of_twins:
            continue
        joined = [
            one for unit in mode.whole if all(one.id in there for one in unit) for one in unit
        ]
        found = mean(
            np.array([points(one) - points(there[one.id]) for one in joined], np.float64),
            cluster_numbers([one.cluster for one in joined]),
            least=-1,
            most=1,
        )
        yield _figure(gain_over(name), mode.mode, mode.name, with_width(found))
