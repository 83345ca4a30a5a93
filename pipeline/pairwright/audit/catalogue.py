"""Every check of an audit, part by part, and the decision on checks that compare an estimate.

An audit makes dozens of comparisons of an estimate with a limit, and more with every
configuration. If each were decided at 95 %, one audit in three of pairs without a fault would fail.
With Holm's levels, all comparisons together err in at most `LEVEL` of audits. Every other check
counts rows, so chance plays no role. The checks are in the parts; none is added here.
"""

from collections.abc import Iterable

from pairwright.audit import target
from pairwright.audit.balance import Balance
from pairwright.audit.human import Human
from pairwright.audit.integrity import Integrity
from pairwright.audit.leakage import Leakage
from pairwright.audit.people import PeoplePart
from pairwright.audit.reader_guard import NOT_COMPUTED
from pairwright.audit.records import Check, CheckDefinition, LimitComparison
from pairwright.audit.shortcuts import Shortcuts
from pairwright.audit.tally import RowTally
from pairwright.intervals import LEVEL, holm

PARTS: dict[str, tuple[CheckDefinition, ...]] = {
    "Shortcuts and baselines": Shortcuts.definitions,
    "Leakage": Leakage.definitions,
    "Integrity": (*RowTally.definitions, NOT_COMPUTED, *Integrity.definitions),
    "People": PeoplePart.definitions,
    "Human verification": Human.definitions,
    "Balance": Balance.definitions,
    "Beside another release": target.DEFINITIONS,
}
"""By the title of a part, its checks in the order of the report."""
DEFINITIONS = {one.name: one for definitions in PARTS.values() for one in definitions}
"""All checks by name."""
ESTIMATE_CHECKS = tuple(name for name, definition in DEFINITIONS.items() if definition.by_estimate)
"""The names of all checks that an estimate decides."""


def definition_of(check: Check) -> CheckDefinition:
    """What a check looks for, why it matters and what to do."""
    return DEFINITIONS[check.name]


def decide(results: Iterable[Check | LimitComparison]) -> list[Check]:
    """The checks in their order. The comparisons among them are decided together.

    Raises ValueError for a check that was decided by an estimate but not together with the others,
    and for a comparison whose definition does not say `by_estimate`.
    """
    entries = list(results)
    comparisons = [one for one in entries if not isinstance(one, Check)]
    levels = iter(holm([one.settled for one in comparisons], LEVEL))
    return [
        _check_counted(one) if isinstance(one, Check) else _check_estimated(one.check(next(levels)))
        for one in entries
    ]


def _check_estimated(check: Check) -> Check:
    if check.name not in ESTIMATE_CHECKS:
        raise ValueError(f"{check.name} compares an estimate: its definition needs by_estimate")
    return check


def _check_counted(check: Check) -> Check:
    estimated = check.found is not None and check.found.low is not None
    if check.status in ("pass", "fail") and (estimated or check.name in ESTIMATE_CHECKS):
        raise ValueError(f"{check.name} was decided by an estimate, but not with the others")
    return check
