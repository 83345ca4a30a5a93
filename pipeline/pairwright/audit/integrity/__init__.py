"""Integrity: rows that contradict themselves or each other.

identity.py   ids, sides and labels, and the two halves of every twin
profiles.py   posts in the order of time, and aspects with their evidence
texts.py endings.py languages.py    empty and broken texts, responses cut short, other languages
"""

from collections.abc import Callable

from pairwright.audit.integrity.endings import Endings
from pairwright.audit.integrity.identity import (
    Labels,
    Twins,
    derived_id,
    duplicate_id,
    missing_id,
    same_sides,
)
from pairwright.audit.integrity.languages import Languages
from pairwright.audit.integrity.profiles import (
    aspects_missing,
    aspects_repeated,
    evidence_missing,
    implausible_time,
    profile_empty,
    times_in_order,
)
from pairwright.audit.integrity.texts import (
    empty_text,
    encoding,
    hidden_characters,
    no_answer,
    very_long,
)
from pairwright.audit.records import RowReader

CHECKS: tuple[Callable[[], RowReader], ...] = (
    duplicate_id, missing_id, derived_id, same_sides, Labels, Twins, evidence_missing,
    aspects_repeated, aspects_missing, profile_empty, times_in_order, implausible_time, empty_text,
    no_answer, very_long, encoding, hidden_characters, Endings, Languages,
)  # fmt: skip
"""The checks of this part, in the order of the report."""
