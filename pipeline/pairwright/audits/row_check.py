"""Checks that count rows: each is a function of a row, and `RowCheck` counts, keeps examples and
gives the finding.

    def empty_text(row: Row) -> str:
        return "" if row.question.strip() else "question is empty"

    RowCheck("empty_text", empty_text)
"""

from bisect import insort
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

from pairwright.audits.catalogue import DEFINITIONS
from pairwright.audits.records import Check, Flag
from pairwright.pairs import ReadRow, Row

KEPT = 10_000
"""The most rows that a check names; it counts all."""
WIDTH = 120
"""Characters of a flag's detail."""
OTHERS = 0.01
"""The share of rows that may be found in pairs that did not pass the gates of a build."""
TEXT = 100_000
"""Characters of a text in which runs of words are looked for."""


class RowReader(Protocol):
    """One check, or several that share their work."""

    def add(self, line: ReadRow) -> None:
        """Look at one row: once for each, in the order of the source."""

    def checks(self) -> Iterable[Check]:
        """What was found, after the last row."""


class RowPlace(NamedTuple):
    """The place of a row that was examined, so that it can be flagged later."""

    order: int
    row: str
    where: str


class RowCheck:
    """The rows that one check finds. It fails where more than `limit` of the rows examined are
    found; `others` is the limit for pairs that are not from a release or run. Without a limit the
    check is a note.
    """

    def __init__(
        self,
        name: str,
        fault: Callable[[Row], str | None] = lambda _: None,
        *,
        limit: float | None = 0.0,
        others: float | None = 0.0,
        nothing: str = "no row has anything that this check examines",
        detail: Callable[[], str] = lambda: "",
    ) -> None:
        """`fault` says what is wrong with a row, an empty text where nothing is, and None where the
        row has nothing that the check examines."""
        self._name, self._fault, self._nothing, self._detail = name, fault, nothing, detail
        self._limit, self._others = limit, others
        self._rows = self._count = 0
        self._flags: list[tuple[RowPlace, str]] = []
        self._built = False

    def add(self, line: ReadRow) -> None:
        """Examine a row."""
        self.count(line, self._fault(line.row))

    def count(self, line: ReadRow, detail: str | None) -> None:
        """Count a row as examined unless there is no detail, and as found unless that is empty."""
        if detail is not None:
            place = self.place(line)
            if detail:
                self.flag(place, detail)

    def place(self, line: ReadRow) -> RowPlace:
        """Count a row as examined, and give its place, so that it can be flagged later."""
        self._rows += 1
        self._built |= line.row.mode is not None
        return RowPlace(self._rows, line.row.id, line.where)

    def flag(self, place: RowPlace, detail: str) -> None:
        """Count an earlier row as found. It is called at most once for a row."""
        self._count += 1
        if len(self._flags) < KEPT or place < self._flags[-1][0]:
            insort(self._flags, (place, clip(detail)))
            del self._flags[KEPT:]

    def checks(self) -> Iterable[Check]:
        """The one check."""
        yield self.check()

    def check(self, detail: str = "") -> Check:
        """What was found."""
        limit = self._limit if self._built else self._others
        if not self._rows:
            limit, detail = None, self._nothing
        fails = limit is not None and self._count > limit * self._rows
        return Check(
            family=DEFINITIONS[self._name].family,
            name=self._name,
            status="note" if limit is None else "fail" if fails else "pass",
            count=self._count,
            of=self._rows,
            limit=limit,
            detail=detail or self._detail(),
            flags=tuple(
                Flag(row=place.row, detail=detail, where=place.where)
                for place, detail in self._flags
            ),
        )


def clip(detail: str) -> str:
    """A text on one line, and no longer than a flag's detail may be."""
    line = " ".join(detail[: 4 * WIDTH].split())
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
