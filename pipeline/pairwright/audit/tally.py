"""The rows of a source: their counts, those that could not be read, and the place of each."""

from collections import Counter
from collections.abc import Iterable, Iterator

from pairwright.audit.people.scan import public_id
from pairwright.audit.read import PairSource, UnreadRow
from pairwright.audit.read.source import REASONS, TIE
from pairwright.audit.records import EXAMPLES, AuditSource, Check, Flag, Redaction
from pairwright.dataset import Row


class RowTally:
    """Counts of a source's rows, and of those that could not be read."""

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
                family="integrity", name="ties", status="note", count=self._ties,
                of=self.rows + self._ties, flags=tuple(self._tied),
            )  # fmt: skip

    def _unread(self) -> Check:
        unread = self._problems.total()
        counts = (f"{REASONS[why]}: {n:,}" for why, n in self._problems.most_common())
        return Check(
            family="integrity",
            name="unreadable_rows",
            status="fail" if unread else "pass",
            count=unread,
            of=self.rows + unread,
            limit=0,
            detail="; ".join(counts),
            flags=tuple(self._places),
        )


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
