"""The file `run.sqlite`: making it, locking its folder, the connection of one process to it, and
what is wrong with it."""

import errno
import fcntl
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TextIO

from pairwright.errors import InUse, StoreError
from pairwright.files import locked

APPLICATION_ID = 0x50575257  # "PWRW"
FORMAT = 1
SCHEMA = f"""
BEGIN;
CREATE TABLE calls (
    key TEXT PRIMARY KEY,      -- b2: and the hash of `request`
    purpose TEXT NOT NULL,     -- the prompt's name
    model TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL, -- those of the prompt that came from the endpoint's cache
    served TEXT NOT NULL,      -- the model that the reply names, where it is not `model`
    reply BLOB NOT NULL,       -- the body as it came; before the request, which is long: a
                               -- reply is then read without walking the request's pages
    request TEXT NOT NULL      -- canonical JSON, exactly as hashed
);
CREATE INDEX totals ON calls (model, prompt_tokens, completion_tokens, cached_tokens);
CREATE INDEX served ON calls (model, served) WHERE served != '';
CREATE TABLE outcomes (        -- what came of each unit
    position INTEGER PRIMARY KEY, -- its place in the outcome files; of a survey below zero
    unit TEXT NOT NULL,
    mode TEXT NOT NULL,        -- or `survey`
    item TEXT NOT NULL,
    user TEXT NOT NULL,
    partner TEXT,
    kind TEXT NOT NULL,        -- kept, rejected, failed, waiting or surveyed
    stage TEXT NOT NULL,       -- what refused it, and why
    reason TEXT NOT NULL,
    reached TEXT,              -- the last stage that it reached
    posts INTEGER NOT NULL,    -- length of the asker's profile
    follows TEXT NOT NULL,     -- what it follows from, beside the replies
    record TEXT NOT NULL       -- all of it, as JSON
);
CREATE TABLE run (finished INTEGER NOT NULL, follows TEXT NOT NULL);
INSERT INTO run VALUES (0, '');
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {FORMAT};
COMMIT;
"""


def create(path: Path) -> None:
    """Make the file beside its place and put it there whole: a kill leaves none or all of it."""
    partial = path.with_name(path.name + ".partial")
    try:
        partial.unlink(missing_ok=True)
        partial.with_name(partial.name + "-journal").unlink(missing_ok=True)
        with closing(sqlite3.connect(partial)) as database:
            database.executescript(SCHEMA)
        for end in ("-wal", "-shm"):
            # The journal of a store that was removed must not be read into the new one.
            path.with_name(path.name + end).unlink(missing_ok=True)
        partial.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise unusable(path, error) from None


def lock(path: Path) -> TextIO:
    """Hold the folder of a file for writing, until what is returned is closed.

    Raises InUse where another process holds it, StoreError where the disk cannot lock.
    """
    file_lock = path.parent / "lock"
    try:
        file = file_lock.open("w")
    except OSError as error:
        raise unusable(file_lock, error) from None
    busy = InUse(
        f"{path.parent}: another process is writing to this folder\n"
        "  Wait for it, stop it, or name another folder."
    )
    return locked(file, busy)


def is_held(path: Path) -> bool:
    """Whether a process holds the folder of a file for writing."""
    try:
        with path.with_name("lock").open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def readable_alone(path: Path) -> bool:
    """Whether the one file holds everything: no process that wrote it left a journal beside it."""
    journal = path.with_name(path.name + "-wal")
    return path.is_file() and not (journal.exists() and journal.stat().st_size)


def no_run(calls: Path) -> str:
    """What a folder without a store of calls is, and what to do."""
    folder = calls.parent
    name = "Name the folder that `pairwright build` was given as --run."
    if not folder.exists():
        return f"no such folder\n  {name}"
    if not folder.is_dir():
        return f"is a file, not a run folder\n  {name}"
    if (folder / "checksums.sha256").exists():
        return f"is a release, not a run folder\n  `pairwright verify {folder}` checks it. {name}"
    if (folder / "pairs.jsonl").exists():
        return (
            f"a run folder without its {calls.name}, which holds every call\n"
            "  Restore the file from a copy; `pairwright build` says what asking again would cost."
        )
    return f"is not a run folder: it has no {calls.name}\n  {name}"


def closed_to_us(error: sqlite3.Error) -> bool:
    """Whether SQLite may not write where it must, even to read: its index of the journal."""
    return _sqlite_name(error).startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY"))


def unusable(path: Path, error: Exception, key: str = "") -> StoreError:
    """What keeps a file from being used, and what to do about it: a full disk, one that cannot be
    written, or a damaged file."""
    number = error.errno if isinstance(error, OSError) else None
    name = _sqlite_name(error) if isinstance(error, sqlite3.Error) else ""
    if number in (errno.ENOSPC, errno.EDQUOT) or name == "SQLITE_FULL":
        return StoreError(
            f"{path}: the disk is full ({error})\n"
            "  Everything that was stored before is kept. Make room, then run the same command"
            " again."
        )
    if number in (errno.EROFS, errno.EACCES, errno.EPERM) or (
        isinstance(error, sqlite3.Error) and closed_to_us(error)
    ):
        return StoreError(
            f"{path}: cannot be written ({error})\n"
            "  Make the folder writable, or copy it to a disk that is."
        )
    where = f"{path} [{key}]" if key else str(path)
    return StoreError(
        f"{where}: {error}\n"
        "  The file was left as it is. Restore it from a copy, or build into another run folder."
    )


def _sqlite_name(error: sqlite3.Error) -> str:
    """Such as `SQLITE_FULL`; empty for errors of Python's module itself."""
    return getattr(error, "sqlite_errorname", "")


SqlRow = Sequence[object]


class Statements:
    """Statements to an open file of SQLite. Its StoreErrors say what is wrong with the file and
    what to do."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection

    def execute(self, statement: str, *values: object) -> sqlite3.Cursor:
        """Run one statement by itself. Raises StoreError."""
        try:
            return self.connection.execute(statement, values)
        except sqlite3.DatabaseError as error:
            raise unusable(self.path, error) from None

    def rows(self, statement: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """Yield what a statement finds. Raises StoreError, also where a later row is damaged."""
        try:
            # `yield from` would close the cursor of a reader that stops, also after the database.
            for row in self.connection.execute(statement, values):  # noqa: UP028
                yield row
        except sqlite3.DatabaseError as error:
            raise unusable(self.path, error) from None

    def write(self, *statements: tuple[str, Sequence[SqlRow]]) -> None:
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


class Database(Statements):
    """An open `run.sqlite`."""

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
            self._connect(writing, unchanging)
            if writing and alone:
                # No shared memory is needed then, which a file system of several hosts may not
                # have.
                self.connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            if writing:
                self.connection.execute("PRAGMA journal_mode = WAL")
                self.connection.execute("PRAGMA synchronous = NORMAL")
            else:
                self.connection.execute("PRAGMA query_only = ON")
                # The file may be a stranger's.
                self.connection.execute("PRAGMA trusted_schema = OFF")
        except BaseException as error:
            if self._lock:
                self._lock.close()
            if isinstance(error, sqlite3.DatabaseError):
                raise unusable(self.path, error) from None
            raise

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
