"""The store of a run: its calls, and what came of its units."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pairwright.models.store.calls import CallStore
from pairwright.modes import MODES

SPOOLED = 20
"""Outcomes written in one transaction."""
_SETTLED = "kind IN ('kept', 'rejected', 'surveyed')"
_PARTNERED = ", ".join(f"'{name}'" for name, mode in MODES.items() if mode.needs_partner)


class UnitRow(NamedTuple):
    """What came of one unit: a row of the table `outcomes`."""

    position: int
    unit: str
    mode: str
    item: str
    user: str
    partner: str | None
    kind: str
    stage: str
    reason: str
    reached: str | None
    posts: int
    record: str
    """All of it, as JSON."""


_COLUMNS = ", ".join(UnitRow._fields)
_INSERT = (
    f"INSERT OR REPLACE INTO outcomes ({_COLUMNS}, follows)"
    f" VALUES ({', '.join('?' * len(UnitRow._fields))}, (SELECT follows FROM run))"
)


class Store(CallStore):
    """The file `run.sqlite` of a run folder."""

    def __init__(
        self,
        path: Path,
        *,
        writing: bool = True,
        unchanging: bool = False,
        beneath: CallStore | None = None,
    ) -> None:
        """Open, or create. Arguments and errors are those of `CallStore`."""
        super().__init__(path, writing=writing, unchanging=unchanging, beneath=beneath)
        self._outcomes: list[UnitRow] = []

    def close(self) -> None:
        """Commit what waits and release the run folder."""
        self._flush()
        self._spool()
        super().close()

    def begin(self, identity: str) -> None:
        """Begin a run. Outcomes that follow from the same `identity` and are settled stay: the
        replies behind them are here for ever, so they would come out the same. Others are
        forgotten; calls never are."""
        self._db.execute("UPDATE run SET finished = 0, follows = ?", identity)
        self._db.execute("DELETE FROM outcomes WHERE follows != ?", identity)
        again = f"SELECT 1 FROM outcomes WHERE mode = 'survey' AND NOT {_SETTLED}"
        if self._db.execute(again).fetchone():
            # A survey that is asked again may change who is whose partner.
            self._db.execute(f"DELETE FROM outcomes WHERE mode IN ({_PARTNERED})")
        self._db.execute(f"DELETE FROM outcomes WHERE NOT {_SETTLED}")

    def clear_outcomes(self) -> None:
        """Forget what came of the last run; its calls stay."""
        self._db.execute("DELETE FROM outcomes")
        self._db.execute("UPDATE run SET finished = 0")

    def finish(self) -> None:
        """Say that the outcome files of this run are written."""
        self._db.execute("UPDATE run SET finished = 1")

    @property
    def finished(self) -> bool:
        """Whether the last run ended."""
        return bool(self._db.execute("SELECT finished FROM run").fetchone()[0])

    def add_outcome(self, row: UnitRow) -> None:
        """Spool one outcome until the run is whole; files are written from here in order."""
        self._outcomes.append(row)
        if len(self._outcomes) >= SPOOLED:
            self._spool()

    def _spool(self) -> None:
        rows, self._outcomes = self._outcomes, []
        if rows:
            self._db.write((_INSERT, rows))

    def ended(self, position: int, unit: str) -> UnitRow | None:
        """What came of one unit, without its record; None where it has not ended."""
        row = self._db.execute(
            f"SELECT {_COLUMNS.removesuffix('record')} '' FROM outcomes"
            " WHERE position = ? AND unit = ?",
            position,
            unit,
        ).fetchone()
        return None if row is None else UnitRow(*row)

    def outcomes(self, where: str = "position >= 0", *values: object) -> Iterator[UnitRow]:
        """The units in source order, without surveys."""
        self._spool()
        query = f"SELECT {_COLUMNS} FROM outcomes WHERE {where} ORDER BY abs(position)"
        return (UnitRow(*row) for row in self._db.rows(query, *values))

    def surveys(self) -> Iterator[UnitRow]:
        """The surveys in source order."""
        return self.outcomes("position < 0")

    @property
    def surveyed(self) -> int:
        """The number of items whose survey has ended."""
        self._spool()
        query = "SELECT count(*) FROM outcomes WHERE kind = 'surveyed'"
        return int(self._db.execute(query).fetchone()[0])
