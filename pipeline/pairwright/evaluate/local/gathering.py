"""Calls that come one by one and are answered together."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")
GATHER_S = 0.005
"""How long the first call waits for those that come with it."""


class QueuedCall(NamedTuple, Generic[T]):
    """A call, and the place of its answer."""

    call: T
    reply: asyncio.Future[bytes]

    def answer(self, body: bytes) -> None:
        """Give the answer to the caller, if it still waits."""
        # The asker may have been cancelled.
        if not self.reply.done():
            self.reply.set_result(body)


class Gathering(Generic[T]):
    """A queue: while some calls are answered, others gather, and are answered next."""

    def __init__(self, answer: Callable[[list[QueuedCall[T]]], Awaitable[None]]) -> None:
        """`answer` answers all that it is given; what it raises, each of them raises."""
        self._answer = answer
        self._waiting: list[QueuedCall[T]] = []
        self._working: asyncio.Task[None] | None = None

    def ask(self, call: T) -> asyncio.Future[bytes]:
        """Queue a call; the future has its answer."""
        waiting = QueuedCall(call, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())
        return waiting.reply

    async def finished(self) -> None:
        """Wait for what is under way."""
        if self._working:
            await self._working

    async def _work(self) -> None:
        """Answer what is waiting, until nothing is."""
        await asyncio.sleep(GATHER_S)
        while self._waiting:
            gathered, self._waiting = self._waiting, []
            try:
                await self._answer(gathered)
            except Exception as error:
                # Each asker hears of it; nobody awaits this task but the end.
                for waiting in gathered:
                    if not waiting.reply.done():
                        waiting.reply.set_exception(error)
