"""The pairs that the results of a leaderboard are of: what every result says of them alike."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np

from pairwright.errors import InputError
from pairwright.evaluate.builders import BuildModel
from pairwright.evaluate.conditions import CONDITIONS, ConditionName
from pairwright.evaluate.decision import PairDecision
from pairwright.evaluate.measure.units import by_mode, points
from pairwright.evaluate.results import Result
from pairwright.intervals import Floats, Places, cluster_numbers
from pairwright.records import Mode

FACTS = (
    "item_id", "config", "domain", "category", "mode", "twin_id", "asked", "user", "cluster",
    "responses", "source", "vote_share",
)  # fmt: skip
"""What a release says of a pair, and every result of it repeats."""


class Pairs(NamedTuple):
    """The pairs of a release, as one of its results names them."""

    result: Result
    """The result that they were read from."""
    facts: dict[str, tuple[object, ...]]
    """The values of FACTS by pair id, in the release's order."""
    builders: tuple[BuildModel, ...] = ()
    """The models that built the release."""

    def of_mode(self, mode: Mode | None) -> Places:
        """The places of a mode's pairs in the release's order."""
        at = FACTS.index("mode")
        return np.flatnonzero([facts[at] == mode for facts in self.facts.values()])

    def clusters(self, places: Places) -> Places:
        """The clusters of the pairs at places, which are of one mode."""
        at, responses_at = FACTS.index("cluster"), FACTS.index("responses")
        facts = list(self.facts.values())
        names = [
            (name, *cast("tuple[str, str]", responses)) if responses else name
            for place in places
            for name, responses in ((str(facts[place][at]), facts[place][responses_at]),)
        ]
        return cluster_numbers(names)

    def points(self, decisions: Sequence[PairDecision]) -> Floats:
        """Shape (pairs,): 1, 0 or one half, and 0 without a score; NaN where a pair does not count
        for any scorer."""
        by_pair = {
            one.id: points(one) for mode_pairs in by_mode(decisions) for one in mode_pairs.due
        }
        return np.array([by_pair.get(name, np.nan) for name in self.facts], np.float64)

    def check(self, result: Result, decisions: Sequence[PairDecision]) -> None:
        """Check a result. Raises InputError where it is not of these pairs, or not what its summary
        says."""
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
                raise self._difference(result, f"has the pair {one.id}, and {{other}} has not")
            for name, own, other in zip(FACTS, _facts(one), self.facts[one.id], strict=True):
                if own != other:
                    what = f"pair {one.id} has {name} {own!r}, and {other!r} in {{other}}"
                    raise self._difference(result, what)
        there = {one.id for one in decisions}
        for name, facts in self.facts.items():
            if name not in there and _part_of(result, facts):
                raise self._difference(result, f"has no pair {name}, and {{other}} has")
        result.check_lines()

    def _difference(self, result: Result, what: str) -> InputError:
        return InputError(
            what.replace("{other}", str(self.result.path.with_suffix(".jsonl"))),
            where=result.path.with_suffix(".jsonl"),
            fix="Both must be of the same pairs: evaluate the release again in one of them.",
        )


def pairs_of(results: Sequence[Result], builders: tuple[BuildModel, ...] = ()) -> Pairs:
    """The pairs of results that `gather_results` accepted; `builders` are the models that built the
    release. Raises InputError."""
    # A condition of twins alone, or without them, has fewer pairs than the others.
    whole = next((one for one in results if CONDITIONS[one.about.condition].pairs == "all"), None)
    read = results if whole is None else (whole,)
    facts = {one.id: _facts(one) for result in read for one in result.decisions()}
    pairs = Pairs(read[0], facts, builders)
    if not pairs.facts:
        condition = read[0].about.condition
        raise InputError(
            "no pair is in any of the results",
            where=read[0].path,
            fix=f"No pair of this release is part of condition {condition}. Evaluate another one.",
        )
    return pairs


def check_shown_alike(
    points_by_row: Mapping[str, Floats], results: Sequence[Result], pairs: Pairs
) -> None:
    """Check the pairs that count. Raises InputError where a pair counts in one result and not in
    another of its condition: the release has something to show of its user for all scorers, or for
    none."""
    there: dict[ConditionName, Result] = {}
    for result in results:
        first = there.setdefault(result.about.condition, result)
        counts = [~np.isnan(points_by_row[one.about.stem]) for one in (result, first)]
        if (mismatches := np.flatnonzero(counts[0] != counts[1])).size:
            name = list(pairs.facts)[mismatches[0]]
            raise InputError(
                f"pair {name} {'has' if counts[0][mismatches[0]] else 'does not have'} something to"
                f" show of its user, and in {first.path.with_suffix('.jsonl')} it is the other way",
                where=result.path.with_suffix(".jsonl"),
                fix="Both must be of the same pairs: evaluate the release again in one of them.",
            )


def _facts(decision: PairDecision) -> tuple[object, ...]:
    return tuple(getattr(decision, name) for name in FACTS)


def _part_of(result: Result, facts: tuple[object, ...]) -> bool:
    mode = cast("Mode | None", facts[FACTS.index("mode")])
    return CONDITIONS[result.about.condition].applies(mode)
