"""Checks that count rows: each is a function, and one runner counts, keeps examples and gives the
finding.

    @row_check("empty_text", limit=0.0, others=0.0)
    def empty_text(row: Row) -> str:
        return "" if row.question.strip() else "question is empty"

A `row_check` sees one row at a time. It says what is wrong with the row, an empty text where
nothing is, and None where the row has nothing that it examines. A `set_check` keeps a little of
each row and sees all of it after the last one. What neither can say is a class with `names`, `add`
and `checks`.
"""

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from pairwright.audit.catalogue import DEFINITIONS
from pairwright.audit.read.source import ReadRow
from pairwright.audit.records import Check, Flag, RowReader
from pairwright.dataset import Row

KEPT = 10_000
"""The most rows that a check names in one configuration; it counts all."""
WIDTH = 120
"""Characters of a flag's detail."""
OTHERS = 0.01
"""The share of rows that may be found in pairs that did not pass the gates of a build."""
TEXT = 100_000
"""Characters of a text in which runs of words are looked for. Longer texts are flagged."""
_NOTHING = "no row has anything that this check examines"

Details = Mapping[str, str] | str
"""What a check says besides its count, by configuration or for all."""
T = TypeVar("T")


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
        name: str,
        *,
        limit: float | None,
        others: float | None,
        by_config: bool = False,
        nothing: str = _NOTHING,
    ) -> None:
        self._definition, self._by_config = DEFINITIONS[name], by_config
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

    def checks(self, details: Details = "") -> Iterator[Check]:
        """One check, or one for each configuration."""
        family, name = self._definition.family, self._definition.name
        if not self._rows:
            yield Check(family=family, name=name, status="note", count=0, detail=self._nothing)
        for config in sorted(self._rows):
            count, rows = self._count[config], self._rows[config]
            limit = self._limit if config in self._built else self._others
            yield Check(
                family=family,
                name=name,
                config=config,
                status="note" if limit is None else "fail" if count > limit * rows else "pass",
                count=count,
                of=rows,
                limit=limit,
                detail=details if isinstance(details, str) else details.get(config, ""),
                flags=tuple(Flag(row=row, detail=detail) for _, row, detail in self._flags[config]),
            )


def clip(detail: str) -> str:
    """A text on one line, and no longer than a flag's detail may be."""
    line = " ".join(detail[: 4 * WIDTH].split())
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"


NewCheck = Callable[[], RowReader]
"""Makes the reader of one audit."""


def row_check(
    name: str,
    *,
    limit: float | None,
    others: float | None,
    by_config: bool = False,
    nothing: str = _NOTHING,
    detail: str = "",
) -> Callable[[Callable[[Row], str | None]], NewCheck]:
    """A check of each row by itself: see `RowCheck` for the limits."""

    def decorated(fault: Callable[[Row], str | None]) -> NewCheck:
        return lambda: _RowFaults(
            RowCheck(name, limit=limit, others=others, by_config=by_config, nothing=nothing),
            name,
            lambda row, _: fault(row),
            None,
            lambda _: detail,
            lambda _: True,
        )

    return decorated


def remembering_check(
    name: str,
    memory: Callable[[], T],
    *,
    limit: float | None,
    others: float | None,
    by_config: bool = False,
    nothing: str = _NOTHING,
    built: Callable[[Row], bool] = lambda _: True,
    details: Callable[[T], Details] = lambda _: "",
) -> Callable[[Callable[[Row, T], str | None]], NewCheck]:
    """The same with something to remember from row to row, of which `details` may tell. `built` is
    False of a row that took over from its source what the check examines."""

    def decorated(fault: Callable[[Row, T], str | None]) -> NewCheck:
        return lambda: _RowFaults(
            RowCheck(name, limit=limit, others=others, by_config=by_config, nothing=nothing),
            name,
            fault,
            memory(),
            details,
            built,
        )

    return decorated


class _RowFaults(Generic[T]):
    """The reader of a check that is a function of a row."""

    def __init__(
        self,
        check: RowCheck,
        name: str,
        fault: Callable[[Row, T], str | None],
        memory: T,
        details: Callable[[T], Details],
        built: Callable[[Row], bool],
    ) -> None:
        self.names = (name,)
        self._check, self._fault, self._memory = check, fault, memory
        self._details, self._built = details, built

    def add(self, line: ReadRow) -> None:
        detail = self._fault(line.row, self._memory)
        if detail is not None:
            self._check.add(line.row, detail, built=self._built(line.row))

    def checks(self) -> Iterator[Check]:
        return self._check.checks(self._details(self._memory))


def set_check(
    name: str,
    keep: Callable[[Row], T | None],
    *,
    limit: float | None,
    others: float | None,
    nothing: str = _NOTHING,
) -> Callable[[Callable[[Sequence[T]], Iterable[tuple[int, str]] | None]], NewCheck]:
    """A check of all rows together: the function gets what `keep` keeps of each row that it
    examines, and gives number and fault of those that are found, or None where the set has nothing
    of the kind."""

    def decorated(
        faults: Callable[[Sequence[T]], Iterable[tuple[int, str]] | None],
    ) -> NewCheck:
        def new() -> RowReader:
            return _SetFaults(
                lambda: RowCheck(name, limit=limit, others=others, nothing=nothing),
                name,
                keep,
                faults,
            )

        return new

    return decorated


class _SetFaults(Generic[T]):
    """The reader of a check that is a function of a set."""

    def __init__(
        self,
        new: Callable[[], RowCheck],
        name: str,
        keep: Callable[[Row], T | None],
        faults: Callable[[Sequence[T]], Iterable[tuple[int, str]] | None],
    ) -> None:
        self.names = (name,)
        self._new, self._keep, self._faults = new, keep, faults
        self._check = new()
        self._places: list[RowPlace] = []
        self._kept: list[T] = []

    def add(self, line: ReadRow) -> None:
        kept = self._keep(line.row)
        if kept is not None:
            self._kept.append(kept)
            self._places.append(self._check.place(line.row))

    def checks(self) -> Iterator[Check]:
        found = self._faults(self._kept)
        if found is None:
            return self._new().checks()
        for number, detail in found:
            self._check.flag(self._places[number], detail)
        return self._check.checks()
