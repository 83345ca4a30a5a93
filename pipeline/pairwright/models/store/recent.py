"""Replies in memory, for a server that answers as long as it runs and leaves no file."""

import asyncio
from collections import OrderedDict
from pathlib import Path

from pairwright.models import Answer, Completion, Request


class Recent:
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
