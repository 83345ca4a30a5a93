"""Calls: every request beside its raw reply, and what they add up to."""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import StoreError
from pairwright.models import Answer, Completion, Request, completion_of, key_of
from pairwright.models.store.database import Database, Row
from pairwright.models.store.file import CACHED
from pairwright.records import Record

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
        self._summed: tuple[tuple[int, int], dict[str, tuple[ModelCalls, int]]] | None = None
        self._pending: list[Row] = []
        self._pending_cached: list[Row] = []
        self._committed: asyncio.Future[None] | None = None
        # A shard, which has a store beneath, has one reader and writer.
        alone = beneath is not None
        self._db = Database(path, writing=writing, unchanging=unchanging, alone=alone)
        try:
            if writing:
                self._add_cached()
        except BaseException:
            self._db.close()
            raise

    def _add_cached(self) -> None:
        """Bring a store of an earlier version up to date, from its replies."""
        if not self._db.has("cached"):
            self._db.write((CACHED, ()), (_INSERT_CACHED, list(self._cached_by_replies())))

    def _cached_by_replies(self) -> Iterator[tuple[str, str, int]]:
        """Rows of the table `cached`, from the raw replies."""
        rows = self._db.rows(
            "SELECT key, model, reply FROM calls WHERE instr(reply, CAST('cached_tokens' AS BLOB))"
        )
        for key, model, reply in rows:
            with suppress(ValueError):  # A damaged reply is named where it is used.
                if tokens := completion_of(key, reply).cached_tokens:
                    yield key, model, tokens

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
            self._db.write((_INSERT, rows), (_INSERT_CACHED, cached))
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
        sums = self._sums().values()
        return Totals(
            calls=sum(calls.calls for calls, _ in sums),
            prompt_tokens=sum(calls.prompt_tokens for calls, _ in sums),
            completion_tokens=sum(calls.completion_tokens for calls, _ in sums),
            simulated=sum(simulated for _, simulated in sums),
            cached_tokens=sum(calls.cached_tokens for calls, _ in sums),
        )

    def calls_by_model(self) -> dict[str, ModelCalls]:
        """The number of calls to each model, and their tokens."""
        return {model: calls for model, (calls, _) in self._sums().items()}

    def _sums(self) -> dict[str, tuple[ModelCalls, int]]:
        """By model, what its calls add up to, and how many of them are simulated. Calls are added
        up again only where this process or another one has written since."""
        (version,) = self._db.execute("PRAGMA data_version").fetchone()
        state = (version, self._db.connection.total_changes)
        if self._summed is None or self._summed[0] != state:
            cached = self._cached_by_model()
            rows = self._db.execute(
                "SELECT model, count(*), sum(prompt_tokens), sum(completion_tokens), sum(simulated)"
                " FROM calls GROUP BY model ORDER BY model"
            )
            sums = {
                str(model): (
                    ModelCalls(
                        calls=n,
                        prompt_tokens=sent,
                        completion_tokens=received,
                        cached_tokens=cached[model],
                    ),
                    int(simulated),
                )
                for model, n, sent, received, simulated in rows
            }
            self._summed = state, sums
        return self._summed[1]

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

    def _cached_by_model(self) -> Counter[str]:
        if self._db.has("cached"):
            return Counter(
                dict(self._db.rows("SELECT model, sum(tokens) FROM cached GROUP BY model"))
            )
        sums: Counter[str] = Counter()
        for _, model, tokens in self._cached_by_replies():
            sums[model] += tokens
        return sums

    def simulated_models(self) -> set[str]:
        """Models of whose replies any carries the embedded model's mark."""
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
