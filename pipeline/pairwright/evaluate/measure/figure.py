"""A figure: an estimate with its n, its clusters and its 95 % interval."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pairwright.intervals import LEVEL, Floats, Interval, Places, accuracy, mean, with_width, z_of
from pairwright.records import Mode, Record

RULE = (
    "Averages are over pairs, or over twins where a figure is of twins: each counts the same,"
    " whatever its domain. Modes are never averaged with one another."
)
MEANING = {
    "accuracy": "share of pairs where the chosen response is ahead, ties counting one half and"
    " pairs without a score as wrong",
    "accuracy_of_scored": "the same over only the pairs with a score, of twins over those with"
    " both halves scored: leaving out what is hard raises it, so it is not ranked",
    "worst_case": "accuracy if every tie and every pair without a score were wrong",
    "best_case": "accuracy if every tie and every pair without a score were right",
    "coverage": "share of pairs with a score, and of twins of those with both halves scored",
    "ties": "share of the scored pairs that are tied",
    "swap_consistency": "share of pairs where a comparing judge says the same in both orders",
    "first_position": "share of its verdicts for the response in the first place, ties counting one"
    " half: one half where the place decides nothing",
    "order_kappa": "Cohen's kappa of its verdicts in the two orders: 1 is the same, 0 what chance"
    " gives",
    "both_right": "share of twins with both halves right, a half without a score counting as"
    " wrong: 0 for a scorer that cannot see the user",
    "both_right_of_scored": "the same over only the twins with both halves scored",
    "interaction": "share of twins where the response suits its own user better than the other"
    " user, both responses taken together, ties counting one half and twins without both scores 0",
    "users_above_chance": "share of the users with 10 or more questions where it is right on more"
    " of them than guessing gives in 5 of 100 (one-sided exact sign test)",
    "vote_agreement": "mean of 1 - |p - share of votes for the chosen response|; p is the logistic"
    " of the margin between two scores, and the mean of a comparing judge's two verdicts",
    "brier": "mean of (p - share of votes) squared, with the same p: 0 is perfect",
    "gain": "accuracy when the profile is shown, less accuracy without it, on the same pairs",
}


class Group(NamedTuple):
    """Pairs of one mode that a figure is of."""

    mode: Mode | None
    name: str


class Figure(Record):
    """One figure of one group of pairs. `value` is None where the group is empty."""

    name: str
    """A key of MEANING."""
    mode: Mode | None
    group: str
    """The mode's name for all of its pairs, or a configuration's, or `twin, asked` and so on."""
    value: float | None
    low: float | None
    high: float | None
    n: int
    """Pairs, twins or users."""
    clusters: int
    """Dyads, users or prompts: what is independent."""
    note: str = ""


def whole(mode: Mode | None) -> Group:
    """All pairs of a mode."""
    return Group(mode, mode or "pairs")


def share(
    name: str, group: Group, points: Sequence[float], clusters: Sequence[str], note: str = ""
) -> Figure:
    """A mean of points from 0 to 1, ties at one half, with Wilson's interval by cluster."""
    found = accuracy(np.array(points, np.float64), numbered(clusters))
    return figure(name, group, found and found.found(z_of(LEVEL)), note)


def average(
    name: str,
    group: Group,
    values: Floats,
    clusters: Sequence[str],
    note: str = "",
    *,
    least: float = 0,
) -> Figure:
    """A mean of values up to 1, with Student's interval by cluster; without one where nothing shows
    a spread."""
    found = mean(values, numbered(clusters), least=least, most=1)
    bare = found and with_width(found)
    if bare == found:
        return figure(name, group, found, note)
    told = "no interval: no two clusters differ"
    return figure(name, group, bare, f"{note}; {told}" if note else told)


def numbered(clusters: Sequence[str]) -> Places:
    """Names as numbers, shape (n,)."""
    places: dict[str, int] = {}
    return np.array([places.setdefault(name, len(places)) for name in clusters], np.intp)


def figure(name: str, group: Group, found: Interval | None, note: str = "") -> Figure:
    """An estimate as a figure; None where the group is empty."""
    found = found or Interval(value=None, low=None, high=None, n=0, clusters=0)
    return Figure(name=name, mode=group.mode, group=group.name, note=note, **found.model_dump())
