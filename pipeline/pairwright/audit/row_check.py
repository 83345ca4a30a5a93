"""A check that counts rows, and names the rows that it finds.

empty = RowCheck(EMPTY_TEXT, limit=0.0, others=0.0)
empty.add(row, "chosen is empty")    # a row with the fault, and its detail
empty.add(row, None)                 # a row without the fault
yield from empty.checks()
"""

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pairwright.audit.records import Check, CheckDefinition, Flag
from pairwright.dataset import Row

KEPT = 10_000
"""The most rows that a check names in one configuration; it counts all."""
WIDTH = 120
"""Characters of a flag's detail."""
OTHERS = 0.01
"""The share of rows that may be found in pairs that did not pass the gates of a build."""
TEXT = 100_000
"""Characters of a text in which runs of words are looked for. Longer texts are flagged."""


class RowPlace(NamedTuple):
    """The place of a row that was examined, so that it can be flagged later."""

    order: int
    config: str
    row: str


class RowCheck:
    """The rows that one check finds, by configuration or over all rows.

    The check fails where more than `limit` of the rows examined are found; `others` is the limit
    for pairs that are not from a release or run. Without a limit the check is a note.
    """

    def __init__(
        self,
        definition: CheckDefinition,
        *,
        limit: float | None,
        others: float | None,
        by_config: bool = False,
        nothing: str = "no row has anything that this check examines",
    ) -> None:
        self._definition, self._by_config = definition, by_config
        self._limit, self._others, self._nothing = limit, others, nothing
        self._order = 0
        self._rows: Counter[str] = Counter()
        self._count: Counter[str] = Counter()
        self._flags: defaultdict[str, list[tuple[int, str, str]]] = defaultdict(list)
        self._built: set[str] = set()

    def add(self, row: Row, detail: str | None, *, built: bool = True) -> None:
        """Count a row as examined, and as found if there is a detail.

        `built` is False for data that a row of a release or run took over from its source.
        """
        config = row.config if self._by_config else ""
        if detail:
            self.flag(RowPlace(self._order, config, row.id), detail)
        self._order += 1
        self._rows[config] += 1
        if row.mode and built:
            self._built.add(config)

    def place(self, row: Row) -> RowPlace:
        """Count a row as examined, and give its place, so that it can be flagged later."""
        place = RowPlace(self._order, row.config if self._by_config else "", row.id)
        self.add(row, None)
        return place

    def flag(self, place: RowPlace, detail: str) -> None:
        """Count an earlier row as found. It is called at most once for a row."""
        self._count[place.config] += 1
        flags = self._flags[place.config]
        if len(flags) < KEPT or place.order < flags[-1][0]:
            insort(flags, (place.order, place.row, clip(detail)))
            del flags[KEPT:]

    def checks(self, details: Mapping[str, str] | str = "") -> Iterator[Check]:
        """One check, or one for each configuration; `details` by configuration or for all."""
        family, name = self._definition.family, self._definition.name
        if not self._rows:
            yield Check(family=family, name=name, status="note", count=0, detail=self._nothing)
        for config in sorted(self._rows):
            count, rows = self._count[config], self._rows[config]
            limit = self._limit if config in self._built else self._others
            shown = details if isinstance(details, str) else details.get(config, "")
            yield Check(
                family=family,
                name=name,
                config=config,
                status="note" if limit is None else "fail" if count > limit * rows else "pass",
                count=count,
                of=rows,
                limit=limit,
                detail=shown,
                flags=tuple(Flag(row=row, detail=detail) for _, row, detail in self._flags[config]),
            )


def clip(detail: str) -> str:
    """A text on one line, and no longer than a flag's detail may be."""
    line = " ".join(detail[: 4 * WIDTH].split())
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
