"""Checks of an accuracy: how often a way of choosing picks the chosen response, against a limit."""

import math

import numpy as np
from scipy import special

from pairwright.audits.catalogue import DEFINITIONS
from pairwright.audits.records import Check, Status
from pairwright.pairs import Choice, blind_bound
from pairwright.stats import LEVEL, Accuracy, Floats, Places, accuracy, z_of


def accuracy_check(
    name: str,
    config: str,
    points: Floats,
    clusters: Places,
    *,
    limit: float | None = None,
    either_side: bool = True,
    chance: float | None = None,
    detail: str = "",
    rules: int = 1,
) -> Check:
    """The check of points, shape (n,). Without a limit it is a note. With one its status is what it
    is if `catalogue.decide` finds its `p` small enough.

    `either_side`: whether max(accuracy, 1 - accuracy) is what counts. `rules`: of how many ways of
    choosing this is the best.
    """
    own = accuracy(points, clusters)
    status: Status = "note" if limit is None else "too_few"
    p = None
    if own is not None and limit is not None:
        value = max(own.value, 1 - own.value) if either_side else own.value
        status = "fail" if value > limit else "pass"
        p = min(1.0, rules * _p(own, value, limit))
    return Check(
        family=DEFINITIONS[name].family, name=name, config=config, status=status,
        found=own and own.found(z_of(LEVEL)), of=len(points), limit=limit,
        chance=None if chance is None else round(chance, 6), detail=detail, p=p,
    )  # fmt: skip


def _p(own: Accuracy, value: float, limit: float) -> float:
    """Of the score test of a share, at as many independent pairs without ties as these count, by
    Student's t with as many degrees as there are clusters less one. (The z^2 / 4 wins and losses
    are as in `Accuracy.effective`: with them all pairs may be ties.)"""
    if own.clusters < 2:
        return 1.0
    z = z_of(LEVEL)
    n = own.n + z * z / 2
    p = (own.value * own.n + z * z / 4) / n
    effective = own.n / own.design / (1 - own.tied * own.n / n / (4 * p * (1 - p)))
    distance = abs(value - limit) / math.sqrt(max(limit * (1 - limit), 1e-12) / effective)
    return float(2 * special.stdtr(own.clusters - 1, -distance))


PICKS = {
    "length": ("the longest", "the shortest"),
    "markup": ("the one with the most markup", "the one with the least markup"),
    "breaks_off": ("one that breaks off", "one that does not break off"),
}
OTHER = ("the one with the highest score", "the one with the lowest score")
"""What the two rules pick, by check."""


class Questions:
    """The questions with options among the pairs of a configuration: each wrong option makes a pair
    with each right one. A rule picks the one right option if it wins all pairs of the question; t
    ties that are left count one in t + 1. Of several right ones its share of pairs counts."""

    def __init__(self) -> None:
        self._options: dict[int, Choice] = {}
        self._labels: dict[int, Choice] = {}

    def add(self, place: int, choice: Choice) -> None:
        """Record that the pair at this place belongs to this question."""
        (self._labels if choice.options == 2 else self._options)[place] = choice

    def __bool__(self) -> bool:
        return bool(self._options)

    def check(
        self, name: str, config: str, places: Places, points: Floats, clusters: Places,
        max_shortcut: float | None,
    ) -> Check:  # fmt: skip
        """The better of two rules, which pick the option with the most and with the least of
        something. The bound is as far above chance, 1 in k, as `max_shortcut` is above one half, of
        the way to 1. None: the first rule, as a note."""
        numbers: dict[str | int, int] = {}
        known = [self._options.get(place) for place in places.tolist()]
        groups = np.array(
            [
                numbers.setdefault(own.question if own else place, len(numbers))
                for own, place in zip(known, places.tolist(), strict=True)
            ],
            np.intp,
        )
        _, first = np.unique(groups, return_index=True)
        own = [known[n] for n in first]
        chance = float(np.mean([one.chance if one else 0.5 for one in own]))
        tied = 1 / (1 + np.bincount(groups[points == 0.5], minlength=len(first)))
        # A rule loses a question where the other side has all points of a pair.
        lost = [np.bincount(groups[points == side], minlength=len(first)) for side in (0, 1)]
        won = np.bincount(groups, weights=points) / np.bincount(groups)
        several = np.array([one is not None and one.rights > 1 for one in own])
        most, least = (
            np.where(several, share, np.where(n == 0, tied, 0.0))
            for n, share in zip(lost, (won, 1 - won), strict=True)
        )
        rule, best = 0, most
        if max_shortcut is not None and least.mean() > most.mean():
            rule, best = 1, least
        return accuracy_check(
            name, config, best, clusters[first], either_side=False, chance=chance, rules=2,
            limit=None if max_shortcut is None else blind_bound(chance, max_shortcut),
            detail=f"Picks {PICKS.get(name, OTHER)[rule]}: {_beside(best, chance)}",
        )  # fmt: skip

    def key_place(self, config: str, clusters: Places, max_shortcut: float) -> Check | None:
        """Whether the right option is at one place more often than at others; None without a
        place."""
        first: dict[str, tuple[int, Choice]] = {}
        for place, choice in (self._options or self._labels).items():
            if choice.place is not None:
                first.setdefault(choice.question, (place, choice))
        if not first:
            return None
        own = clusters[[place for place, _ in first.values()]]
        right = np.array([choice.place for _, choice in first.values()])
        options = [choice.options for _, choice in first.values()]
        chance = float(np.mean([1 / n for n in options]))
        most = int(np.bincount(right).argmax())
        points = (right == most).astype(np.float64)
        return accuracy_check(
            "key_place", config, points, own, chance=chance,
            limit=blind_bound(chance, max_shortcut), either_side=False, rules=max(options),
            detail=f"Picks option {most + 1}: {_beside(points, chance)}",
        )  # fmt: skip


def _beside(points: Floats, chance: float) -> str:
    return f"right in {points.mean():.2f}; chance {chance:.2f}."
