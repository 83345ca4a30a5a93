"""The pairs that count. Of twins these are the whole ones: a half alone would let a scorer that
cannot see the user be right on more than one half."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pairwright.evaluate.decision import Decision
from pairwright.records import Mode

Halves = tuple[Decision, Decision]


class Counted(NamedTuple):
    """The decisions of one mode."""

    mode: Mode | None
    given: tuple[Decision, ...]
    scored: tuple[Decision, ...]
    """Those that count, in their order."""
    twins: tuple[Halves, ...]
    """The same as twins; empty in other modes."""
    alone: int
    """Halves with a score that left, because the other half has none or is not there."""

    @property
    def unscored(self) -> Counter[str]:
        """Pairs without a score, by reason."""
        return Counter(of.unscored or "no score" for of in self.given if of.choice is None)


def by_mode(decisions: Sequence[Decision]) -> Iterator[Counted]:
    """Each mode that there is, in the order of its first decision."""
    modes: dict[Mode | None, list[Decision]] = {}
    for decision in decisions:
        modes.setdefault(decision.mode, []).append(decision)
    for mode, given in modes.items():
        yield counted(mode, given)


def counted(mode: Mode | None, given: Sequence[Decision]) -> Counted:
    """Which of a mode's decisions count."""
    scored = tuple(of for of in given if of.choice is not None)
    if mode != "twin":
        return Counted(mode, tuple(given), scored, (), 0)
    halves: dict[str, list[Decision]] = {}
    for of in scored:
        halves.setdefault(of.twin_id or of.id, []).append(of)
    twins = tuple((of[0], of[1]) for of in halves.values() if len(of) == 2)
    whole = {half.id for twin in twins for half in twin}
    kept = tuple(of for of in scored if of.id in whole)
    return Counted(mode, tuple(given), kept, twins, len(scored) - len(kept))
