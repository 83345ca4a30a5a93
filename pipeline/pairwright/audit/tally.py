"""Counts of the rows of a source, and of those that could not be read."""

from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

from pairwright.audit.read import PairSource, UnreadRow
from pairwright.audit.read.source import REASONS, TIE
from pairwright.audit.records import (
    EXAMPLES,
    AuditSource,
    Check,
    CheckDefinition,
    Definitions,
    Flag,
)
from pairwright.dataset import Row

UNREADABLE_ROWS = CheckDefinition(
    family="integrity",
    name="unreadable_rows",
    title="Rows that cannot be read",
    why="They are part of no other number here, and other programs trip over them or drop"
    " them without a word.",
    todo="Mend the rows named, or take them out.",
)

TIES = CheckDefinition(
    family="integrity",
    name="ties",
    title="Rows whose label is a tie",
    why="They prefer neither response, so they are not pairs, and no other number counts them.",
    todo="Say how many there were: without them, scorers look more certain than people are.",
)


class RowTally:
    """Counts of a source's rows, and of those that could not be read."""

    definitions: ClassVar[Definitions] = (
        UNREADABLE_ROWS,
        TIES,
    )

    def __init__(self) -> None:
        self.rows = 0
        self._configs: Counter[str] = Counter()
        self._problems: Counter[str] = Counter()
        self._places: list[Flag] = []
        self._simulated = False
        self._ties = 0
        self._tied: list[Flag] = []

    def row(self, row: Row) -> None:
        self.rows += 1
        self._configs[row.config] += 1
        self._simulated |= row.simulated

    def unread(self, unread: UnreadRow) -> None:
        if unread.reason == TIE:
            self._ties += 1
            if self._ties <= EXAMPLES:
                self._tied.append(Flag(row=unread.where, detail=unread.detail, where=unread.where))
            return
        self._problems[unread.reason] += 1
        if self._problems[unread.reason] <= EXAMPLES:
            reason = REASONS[unread.reason]
            detail = f"{reason}: {unread.detail}" if unread.detail else reason
            self._places.append(Flag(row=unread.where, detail=detail, where=unread.where))

    def source(self, source: PairSource, digest: str) -> AuditSource:
        return AuditSource(
            name=source.name,
            kind=source.kind,
            version=source.version,
            digest=digest,
            rows=self.rows,
            configs=dict(sorted(self._configs.items())),
            simulated=self._simulated,
            problems=dict(sorted(self._problems.items())),
        )

    def checks(self) -> Iterator[Check]:
        """What could not be read; ties, where there are any."""
        yield self._unread()
        if self._ties:
            yield Check(
                family=TIES.family, name=TIES.name, status="note", count=self._ties,
                of=self.rows + self._ties, flags=tuple(self._tied),
            )  # fmt: skip

    def _unread(self) -> Check:
        unread = self._problems.total()
        counts = (f"{REASONS[why]}: {n:,}" for why, n in self._problems.most_common())
        return Check(
            family=UNREADABLE_ROWS.family,
            name=UNREADABLE_ROWS.name,
            status="fail" if unread else "pass",
            count=unread,
            of=self.rows + unread,
            limit=0,
            detail="; ".join(counts),
            flags=tuple(self._places),
        )
