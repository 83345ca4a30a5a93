"""The connection of one process to a store's file."""

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pairwright.errors import InUse, StoreError
from pairwright.models.store.file import (
    APPLICATION_ID,
    FORMAT,
    closed_to_us,
    create,
    lock,
    no_run,
    readable_alone,
    unusable,
)

Row = Sequence[object]


class Database:
    """An open `calls.sqlite`. Its StoreErrors say what is wrong with the file and what to do."""

    def __init__(self, path: Path, *, writing: bool, unchanging: bool, alone: bool) -> None:
        """Open the file. Where `writing`, hold its folder, and create it if there is none.

        `alone`: no other process reads while this one writes. Arguments and errors otherwise as
        of `CallStore`.
        """
        self.path = path
        self._lock = lock(path) if writing else None
        try:
            if not path.exists():
                if not writing:
                    raise StoreError(f"{path.parent}: {no_run(path)}")
                create(path)
            self._open(writing, unchanging, alone)
        except BaseException:
            if self._lock:
                self._lock.close()
            raise

    def _open(self, writing: bool, unchanging: bool, alone: bool) -> None:
        try:
            self._connect(writing, unchanging)
            if writing:
                if alone:
                    # No shared memory is needed then, which a file system of several hosts may
                    # not have.
                    self.connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                self.connection.execute("PRAGMA journal_mode = WAL")
                self.connection.execute("PRAGMA synchronous = NORMAL")
            else:
                self.connection.execute("PRAGMA query_only = ON")
                # The file may be a stranger's.
                self.connection.execute("PRAGMA trusted_schema = OFF")
        except sqlite3.DatabaseError as error:
            raise unusable(self.path, error) from None

    def _connect(self, writing: bool, unchanging: bool) -> None:
        """Reading goes through the same WAL, so a status can be asked for during a run. Where no
        process can write, a file that was closed is read as unchanging."""
        try:
            self.connection = self._connection(unchanging)
            self._check()
        except sqlite3.OperationalError as error:
            closed = closed_to_us(error) and readable_alone(self.path)
            if writing or unchanging or not closed:
                raise
            self.connection = self._connection(unchanging=True)
            self._check()

    def _connection(self, unchanging: bool) -> sqlite3.Connection:
        suffix = "?immutable=1" if unchanging else ""
        address = self.path.absolute().as_uri() + suffix
        # In a notebook the event loop has a thread of its own, for which the caller's waits: one
        # thread at a time uses the store.
        return sqlite3.connect(address, isolation_level=None, uri=True, check_same_thread=False)

    def _check(self) -> None:
        (owner,) = self.connection.execute("PRAGMA application_id").fetchone()
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        if owner != APPLICATION_ID:
            raise StoreError(
                f"{self.path}: a database, but not one of Pairwright's\n"
                "  Give another run folder; this file was left as it is."
            )
        if version != FORMAT:
            raise StoreError(
                f"{self.path}: written in store format {version}, this version reads {FORMAT}\n"
                "  Use the version of Pairwright that wrote it, or another run folder."
            )

    def has(self, table: str) -> bool:
        """Whether the file has a table; those of earlier versions lack some."""
        query = "SELECT count(*) FROM sqlite_schema WHERE name = ?"
        return bool(self.execute(query, table).fetchone()[0])

    def execute(self, statement: str, *values: object) -> sqlite3.Cursor:
        """Run one statement by itself. Raises StoreError."""
        try:
            return self.connection.execute(statement, values)
        except sqlite3.DatabaseError as error:
            raise unusable(self.path, error) from None

    def rows(self, statement: str) -> Iterator[tuple[Any, ...]]:
        """Yield what a statement finds. Raises StoreError, also where a later row is damaged."""
        try:
            yield from self.connection.execute(statement)
        except sqlite3.DatabaseError as error:
            raise unusable(self.path, error) from None

    def write(self, *statements: tuple[str, Sequence[Row]]) -> None:
        """Write all rows of all statements in one transaction, or none. Raises StoreError."""
        try:
            self.connection.execute("BEGIN")
            for statement, rows in statements:
                if "?" in statement:
                    self.connection.executemany(statement, rows)
                else:
                    self.connection.execute(statement)
            self.connection.execute("COMMIT")
        except Exception as error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise unusable(self.path, error) from None

    def checkpoint(self) -> None:
        """Move what is in the journal into the file. Raises InUse where another process reads."""
        (busy, _, _) = self.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise InUse(
                f"{self.path}: another process is reading it\n"
                "  Let that end (`pairwright status`, a copy), then run again."
            )

    def close(self) -> None:
        """Close the file and release its folder."""
        self.connection.close()
        if self._lock:
            self._lock.close()
