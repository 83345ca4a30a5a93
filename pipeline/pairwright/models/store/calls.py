"""Calls: every request beside its raw reply, what they add up to, and an `LLM` that looks here
first."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

from pairwright.errors import StoreError
from pairwright.models import Answer, Completion, Request, Sender, completion_of, note
from pairwright.models.completion import Totals
from pairwright.models.store.database import CACHED, SERVED, Database, SqlRow, unusable

_INSERT = "INSERT OR IGNORE INTO calls VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_CACHED = "INSERT OR IGNORE INTO cached VALUES (?, ?, ?)"
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
        self._pending: dict[str, list[SqlRow]] = {}
        self._committed: asyncio.Future[None] | None = None
        # A shard, which has a store beneath, has one reader and writer.
        alone = beneath is not None
        self._db = Database(path, writing=writing, unchanging=unchanging, alone=alone)
        self._summed_at: tuple[int, int] | None = None
        self._by_model: dict[str, Totals] = {}
        try:
            if writing and not self._db.has("cached"):
                self._db.write((CACHED, ()), (_INSERT_CACHED, list(_cached_by_replies(self._db))))
            if writing and not self._db.has("served"):
                for statement in SERVED:
                    self._db.execute(statement)
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
        key, model = completion.key, request.model
        tokens = completion.prompt_tokens, completion.completion_tokens
        row = (key, request.purpose, model, *tokens, body)
        self._pending.setdefault(_INSERT, []).append((*row, request.canonical))
        if cached := completion.cached_tokens:
            self._pending.setdefault(_INSERT_CACHED, []).append((key, model, cached))
        if completion.served not in ("", model):
            self._pending.setdefault(_INSERT_SERVED, []).append((key, model, completion.served))
        if self._committed is None:
            loop = asyncio.get_running_loop()
            self._committed = loop.create_future()
            loop.call_soon(self._flush)
        await asyncio.shield(self._committed)

    def _flush(self) -> None:
        pending, self._pending = self._pending, {}
        waiting, self._committed = self._committed, None
        if not pending:
            return
        try:
            self._db.write(*pending.items())
        except StoreError as failure:
            if waiting is None:
                raise
            waiting.set_exception(failure)
        else:
            if waiting is not None:
                waiting.set_result(None)

    def totals(self) -> Totals:
        """What all calls add up to."""
        return Totals.of(self.calls_by_model().values())

    def calls_by_model(self) -> dict[str, Totals]:
        """The number of calls to each model, and their tokens. Calls are added up again only where
        this process or another one has written since."""
        (version,) = self._db.execute("PRAGMA data_version").fetchone()
        state = (version, self._db.connection.total_changes)
        if state == self._summed_at:
            return self._by_model
        cached: Counter[str] = Counter()
        if self._db.has("cached"):
            cached.update(
                dict(self._db.rows("SELECT model, sum(tokens) FROM cached GROUP BY model"))
            )
        else:
            for _, model, tokens in _cached_by_replies(self._db):
                cached[model] += tokens
        rows = self._db.execute(
            "SELECT model, count(*), sum(prompt_tokens), sum(completion_tokens)"
            " FROM calls GROUP BY model ORDER BY model"
        )
        self._by_model = {
            str(model): Totals(n, sent, received, cached[model])
            for model, n, sent, received in rows
        }
        self._summed_at = state
        return self._by_model

    def served_names(self) -> dict[str, dict[str, int]]:
        """By model, the other names under which its replies say that they were answered, with the
        number of calls. Stores of earlier versions know none."""
        names: dict[str, dict[str, int]] = {}
        if self._db.has("served"):
            query = "SELECT model, name, count(*) FROM served GROUP BY model, name"
            for model, name, n in self._db.rows(query):
                names.setdefault(str(model), {})[str(name)] = n
        return names


def _cached_by_replies(database: Database) -> Iterator[tuple[str, str, int]]:
    """Rows of the table `cached`, from the raw replies."""
    rows = database.rows(
        "SELECT key, model, reply FROM calls WHERE instr(reply, CAST('cached_tokens' AS BLOB))"
    )
    for key, model, reply in rows:
        with suppress(ValueError):  # A damaged reply is named where it is used.
            if tokens := completion_of(key, reply).cached_tokens:
                yield key, model, tokens


RECENT = 2048
"""Completions kept at hand: the units of one item ask for the same ones."""


class ReplyStore(Protocol):
    """What keeps replies by key: a `Store`, or memory (`RecentReplies`)."""

    path: Path
    in_flight: dict[str, asyncio.Future[Completion]]

    def get(self, key: str) -> bytes | None: ...

    async def put(self, request: Request, answer: Answer) -> None: ...


class Durable:
    """An LLM that asks the store first and the sender only for what is not there.

    Equal requests in flight at the same time are sent once.
    """

    def __init__(self, store: ReplyStore, sender: Sender) -> None:
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
            raise unusable(self._store.path, error, key) from None

    async def complete(self, request: Request) -> Completion:
        completion = await self._completed(request)
        note(request.model, completion)
        return completion

    async def _completed(self, request: Request) -> Completion:
        key = request.key
        with suppress(KeyError):
            return self._stored(key)
        if key in self._store.in_flight:
            return await asyncio.shield(self._store.in_flight[key])
        mine = self._store.in_flight[key] = asyncio.get_running_loop().create_future()
        try:
            # What follows must run in a task of its own: see `together`.
            await asyncio.sleep(0)
            answer = await self._sender.send(request)
            await self._store.put(request, answer)
        except BaseException as error:
            mine.set_exception(error)
            mine.exception()  # Nobody else may be waiting for it.
            raise
        else:
            mine.set_result(answer.completion)
            return answer.completion
        finally:
            del self._store.in_flight[key]


class RecentReplies:
    """The latest replies. A request that comes again while its reply is kept, such as a client's
    retry after a dropped connection, gets the same one and is computed once."""

    path = Path("memory")

    def __init__(self, kept: int) -> None:
        """`kept`: how many replies; a score is about 300 bytes."""
        self.in_flight: dict[str, asyncio.Future[Completion]] = {}
        self._kept = kept
        self._replies: OrderedDict[str, bytes] = OrderedDict()

    def get(self, key: str) -> bytes | None:
        return self._replies.get(key)

    async def put(self, request: Request, answer: Answer) -> None:
        self._replies[request.key] = answer.body
        if len(self._replies) > self._kept:
            self._replies.popitem(last=False)
