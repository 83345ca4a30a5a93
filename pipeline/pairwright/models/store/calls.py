"""Calls: every request beside its raw reply, what they add up to, and an `LLM` that looks here
first."""

import asyncio
from collections import OrderedDict
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

from pairwright.errors import StoreError
from pairwright.models import Answer, Completion, Request, Sender, completion_of, note
from pairwright.models.completion import Totals
from pairwright.models.store.database import Database, SqlRow, unusable

_INSERT = f"INSERT OR IGNORE INTO calls VALUES ({', '.join('?' * 9)})"


class StoredCall(NamedTuple):
    key: str
    purpose: str
    request: str
    reply: bytes


class CallStore:
    """The calls in a file `run.sqlite`."""

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
        self._pending: list[SqlRow] = []
        self._committed: asyncio.Future[None] | None = None
        # A shard, which has a store beneath, has one reader and writer.
        alone = beneath is not None
        self._db = Database(path, writing=writing, unchanging=unchanging, alone=alone)

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
        served = "" if completion.served == request.model else completion.served
        self._pending.append(
            (
                completion.key, request.purpose, request.model, completion.prompt_tokens,
                completion.completion_tokens, completion.cached_tokens, served, body,
                request.canonical,
            )
        )  # fmt: skip
        if self._committed is None:
            loop = asyncio.get_running_loop()
            self._committed = loop.create_future()
            loop.call_soon(self._flush)
        await asyncio.shield(self._committed)

    def _flush(self) -> None:
        pending, self._pending = self._pending, []
        waiting, self._committed = self._committed, None
        if not pending:
            return
        try:
            self._db.write((_INSERT, pending))
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
        """The number of calls to each model, and their tokens."""
        query = (
            "SELECT model, count(*), sum(prompt_tokens), sum(completion_tokens), sum(cached_tokens)"
            " FROM calls GROUP BY model ORDER BY model"
        )
        return {str(model): Totals(*sums) for model, *sums in self._db.rows(query)}

    def served_names(self) -> dict[str, dict[str, int]]:
        """By model, the other names under which its replies say that they were answered, with the
        number of calls."""
        names: dict[str, dict[str, int]] = {}
        query = "SELECT model, served, count(*) FROM calls WHERE served != '' GROUP BY 1, 2"
        for model, name, n in self._db.rows(query):
            names.setdefault(str(model), {})[str(name)] = n
        return names


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
