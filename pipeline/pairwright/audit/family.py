"""The checks that hold an estimate against a limit, all decided together.

An audit makes some dozens of such comparisons, more with every configuration. Each at 95 % would
fail one audit in three of pairs without a fault. By Holm's levels all of them together err in at
most `LEVEL` of audits. Every other check counts what stands in the rows, which chance has no part
in.
"""

from collections.abc import Iterable

from pairwright.audit.records import Check, Comparison
from pairwright.audit.shortcuts.trials import BLIND, RESIDUAL
from pairwright.intervals import LEVEL, holm

COMPARED = (
    *BLIND,
    RESIDUAL,
    "breaks_off",
    "other_language",
    "preferred",
    "own_posts_tell",
    "equally_good",
    "position_bias",
    "against_the_rest",
)
"""The names of all checks that an estimate decides."""


def decided(found: Iterable[Check | Comparison]) -> list[Check]:
    """The checks in their order, the comparisons among them decided by the level that each has in
    the family.

    Raises ValueError for a check that was decided by an estimate outside the family, or whose name
    COMPARED does not hold.
    """
    given = list(found)
    comparisons = [one for one in given if not isinstance(one, Check)]
    levels = iter(holm([one.settled for one in comparisons], LEVEL))
    return [
        _outside(one) if isinstance(one, Check) else _inside(one.check(next(levels)))
        for one in given
    ]


def _inside(check: Check) -> Check:
    if check.name not in COMPARED:
        raise ValueError(f"{check.name} compares an estimate: name it in COMPARED")
    return check


def _outside(check: Check) -> Check:
    estimated = check.found is not None and check.found.low is not None
    if check.status in ("pass", "fail") and (estimated or check.name in COMPARED):
        raise ValueError(f"{check.name} was decided by an estimate outside the family")
    return check
