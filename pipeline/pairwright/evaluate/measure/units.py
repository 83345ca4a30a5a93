"""The pairs that count. Of twins these are the whole ones: a half alone would let a scorer that
cannot see the user be right on more than one half."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pairwright.evaluate.decision import NOTHING_TO_SHOW, PairDecision
from pairwright.modes import is_twin
from pairwright.records import Mode

Halves = tuple[PairDecision, PairDecision]
OTHER_HALF = "other_half_not_part"
"""Why a half is not part of a condition: the other half of its twin is not, or is not there."""


class ModeDecisions(NamedTuple):
    """The decisions of one mode."""

    mode: Mode | None
    given: tuple[PairDecision, ...]
    units: tuple[tuple[PairDecision, ...], ...]
    """Whole twins, or in other modes pairs, for which the release has something to show, in their
    order: what a scorer is asked for."""
    whole: tuple[tuple[PairDecision, ...], ...]
    """The units with a score for every pair."""

    @property
    def due(self) -> tuple[PairDecision, ...]:
        """The pairs of the units."""
        return tuple(one for unit in self.units for one in unit)

    @property
    def scored(self) -> tuple[PairDecision, ...]:
        """The pairs of the units that are scored whole."""
        return tuple(one for unit in self.whole for one in unit)

    @property
    def unscored(self) -> Counter[str]:
        """Pairs without a score, by reason."""
        return Counter(
            decision.unscored or "no score" for decision in self.given if decision.choice is None
        )

    @property
    def inapplicable_pairs(self) -> dict[str, int]:
        """Pairs that are not part of the condition, by reason: the release has nothing to show of
        their user, or of the other user of their twin."""
        part = {one.id for one in self.due}
        reasons = Counter(
            one.unscored if one.unscored in NOTHING_TO_SHOW else OTHER_HALF
            for one in self.given
            if one.id not in part
        )
        return dict(sorted(reasons.items()))

    @property
    def lone_halves(self) -> int:
        """Halves with a score whose other half has none or is not there."""
        return sum(decision.choice is not None for decision in self.given) - len(self.scored)


def by_mode(decisions: Sequence[PairDecision]) -> Iterator[ModeDecisions]:
    """Each mode that there is, in the order of its first decision."""
    modes: dict[Mode | None, list[PairDecision]] = {}
    for decision in decisions:
        modes.setdefault(decision.mode, []).append(decision)
    for mode, of_mode in modes.items():
        yield mode_decisions(mode, of_mode)


def mode_decisions(mode: Mode | None, decisions: Sequence[PairDecision]) -> ModeDecisions:
    """The decisions of a mode that count."""
    together: dict[str, list[PairDecision]] = {}
    for decision in decisions:
        together.setdefault(
            (decision.twin_id if is_twin(mode) else None) or decision.id, []
        ).append(decision)
    size = 2 if is_twin(mode) else 1
    units = tuple(
        tuple(unit)
        for unit in together.values()
        if len(unit) == size and not any(one.unscored in NOTHING_TO_SHOW for one in unit)
    )
    whole = tuple(unit for unit in units if all(one.choice is not None for one in unit))
    return ModeDecisions(mode, tuple(decisions), units, whole)


def points(decision: PairDecision) -> float:
    """The points of a pair in an accuracy: 1, 0 or one half. A pair without a score has 0, so that
    leaving out hard pairs does not raise an accuracy."""
    return 0.0 if decision.points is None else decision.points
