"""Checks that count rows: each is a function, and one runner counts, keeps examples and gives the
finding.

    @row_check(others=OTHERS)
    def empty_text(row: Row) -> str:
        return "" if row.question.strip() else "question is empty"

The function has the name of its check. It says what is wrong with a row, an empty text where
nothing is, and None where the row has nothing that it examines. What it cannot say, because it
depends on later rows, is a class with `names`, `add` and `checks`.
"""

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Generic, NamedTuple, TypeVar

from pairwright.audits.catalogue import DEFINITIONS
from pairwright.audits.read.source import ReadRow
from pairwright.audits.records import Check, Flag, RowReader
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
        limit: float | None = 0.0,
        others: float | None = 0.0,
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

    def beside(self, name: str, *, limit: float | None = 0.0) -> "RowCheck":
        """Another check of the rows that this one counts; `limit` is for pairs of any kind."""
        other = RowCheck(name, limit=limit, others=limit)
        other._rows, other._built = self._rows, self._built
        return other

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
        if not self._rows:
            yield self.note()
        for config in sorted(self._rows):
            count, rows = self._count[config], self._rows[config]
            limit = self._limit if config in self._built else self._others
            yield Check(
                family=self._definition.family,
                name=self._definition.name,
                config=config,
                status="note" if limit is None else "fail" if count > limit * rows else "pass",
                count=count,
                of=rows,
                limit=limit,
                detail=details if isinstance(details, str) else details.get(config, ""),
                flags=tuple(Flag(row=row, detail=detail) for _, row, detail in self._flags[config]),
            )

    def note(self, detail: str = "") -> Check:
        """What the check says where it does not apply; by default, why it usually does not."""
        own = self._definition
        return Check(
            family=own.family, name=own.name, status="note", count=0,
            detail=detail or self._nothing,
        )  # fmt: skip


def clip(detail: str) -> str:
    """A text on one line, and no longer than a flag's detail may be."""
    line = " ".join(detail[: 4 * WIDTH].split())
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"


NewCheck = Callable[[], RowReader]
"""Makes the reader of one audit."""


def row_check(
    *,
    limit: float | None = 0.0,
    others: float | None = 0.0,
    by_config: bool = False,
    nothing: str = _NOTHING,
    detail: str = "",
) -> Callable[[Callable[[Row], str | None]], NewCheck]:
    """A check of each row by itself: see `RowCheck` for the limits."""

    def decorated(fault: Callable[[Row], str | None]) -> NewCheck:
        name = fault.__name__
        return lambda: _RowFaults(
            RowCheck(name, limit=limit, others=others, by_config=by_config, nothing=nothing),
            name,
            lambda row, _: fault(row),
            None,
            lambda _: detail,
        )

    return decorated


def remembering_check(
    memory: Callable[[], T],
    *,
    limit: float | None = 0.0,
    others: float | None = 0.0,
    by_config: bool = False,
    nothing: str = _NOTHING,
    built: Callable[[Row], bool] = lambda _: True,
    details: Callable[[T], Details] = lambda _: "",
) -> Callable[[Callable[[Row, T], str | None]], NewCheck]:
    """The same with something to remember from row to row, of which `details` may tell. `built` is
    False of a row that took over from its source what the check examines."""

    def decorated(fault: Callable[[Row, T], str | None]) -> NewCheck:
        name = fault.__name__
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
        built: Callable[[Row], bool] = lambda _: True,
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


class LackCheck:
    """Rows without something that other rows have, or that each row of a build should have."""

    def __init__(
        self, name: str, there: Callable[[Row], bool | None], detail: str, nothing: str
    ) -> None:
        """`there`: whether a row has it; None of a row that needs none."""
        self.names = (name,)
        self._check = RowCheck(name, others=OTHERS, nothing=nothing)
        self._there, self._detail = there, detail
        self._due = False
        self._lacking: list[RowPlace] = []

    def add(self, line: ReadRow) -> None:
        there = self._there(line.row)
        if there is not None:
            place = self._check.place(line.row)
            self._due |= there or line.row.mode is not None
            if not there:
                self._lacking.append(place)

    def checks(self) -> Iterator[Check]:
        if not self._due:
            yield self._check.note()
            return
        for place in self._lacking:
            self._check.flag(place, self._detail)
        yield from self._check.checks()
