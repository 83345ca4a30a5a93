"""Integrity: rows that contradict themselves or each other.

identity.py    ids, sides and labels, and the two halves of every twin
texts.py       empty, broken and hidden texts, evidence that no post holds, other languages
"""

from pairwright.audits.integrity.identity import identity_checks
from pairwright.audits.integrity.texts import text_checks
from pairwright.audits.row_check import RowReader


def integrity_checks() -> list[RowReader]:
    """The checks of this part, in the order of the report."""
    return [*identity_checks(), *text_checks()]
