"""Flips: a scorer prefers one response for one user, and the other response for another user.

On a twin a flip is right in one direction: each user's own response is preferred. On a placebo
nothing about the two users speaks for either response, so a flip in either direction is wrong.

    net right flips = right flips on twins - half of the flips on placebos

A flip that has nothing to do with the users goes either way, so half of such flips would be right
on a twin. The figure is near 1 for a scorer that reads its users, and 0 for one that cannot see
them, answers by chance (1/4 - 1/4) or always flips (1/2 - 1/2); one whose sign is turned has 0 at
most. A tie in a half is no flip. A unit without both scores counts as neither, and notes say how
many there are: coverage decides whether a row is ranked.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pairwright.estimate import Estimate
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.measure.figure import (
    ModeDecisions,
    ScorerFigure,
    Unit,
    coverage,
    every_mode,
    figure_of,
    mode_group,
    share,
    unit_name,
)
from pairwright.intervals import (
    Flags,
    Floats,
    Places,
    cluster_numbers,
    correlation_of_means,
    mean_points,
    newcombe,
)
from pairwright.modes import PLACEBO, TWIN
from pairwright.records import Cluster, Mode

CHANCE = 0.5
"""The share of the flips that are right where flips have nothing to do with the users."""


class UnitFlip(NamedTuple):
    """What a scorer's preferences between the same two responses are for two users."""

    placebo: bool
    cluster: Cluster
    point: float | None
    """1 for a right flip on a twin and for any flip on a placebo, 0 for another outcome; None
    without both scores."""


def unit_flips(decisions: Sequence[PairDecision]) -> dict[str, UnitFlip]:
    """By unit, the twins and the placebos that a scorer was asked for; nothing unless there are
    both."""
    modes = _asked(decisions)
    return {
        unit_name(unit): UnitFlip(mode is PLACEBO, unit[0].clusters, _point(unit, mode is PLACEBO))
        for mode in (TWIN, PLACEBO)
        if len(modes) == 2
        for unit in modes[mode.name].units
    }


def _asked(decisions: Sequence[PairDecision]) -> dict[Mode | None, ModeDecisions]:
    """The decisions on twins, and on placebos, that a scorer was asked for."""
    names = (TWIN.name, PLACEBO.name)
    return {one.mode: one for one in every_mode(decisions) if one.mode in names and one.units}


def _point(unit: Unit, placebo: bool) -> float | None:
    """Responses are swapped in the other half: who is right in both, or wrong in both, flips."""
    first, second = (half.choice for half in unit)
    if first is None or second is None:
        return None
    return float(first == second and (first == "chosen" or (placebo and first == "rejected")))


def flip_figures(decisions: Sequence[PairDecision]) -> Iterator[ScorerFigure]:
    """The flips on placebos, and the net right flips where there are twins, too. The right flips
    are a figure of twins: both halves right, of the scored."""
    modes = _asked(decisions)
    if placebos := modes.get(PLACEBO.name):
        yield coverage(placebos)
        flips = [_point(unit, placebo=True) or 0.0 for unit in placebos.whole]
        clusters = [unit[0].clusters for unit in placebos.whole]
        note = _short(placebos, PLACEBO.units)
        yield share("placebo_flips", mode_group(PLACEBO.name), flips, clusters, note)
    if scored := [one for one in unit_flips(decisions).values() if one.point is not None]:
        points = np.array([one.point for one in scored], np.float64)
        estimate = net_right_flips(points, *flip_places(scored), mean_points)
        notes = (_short(modes[one.name], one.units) for one in (TWIN, PLACEBO))
        note = "; ".join(filter(None, notes))
        yield figure_of("net_right_flips", mode_group(TWIN.name), estimate, note)


def _short(asked: ModeDecisions, units: str) -> str:
    """What is said where some units are not counted; empty where all are."""
    scored, n = len(asked.whole), len(asked.units)
    return f"{scored:,} of {n:,} {units} have both scores" if scored < n else ""


def flip_places(flips: Sequence[UnitFlip]) -> tuple[Flags, Places]:
    """Which of them are of placebos, and their clusters."""
    placebo = np.array([one.placebo for one in flips], np.bool_)
    return placebo, cluster_numbers([one.cluster for one in flips])


def net_right_flips(
    points: Floats, placebo: Flags, clusters: Places, interval: Callable[[Floats, Places], Estimate]
) -> Estimate:
    """The mean of the points of twins less half of that of placebos, all of shape (n,). `interval`
    gives each mean: of points, or of two scorers' differences. Units of one couple depend on each
    other, whether they are twins or placebos."""
    right, flipped = (interval(points[part], clusters[part]) for part in (~placebo, placebo))
    correlation = correlation_of_means(points, clusters, placebo)
    net = newcombe(right, flipped, weight=CHANCE, correlation=correlation)
    return net.model_copy(update={"clusters": len(np.unique(clusters))})
