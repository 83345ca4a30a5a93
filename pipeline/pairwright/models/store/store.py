"""The store of a run: its calls, and what came of its units."""

from collections.abc import Iterator
from pathlib import Path

from pairwright.models import Wait
from pairwright.models.store.calls import CallStore
from pairwright.models.store.database import SqlRow
from pairwright.models.store.unit_index import UnitEntry, UnitIndex, puts
from pairwright.modes import MODES

SPOOLED = 20
"""Outcomes written in one transaction."""
_PARTNERED = " OR ".join(
    f"unit LIKE '{mode}:%'" for mode, definition in MODES.items() if definition.needs_partner
)
"""Units that have a second user, by their names."""


class Store(CallStore):
    """The file `calls.sqlite` of a run folder."""

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
        self._outcomes: list[SqlRow] = []
        self._entries: list[tuple[int, UnitEntry]] = []
        try:
            self._index = UnitIndex.begin(self._db) if writing else UnitIndex.of(self._db)
        except BaseException:
            self._db.close()
            raise

    def close(self) -> None:
        """Commit what waits and release the run folder."""
        self._flush()
        self._spool()
        super().close()

    def begin(self, identity: str) -> None:
        """Begin a run. Outcomes that follow from the same `identity` and are settled stay: the
        replies behind them are here for ever, so they would come out the same. Others are
        forgotten; calls never are."""
        self._db.execute("DROP TABLE IF EXISTS waits")
        self._db.execute("CREATE TABLE IF NOT EXISTS follows (identity TEXT NOT NULL)")
        if self._db.execute("SELECT identity FROM follows").fetchall() == [(identity,)]:
            open_ = "kind NOT IN ('kept', 'rejected', 'surveyed')"
            if self._db.execute(
                f"SELECT 1 FROM outcomes WHERE position < 0 AND {open_}"
            ).fetchone():
                # A survey that is asked again may change who is whose partner.
                self._db.execute(f"DELETE FROM outcomes WHERE {_PARTNERED}")
            self._db.execute(f"DELETE FROM outcomes WHERE {open_}")
            self._db.execute("UPDATE run SET finished = 0")
            return
        # First, so that a kill in between leaves no outcome under the wrong name.
        self._db.execute("DELETE FROM follows")
        self.clear_outcomes()
        self._db.execute("INSERT INTO follows VALUES (?)", identity)

    def clear_outcomes(self) -> None:
        """Forget what came of the last run; its calls stay."""
        self._db.execute("DELETE FROM outcomes")
        self._db.execute("DELETE FROM unit_names")
        self._db.execute("UPDATE run SET finished = 0")

    def note_wait(self, wait: Wait) -> None:
        """Keep what an endpoint asks of this run; its last wait counts."""
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS waits"
            " (endpoint TEXT PRIMARY KEY, seconds REAL, until REAL, words TEXT)"
        )
        self._db.execute("INSERT OR REPLACE INTO waits VALUES (?, ?, ?, ?)", *wait)

    def waits(self) -> list[Wait]:
        """The waits that endpoints asked for in the last run."""
        if not self._db.has("waits"):
            return []
        return [Wait(*row) for row in self._db.rows("SELECT * FROM waits ORDER BY endpoint")]

    def finish(self) -> None:
        """Say that the outcome files of this run are written."""
        self._db.execute("UPDATE run SET finished = 1")

    @property
    def finished(self) -> bool:
        """Whether the last run ended."""
        return bool(self._db.execute("SELECT finished FROM run").fetchone()[0])

    def add_outcome(
        self, position: int, unit: str, kind: str, record: str, entry: UnitEntry | None = None
    ) -> None:
        """Spool one outcome until the run is whole; files are written from here in order. Without
        an entry, the one in the index is stale."""
        self._outcomes.append((position, unit, kind, record))
        if entry is not None:
            self._entries.append((position, entry))
        if len(self._outcomes) >= SPOOLED:
            self._spool()

    def _spool(self) -> None:
        rows, self._outcomes = self._outcomes, []
        entries, self._entries = self._entries, []
        if rows:
            self._db.write(("INSERT INTO outcomes VALUES (?, ?, ?, ?)", rows), *puts(entries))

    @property
    def index(self) -> UnitIndex | None:
        """The index of the units; None where an earlier version wrote the store, and it is only
        read."""
        self._spool()
        return self._index

    def record(self, position: int) -> str | None:
        """The record of the unit at a position, where it has ended."""
        row = self._db.execute(
            "SELECT record FROM outcomes WHERE position = ?", position
        ).fetchone()
        return None if row is None else str(row[0])

    def kind(self, position: int, unit: str) -> str | None:
        """What came of one unit, in a word, where it has ended."""
        row = self._db.execute(
            "SELECT kind FROM outcomes WHERE position = ? AND unit = ?", position, unit
        ).fetchone()
        return None if row is None else str(row[0])

    def positions(self) -> list[int]:
        """The positions of all units that have ended, in source order."""
        self._spool()
        query = "SELECT position FROM outcomes WHERE position >= 0 ORDER BY position"
        return [position for (position,) in self._db.rows(query)]

    def units(self) -> list[tuple[int, str]]:
        """The positions and names of all units that have ended, in source order."""
        self._spool()
        query = "SELECT position, unit FROM outcomes WHERE position >= 0 ORDER BY position"
        return list(self._db.rows(query))

    def outcomes(self, kind: str | None = None) -> Iterator[tuple[str, str, str]]:
        """(unit, kind, record) in source order, without surveys."""
        self._spool()
        where = "" if kind is None else "AND kind = ?"
        parameters = () if kind is None else (kind,)
        yield from self._db.rows(
            "SELECT unit, kind, record FROM outcomes"
            f" WHERE position >= 0 {where} ORDER BY position",
            *parameters,
        )

    def surveys(self) -> Iterator[tuple[str, str, str]]:
        """The same of surveys, whose positions are below zero."""
        self._spool()
        yield from self._db.rows(
            "SELECT unit, kind, record FROM outcomes WHERE position < 0 ORDER BY position DESC"
        )

    @property
    def surveyed(self) -> int:
        """The number of items whose survey has ended."""
        self._spool()
        query = "SELECT count(*) FROM outcomes WHERE position < 0 AND kind = 'surveyed'"
        return int(self._db.execute(query).fetchone()[0])
