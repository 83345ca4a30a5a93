"""Every check in words, from the parts that know them."""

from pairwright.audit import balance, tally, target
from pairwright.audit.human.explained import EXPLAINED as HUMAN
from pairwright.audit.integrity.explained import EXPLAINED as INTEGRITY
from pairwright.audit.leakage.explained import EXPLAINED as LEAKAGE
from pairwright.audit.people.explained import EXPLAINED as PEOPLE
from pairwright.audit.records import Check, Explained
from pairwright.audit.shortcuts.explained import EXPLAINED as SHORTCUTS

PARTS = {
    "Shortcuts and baselines": SHORTCUTS,
    "Leakage": LEAKAGE,
    "Integrity": tally.EXPLAINED | INTEGRITY,
    "People": PEOPLE,
    "Human verification": HUMAN,
    "Balance": balance.EXPLAINED,
    "Beside another release": target.EXPLAINED,
}
EXPLAINED: dict[str, Explained] = {
    name: said for part in PARTS.values() for name, said in part.items()
}


def explained(check: Check) -> Explained:
    """What a check looks for, why it matters and what to do. Every part explains its checks."""
    return EXPLAINED[check.name]
