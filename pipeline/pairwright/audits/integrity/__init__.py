"""Integrity: rows that contradict themselves or each other.

identity.py    ids, sides and labels, and the two halves of every twin
texts.py       empty and broken texts, posts in the order of time, aspects with their evidence
responses.py   responses cut short, or in another language
"""

from collections.abc import Callable

from pairwright.audits.integrity import identity, responses, texts
from pairwright.audits.records import RowReader

CHECKS: tuple[Callable[[], RowReader], ...] = (
    identity.duplicate_id,
    identity.MissingIds,
    identity.derived_id,
    identity.same_sides,
    identity.Labels,
    identity.Twins,
    texts.evidence_missing,
    texts.aspects_repeated,
    texts.aspects_missing,
    texts.profile_empty,
    texts.times_in_order,
    texts.implausible_time,
    texts.empty_text,
    texts.no_answer,
    texts.very_long,
    texts.encoding,
    texts.hidden_characters,
    responses.Endings,
    responses.Languages,
)
"""The checks of this part, in the order of the report."""
