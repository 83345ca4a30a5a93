"""Integrity: rows that contradict themselves or each other.

identity.py   ids, sides and labels, and the two halves of every twin
aspects.py    aspects and their evidence
texts.py endings.py languages.py    empty and broken texts, responses cut short, other languages
times.py      profiles in the order of time
"""

from collections.abc import Iterator
from typing import ClassVar

from pairwright.audit.integrity.aspects import Evidence, MissingAspects, RepeatedAspects
from pairwright.audit.integrity.endings import Endings
from pairwright.audit.integrity.identity import (
    DerivedIds,
    Labels,
    MissingIds,
    SameSides,
    Twins,
    UniqueIds,
)
from pairwright.audit.integrity.languages import Languages
from pairwright.audit.integrity.texts import (
    EmptyTexts,
    Encoding,
    HiddenCharacters,
    LongTexts,
    NoAnswers,
)
from pairwright.audit.integrity.times import EmptyProfiles, PlausibleTimes, TimeOrder
from pairwright.audit.reader_guard import ReaderGuard
from pairwright.audit.records import Check, Definitions, LimitComparison, RowReader, definitions_of
from pairwright.dataset import Row

CHECKS: tuple[type[RowReader], ...] = (
    UniqueIds, MissingIds, DerivedIds, SameSides, Labels, Twins, Evidence, RepeatedAspects,
    MissingAspects, EmptyProfiles, TimeOrder, PlausibleTimes, EmptyTexts, NoAnswers, LongTexts,
    Encoding, HiddenCharacters, Endings, Languages,
)  # fmt: skip
"""The checks of this part, in the order of the report."""


class Integrity:
    """The part of an audit on integrity: each row by itself, and rows that contradict each
    other."""

    definitions: ClassVar[Definitions] = definitions_of(CHECKS)

    def __init__(self) -> None:
        self._checks = [ReaderGuard(check()) for check in CHECKS]

    def add(self, row: Row) -> None:
        """Show one row to every check."""
        for check in self._checks:
            check.add(row)

    def checks(self) -> Iterator[Check | LimitComparison]:
        """What every check found, after the last row."""
        for check in self._checks:
            yield from check.checks()
