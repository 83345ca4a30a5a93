"""A real HTTP endpoint for tests: aiohttp on a free port of this machine, scripted, with a log.

async with serving(say("hello")) as endpoint: ...      # in the running loop
with in_thread(double()) as endpoint: ...           # beside a command or another process
"""

import asyncio
import atexit
import json
import threading
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass, field
from functools import cache
from queue import Queue
from typing import Any, TypeVar

from aiohttp import web

from model_double import DOUBLE, ModelDouble
from pairwright.models import Request
from pairwright.settings.prompt import Message

Body = dict[str, Any]
"""A JSON object."""
LARGEST = 64 * 1024 * 1024
"""Bytes of the largest request."""
NO_HEADERS: Mapping[str, str] = {}
T = TypeVar("T")


def ask(text: str = "hello", **changes: Any) -> Request:
    """A request of one message."""
    given = {"model": "m", "max_tokens": 50, "purpose": "plan", **changes}
    return Request(messages=(Message("user", text),), **given)


@dataclass(frozen=True)
class Asked:
    """One request, as it came."""

    number: int
    """How many requests came before it."""
    body: Body
    headers: Mapping[str, str]
    wire: web.Request

    @property
    def identity(self) -> str:
        """The same for equal requests, whatever the order of their fields."""
        return json.dumps(self.body, sort_keys=True)

    @property
    def said(self) -> str:
        """What the last message says."""
        return str(self.body["messages"][-1]["content"])


Handler = Callable[[Asked], Awaitable[web.StreamResponse]]
Page = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Endpoint:
    """What a server was asked, and how many requests it held at once."""

    url: str = ""
    handler: Handler | None = None
    asked: list[Asked] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    """Identities of the requests whose handler ended."""
    in_flight: int = 0
    most_in_flight: int = 0

    @property
    def n(self) -> int:
        return len(self.asked)

    @property
    def by_identity(self) -> Counter[str]:
        return Counter(asked.identity for asked in self.asked)

    def forget(self) -> None:
        """Begin a new count."""
        self.asked.clear()
        self.answered.clear()
        self.most_in_flight = 0

    async def chat(self, request: web.Request) -> web.StreamResponse:
        assert self.handler is not None
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            body = json.loads(await request.read())
            asked = Asked(self.n, body, dict(request.headers), request)
            self.asked.append(asked)
            response = await self.handler(asked)
            self.answered.append(asked.identity)
            return response
        finally:
            self.in_flight -= 1


async def list_models(_: web.Request) -> web.Response:
    data = [{"id": name, "object": "model", "max_model_len": 4096} for name in ("m", DOUBLE)]
    return web.json_response({"object": "list", "data": data})


@asynccontextmanager
async def serving(
    handler: Handler, *, models: Page = list_models, path: str = "/v1/chat/completions"
) -> AsyncIterator[Endpoint]:
    """Serve until the block ends. `handler` answers `path`, and `models` answers `/v1/models`."""
    endpoint = Endpoint(handler=handler)
    app = web.Application(client_max_size=LARGEST)
    app.router.add_post(path, endpoint.chat)
    app.router.add_get("/v1/models", models)
    async with running(app) as address:
        endpoint.url = f"{address}/v1"
        yield endpoint


@asynccontextmanager
async def running(app: web.Application) -> AsyncIterator[str]:
    """The address of an application that is served on a free port until the block ends."""
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@contextmanager
def beside(server: AbstractAsyncContextManager[T]) -> Iterator[T]:
    """What a server gives, which runs in a thread of its own, for a test that runs a command."""
    started: Queue[T] = Queue()
    done = threading.Event()

    async def serve() -> None:
        async with server as given:
            started.put(given)
            while not done.is_set():
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    try:
        yield started.get(timeout=10)
    finally:
        done.set()
        thread.join(10)


def in_thread(handler: Handler, **how: Any) -> AbstractContextManager[Endpoint]:
    """The same as `serving`, beside a test that runs a command."""
    return beside(serving(handler, **how))


def completion(text: str = "fine", **changes: Any) -> Body:
    """The body of a chat completion."""
    message = {"role": "assistant", "content": text} | changes.pop("message", {})
    choice = {"index": 0, "message": message, "finish_reason": changes.pop("finish", "stop")}
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    return {"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage} | changes


def replying(make: Callable[[Asked], Body], delay_s: float = 0.0) -> Handler:
    """Answer with what is made of each request, after a while."""

    async def handler(asked: Asked) -> web.StreamResponse:
        await asyncio.sleep(delay_s)
        return web.json_response(make(asked))

    return handler


def say(text: str = "fine", **changes: Any) -> Handler:
    """Answer every request in the same way."""
    return replying(lambda _: completion(text, **changes))


def thinks(tokens: int, text: str = "fine") -> Handler:
    """A model that thinks for so many tokens before it replies."""

    def make(asked: Asked) -> Body:
        cut = asked.body["max_tokens"] <= tokens
        message = {"content": None if cut else text, "reasoning_content": "Hm. " * tokens}
        return completion(message=message, finish="length" if cut else "stop")

    return replying(make)


def echo(delay_s: float = 0.0) -> Handler:
    """Answer with what the last message said, after a while."""
    return replying(lambda asked: completion(asked.said), delay_s)


def fail(
    status: int, message: str = "no", *, headers: Mapping[str, str] = NO_HEADERS, **more: object
) -> Handler:
    """Answer with an error in OpenAI's shape."""
    error = {"message": message, "type": "x", "param": None, "code": None, **more}
    return raw(json.dumps({"error": error}), status=status, headers=headers)


def raw(
    text: str | bytes, *, status: int = 200, headers: Mapping[str, str] = NO_HEADERS
) -> Handler:
    """Answer with these bytes."""
    payload = text.encode() if isinstance(text, str) else text

    async def handler(_: Asked) -> web.StreamResponse:
        given = {"Content-Type": "application/json", **headers}
        return web.Response(body=payload, status=status, headers=given)

    return handler


async def drop(asked: Asked) -> web.StreamResponse:
    """Cut the connection."""
    assert asked.wire.transport is not None
    asked.wire.transport.abort()
    return web.Response()


def partly(headers: Mapping[str, str], every_s: float | None = None) -> Handler:
    """Send a part of a reply and hang up, or one byte at a time without an end."""

    async def handler(asked: Asked) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json", **headers})
        await response.prepare(asked.wire)
        await response.write(b'{"choices": [')
        while every_s:
            await asyncio.sleep(every_s)
            await response.write(b" ")
        assert asked.wire.transport is not None
        asked.wire.transport.close()
        return response

    return handler


truncate, trickle = partly({"Content-Length": "500"}), partly({}, every_s=0.05)


async def hang(_: Asked) -> web.StreamResponse:
    """Say nothing until the client or the server goes."""
    await asyncio.sleep(60)
    return web.Response()


def script(*handlers: Handler) -> Handler:
    """One handler a request, in turn; the last one for all that follow."""

    async def handler(asked: Asked) -> web.StreamResponse:
        return await handlers[min(asked.number, len(handlers) - 1)](asked)

    return handler


def altered(
    alter: Callable[[Asked, Body], object], *, delay_s: float = 0.0, **rates: float
) -> Handler:
    """The replies of the model's double, after a while, with defects at these rates and something
    changed."""
    model = ModelDouble(**rates)

    def make(asked: Asked) -> Body:
        body = model.reply(asked.body)
        alter(asked, body)
        return body

    return replying(make, delay_s)


def double(*, delay_s: float = 0.0, **rates: float) -> Handler:
    """The replies of the model's double, after a while, with defects at these rates."""
    return altered(lambda *_: None, delay_s=delay_s, **rates)


@cache
def double_url() -> str:
    """The address of a double that answers until this process ends."""
    server = in_thread(double())
    atexit.register(server.__exit__, None, None, None)
    return server.__enter__().url
