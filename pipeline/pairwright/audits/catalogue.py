"""The words of every check of an audit, and the decision on checks that compare an accuracy.

An audit compares dozens of accuracies with a limit. If each were decided at 95 %, one audit in
three of pairs without a fault would fail; so Holm's method decides them together, and all of them
err in at most `LEVEL` of audits. Every other check counts rows, so chance plays no role.
"""

import math
import tomllib
from collections.abc import Sequence
from pathlib import Path

from pairwright.audits.records import Check, CheckDefinition, Family
from pairwright.stats import LEVEL, Estimate, z_of

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
}
PARTS = {
    title: tuple(one for one in DEFINITIONS.values() if one.family in families)
    for title, families in _PARTS.items()
}
"""By the title of a part of the report, its checks."""


def definition_of(check: Check) -> CheckDefinition:
    """What a check looks for, why it matters and what to do."""
    return DEFINITIONS[check.name]


def note_check(
    name: str, config: str = "", found: Estimate | None = None, *, of: int = 0, detail: str = ""
) -> Check:
    """A check that decides nothing."""
    found = found if found and found.n else None
    return Check(
        family=DEFINITIONS[name].family, name=name, config=config, status="note", found=found,
        of=of or (found.n if found else 0), detail=detail,
    )  # fmt: skip


def decide(checks: Sequence[Check]) -> list[Check]:
    """The checks in their order; those with a p are decided together, and have too few pairs where
    it is not small enough."""
    # It loads pandas, which the export of a study, a user of single checks, does without.
    from statsmodels.stats.multitest import multipletests

    ps = [check.p for check in checks if check.p is not None]
    settled = iter(multipletests(ps, LEVEL, method="holm")[0] if ps else ())
    return [
        check
        if check.p is None or next(settled)
        else Check(
            **dict(check) | {"status": "too_few", "needed": _needed(check.p, check.of, len(ps))}
        )
        for check in checks
    ]


def _needed(p: float, n: int, tests: int) -> int | None:
    """The number at which the same accuracy would be settled as the least sure of all tests."""
    z = z_of(p)
    needed = n * (z_of(LEVEL / tests) / z) ** 2 if z > 0 else math.inf
    return math.ceil(needed) if needed < 10_000_000 else None
