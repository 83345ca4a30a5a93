"""One SQLite file that holds every request beside its raw reply, and the outcomes of a run."""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import InUse, StoreError
from pairwright.models import Answer, Completion, Request, completion_of, key_of
from pairwright.models.store.file import (
    APPLICATION_ID,
    CACHED,
    FORMAT,
    closed_to_us,
    create,
    lock,
    no_run,
    readable_alone,
    unusable,
)
from pairwright.records import Record

SPOOLED = 20
"""Outcomes written in one transaction."""
_INSERT = "INSERT OR IGNORE INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_CACHED = "INSERT OR IGNORE INTO cached VALUES (?, ?, ?)"


class StoredCall(NamedTuple):
    key: str
    purpose: str
    request: str
    reply: bytes


class ModelCalls(Record):
    """What the calls to one model add up to."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Those of `prompt_tokens` that came from the endpoint's cache."""


class Totals(NamedTuple):
    """What the calls of a store add up to."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    simulated: int
    cached_tokens: int = 0


class Store:
    """The file `calls.sqlite` of a run folder."""

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

        Raises StoreError for a file that is not ours, is damaged, or is being written by
        another process; nothing is ever repaired over.
        """
        self.path = path
        self._beneath = beneath
        self.in_flight: dict[str, asyncio.Future[Completion]] = {}
        """Calls being sent, by key, whichever endpoint they go to."""
        self._pending: list[tuple[object, ...]] = []
        self._pending_cached: list[tuple[object, ...]] = []
        self._outcomes: list[tuple[int, str, str, str]] = []
        self._committed: asyncio.Future[None] | None = None
        self._lock = lock(path) if writing else None
        try:
            self._open(writing, unchanging)
        except BaseException:
            if self._lock:
                self._lock.close()
            raise

    def _open(self, writing: bool, unchanging: bool) -> None:
        if not self.path.exists():
            if not writing:
                raise StoreError(f"{self.path.parent}: {no_run(self.path)}")
            create(self.path)
        try:
            self._connect(writing, unchanging)
            if writing:
                if self._beneath:
                    # A shard has one reader and writer: no shared memory, which a file system
                    # of several hosts may not have.
                    self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = NORMAL")
                self._add_cached()
            else:
                self._db.execute("PRAGMA query_only = ON")
        except sqlite3.DatabaseError as error:
            raise unusable(self.path, error) from None

    def _has(self, table: str) -> bool:
        found = "SELECT count(*) FROM sqlite_schema WHERE name = ?"
        return bool(self._execute(found, table).fetchone()[0])

    def _add_cached(self) -> None:
        """Bring a store of an earlier version up to date, from its replies."""
        if not self._has("cached"):
            self._write((CACHED, ()), (_INSERT_CACHED, list(self._cached_by_replies())))

    def _cached_by_replies(self) -> Iterator[tuple[str, str, int]]:
        """Rows of the table `cached`, from the raw replies."""
        rows = self._db.execute(
            "SELECT key, model, reply FROM calls WHERE instr(reply, CAST('cached_tokens' AS BLOB))"
        )
        for key, model, reply in rows:
            with suppress(ValueError):  # A damaged reply is named where it is used.
                if tokens := completion_of(key, reply).cached_tokens:
                    yield key, model, tokens

    def _connect(self, writing: bool, unchanging: bool) -> None:
        """Reading goes through the same WAL, so a status can be asked for during a run. Where no
        process can write, a file that was closed is read as unchanging."""
        try:
            self._db = self._database(unchanging)
            self._check()
        except sqlite3.OperationalError as error:
            closed = closed_to_us(error) and readable_alone(self.path)
            if writing or unchanging or not closed:
                raise
            self._db = self._database(unchanging=True)
            self._check()

    def _database(self, unchanging: bool) -> sqlite3.Connection:
        suffix = "?immutable=1" if unchanging else ""
        address = self.path.absolute().as_uri() + suffix
        # In a notebook the event loop has a thread of its own, for which the caller's waits: one
        # thread at a time uses the store.
        return sqlite3.connect(address, isolation_level=None, uri=True, check_same_thread=False)

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

    def settle(self) -> None:
        """Put everything into the one file, for those who read it as unchanging."""
        self._flush()
        (busy, _, _) = self._execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise InUse(
                f"{self.path}: another process is reading it\n"
                "  Let that end (`pairwright status`, a copy), then run again."
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
        if row is None:
            return self._beneath.get(key) if self._beneath else None
        return bytes(row[0])

    def call(self, key: str) -> StoredCall | None:
        """A request with its reply, for people."""
        row = self._execute(
            "SELECT key, purpose, request, reply FROM calls WHERE key = ?", key
        ).fetchone()
        return None if row is None else StoredCall(*row)

    async def put(self, request: Request, answer: Answer) -> None:
        """Store a reply; returns once it is committed."""
        body, completion = answer
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
        if completion.cached_tokens:
            self._pending_cached.append((completion.key, request.model, completion.cached_tokens))
        if self._committed is None:
            loop = asyncio.get_running_loop()
            self._committed = loop.create_future()
            loop.call_soon(self._flush)
        await asyncio.shield(self._committed)

    def _flush(self) -> None:
        rows, self._pending = self._pending, []
        cached, self._pending_cached = self._pending_cached, []
        waiting, self._committed = self._committed, None
        if not rows:
            return
        try:
            self._write((_INSERT, rows), (_INSERT_CACHED, cached))
        except StoreError as failure:
            if waiting is None:
                raise
            waiting.set_exception(failure)
        else:
            if waiting is not None:
                waiting.set_result(None)

    def _write(self, *statements: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        """All rows of all statements in one transaction, or none."""
        try:
            self._db.execute("BEGIN")
            for statement, rows in statements:
                if "?" in statement:
                    self._db.executemany(statement, rows)
                else:
                    self._db.execute(statement)
            self._db.execute("COMMIT")
        except Exception as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise unusable(self.path, error) from None

    def name(self, new: str | None = None) -> str | None:
        """The store's own id, which tells it from those of other runs: the one that it has, else
        `new`, which it then keeps; None where it has none."""
        if new is not None:
            self._execute("CREATE TABLE IF NOT EXISTS name (id TEXT NOT NULL)")
        elif not self._has("name"):
            return None
        row = self._execute("SELECT id FROM name").fetchone()
        if row is None and new is not None:
            self._execute("INSERT INTO name VALUES (?)", new)
            return new
        return None if row is None else str(row[0])

    def totals(self) -> Totals:
        row = self._execute(
            "SELECT count(*), coalesce(sum(prompt_tokens), 0),"
            " coalesce(sum(completion_tokens), 0), coalesce(sum(simulated), 0) FROM calls"
        ).fetchone()
        calls, sent, got, simulated = row
        return Totals(calls, sent, got, simulated, self._cached_by_model().total())

    def calls_by_model(self) -> dict[str, ModelCalls]:
        """The number of calls to each model, and their tokens."""
        cached = self._cached_by_model()
        rows = self._execute(
            "SELECT model, count(*), sum(prompt_tokens), sum(completion_tokens)"
            " FROM calls GROUP BY model ORDER BY model"
        )
        return {
            str(model): ModelCalls(
                calls=n, prompt_tokens=sent, completion_tokens=got, cached_tokens=cached[model]
            )
            for model, n, sent, got in rows
        }

    def used_by(self, key: str) -> tuple[str, ModelCalls] | None:
        """The model behind a stored call, and its tokens."""
        cached = "SELECT tokens FROM cached WHERE cached.key = calls.key"
        row = self._execute(
            "SELECT model, prompt_tokens, completion_tokens,"
            f" {f'coalesce(({cached}), 0)' if self._has('cached') else '0'}"
            " FROM calls WHERE key = ?",
            key,
        ).fetchone()
        if row is None:
            return None
        model, sent, got, held = row
        return str(model), ModelCalls(
            calls=1, prompt_tokens=sent, completion_tokens=got, cached_tokens=held
        )

    def _cached_by_model(self) -> Counter[str]:
        sums: Counter[str] = Counter()
        try:
            if self._has("cached"):
                sums.update(
                    dict(self._db.execute("SELECT model, sum(tokens) FROM cached GROUP BY model"))
                )
            else:
                for _, model, tokens in self._cached_by_replies():
                    sums[model] += tokens
        except sqlite3.DatabaseError as error:
            raise unusable(self.path, error) from None
        return sums

    def simulated_models(self) -> set[str]:
        """Models of whose replies any carries the embedded model's mark."""
        return {
            model for (model,) in self._execute("SELECT DISTINCT model FROM calls WHERE simulated")
        }

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

    def begin(self, identity: str) -> None:
        """Begin a run. Outcomes that follow from the same `identity` and are settled stay: the
        replies behind them are here for ever, so they would come out the same. Others are
        forgotten; calls never are."""
        self._execute("CREATE TABLE IF NOT EXISTS follows (identity TEXT NOT NULL)")
        if self._execute("SELECT identity FROM follows").fetchall() == [(identity,)]:
            self._execute("DELETE FROM outcomes WHERE kind NOT IN ('kept', 'rejected', 'surveyed')")
            self._execute("UPDATE run SET finished = 0")
            return
        # First, so that a kill in between leaves no outcome under the wrong name.
        self._execute("DELETE FROM follows")
        self.clear_outcomes()
        self._execute("INSERT INTO follows VALUES (?)", identity)

    def clear_outcomes(self) -> None:
        """Forget what came of the last run; its calls stay."""
        self._execute("DELETE FROM outcomes")
        self._execute("DROP TABLE IF EXISTS matched")
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
        self._write(("INSERT INTO outcomes VALUES (?, ?, ?, ?)", rows))

    def outcome(self, position: int, unit: str) -> str | None:
        """The record of one unit, where it has ended."""
        row = self._execute(
            "SELECT record FROM outcomes WHERE position = ? AND unit = ?", position, unit
        ).fetchone()
        return None if row is None else str(row[0])

    def kind(self, position: int, unit: str) -> str | None:
        """What came of one unit, in a word, where it has ended."""
        if self._outcomes:
            self._spool()
        row = self._execute(
            "SELECT kind FROM outcomes WHERE position = ? AND unit = ?", position, unit
        ).fetchone()
        return None if row is None else str(row[0])

    def outcomes(self, kind: str | None = None) -> Iterator[tuple[str, str, str]]:
        """(unit, kind, record) in source order, without surveys."""
        if self._outcomes:
            self._spool()
        where = "" if kind is None else "AND kind = ?"
        given = () if kind is None else (kind,)
        yield from self._execute(
            "SELECT unit, kind, record FROM outcomes"
            f" WHERE position >= 0 {where} ORDER BY position",
            *given,
        )

    def surveys(self) -> Iterator[tuple[str, str, str]]:
        """The same of surveys, whose positions are below zero."""
        if self._outcomes:
            self._spool()
        yield from self._execute(
            "SELECT unit, kind, record FROM outcomes WHERE position < 0 ORDER BY position DESC"
        )

    def matching(self, wave: int) -> tuple[str, str] | None:
        """What the partners of twins were matched by: a digest of the survey, and the couples that
        were kept as they were, as JSON. None where this wave of items was not matched."""
        self._execute(
            "CREATE TABLE IF NOT EXISTS matched (wave INTEGER, survey TEXT, couples TEXT)"
        )
        row = self._execute("SELECT survey, couples FROM matched WHERE wave = ?", wave).fetchone()
        return None if row is None else (str(row[0]), str(row[1]))

    def match(self, wave: int, survey: str, couples: str, begun: Collection[int]) -> None:
        """Partners of a wave of items are matched, by this. Where they were matched otherwise
        before, later matchings are forgotten, and so are the outcomes of twins that were not kept
        and are not at one of the positions `begun`."""
        if self._outcomes:
            self._spool()
        other = self._execute("SELECT 1 FROM matched WHERE wave >= ?", wave).fetchone()
        if other:
            # First, so that a kill in between leaves no outcome under the wrong matching.
            old = self._execute(
                "SELECT position FROM outcomes WHERE unit LIKE 'twin:%' AND kind != 'kept'"
            ).fetchall()
            gone = [place for place in old if place[0] not in begun]
            self._write(("DELETE FROM outcomes WHERE position = ?", gone))
        self._execute("DELETE FROM matched WHERE wave >= ?", wave)
        self._execute("INSERT INTO matched VALUES (?, ?, ?)", wave, survey, couples)

    def forget_unmatched(self) -> None:
        """Forget the outcomes of twins that have no partner: a later wave may find one."""
        self._execute(
            "DELETE FROM outcomes WHERE unit LIKE 'twin:%'"
            " AND json_extract(record, '$.partner') IS NULL"
        )

    def _execute(self, statement: str, *values: object) -> sqlite3.Cursor:
        try:
            return self._db.execute(statement, values)
        except sqlite3.DatabaseError as error:
            raise unusable(self.path, error) from None
