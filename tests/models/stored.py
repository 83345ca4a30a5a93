"""Replies in a store, and a disk that is full."""

import asyncio
import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from endpoint import completion
from pairwright.models import Request, completion_of
from pairwright.models.store import Store


def body(text: str = "an answer", **changes: Any) -> bytes:
    return json.dumps(completion(text, **changes)).encode()


async def put(store: Store, request: Request, reply: bytes) -> None:
    await store.put(request, completion_of(request.key, reply))


def keep(store: Store, *calls: tuple[Request, bytes]) -> None:
    """Put all of them in one turn of the loop."""

    async def all_of_them() -> None:
        await asyncio.gather(*(put(store, request, reply) for request, reply in calls))

    asyncio.run(all_of_them())


@contextmanager
def disk_full(at: int) -> Iterator[None]:
    """No file of this process may grow over `at` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (at, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
