"""The place of every row of a source, so that findings name file and line."""

from collections.abc import Iterable

from pairwright.audit.people.scan import public_id
from pairwright.audit.records import Check, Flag, Redaction
from pairwright.dataset import Row

MOST_PLACES = 3
"""Places that are listed of one id; a source may repeat one row thousands of times."""


class RowLocations:
    """The places of all rows, collected while an audit reads them."""

    def __init__(self) -> None:
        self._rows = 0
        self._places: dict[str, list[str]] = {}
        self._further: dict[str, int] = {}

    def add(self, row: Row, where: str) -> None:
        """Note the place of one more row, after those before: `file:line`, counted from 1."""
        self._rows += 1
        name = public_id(row.id, self._rows)
        places = self._places.setdefault(name, [])
        if len(places) < MOST_PLACES:
            places.append(where)
        else:
            self._further[name] = self._further.get(name, 0) + 1

    def place(self, row: str) -> str:
        """The place of the row that has this id, or of all that share it:
        `pairs.jsonl:3, pairs.jsonl:9`. Empty where there is no such row."""
        listed = ", ".join(self._places.get(row, ()))
        further = self._further.get(row)
        return f"{listed} and {further:,} more" if further else listed

    def checks(self, checks: Iterable[Check]) -> list[Check]:
        """The same checks, with the place of every row that they name."""
        return [
            check.model_copy(update={"flags": tuple(map(self._flag, check.flags))})
            if check.flags
            else check
            for check in checks
        ]

    def redactions(self, redactions: Iterable[Redaction]) -> tuple[Redaction, ...]:
        """The same redactions, with the places of their rows."""
        return tuple(one.model_copy(update={"where": self.place(one.row)}) for one in redactions)

    def _flag(self, flag: Flag) -> Flag:
        return flag.model_copy(update={"where": flag.where or self.place(flag.row)})
