"""Questions with k options: whether a scorer that sees no history picks the right one more often
than 1 in k.

Each wrong option makes a pair with the right one. A rule picks the right option if it wins all
pairs of the question; t ties that are left count one in t + 1.
"""

from typing import NamedTuple

import numpy as np

from pairwright.audits.read.source import OptionKey
from pairwright.audits.records import Check, Flag, Status
from pairwright.intervals import Accuracy, AccuracyLimits, Floats, Places, accuracy, z_of
from pairwright.text import number_of


class Questions:
    """The questions with options among the pairs of a configuration."""

    def __init__(self) -> None:
        self._choices: dict[int, OptionKey] = {}
        self._labels: dict[int, OptionKey] = {}

    def add(self, place: int, choice: OptionKey) -> None:
        """Record that the pair at this place belongs to this question."""
        (self._labels if choice.of_pair else self._choices)[place] = choice

    def __bool__(self) -> bool:
        return bool(self._choices)

    @property
    def has_places(self) -> bool:
        """Whether the right one of several has a place."""
        return bool(self._choices or self._labels)

    def picks(self, places: Places, points: Floats, clusters: Places) -> "QuestionPicks":
        """The options that a rule with these points picks; all pairs of a question are among them.
        A pair without such a question counts as one with two options."""
        numbers: dict[str | int, int] = {}
        groups = np.empty(len(places), np.intp)
        for n, place in enumerate(places.tolist()):
            own = self._choices.get(place)
            groups[n] = numbers.setdefault(own.question if own else place, len(numbers))
        _, first = np.unique(groups, return_index=True)
        won, lost = (np.bincount(groups[points == side], minlength=len(first)) for side in (1, 0))
        share = 1 / (1 + np.bincount(groups[points == 0.5], minlength=len(first)))
        known = [self._choices.get(place) for place in places[first].tolist()]
        options = np.array([choice.options if choice else 2 for choice in known], np.float64)
        return QuestionPicks(
            most=np.where(lost == 0, share, 0.0),
            least=np.where(won == 0, share, 0.0),
            first=first,
            clusters=clusters[first],
            chance=float((1 / options).mean()) if len(options) else 0.5,
        )

    def key_place(self, config: str, clusters: Places, max_shortcut: float) -> "PickComparison":
        """Whether the right option is at one place more often than at others."""
        first: dict[str, tuple[int, OptionKey]] = {}
        for place, choice in (self._choices or self._labels).items():
            first.setdefault(choice.question, (place, choice))
        own = clusters[[place for place, _ in first.values()]]
        right = np.array([choice.right for _, choice in first.values()])
        options = np.array([choice.options for _, choice in first.values()])
        rules = [
            (f"option {place + 1}", estimate)
            for place in range(int(options.max()))
            if (estimate := accuracy((right == place).astype(np.float64), own))
        ]
        chance = float((1 / options).mean())
        return PickComparison(
            "key_place", config, tuple(rules), chance, _bound(chance, max_shortcut)
        )


class QuestionPicks(NamedTuple):
    """How often a rule picks the right option: points of n questions, each of shape (n,)."""

    most: Floats
    """Of the rule that picks the option with the most of something."""
    least: Floats
    """Of the rule that picks the one with the least."""
    first: Places
    """Which of the pairs is the first of each question."""
    clusters: Places
    chance: float
    """The mean of 1 over the number of options."""

    def comparison(self, name: str, config: str, max_shortcut: float) -> "PickComparison | None":
        """The better of the two rules, compared with chance; None without a question."""
        rules = [
            (f"the option with the {what}", estimate)
            for what, points in (("most", self.most), ("least", self.least))
            if (estimate := accuracy(points, self.clusters))
        ]
        bound = _bound(self.chance, max_shortcut)
        return PickComparison(name, config, tuple(rules), self.chance, bound) if rules else None


class PickComparison(NamedTuple):
    """The best of several rules, compared with a bound: as far above chance as `max_shortcut` is
    above one half, of the way to 1. The rules share the level."""

    name: str
    config: str
    rules: tuple[tuple[str, Accuracy], ...]
    chance: float
    bound: float
    why: str = ""
    flags: tuple[Flag, ...] | None = None
    """Rows with what the rule counts, where it looks for something in rows."""

    def settled(self, level: float) -> bool:
        return self._status(level) != "too_few"

    def check(self, level: float) -> Check:
        z = z_of(level / len(self.rules))
        rule, best = max(self.rules, key=lambda rule: rule[1].value)
        status = self._status(level)
        chance = f"Picks {rule}, in {number_of(best.n, 'question')}; chance is {self.chance:.3f}."
        return Check(
            family="shortcuts",
            name=self.name,
            config=self.config,
            status=status,
            found=best.found(z),
            count=None if self.flags is None else len({flag.row for flag in self.flags}),
            of=best.n,
            limit=self.bound,
            chance=round(self.chance, 6),
            needed=self._needed(z) if status == "too_few" else None,
            detail=" ".join(filter(None, (chance, self.why))),
            flags=self.flags or (),
        )

    def _needed(self, z: float) -> int | None:
        """The questions at which all rules are settled."""
        needs = [one.needed(self._limits, z) for _, one in self.rules]
        there = [n for n in needs if n is not None]
        return max(there) if len(there) == len(needs) else None

    @property
    def _limits(self) -> AccuracyLimits:
        return AccuracyLimits(self.bound, self.bound, either_side=False)

    def _status(self, level: float) -> Status:
        z = z_of(level / len(self.rules))
        found = {one.settles(self._limits, z) for _, one in self.rules}
        if "fail" in found:
            return "fail"
        return "pass" if found == {"pass"} else "too_few"


def _bound(chance: float, max_shortcut: float) -> float:
    return round(chance + (2 * max_shortcut - 1) * (1 - chance), 6)
