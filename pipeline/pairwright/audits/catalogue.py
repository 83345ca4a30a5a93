"""The words of every check of an audit, and the decision on checks that compare an estimate.

An audit makes dozens of comparisons of an estimate with a limit, and more with every
configuration. If each were decided at 95 %, one audit in three of pairs without a fault would fail.
With Holm's levels, all comparisons together err in at most `LEVEL` of audits. Every other check
counts rows, so chance plays no role.
"""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from pairwright.audits.records import Check, CheckDefinition, Family, LimitComparison
from pairwright.estimate import Estimate
from pairwright.intervals import LEVEL, holm

_WORDS = tomllib.loads(Path(__file__).with_name("checks.toml").read_text(encoding="utf-8"))
DEFINITIONS = {
    name: CheckDefinition.model_validate({"family": family, "name": name, **words})
    for family, checks in _WORDS.items()
    for name, words in checks.items()
}
"""All checks by name, in the order of the report."""
_PARTS: dict[str, tuple[Family, ...]] = {
    "Shortcuts and baselines": ("shortcuts", "baselines"),
    "Leakage": ("leakage",),
    "Integrity": ("integrity",),
    "People": ("people",),
    "Human verification": ("human",),
    "Balance": ("balance",),
    "Beside another release": ("target",),
}
PARTS = {
    title: tuple(one for one in DEFINITIONS.values() if one.family in families)
    for title, families in _PARTS.items()
}
"""By the title of a part of the report, its checks."""


def names_of(*families: Family) -> tuple[str, ...]:
    """The names of the checks of some families, in the order of the report."""
    return tuple(name for name, one in DEFINITIONS.items() if one.family in families)


ESTIMATE_CHECKS = tuple(name for name, definition in DEFINITIONS.items() if definition.by_estimate)
"""The names of all checks that an estimate decides."""


def definition_of(check: Check) -> CheckDefinition:
    """What a check looks for, why it matters and what to do."""
    return DEFINITIONS[check.name]


def note_check(
    name: str,
    config: str = "",
    found: Estimate | None = None,
    *,
    of: int | None = None,
    detail: str = "",
) -> Check:
    """A check that decides nothing. It is of `of` rows, by default of as many as the estimate."""
    n = found.n if found else 0
    return Check(
        family=DEFINITIONS[name].family,
        name=name,
        config=config,
        status="note",
        found=found if n else None,
        of=n if of is None else of,
        detail=detail,
    )


def decide(results: Iterable[Check | LimitComparison]) -> list[Check]:
    """The checks in their order. The comparisons among them are decided together.

    Raises ValueError for a check that was decided by an estimate but not together with the others,
    and for a comparison whose definition does not say `by_estimate`.
    """
    entries = list(results)
    comparisons = [one for one in entries if not isinstance(one, Check)]
    levels = iter(holm([one.settled for one in comparisons], LEVEL))
    checks = []
    for one in entries:
        check = one if isinstance(one, Check) else one.check(next(levels))
        known = check.name in ESTIMATE_CHECKS
        if not isinstance(one, Check) and not known:
            raise ValueError(f"{check.name} compares an estimate: its definition needs by_estimate")
        estimated = known or (check.found is not None and check.found.low is not None)
        if isinstance(one, Check) and estimated and check.status in ("pass", "fail"):
            raise ValueError(f"{check.name} was decided by an estimate, but not with the others")
        checks.append(check)
    return checks
