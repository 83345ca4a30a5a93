"""An `LLM` that asks the store first, and replies kept in memory alone."""

import asyncio
from collections import OrderedDict
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from pairwright.models import Answer, Completion, Request, Sender, completion_of, note
from pairwright.models.store import unusable

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
