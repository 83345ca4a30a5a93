"""Calls: every request beside its raw reply, and what they add up to."""

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import StoreError
from pairwright.models import Answer, Completion, Request, completion_of, key_of
from pairwright.models.store.database import Database, Row
from pairwright.models.store.sums import (
    INSERT_CACHED,
    CallSums,
    ModelCalls,
    Totals,
    bring_up_to_date,
)

_INSERT = "INSERT OR IGNORE INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_SERVED = "INSERT OR IGNORE INTO served VALUES (?, ?, ?)"


class StoredCall(NamedTuple):
    key: str
    purpose: str
    request: str
    reply: bytes


class CallStore:
    """The calls in a file `calls.sqlite`."""

    def __init__(
        self,
        path: Path,
        *,
        writing: bool = True,
        unchanging: bool = False,
        beneath: "CallStore | None" = None,
    ) -> None:
        """Open, or create where `writing`. A reply that is not here is looked for `beneath`.

        `unchanging` reads a file that nobody writes, and which many hosts may read at a time.

        Raises StoreError for a file that is not ours, is damaged, or is being written by
        another process; nothing is ever repaired over.
        """
        self.path = path
        self._beneath = beneath
        self.in_flight: dict[str, asyncio.Future[Completion]] = {}
        """Calls being sent to any endpoint, by key."""
        self._pending: list[Row] = []
        self._pending_cached: list[Row] = []
        self._pending_served: list[Row] = []
        self._committed: asyncio.Future[None] | None = None
        # A shard, which has a store beneath, has one reader and writer.
        alone = beneath is not None
        self._db = Database(path, writing=writing, unchanging=unchanging, alone=alone)
        self._sums = CallSums(self._db)
        try:
            if writing:
                bring_up_to_date(self._db)
        except BaseException:
            self._db.close()
            raise

    def settle(self) -> None:
        """Put everything into the one file, for those who read it as unchanging."""
        self._flush()
        self._db.checkpoint()

    def close(self) -> None:
        """Commit what waits and release the folder."""
        self._flush()
        self._db.close()

    def get(self, key: str) -> bytes | None:
        """The raw reply under a key, here or beneath; None where there is none."""
        row = self._db.execute(
            "SELECT CAST(reply AS BLOB) FROM calls WHERE key = ?", key
        ).fetchone()
        if row is None:
            return self._beneath.get(key) if self._beneath else None
        return bytes(row[0])

    def call(self, key: str) -> StoredCall | None:
        """A request with its reply, for people."""
        row = self._db.execute(
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
        if completion.served not in ("", request.model):
            self._pending_served.append((completion.key, request.model, completion.served))
        if self._committed is None:
            loop = asyncio.get_running_loop()
            self._committed = loop.create_future()
            loop.call_soon(self._flush)
        await asyncio.shield(self._committed)

    def _flush(self) -> None:
        rows, self._pending = self._pending, []
        cached, self._pending_cached = self._pending_cached, []
        served, self._pending_served = self._pending_served, []
        waiting, self._committed = self._committed, None
        if not rows:
            return
        try:
            self._db.write((_INSERT, rows), (INSERT_CACHED, cached), (_INSERT_SERVED, served))
        except StoreError as failure:
            if waiting is None:
                raise
            waiting.set_exception(failure)
        else:
            if waiting is not None:
                waiting.set_result(None)

    def name(self, new: str | None = None) -> str | None:
        """The store's own id, which tells it from those of other runs: the one that it has, else
        `new`, which it then keeps; None where it has none."""
        if new is not None:
            self._db.execute("CREATE TABLE IF NOT EXISTS name (id TEXT NOT NULL)")
        elif not self._db.has("name"):
            return None
        row = self._db.execute("SELECT id FROM name").fetchone()
        if row is None and new is not None:
            self._db.execute("INSERT INTO name VALUES (?)", new)
            return new
        return None if row is None else str(row[0])

    def totals(self) -> Totals:
        """What all calls add up to."""
        return self._sums.totals()

    def calls_by_model(self) -> dict[str, ModelCalls]:
        """The number of calls to each model, and their tokens."""
        return self._sums.by_model()

    def served_names(self) -> dict[str, dict[str, int]]:
        """By model, the other names under which its replies say that they were answered, with the
        number of calls."""
        return self._sums.served_names()

    def used_by(self, key: str) -> tuple[str, ModelCalls] | None:
        """The model behind a stored call, and its tokens."""
        cached = "SELECT tokens FROM cached WHERE cached.key = calls.key"
        row = self._db.execute(
            "SELECT model, prompt_tokens, completion_tokens,"
            f" {f'coalesce(({cached}), 0)' if self._db.has('cached') else '0'}"
            " FROM calls WHERE key = ?",
            key,
        ).fetchone()
        if row is None:
            return None
        model, sent, received, held = row
        return str(model), ModelCalls(
            calls=1, prompt_tokens=sent, completion_tokens=received, cached_tokens=held
        )

    def simulated_models(self) -> set[str]:
        """Models of whose replies any carries the mark of a simulated model."""
        return {
            model
            for (model,) in self._db.execute("SELECT DISTINCT model FROM calls WHERE simulated")
        }

    def verify(self) -> Iterator[str]:
        """Re-derive every key from its request; yields a sentence for each difference."""
        try:
            for (complaint,) in self._db.connection.execute("PRAGMA quick_check"):
                if complaint != "ok":
                    yield f"{self.path}: {complaint}"
            # As bytes: a damaged text may not be UTF-8 any more.
            rows = self._db.connection.execute(
                "SELECT key, CAST(request AS BLOB), reply FROM calls"
            )
            for key, request, reply in rows:
                if key_of(request.decode("utf-8", "replace")) != key:
                    yield f"{self.path} [{key}]: the request does not hash to its key"
                try:
                    completion_of(key, reply)
                except ValueError as error:
                    yield f"{self.path} [{key}]: {error}"
        except sqlite3.DatabaseError as error:
            yield f"{self.path}: {error}"
