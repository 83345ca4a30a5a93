"""The index of a run's units: what counts them and what finds them, without their long records.

The triggers mark an entry as stale when anybody changes its outcome, a person by hand included.
So an entry that has a tally is true of its outcome. One that has none is made again from the
record. When a stored call is changed or removed, the index loses its form, and is made again as
that of another version is: one mark for all, since a trigger runs for each of many rows.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from pairwright.models.store.database import Database, SqlRow, Statements, unusable

FORM = 2
"""To be raised when an entry holds something else, or is counted in another way."""
_TABLES = f"""
CREATE TABLE unit_form AS SELECT {FORM} AS form;
CREATE TABLE unit_entries (    -- derived from `outcomes`, of which surveys have no entry
    position INTEGER PRIMARY KEY,
    tally TEXT,                -- what the unit counts as; NULL where the entry is stale
    item TEXT,                 -- the item, where its rubric was inferred
    posts INTEGER,             -- the length of its profile
    no_signal INTEGER          -- 1 where no aspect was left
);
CREATE TABLE unit_names (      -- a name may be stale: the record at its position says
    name TEXT NOT NULL,        -- of the unit, its item, its twin or a pair
    position INTEGER NOT NULL,
    PRIMARY KEY (name, position)
) WITHOUT ROWID;
CREATE TABLE unit_readings (   -- replies that measure a model
    position INTEGER NOT NULL,
    purpose TEXT NOT NULL,
    key TEXT NOT NULL,         -- of the call
    k INTEGER NOT NULL,        -- so many of its n cases passed
    n INTEGER NOT NULL,
    PRIMARY KEY (purpose, key, position)
) WITHOUT ROWID;
CREATE INDEX unit_readings_of ON unit_readings (position);
CREATE INDEX unit_stale ON unit_entries (position) WHERE tally IS NULL;
"""
_TRIGGERS = """
CREATE TRIGGER outcome_added AFTER INSERT ON outcomes BEGIN
    DELETE FROM unit_entries WHERE position = NEW.position;
    DELETE FROM unit_readings WHERE position = NEW.position;
    INSERT INTO unit_entries (position) SELECT NEW.position WHERE NEW.position >= 0;
END;
CREATE TRIGGER outcome_removed AFTER DELETE ON outcomes BEGIN
    DELETE FROM unit_entries WHERE position = OLD.position;
    DELETE FROM unit_readings WHERE position = OLD.position;
END;
CREATE TRIGGER outcome_changed AFTER UPDATE ON outcomes BEGIN
    DELETE FROM unit_entries WHERE position IN (OLD.position, NEW.position);
    DELETE FROM unit_readings WHERE position IN (OLD.position, NEW.position);
    INSERT INTO unit_entries (position) SELECT NEW.position WHERE NEW.position >= 0;
END;
CREATE TRIGGER call_changed AFTER UPDATE ON calls BEGIN DELETE FROM unit_form; END;
CREATE TRIGGER call_removed AFTER DELETE ON calls BEGIN DELETE FROM unit_form; END;
INSERT INTO unit_entries (position) SELECT position FROM outcomes WHERE position >= 0;
"""
_NAMES = ("unit_form", "unit_entries", "unit_names", "unit_readings")
_OLD = "".join(
    [f"DROP TABLE IF EXISTS {name};" for name in _NAMES]
    + [f"DROP TRIGGER IF EXISTS {name};" for name in re.findall(r"TRIGGER (\w+)", _TRIGGERS)]
)
_PUT = (
    "INSERT OR REPLACE INTO unit_entries VALUES (?, ?, ?, ?, ?)",
    "INSERT OR IGNORE INTO unit_names VALUES (?, ?)",
    "INSERT OR REPLACE INTO unit_readings VALUES (?, ?, ?, ?, ?)",
)
MERGE = (
    # The outcomes were merged before, which made the entries of these positions stale.
    "INSERT OR REPLACE INTO main.unit_entries SELECT * FROM shard.unit_entries",
    "INSERT OR IGNORE INTO main.unit_names SELECT * FROM shard.unit_names",
    "INSERT OR REPLACE INTO main.unit_readings SELECT * FROM shard.unit_readings",
)
"""Statements that take the index of an attached shard into that of the store."""


class Reading(NamedTuple):
    """What one reply said of the model that is measured by it: k of n cases passed."""

    purpose: str
    key: str
    k: int
    n: int


class UnitEntry(NamedTuple):
    """What is known of a unit without reading its record."""

    tally: str
    """What it counts as: units of the same tally are counted together."""
    names: frozenset[str]
    """Ids by which people look for it."""
    readings: tuple[Reading, ...] = ()
    item: str | None = None
    """Its item, where the rubric was inferred."""
    posts: int = 0
    """The length of the item's profile."""
    no_signal: bool = False
    """Whether nothing was left of that rubric."""
    stale: bool = False
    """Whether a reply is missing that belongs to it, so that it must be made again."""


def puts(entries: Iterable[tuple[int, UnitEntry]]) -> tuple[tuple[str, Sequence[SqlRow]], ...]:
    """Statements that write entries at their positions, to be run in one transaction."""
    rows: tuple[list[SqlRow], list[SqlRow], list[SqlRow]] = ([], [], [])
    for position, one in entries:
        tally = None if one.stale else one.tally
        rows[0].append((position, tally, one.item, one.posts, int(one.no_signal)))
        rows[1].extend((name, position) for name in sorted(one.names))
        rows[2].extend((position, *reading) for reading in one.readings)
    return tuple(zip(_PUT, rows, strict=True))


class UnitIndex:
    """The index in a database: a store's own, or one in memory of a store that cannot be
    written."""

    def __init__(self, database: Statements) -> None:
        self._db = database

    @classmethod
    def in_memory(cls, path: Path) -> "UnitIndex":
        """A new index without entries; `path` is the store's file, which errors name."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.executescript(_TABLES)
        return cls(Statements(path, connection))

    @classmethod
    def of(cls, database: Database) -> "UnitIndex | None":
        """The index of a store; None where an earlier version wrote it, without one or with one
        that says something else, and where a call was changed since."""
        if not database.has("unit_form"):
            return None
        form = database.execute("SELECT form FROM unit_form").fetchone()
        return cls(database) if form == (FORM,) else None

    @classmethod
    def begin(cls, database: Database) -> "UnitIndex":
        """The index of a store that is written; where there is none, one whose entries are all
        stale."""
        if (there := cls.of(database)) is not None:
            return there
        try:
            database.connection.executescript(f"BEGIN;{_OLD}{_TABLES}{_TRIGGERS}COMMIT;")
        except sqlite3.DatabaseError as error:
            raise unusable(database.path, error) from None
        return cls(database)

    def put(self, entries: Iterable[tuple[int, UnitEntry]]) -> None:
        """Write entries at their positions."""
        self._db.write(*puts(entries))

    def stale(self) -> list[int]:
        """The positions of the entries that must be made again."""
        query = "SELECT position FROM unit_entries WHERE tally IS NULL ORDER BY position"
        return [position for (position,) in self._db.rows(query)]

    def tally(self, position: int) -> str | None:
        """What the unit at a position counts as; None where its entry is stale or missing."""
        query = "SELECT tally FROM unit_entries WHERE position = ?"
        found = self._db.execute(query, position).fetchone()
        tally: str | None = found[0] if found else None
        return tally

    def tallies(self) -> list[tuple[str, int]]:
        """Each tally, with the number of units that have it; stale entries are left out."""
        return self._db.execute(
            "SELECT tally, count(*) FROM unit_entries WHERE tally IS NOT NULL GROUP BY tally"
        ).fetchall()

    def units(self) -> list[tuple[int, str]]:
        """Each position with its tally, in source order; stale entries are left out."""
        query = "SELECT position, tally FROM unit_entries WHERE tally IS NOT NULL ORDER BY position"
        return self._db.execute(query).fetchall()

    def signals(self) -> Counter[tuple[int, bool]]:
        """The items whose rubric was inferred, by the length of their profile and by whether
        nothing was left. The last unit of an item says."""
        query = (
            "SELECT posts, no_signal, count(*) FROM ("
            "SELECT posts, no_signal, max(position) FROM unit_entries"
            " WHERE item IS NOT NULL GROUP BY item) GROUP BY posts, no_signal"
        )
        return Counter({(posts, bool(nothing)): n for posts, nothing, n in self._db.rows(query)})

    def readings(self) -> dict[str, tuple[int, int]]:
        """By purpose, the cases that passed and all cases; each reply is counted once, also where
        several units share it."""
        query = (
            "SELECT purpose, sum(k), sum(n) FROM ("
            "SELECT purpose, k, n FROM unit_readings GROUP BY purpose, key) GROUP BY purpose"
        )
        return {str(purpose): (k, n) for purpose, k, n in self._db.rows(query)}

    def positions(self, name: str) -> list[int]:
        """Where a name is or was, in source order."""
        query = "SELECT position FROM unit_names WHERE name = ? ORDER BY position"
        return [position for (position,) in self._db.rows(query, name)]

    def names(self, beginning: str, most: int) -> list[str]:
        """The first names that begin so, at most so many."""
        query = "SELECT DISTINCT name FROM unit_names WHERE substr(name, 1, ?) = ? LIMIT ?"
        return [name for (name,) in self._db.rows(query, len(beginning), beginning, most)]
