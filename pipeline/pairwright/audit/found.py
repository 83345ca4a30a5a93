"""The rows that one check finds, counted as they go by.

blank = Found("integrity", "empty_text", limit=0.0)
blank.add(row, "chosen")         # found, and where
blank.add(row, None)             # looked at, nothing found
yield from blank.checks()
"""

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pairwright.audit.records import Check, Family, Flag
from pairwright.dataset import Row

KEPT = 10_000
"""Rows a check names at most, in one configuration; it counts them all."""
WIDTH = 120
"""Characters of a flag's detail."""
OTHERS = 0.01
"""What is let pass in pairs that no gate of ours has seen: their share of rows."""
TEXT = 100_000
"""Characters of a text that word runs and words are looked for in. Longer ones are flagged."""


class Place(NamedTuple):
    """A row that was looked at, for finding it again after the last."""

    order: int
    config: str
    row: str


class Found:
    """What one check found, by configuration or over all rows.

    The check fails where more than `limit` of the rows looked at were found; `others` is the limit
    in pairs that are of no release or run. No limit: the check is a note.
    """

    def __init__(
        self,
        family: Family,
        name: str,
        *,
        limit: float | None,
        others: float | None,
        by_config: bool = False,
        nothing: str = "no row has what is looked at here",
    ) -> None:
        self._family, self._name, self._by_config = family, name, by_config
        self._limit, self._others, self._nothing = limit, others, nothing
        self._order = 0
        self._of: Counter[str] = Counter()
        self._count: Counter[str] = Counter()
        self._flags: defaultdict[str, list[tuple[int, str, str]]] = defaultdict(list)
        self._ours: set[str] = set()

    def add(self, row: Row, detail: str | None, *, ours: bool = True) -> Place:
        """Count a row as looked at, and as found where there is something to say of it.

        `ours` is False for what came with somebody else's data into a row of ours.
        """
        place = Place(self._order, row.config if self._by_config else "", row.id)
        self._order += 1
        self._of[place.config] += 1
        if row.mode and ours:
            self._ours.add(place.config)
        if detail:
            self.flag(place, detail)
        return place

    def flag(self, place: Place, detail: str) -> None:
        """A row that was looked at before, and turns out to be one. Once a row."""
        self._count[place.config] += 1
        flags = self._flags[place.config]
        if len(flags) < KEPT or place.order < flags[-1][0]:
            insort(flags, (place.order, place.row, clipped(detail)))
            del flags[KEPT:]

    def checks(self, details: Mapping[str, str] | str = "") -> Iterator[Check]:
        """One check, or one for each configuration; `details` by configuration or for all."""
        if not self._of:
            yield Check(
                family=self._family, name=self._name, status="note", count=0, detail=self._nothing
            )
        for config in sorted(self._of):
            count, of = self._count[config], self._of[config]
            limit = self._limit if config in self._ours else self._others
            detail = details if isinstance(details, str) else details.get(config, "")
            yield Check(
                family=self._family,
                name=self._name,
                config=config,
                status="note" if limit is None else "fail" if count > limit * of else "pass",
                count=count,
                of=of,
                limit=limit,
                detail=detail,
                flags=tuple(Flag(row=row, detail=said) for _, row, said in self._flags[config]),
            )


def clipped(detail: str) -> str:
    """On one line, and no longer than a flag's detail may be."""
    line = " ".join(detail[: 4 * WIDTH].split())
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
