"""The pairs that all results are of, and a result's points on them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pairwright.errors import InputError
from pairwright.evaluate.decision import Decision
from pairwright.evaluate.measure.figure import numbered
from pairwright.evaluate.measure.units import by_mode, points
from pairwright.evaluate.results import Result
from pairwright.evaluate.shown import Condition
from pairwright.intervals import Floats, Places
from pairwright.records import Mode

FACTS = (
    "item_id", "config", "domain", "category", "mode", "twin_id", "asked", "user", "cluster",
    "vote_share",
)  # fmt: skip
"""What a release says of a pair, and every result of it repeats."""


class Pairs(NamedTuple):
    """The pairs of a release, as one of its results names them."""

    result: Result
    """The result that they were read from."""
    facts: dict[str, tuple[object, ...]]
    """By pair id, in the release's order: what FACTS names."""

    def of_mode(self, mode: Mode | None) -> Places:
        """The places of a mode's pairs in the release's order."""
        at = FACTS.index("mode")
        return np.flatnonzero([facts[at] == mode for facts in self.facts.values()])

    @property
    def clusters(self) -> Places:
        """Shape (pairs,): the number of each pair's cluster."""
        at = FACTS.index("cluster")
        return numbered([str(facts[at]) for facts in self.facts.values()])

    def points(self, decisions: Sequence[Decision]) -> Floats:
        """Shape (pairs,): 1, 0 or one half, and 0 without a score; NaN where a pair does not count
        for any scorer."""
        counted = {one.id: points(one) for of in by_mode(decisions) for one in of.due}
        return np.array([counted.get(name, np.nan) for name in self.facts], np.float64)

    def check(self, result: Result, decisions: Sequence[Decision]) -> None:
        """Raises InputError where a result is not of these pairs, or not what its summary says."""
        scored = sum(one.choice is not None for one in decisions)
        if scored != result.about.scored:
            raise InputError(
                f"{scored:,} pairs have a score, and {result.path.name} says"
                f" {result.about.scored:,}",
                where=result.path.with_suffix(".jsonl"),
                fix="Run `pairwright evaluate` again: nothing is scored twice.",
            )
        for one in decisions:
            if one.id not in self.facts:
                raise self._apart(result, f"has the pair {one.id}, and {{other}} has not")
            for name, own, other in zip(FACTS, _facts(one), self.facts[one.id], strict=True):
                if own != other:
                    what = f"pair {one.id} has {name} {own!r}, and {other!r} in {{other}}"
                    raise self._apart(result, what)
        there = {one.id for one in decisions}
        for name, facts in self.facts.items():
            if name not in there and _part_of(result, facts):
                raise self._apart(result, f"has no pair {name}, and {{other}} has")
        result.check_lines()

    def _apart(self, result: Result, what: str) -> InputError:
        return InputError(
            what.replace("{other}", str(self.result.path.with_suffix(".jsonl"))),
            where=result.path.with_suffix(".jsonl"),
            fix="Both must be of the same pairs: evaluate the release again in one of them.",
        )


def pairs_of(results: Sequence[Result]) -> Pairs:
    """Of results that `gather` let through. Raises InputError."""
    # Twins have no wrong profile, so every other condition has more pairs.
    whole = next((of for of in results if of.about.condition != "wrong-profile"), results[0])
    pairs = Pairs(whole, {one.id: _facts(one) for one in whole.decisions()})
    if not pairs.facts:
        raise InputError(
            "no pair is in any of the results",
            where=whole.path,
            fix="Twins have no condition wrong-profile. Evaluate another one.",
        )
    return pairs


def check_shown_alike(points: Mapping[str, Floats], results: Sequence[Result], of: Pairs) -> None:
    """Raises InputError where a pair counts in one result and not in another of its condition: the
    release has something to show of its user for all scorers, or for none."""
    there: dict[Condition, Result] = {}
    for result in results:
        first = there.setdefault(result.about.condition, result)
        counts = [~np.isnan(points[one.about.stem]) for one in (result, first)]
        if (apart := np.flatnonzero(counts[0] != counts[1])).size:
            name = list(of.facts)[apart[0]]
            raise InputError(
                f"pair {name} {'has' if counts[0][apart[0]] else 'does not have'} something to"
                f" show of its user, and in {first.path.with_suffix('.jsonl')} it is the other way",
                where=result.path.with_suffix(".jsonl"),
                fix="Both must be of the same pairs: evaluate the release again in one of them.",
            )


def _facts(of: Decision) -> tuple[object, ...]:
    return tuple(getattr(of, name) for name in FACTS)


def _part_of(result: Result, facts: tuple[object, ...]) -> bool:
    return result.about.condition != "wrong-profile" or facts[FACTS.index("mode")] != "twin"
