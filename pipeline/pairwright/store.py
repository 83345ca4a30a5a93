"""The store of calls: one SQLite file that holds every request beside its raw reply.

Replies are committed in groups, one transaction per turn of the event loop, and handed on only
after their commit. Journal mode WAL with `synchronous = NORMAL`: kill -9 loses no finished
call; a power cut may lose the last ones. Only answers are stored, never failures.
"""

import asyncio
import fcntl
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TextIO

from pairwright.errors import StoreError
from pairwright.llm import Completion, Request, Sender, completion_of, key_of

APPLICATION_ID = 0x50575257  # "PWRW"
FORMAT = 1
SPOOLED = 20
"""Outcomes written in one transaction."""
RECENT = 2048
"""Completions kept at hand: the units of one item ask for the same ones."""
_SCHEMA = """
CREATE TABLE calls (
    key TEXT PRIMARY KEY,      -- b2: and the hash of `request`
    purpose TEXT NOT NULL,     -- the prompt's name
    model TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    simulated INTEGER NOT NULL,-- 1 where the reply carries the embedded model's mark
    reply BLOB NOT NULL,       -- the body as it came; before the request, which is long: a
                               -- reply is then read without walking the request's pages
    request TEXT NOT NULL      -- canonical JSON, exactly as hashed
);
CREATE INDEX totals ON calls (model, simulated, prompt_tokens, completion_tokens);
CREATE TABLE outcomes (        -- derived, filled anew by every run
    position INTEGER PRIMARY KEY,
    unit TEXT NOT NULL,
    kind TEXT NOT NULL,        -- kept, rejected or failed
    record TEXT NOT NULL
);
CREATE TABLE run (finished INTEGER NOT NULL);
INSERT INTO run VALUES (0);
"""
_INSERT = "INSERT OR IGNORE INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


class StoredCall(NamedTuple):
    key: str
    purpose: str
    request: str
    reply: bytes


class Totals(NamedTuple):
    """What the calls of a store add up to."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    simulated: int


class Store:
    """The file `calls.sqlite` of a run folder."""

    def __init__(self, path: Path, *, writing: bool = True) -> None:
        """Open, or create where `writing`. Raises StoreError for a file that is not ours,
        is damaged, or is being written by another process; nothing is ever repaired over."""
        self.path = path
        self.in_flight: dict[str, asyncio.Future[Completion]] = {}
        """Calls being sent, by key, whichever endpoint they go to."""
        self._pending: list[tuple[object, ...]] = []
        self._outcomes: list[tuple[int, str, str, str]] = []
        self._committed: asyncio.Future[None] | None = None
        self._lock = _lock(path) if writing else None
        try:
            self._open(writing)
        except BaseException:
            if self._lock:
                self._lock.close()
            raise

    def _open(self, writing: bool) -> None:
        if not self.path.exists():
            if not writing:
                raise StoreError(
                    f"{self.path}: no such file\n"
                    "  Is this a run folder? `pairwright build` makes one."
                )
            _create(self.path)
        try:
            # Reading goes through the same WAL, so a status can be asked for during a run.
            self._db = sqlite3.connect(self.path, isolation_level=None)
            self._check()
            if writing:
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = NORMAL")
            else:
                self._db.execute("PRAGMA query_only = ON")
        except sqlite3.DatabaseError as error:
            raise _damaged(self.path, error) from None

    def _check(self) -> None:
        (owner,) = self._db.execute("PRAGMA application_id").fetchone()
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
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

    def close(self) -> None:
        """Commit what waits and release the run folder."""
        self._flush()
        if self._outcomes:
            self._spool()
        self._db.close()
        if self._lock:
            self._lock.close()

    def get(self, key: str) -> bytes | None:
        """The raw reply under a key."""
        row = self._execute("SELECT reply FROM calls WHERE key = ?", key).fetchone()
        return None if row is None else bytes(row[0])

    def call(self, key: str) -> StoredCall | None:
        """A request with its reply, for people."""
        row = self._execute(
            "SELECT key, purpose, request, reply FROM calls WHERE key = ?", key
        ).fetchone()
        return None if row is None else StoredCall(*row)

    async def put(self, request: Request, completion: Completion, body: bytes) -> None:
        """Store a reply; returns once it is committed."""
        self._pending.append(
            (
                completion.key,
                request.purpose,
                request.model,
                completion.prompt_tokens,
                completion.completion_tokens,
                int(completion.simulated),
                body,
                request.canonical,
            )
        )
        if self._committed is None:
            loop = asyncio.get_running_loop()
            self._committed = loop.create_future()
            loop.call_soon(self._flush)
        await asyncio.shield(self._committed)

    def _flush(self) -> None:
        rows, self._pending = self._pending, []
        waiting, self._committed = self._committed, None
        if not rows:
            return
        try:
            self._write(_INSERT, rows)
        except StoreError as failure:
            if waiting is None:
                raise
            waiting.set_exception(failure)
        else:
            if waiting is not None:
                waiting.set_result(None)

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        """All rows in one transaction, or none."""
        try:
            self._db.execute("BEGIN")
            self._db.executemany(statement, rows)
            self._db.execute("COMMIT")
        except Exception as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise _damaged(self.path, error) from None

    def totals(self) -> Totals:
        row = self._execute(
            "SELECT count(*), coalesce(sum(prompt_tokens), 0),"
            " coalesce(sum(completion_tokens), 0), coalesce(sum(simulated), 0) FROM calls"
        ).fetchone()
        return Totals(*row)

    def tokens_by_model(self) -> dict[str, tuple[int, int, int]]:
        """Calls, prompt tokens and completion tokens of each model."""
        rows = self._execute(
            "SELECT model, count(*), sum(prompt_tokens), sum(completion_tokens)"
            " FROM calls GROUP BY model ORDER BY model"
        )
        return {str(model): (n, sent, got) for model, n, sent, got in rows}

    def verify(self) -> Iterator[str]:
        """Re-derive every key from its request; yields a sentence for each difference."""
        try:
            for (complaint,) in self._db.execute("PRAGMA quick_check"):
                if complaint != "ok":
                    yield f"{self.path}: {complaint}"
            # As bytes: a damaged text may be no text any more.
            rows = self._db.execute("SELECT key, CAST(request AS BLOB), reply FROM calls")
            for key, request, reply in rows:
                if key_of(request.decode("utf-8", "replace")) != key:
                    yield f"{self.path} [{key}]: the request does not hash to its key"
                try:
                    completion_of(key, reply)
                except ValueError as error:
                    yield f"{self.path} [{key}]: {error}"
        except sqlite3.DatabaseError as error:
            yield f"{self.path}: {error}"

    def clear_outcomes(self) -> None:
        """Begin a run: what came of the last one is forgotten, its calls are not."""
        self._execute("DELETE FROM outcomes")
        self._execute("UPDATE run SET finished = 0")

    def finish(self) -> None:
        """Say that the outcome files of this run are written."""
        self._execute("UPDATE run SET finished = 1")

    @property
    def finished(self) -> bool:
        """Whether the last run came to its end."""
        return bool(self._execute("SELECT finished FROM run").fetchone()[0])

    def add_outcome(self, position: int, unit: str, kind: str, record: str) -> None:
        """Spool one outcome until the run is whole; files are written from here in order."""
        self._outcomes.append((position, unit, kind, record))
        if len(self._outcomes) >= SPOOLED:
            self._spool()

    def _spool(self) -> None:
        rows, self._outcomes = self._outcomes, []
        self._write("INSERT INTO outcomes VALUES (?, ?, ?, ?)", rows)

    def outcomes(self, kind: str | None = None) -> Iterator[tuple[str, str, str]]:
        """(unit, kind, record) in source order."""
        if self._outcomes:
            self._spool()
        where = "" if kind is None else "WHERE kind = ?"
        given = () if kind is None else (kind,)
        yield from self._execute(
            f"SELECT unit, kind, record FROM outcomes {where} ORDER BY position", *given
        )

    def _execute(self, statement: str, *values: object) -> sqlite3.Cursor:
        try:
            return self._db.execute(statement, values)
        except sqlite3.DatabaseError as error:
            raise _damaged(self.path, error) from None


class Durable:
    """An LLM that asks the store first and the sender only for what is not there.

    Equal requests in flight at the same time are sent once.
    """

    def __init__(self, store: Store, sender: Sender) -> None:
        self._store = store
        self._sender = sender
        self._stored = lru_cache(maxsize=RECENT)(self._read)

    def _read(self, key: str) -> Completion:
        stored = self._store.get(key)
        if stored is None:
            raise KeyError(key)  # Not kept by the cache, so that it is looked for again.
        try:
            return completion_of(key, stored)
        except ValueError as error:
            raise _damaged(self._store.path, error, key) from None

    async def complete(self, request: Request) -> Completion:
        key = request.key
        with suppress(KeyError):
            return self._stored(key)
        if key in self._store.in_flight:
            return await asyncio.shield(self._store.in_flight[key])
        mine = self._store.in_flight[key] = asyncio.get_running_loop().create_future()
        try:
            # What follows must run in a task of its own: see `together`.
            await asyncio.sleep(0)
            body = await self._sender.send(request)
            completion = completion_of(key, body)
            await self._store.put(request, completion, body)
        except BaseException as error:
            mine.set_exception(error)
            mine.exception()  # Nobody else may be waiting for it.
            raise
        else:
            mine.set_result(completion)
            return completion
        finally:
            del self._store.in_flight[key]


def _create(path: Path) -> None:
    """Make the file beside its place and put it there whole: a kill leaves none or all of it."""
    partial = path.with_name(path.name + ".partial")
    try:
        partial.unlink(missing_ok=True)
        with closing(sqlite3.connect(partial)) as database:
            database.executescript(_SCHEMA)
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            database.execute(f"PRAGMA user_version = {FORMAT}")
            database.commit()
        partial.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise _damaged(path, error) from None


def _lock(path: Path) -> TextIO:
    try:
        file = (path.parent / "lock").open("w")
    except OSError as error:
        raise _damaged(path.parent, error) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise StoreError(
            f"{path.parent}: another process is building in this run folder\n"
            "  Wait for it, stop it, or give another --run folder."
        ) from None
    return file


def _damaged(path: Path, error: Exception, key: str = "") -> StoreError:
    where = f"{path} [{key}]" if key else str(path)
    return StoreError(
        f"{where}: {error}\n"
        "  The file was left as it is. Restore it from a copy, or build into another run folder."
    )
