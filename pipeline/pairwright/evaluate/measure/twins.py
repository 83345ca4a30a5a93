"""Figures whose unit is the twin: one question, two users, the same two responses."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from pairwright.evaluate.decision import Decision
from pairwright.evaluate.measure.figure import Figure, Group, share, whole
from pairwright.evaluate.measure.units import Counted, Halves


def twin_figures(of: Counted) -> Iterator[Figure]:
    """Of all twins, and of those of each config."""
    group, twins = whole(of.mode), [(first, second) for first, second in of.units]
    yield from _of_twins(group, twins)
    yield _both_right("both_right_of_scored", group, [(a, b) for a, b in of.whole])
    configs: dict[str, list[Halves]] = {}
    for twin in twins:
        configs.setdefault(twin[0].config, []).append(twin)
    for config, some in configs.items():
        yield from _of_twins(Group(of.mode, config), some)


def _of_twins(group: Group, twins: Sequence[Halves]) -> Iterator[Figure]:
    yield _both_right("both_right", group, twins)
    signs = [(np.sign(interaction(*twin)) + 1) / 2 if _scored(twin) else 0.0 for twin in twins]
    yield share("interaction", group, signs, [first.cluster for first, _ in twins])


def _both_right(name: str, group: Group, twins: Sequence[Halves]) -> Figure:
    both = [float(a.choice == b.choice == "chosen") for a, b in twins]
    return share(name, group, both, [first.cluster for first, _ in twins])


def _scored(twin: Halves) -> bool:
    return all(half.choice is not None for half in twin)


def interaction(first: Decision, second: Decision) -> float:
    """[s(u, r_u) - s(u, r_v)] + [s(v, r_v) - s(v, r_u)], over four, of the scores of both halves;
    of a comparing judge the sum of its two margins. Of scores the sum is exact, so that it is 0
    for whoever scores a response alike for both users."""
    if first.orders is not None or second.orders is not None:
        return (first.margin or 0.0) + (second.margin or 0.0)
    sides = ((first.chosen, 1), (first.rejected, -1), (second.chosen, 1), (second.rejected, -1))
    # A quarter of each, so that no sum of great scores is too great.
    return math.fsum(sign * score / 4 for score, sign in sides if score is not None)
