"""Calls of a client to a scripted server: what comes of them, and what the server saw."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

import pytest

from endpoint import Asked, Handler, Page, ask, serving
from pairwright.errors import CallFailed, EndpointRefused, Interrupted
from pairwright.models import Completion
from pairwright.models.client import Meter, Server
from pairwright.settings.endpoints import Endpoint

T = TypeVar("T")
KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"


def described(url: str, **changes: Any) -> Endpoint:
    settings: Any = {"base_url": url, "model": "m", "attempts": 3, "timeout_s": 5} | changes
    return Endpoint(**settings)


def exchange(
    handler: Handler,
    use: Callable[[Server], Coroutine[Any, Any, T]],
    *,
    key: str | None = KEY,
    meter: Meter | None = None,
    through: Callable[[str], str] = str,
    said: list[str] | None = None,
    pages: Mapping[str, Page] | None = None,
    **changes: Any,
) -> tuple[T, list[Asked], int]:
    """What `use` made of the client; the requests the server saw, and how many at once. `through`
    turns the server's address into the client's; `said` gets what people learn."""

    async def scenario() -> tuple[T, list[Asked], int]:
        told = [] if said is None else said
        async with serving(handler, pages=pages) as server:
            endpoint = described(through(server.url), **changes)
            async with Server(
                "near", endpoint, meter or Meter(), api_key=key, say=told.append
            ) as sender:
                return await use(sender), server.asked, server.most_in_flight

    return asyncio.run(scenario())


async def once(sender: Server) -> Completion:
    return await sender.complete(ask())


def failure(handler: Handler, **given: Any) -> tuple[Exception, list[Asked]]:
    """The exception that one call ends in, and the requests it took."""

    async def caught(sender: Server) -> Exception:
        with pytest.raises((CallFailed, EndpointRefused, Interrupted)) as found:
            await sender.fetch(ask())
        return found.value

    error, asked, _ = exchange(handler, caught, **given)
    return error, asked


def many(n: int) -> Callable[[Server], Coroutine[Any, Any, list[Completion | BaseException]]]:
    async def use(sender: Server) -> list[Completion | BaseException]:
        calls = (sender.fetch(ask(f"{i}")) for i in range(n))
        return await asyncio.gather(*calls, return_exceptions=True)

    return use
