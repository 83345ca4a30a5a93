"""The audit's fourth part."""

from collections.abc import Iterator

from pairwright.audit.people.licences import Licences
from pairwright.audit.people.scan import PersonalData, shown_id
from pairwright.audit.people.sensitive import Sensitive
from pairwright.audit.people.tombstones import Tombstones
from pairwright.audit.records import Check, Redaction
from pairwright.dataset import Row
from pairwright.dataset.tombstones import ForgetList


class People:
    """`forgotten` is what tombstones name; None where the auditor has no list of them."""

    def __init__(self, forgotten: ForgetList | None = None) -> None:
        self._data, self._sensitive, self._licences = PersonalData(), Sensitive(), Licences()
        self._tombstones = Tombstones(forgotten)
        self._rows = 0

    def add(self, row: Row) -> None:
        self._rows += 1
        name = shown_id(row.id, self._rows)
        self._data.add(row, name)
        row = row if name == row.id else row.model_copy(update={"id": name})
        self._sensitive.add(row)
        self._licences.add(row)
        self._tombstones.add(row)

    def checks(self) -> Iterator[Check]:
        yield from self._data.checks()
        yield from self._sensitive.checks()
        yield from self._licences.checks()
        yield from self._tombstones.checks()

    def redactions(self) -> Iterator[Redaction]:
        """What was found, text by text, in the order of the source."""
        yield from self._data.redactions()
