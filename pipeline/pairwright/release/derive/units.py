"""What came of the units of the build, counted."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from pairwright.records import Mode, Record
from pairwright.release.records import Unit


class UnitCount(Record):
    """Units of one mode that ended in one way."""

    mode: Mode
    outcome: Literal["kept", "rejected", "failed"]
    stage: str
    reason: str
    units: int


def unit_counts(units: Iterable[Unit]) -> tuple[UnitCount, ...]:
    """By mode, outcome, stage and reason; within an outcome the most frequent first."""
    counts = Counter((of.mode, of.outcome, of.stage, of.reason) for of in units)
    order = sorted(counts, key=lambda of: (*of[:2], -counts[of], *of[2:]))
    return tuple(
        UnitCount(mode=mode, outcome=outcome, stage=stage, reason=reason, units=counts[of])
        for of in order
        for mode, outcome, stage, reason in (of,)
    )
