"""The store of a run: one SQLite file with every request, its raw reply, and the units' outcomes.

Replies are committed in groups, one transaction per turn of the event loop, and handed on after
their commit: kill -9 loses no finished call; a power cut may lose the last ones.
"""

import asyncio
import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from pairwright.errors import InUse, StoreError
from pairwright.files import locked
from pairwright.models.call import Completion, Request

APPLICATION_ID = 0x50575231  # "PWR1": another format has another number.
SCHEMA = f"""
BEGIN;
CREATE TABLE calls (
    key TEXT PRIMARY KEY,           -- b2: and the hash of `request`
    purpose TEXT NOT NULL,          -- the prompt's name
    model TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL, -- those of the prompt that came from the endpoint's cache
    served TEXT NOT NULL,           -- the model that the reply names, where it is not `model`
    reply BLOB NOT NULL,            -- as it came; before the request, whose pages are then not read
    request TEXT NOT NULL           -- canonical JSON, exactly as hashed
);
CREATE INDEX totals ON calls (model, prompt_tokens, completion_tokens, cached_tokens);
CREATE INDEX served ON calls (model, served) WHERE served != '';
-- What came of each unit, as `construct.outcomes.Outcome`, and what it follows from.
CREATE TABLE outcomes (
    position INTEGER PRIMARY KEY, unit, mode, item, user, partner, kind, stage, reason, reached,
    posts, subject, refusals, calls, recorded, record, follows
);
CREATE TABLE run (finished INTEGER NOT NULL, follows TEXT NOT NULL);
INSERT INTO run VALUES (0, '');
PRAGMA application_id = {APPLICATION_ID};
COMMIT;
"""
_CALL = f"INSERT OR IGNORE INTO calls VALUES ({', '.join('?' * 9)})"

_SUMS = "count(*), total(prompt_tokens), total(completion_tokens), total(cached_tokens)"
SqlRow = Sequence[object]


class Usage(NamedTuple):
    """Sums over calls."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    """Those of `prompt_tokens` that came from the endpoint's cache."""


class Store:
    """The file `run.sqlite` of a folder. Every StoreError says what is wrong and what to do."""

    def __init__(self, path: Path, *, writing: bool = True, beneath: Path | None = None) -> None:
        """Open, or create if `writing`. A reply that is not here is looked for in the store
        `beneath`, which stays unchanged. Raises StoreError for a file that is not ours or is
        damaged, which is left as it is, and InUse."""
        self.path = path
        self.in_flight: dict[str, asyncio.Future[Completion]] = {}
        """Calls being sent to any endpoint, by key."""
        self._pending: list[SqlRow] = []
        self._committed: asyncio.Future[None] | None = None
        self._lock: TextIO | None = None
        if not writing and not path.exists():
            what = f"is not a run folder: it has no {path.name}"
            raise StoreError(
                f"{path.parent}: {what if path.parent.is_dir() else 'no such folder'}\n"
                "  Name the folder that `pairwright build` was given as --run."
            )
        try:
            if writing:
                busy = InUse(
                    f"{path.parent}: another process is writing to this folder\n"
                    "  Wait for it, stop it, or name another folder."
                )
                lock = path.with_name("lock")
                with _named(lock):
                    self._lock = locked(lock.open("w"), busy)
            with _named(path):
                self._open(writing, beneath)
        except StoreError:
            if self._lock:
                self._lock.close()
            raise

    def _open(self, writing: bool, beneath: Path | None) -> None:
        address, journal = self.path.absolute().as_uri(), Path(f"{self.path}-wal")
        # A reader goes through the journal of a writer, if there can be one.
        if not writing and not os.access(self.path.parent, os.W_OK, effective_ids=True):
            address += "" if journal.exists() and journal.stat().st_size else "?immutable=1"
        # In a notebook the event loop has a thread of its own, for which the caller's waits: one
        # thread at a time uses the file.
        self.connection = sqlite3.connect(
            address, isolation_level=None, uri=True, check_same_thread=False
        )
        # 0 of a file without any table, which a kill may have left.
        if writing and self._pragma("schema_version") == 0:
            self.connection.executescript(SCHEMA)
        if self._pragma("application_id") != APPLICATION_ID:
            raise StoreError(
                f"{self.path}: a database, but not one of this version of Pairwright\n"
                "  Give another run folder; this file was left as it is."
            )
        self._reply = "SELECT CAST(reply AS BLOB) FROM main.calls WHERE key = ?1"
        if beneath:
            # One process reads and writes it, and needs no shared memory, which a file system of
            # several hosts may not have.
            self._pragma("main.locking_mode = EXCLUSIVE")
            address = f"{beneath.absolute().as_uri()}?immutable=1"
            self.connection.execute("ATTACH ? AS beneath", (address,))
            self._reply += f" UNION ALL {self._reply.replace('main', 'beneath')}"
        # What is only read may be a stranger's.
        safe = ("query_only = ON", "trusted_schema = OFF")
        for pragma in ("main.journal_mode = WAL", "main.synchronous = NORMAL") if writing else safe:
            self._pragma(pragma)

    def _pragma(self, pragma: str) -> object:
        row = self.connection.execute(f"PRAGMA {pragma}").fetchone()
        return row and row[0]

    def execute(self, statement: str, *values: object) -> sqlite3.Cursor:
        """Run one statement by itself. Raises StoreError."""
        with _named(self.path):
            return self.connection.execute(statement, values)

    def rows(self, statement: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """Yield what a statement finds. Raises StoreError, also where a later row is damaged."""
        with _named(self.path):
            # `yield from` would close the cursor of a reader that stops, also after the database.
            for row in self.connection.execute(statement, values):  # noqa: UP028
                yield row

    def write(self, statement: str, rows: Iterable[SqlRow]) -> None:
        """Write all rows in one transaction, or none. Raises StoreError."""
        with _named(self.path), self.connection:
            self.connection.execute("BEGIN")
            self.connection.executemany(statement, rows)

    def settle(self) -> None:
        """Put everything into the one file, for those who read it as unchanging. Raises InUse where
        another process reads."""
        self._flush()
        if self._pragma("wal_checkpoint(TRUNCATE)"):
            raise InUse(
                f"{self.path}: another process is reading it\n"
                "  Let that end (`pairwright status`, a copy), then run again."
            )

    def close(self) -> None:
        """Commit what waits and release the folder."""
        self._flush()
        self.connection.close()
        if self._lock:
            self._lock.close()

    def get(self, key: str) -> bytes | None:
        """The raw reply under a key, here or beneath; None if it is not stored."""
        row = self.execute(self._reply, key).fetchone()
        return row and bytes(row[0])

    def call(self, key: str) -> tuple[Request, bytes] | None:
        """A request with its raw reply, for people."""
        query = "SELECT request, purpose, reply FROM calls WHERE key = ?"
        row = self.execute(query, key).fetchone()
        return None if row is None else (Request.of(row[0], row[1]), row[2])

    async def put(self, request: Request, reply: Completion) -> None:
        """Store a reply; returns once it is committed."""
        self._pending.append(_call_row(request, reply))
        if self._committed is None:
            loop = asyncio.get_running_loop()
            self._committed = loop.create_future()
            loop.call_soon(self._flush)
        await asyncio.shield(self._committed)

    def keep(self, request: Request, reply: Completion) -> None:
        """Store one reply at once."""
        self.write(_CALL, [_call_row(request, reply)])

    def _flush(self) -> None:
        pending, self._pending = self._pending, []
        waiting, self._committed = self._committed, None
        if waiting is None:  # Nothing waits, either.
            return
        try:
            self.write(_CALL, pending)
        except Exception as failure:  # Also a bug: whoever waits must hear of it.
            waiting.set_exception(failure)
        else:
            waiting.set_result(None)

    def totals(self) -> Usage:
        """Sums over all calls."""
        return Usage(*map(int, self.execute(f"SELECT {_SUMS} FROM calls").fetchone()))

    def calls_by_model(self) -> dict[str, Usage]:
        """The number of calls to each model, and their tokens."""
        rows = self.rows(f"SELECT model, {_SUMS} FROM calls GROUP BY model ORDER BY model")
        return {model: Usage(*map(int, sums)) for model, *sums in rows}

    def served_names(self) -> dict[str, dict[str, int]]:
        """The other models that replies name, with the number of calls, by model."""
        names = dict[str, dict[str, int]]()
        query = "SELECT model, served, count(*) FROM calls WHERE served != '' GROUP BY 1, 2"
        for model, name, n in self.rows(query):
            names.setdefault(model, {})[name] = n
        return names

    def merge(self, shard: Path) -> None:
        """Copy the calls and outcomes of another store, which has no writer any more; present rows
        stay. Raises StoreError; the store is then as it was before."""
        self.execute("ATTACH ? AS shard", str(shard))
        # The shard may be removed next, so this has to be on the disk.
        self.execute("PRAGMA main.synchronous = FULL")
        try:
            with self.connection:
                self.execute("BEGIN IMMEDIATE")
                for table in ("calls", "outcomes"):
                    self.execute(f"INSERT OR IGNORE INTO main.{table} SELECT * FROM shard.{table}")
        finally:
            self.execute("PRAGMA main.synchronous = NORMAL")
            self.execute("DETACH shard")


def _call_row(request: Request, reply: Completion) -> SqlRow:
    served = "" if reply.served == request.model else reply.served
    tokens = reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens
    about = reply.key, request.purpose, request.model, *tokens, served
    return (*about, reply.body, request.canonical)


def is_held(path: Path) -> bool:
    """Whether a process holds the folder of a store for writing."""
    try:
        with path.with_name("lock").open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


_FULL = (errno.ENOSPC, errno.EDQUOT, "SQLITE_FULL")
_CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM, "SQLITE_CANTOPEN", "SQLITE_READONLY")


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Turn what a file or its database raises in the block into a StoreError that names it."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise unusable(path, error) from None


def unusable(path: Path, error: Exception, key: str = "") -> StoreError:
    """The reason that a file cannot be used, and the remedy: a full disk, a disk that cannot be
    written, or a damaged file."""
    # Of SQLite's names, such as SQLITE_READONLY_DIRECTORY, the first two words.
    sqlite = "_".join(str(getattr(error, "sqlite_errorname", "")).split("_")[:2])
    codes = {getattr(error, "errno", None), sqlite}
    what = str(error)
    fix = "The file was left as it is. Restore it from a copy, or build into another folder."
    if codes & {*_FULL}:
        what = f"the disk is full ({error})"
        fix = "Everything stored before is kept. Make room, then run the same command again."
    elif codes & {*_CLOSED}:
        what = f"cannot be written ({error})"
        fix = "Make the folder writable, or copy it to a disk that is."
    return StoreError(f"{path}{f' [{key}]' if key else ''}: {what}\n  {fix}")
