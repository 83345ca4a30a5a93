"""A figure: an estimate with its n, its clusters and its 95 % interval."""

from collections.abc import Sequence

import numpy as np

from pairwright.intervals import LEVEL, Floats, Places, accuracy, mean, z_of
from pairwright.records import Mode, Record

RULE = (
    "Averages are over pairs, or over twins where a figure is of twins: each counts the same,"
    " whatever its domain. Modes are never averaged with one another."
)
MEANING = {
    "accuracy": "share of pairs where the chosen response is ahead, ties counting one half",
    "worst_case": "accuracy if every tie and every pair without a score were wrong",
    "best_case": "accuracy if every tie and every pair without a score were right",
    "coverage": "share of pairs with a score",
    "ties": "share of the counted pairs that are tied",
    "both_right": "share of twins with both halves right: 0 for whoever cannot see the user",
    "interaction": "share of twins where the response suits its own user better than the other"
    " user, both responses taken together, ties counting one half",
    "users_above_chance": "share of users for whom it is better than chance",
    "vote_agreement": "mean of 1 - |p - share of votes|, p being what the margin says of the"
    " chosen response",
    "brier": "mean of (p - share of votes) squared: 0 is perfect",
    "gain": "accuracy when the profile is shown, less accuracy without it, on the same pairs",
}


class Figure(Record):
    """One figure of one group of pairs. `value` is None where the group is empty."""

    name: str
    """A key of MEANING."""
    group: str
    """A mode, a configuration or half of one; `pairs` where they have no mode."""
    value: float | None
    low: float | None
    high: float | None
    n: int
    """Pairs, twins or users."""
    clusters: int
    """Dyads, users or prompts: what is independent."""
    note: str = ""


def name_of(mode: Mode | None) -> str:
    """The group of all pairs of a mode."""
    return mode or "pairs"


def share(
    name: str, group: str, points: Sequence[float], clusters: Sequence[str], note: str = ""
) -> Figure:
    """A mean of points from 0 to 1, ties at one half, with Wilson's interval by cluster."""
    found = accuracy(np.array(points, np.float64), numbered(clusters))
    if found is None:
        return _none(name, group, note)
    return Figure(name=name, group=group, note=note, **found.found(z_of(LEVEL)).model_dump())


def average(
    name: str, group: str, values: Floats, clusters: Sequence[str], note: str = ""
) -> Figure:
    """A mean of values from 0 to 1, with Student's interval by cluster."""
    found = mean(values, numbered(clusters), least=0, most=1)
    if found is None:
        return _none(name, group, note)
    return Figure(name=name, group=group, note=note, **found.model_dump())


def numbered(clusters: Sequence[str]) -> Places:
    """Names as numbers, shape (n,)."""
    places: dict[str, int] = {}
    return np.array([places.setdefault(name, len(places)) for name in clusters], np.intp)


def _none(name: str, group: str, note: str) -> Figure:
    return Figure(
        name=name, group=group, value=None, low=None, high=None, n=0, clusters=0, note=note
    )
