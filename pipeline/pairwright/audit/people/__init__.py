"""People: personal data in the rows, sensitive subjects, licences and deletion.

scan.py        one search of each text: checks, a log of what to redact, and one text by itself
finding.py     a kind of personal data, and a finding
mail.py phones.py hosts.py addresses.py identifiers.py names.py    the kinds
sensitive.py   rows on subjects that can harm people
rights.py      licences, and people who asked to be forgotten
"""

from collections.abc import Iterator
from typing import ClassVar

from pairwright.audit.people.rights import Licences, Tombstones
from pairwright.audit.people.scan import PersonalData, public_id
from pairwright.audit.people.sensitive import SensitiveSubjects
from pairwright.audit.reader_guard import ReaderGuard
from pairwright.audit.records import (
    Check,
    Definitions,
    Redaction,
    definitions_of,
)
from pairwright.dataset import Row
from pairwright.dataset.tombstones import ForgetList


class PeoplePart:
    """The part of an audit on people. `forgotten` is what tombstones name; None where the auditor
    has no list of them. `has_attribution`: whether a release or run states the attribution of its
    texts."""

    definitions: ClassVar[Definitions] = (
        *PersonalData.definitions,
        *definitions_of((SensitiveSubjects, Licences, Tombstones)),
    )

    def __init__(
        self, forgotten: ForgetList | None = None, *, has_attribution: bool = False
    ) -> None:
        self._data = PersonalData()
        self._guarded = ReaderGuard(self._data)
        self._checks: tuple[ReaderGuard[Check], ...] = (
            ReaderGuard(SensitiveSubjects()),
            ReaderGuard(Licences(has_attribution=has_attribution)),
            ReaderGuard(Tombstones(forgotten)),
        )
        """The checks of this part after personal data, in the order of the report."""
        self._rows = 0

    def add(self, row: Row) -> None:
        """Show one row to every check. A row whose id holds personal data gets another name."""
        self._rows += 1
        name = public_id(row.id, self._rows)
        self._guarded.add(row)
        row = row if name == row.id else row.model_copy(update={"id": name})
        for check in self._checks:
            check.add(row)

    def checks(self) -> Iterator[Check]:
        """What every check found, after the last row."""
        yield from self._guarded.checks()
        for check in self._checks:
            yield from check.checks()

    def redactions(self) -> Iterator[Redaction]:
        """All personal data, text by text, in the order of the source."""
        yield from self._data.redactions()
