"""Figures whose unit is the twin: one question, two users, the same two responses."""

import math
from collections.abc import Iterator

import numpy as np

from pairwright.evaluate.decision import Decision
from pairwright.evaluate.measure.figure import Figure, Group, share, whole
from pairwright.evaluate.measure.units import Counted, Halves


def twin_figures(of: Counted) -> Iterator[Figure]:
    """Of all twins, and of those of each config."""
    yield from _of_twins(whole(of.mode), of.twins)
    configs: dict[str, list[Halves]] = {}
    for twin in of.twins:
        configs.setdefault(twin[0].config, []).append(twin)
    for config, twins in configs.items():
        yield from _of_twins(Group(of.mode, config), tuple(twins))


def _of_twins(group: Group, twins: tuple[Halves, ...]) -> Iterator[Figure]:
    clusters = [first.cluster for first, _ in twins]
    both = [float(a.choice == b.choice == "chosen") for a, b in twins]
    yield share("both_right", group, both, clusters)
    signs = [(np.sign(interaction(*twin)) + 1) / 2 for twin in twins]
    yield share("interaction", group, signs, clusters)


def interaction(first: Decision, second: Decision) -> float:
    """[s(u, r_u) - s(u, r_v)] + [s(v, r_v) - s(v, r_u)], over four, of the scores of both halves;
    of a comparing judge the sum of its two margins. Of scores the sum is exact, so that it is 0
    for whoever scores a response alike for both users."""
    if first.orders is not None or second.orders is not None:
        return (first.margin or 0.0) + (second.margin or 0.0)
    sides = ((first.chosen, 1), (first.rejected, -1), (second.chosen, 1), (second.rejected, -1))
    # A quarter of each, so that no sum of great scores is too great.
    return math.fsum(sign * score / 4 for score, sign in sides if score is not None)
