"""The store of a run: one SQLite file that holds every request beside its raw reply, and what came
of each unit.

Replies are committed in groups, one transaction per turn of the event loop, and handed on only
after their commit. Journal mode WAL with `synchronous = NORMAL`: kill -9 loses no finished
call; a power cut may lose the last ones. Only answers are stored, never failures.
"""

import asyncio
import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from pairwright.errors import InUse, StoreError
from pairwright.files import locked
from pairwright.models.model import Answer, Request, Usage
from pairwright.models.reply import Completion

APPLICATION_ID = 0x50575231  # "PWR1": another format has another number.
SCHEMA = """
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
    position INTEGER PRIMARY KEY, -- its place in the source's order; of a plan below zero
    unit TEXT NOT NULL,
    mode TEXT NOT NULL,        -- or `plan`
    item TEXT NOT NULL,
    user TEXT NOT NULL,
    partner TEXT,
    kind TEXT NOT NULL,        -- kept, dropped, failed, waiting or planned
    stage TEXT NOT NULL,       -- what dropped it, and why
    reason TEXT NOT NULL,
    reached TEXT,              -- the last stage of its mode that it reached
    posts INTEGER NOT NULL,    -- length of the asker's profile
    subject TEXT,              -- id of the kept pair or twin
    refusals TEXT NOT NULL,    -- JSON: gates of refused drafts, or why aspects were dropped
    calls TEXT NOT NULL,       -- JSON: the purpose of each call by its key
    recorded TEXT NOT NULL,    -- JSON: models whose replies came from a recording
    record TEXT NOT NULL,      -- JSON: all of it
    follows TEXT NOT NULL      -- what it follows from, beside the replies
);
CREATE TABLE run (finished INTEGER NOT NULL, follows TEXT NOT NULL);
INSERT INTO run VALUES (0, '');
"""
_CALL = f"INSERT OR IGNORE INTO calls VALUES ({', '.join('?' * 9)})"

SqlRow = Sequence[object]


class StoredCall(NamedTuple):
    """A request with its reply."""

    key: str
    purpose: str
    request: str
    reply: bytes


class Database:
    """An open file of SQLite, whose StoreErrors say what is wrong with it and what to do."""

    def __init__(self, path: Path, schema: str = "", address: str = "") -> None:
        """Connect, or create with a `schema`; `address` opens the file in another way.

        Raises StoreError for a file that is not ours or is damaged; nothing is repaired over.
        """
        self.path = path
        try:
            # In a notebook the event loop has a thread of its own, for which the caller's waits:
            # one thread at a time uses the file.
            self.connection = sqlite3.connect(
                address or path, isolation_level=None, uri=bool(address), check_same_thread=False
            )
            # 0 of a file without any table, which a kill may have left.
            (tables,) = self.connection.execute("PRAGMA schema_version").fetchone()
            if schema and not tables:
                mark = f"PRAGMA application_id = {APPLICATION_ID};"
                self.connection.executescript(f"BEGIN; {schema} {mark} COMMIT;")
            (application,) = self.connection.execute("PRAGMA application_id").fetchone()
        except sqlite3.DatabaseError as error:
            raise unusable(path, error) from None
        if application != APPLICATION_ID:
            raise StoreError(
                f"{path}: a database, but not one of this version of Pairwright\n"
                "  Give another run folder; this file was left as it is."
            )

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
                self.connection.executemany(statement, rows)
            self.connection.execute("COMMIT")
        except Exception as error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise unusable(self.path, error) from None

    def close(self) -> None:
        """Close the file."""
        self.connection.close()


class Store(Database):
    """The file `run.sqlite` of a folder."""

    def __init__(
        self,
        path: Path,
        *,
        writing: bool = True,
        unchanging: bool = False,
        beneath: "Store | None" = None,
    ) -> None:
        """Open, or create where `writing`. A reply that is not here is looked for `beneath`.

        `unchanging` reads a file that nobody writes, and which many hosts may read at a time.
        Raises StoreError for a file that is not ours or is damaged, and InUse.
        """
        self._beneath = beneath
        self.in_flight: dict[str, asyncio.Future[Completion]] = {}
        """Calls being sent to any endpoint, by key."""
        self._pending: list[SqlRow] = []
        self._committed: asyncio.Future[None] | None = None
        if not writing and not path.exists():
            raise StoreError(f"{path.parent}: {_no_run(path)}")
        self._lock = _lock(path) if writing else None
        try:
            still = unchanging or not (writing or _shared(path))
            address = f"{path.absolute().as_uri()}?immutable=1" if still else ""
            super().__init__(path, SCHEMA if writing else "", address)
            pragmas = ["query_only = ON", "trusted_schema = OFF"]  # It may be a stranger's.
            if writing:
                # A shard, which has a store beneath, has one reader and writer, and needs no shared
                # memory, which a file system of several hosts may not have.
                alone = ["locking_mode = EXCLUSIVE"] if beneath else []
                pragmas = [*alone, "journal_mode = WAL", "synchronous = NORMAL"]
            for pragma in pragmas:
                self.execute(f"PRAGMA {pragma}")
        except BaseException:
            if self._lock:
                self._lock.close()
            raise

    def settle(self) -> None:
        """Put everything into the one file, for those who read it as unchanging. Raises InUse where
        another process reads."""
        self._flush()
        (busy, _, _) = self.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise InUse(
                f"{self.path}: another process is reading it\n"
                "  Let that end (`pairwright status`, a copy), then run again."
            )

    def close(self) -> None:
        """Commit what waits and release the folder."""
        self._flush()
        super().close()
        if self._lock:
            self._lock.close()

    def get(self, key: str) -> bytes | None:
        """The raw reply under a key, here or beneath; None where there is none."""
        row = self.execute("SELECT CAST(reply AS BLOB) FROM calls WHERE key = ?", key).fetchone()
        if row is None:
            return self._beneath.get(key) if self._beneath else None
        return bytes(row[0])

    def call(self, key: str) -> StoredCall | None:
        """A request with its reply, for people."""
        query = "SELECT key, purpose, request, reply FROM calls WHERE key = ?"
        row = self.execute(query, key).fetchone()
        return None if row is None else StoredCall(*row)

    async def put(self, request: Request, answer: Answer) -> None:
        """Store a reply; returns once it is committed."""
        self._pending.append(_call_row(request, answer))
        if self._committed is None:
            loop = asyncio.get_running_loop()
            self._committed = loop.create_future()
            loop.call_soon(self._flush)
        await asyncio.shield(self._committed)

    def put_all(self, calls: Iterable[tuple[Request, Answer]]) -> None:
        """Store replies in one transaction."""
        self.write((_CALL, [_call_row(*call) for call in calls]))

    def _flush(self) -> None:
        pending, self._pending = self._pending, []
        waiting, self._committed = self._committed, None
        try:
            if pending:
                self.write((_CALL, pending))
        except StoreError as failure:
            if waiting is None:
                raise
            waiting.set_exception(failure)
        else:
            if waiting is not None:
                waiting.set_result(None)

    def totals(self) -> Usage:
        """What all calls add up to."""
        return Usage.of(self.calls_by_model().values())

    def calls_by_model(self) -> dict[str, Usage]:
        """The number of calls to each model, and their tokens."""
        query = (
            "SELECT model, count(*), sum(prompt_tokens), sum(completion_tokens), sum(cached_tokens)"
            " FROM calls GROUP BY model ORDER BY model"
        )
        return {str(model): Usage(*sums) for model, *sums in self.rows(query)}

    def served_names(self) -> dict[str, dict[str, int]]:
        """By model, the other names under which its replies say that they were answered, with the
        number of calls."""
        names: dict[str, dict[str, int]] = {}
        query = "SELECT model, served, count(*) FROM calls WHERE served != '' GROUP BY 1, 2"
        for model, name, n in self.rows(query):
            names.setdefault(str(model), {})[str(name)] = n
        return names


def _call_row(request: Request, answer: Answer) -> SqlRow:
    body, completion = answer
    served = "" if completion.served == request.model else completion.served
    return (
        completion.key, request.purpose, request.model, *completion.tokens, served, body,
        request.canonical,
    )  # fmt: skip


def merge(into: Store, shards: Iterable[Path]) -> None:
    """Copy the calls and outcomes of other stores, which nobody writes any more. A call or outcome
    that is there stays. Raises StoreError; the store is then as it was before that shard."""
    for shard in shards:
        try:
            with closing(sqlite3.connect(into.path, isolation_level=None)) as database:
                # The shard may be removed next, so this has to be on the disk.
                database.execute("PRAGMA synchronous = FULL")
                database.execute("ATTACH ? AS shard", (str(shard),))
                database.execute("BEGIN IMMEDIATE")
                for table in ("calls", "outcomes"):
                    copy = f"INSERT OR IGNORE INTO main.{table} SELECT * FROM shard.{table}"
                    database.execute(copy)
                database.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            raise unusable(shard, error) from None


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


def _lock(path: Path) -> TextIO:
    """Hold the folder of a file for writing, until what is returned is closed.

    Raises InUse where another process holds it, StoreError where the disk cannot lock.
    """
    try:
        file = path.with_name("lock").open("w")
    except OSError as error:
        raise unusable(path.with_name("lock"), error) from None
    busy = InUse(
        f"{path.parent}: another process is writing to this folder\n"
        "  Wait for it, stop it, or name another folder."
    )
    return locked(file, busy)


def _shared(path: Path) -> bool:
    """Whether a reader goes through the journal of a writer, so that a status can be asked for
    during a run: not where nobody can write, and no writer left a journal."""
    journal = path.with_name(f"{path.name}-wal")
    left = journal.exists() and journal.stat().st_size
    return bool(left) or os.access(path.parent, os.W_OK, effective_ids=True)


def _no_run(calls: Path) -> str:
    """What a folder without a store is, and what to do."""
    folder = calls.parent
    name = "Name the folder that `pairwright build` was given as --run."
    if (folder / "checksums.sha256").exists():
        return f"is a release, not a run folder\n  `pairwright verify {folder}` checks it. {name}"
    if not folder.is_dir():
        return f"no such folder\n  {name}"
    return f"is not a run folder: it has no {calls.name}\n  {name}"


_FULL = (errno.ENOSPC, errno.EDQUOT, "SQLITE_FULL")
_CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM, "SQLITE_CANTOPEN", "SQLITE_READONLY")


def unusable(path: Path, error: Exception, key: str = "") -> StoreError:
    """What keeps a file from being used, and what to do about it: a full disk, one that cannot be
    written, or a damaged file."""
    sqlite = str(getattr(error, "sqlite_errorname", ""))
    number = getattr(error, "errno", None)
    if number in _FULL or sqlite in _FULL:
        what = f"the disk is full ({error})"
        fix = "Everything stored before is kept. Make room, then run the same command again."
    elif number in _CLOSED or any(sqlite.startswith(str(name)) for name in _CLOSED):
        what = f"cannot be written ({error})"
        fix = "Make the folder writable, or copy it to a disk that is."
    else:
        what = str(error)
        fix = "The file was left as it is. Restore it from a copy, or build into another folder."
    where = f"{path} [{key}]" if key else str(path)
    return StoreError(f"{where}: {what}\n  {fix}")
