"""The embedded model behind the OpenAI wire format, on a port of this machine.

    async with serve() as base_url: ...      # http://127.0.0.1:PORT/v1

Nothing is logged, and nothing is kept but counts of requests and the memory for one defect.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from pairwright.models import SIMULATED
from pairwright.models.simulated.defects import Defects
from pairwright.models.simulated.model import prompt_tokens, reply
from pairwright.models.simulated.planting import Memory
from pairwright.models.simulated.reading import UnknownTask, digest_of
from pairwright.own_hosts import only_own_names

MAX_MODEL_LEN = 32768
HOST = "127.0.0.1"
MAX_BODY = 8 * 1024 * 1024
"""Bytes of one request: many times what the longest prompt takes."""
TIMEOUT_S = 30.0
LATE_S = 0.5


@asynccontextmanager
async def serve(
    port: int = 0,
    defects: Defects = Defects(),  # noqa: B008 - frozen
    latency_s: float = 0.0,
    max_model_len: int = MAX_MODEL_LEN,
) -> AsyncIterator[str]:
    """Serve until the block ends; yields the base URL. Port 0 takes a free one."""
    endpoint = _Endpoint(defects, latency_s, max_model_len)
    app = web.Application(client_max_size=MAX_BODY, middlewares=only_own_names(HOST))
    app.router.add_post("/v1/chat/completions", endpoint.chat)
    app.router.add_get("/v1/models", endpoint.models)
    # A handler that waits ends with its client, or with the server.
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, HOST, port)
        await site.start()
        yield f"http://{HOST}:{runner.addresses[0][1]}/v1"
    finally:
        endpoint.closing.set()
        await runner.cleanup()


@dataclass
class _Endpoint:
    defects: Defects
    latency_s: float
    max_model_len: int
    memory: Memory = field(default_factory=Memory)
    asked: Counter[str] = field(default_factory=Counter)
    """How often each request came, so that a retry can succeed."""
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    async def models(self, _: web.Request) -> web.Response:
        model = {"id": SIMULATED, "object": "model", "created": 0, "owned_by": "pairwright"}
        data = [{**model, "max_model_len": self.max_model_len}]
        return web.json_response({"object": "list", "data": data})

    async def chat(self, request: web.Request) -> web.StreamResponse:
        try:
            body = json.loads(await request.read())
        except (ValueError, RecursionError) as error:
            return _refused(400, f"The request body is not JSON: {error}")
        if refusal := self._refuses(body):
            return refusal
        fault = self._fault(digest_of(body)) if self.defects.in_transport else None
        if self.latency_s:
            await asyncio.sleep(self.latency_s)
        if fault and (failed := await self._fails(request, fault)):
            return failed
        try:
            answer = reply(body, self.defects, self.memory)
        except UnknownTask as error:
            return _refused(400, str(error), "messages")
        if fault == "truncated_body":
            return await _cut_short(request, json.dumps(answer).encode())
        return web.json_response(answer)

    def _fault(self, digest: str) -> str | None:
        fault = self.defects.fault(digest, self.asked[digest])
        self.asked[digest] += 1
        return fault

    def _refuses(self, body: Any) -> web.Response | None:
        """What a real engine refuses before it computes anything, in its words."""
        if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
            return _refused(400, "The request has no list of messages.", "messages")
        name = body.get("model")
        if name != SIMULATED:
            return _refused(404, f"The model `{name}` does not exist.", "model", "NotFoundError")
        tokens = prompt_tokens(body)
        if tokens <= self.max_model_len:
            return None
        return _refused(
            400,
            f"This model's maximum context length is {self.max_model_len} tokens. However, your "
            f"prompt contains at least {tokens} input tokens, which exceeds this limit even "
            "without any output tokens. Please reduce the length of the input prompt. "
            f"(parameter=input_tokens, value={tokens})",
            "input_tokens",
        )

    async def _fails(self, request: web.Request, fault: str) -> web.Response | None:
        """The response to a request that gets none of its own, or None to go on."""
        if fault == "http_429":
            busy = _refused(429, "Too many requests.", None, "RateLimitError")
            busy.headers["Retry-After"] = "0.05"
            return busy
        if fault in ("http_500", "permanent_500"):
            return _refused(500, "Internal server error.", None, "InternalServerError")
        if fault == "slow_reply":
            await asyncio.sleep(LATE_S)
        if fault == "timeout":
            with suppress(TimeoutError):
                await asyncio.wait_for(self.closing.wait(), TIMEOUT_S)
        if fault in ("timeout", "dropped_connection"):
            _abort(request)
            return web.Response()
        return None


async def _cut_short(request: web.Request, payload: bytes) -> web.StreamResponse:
    """Promise the whole payload, send half of it and hang up."""
    headers = {"Content-Type": "application/json", "Content-Length": str(len(payload))}
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    await response.write(payload[: len(payload) // 2])
    if request.transport is not None:
        request.transport.close()
    return response


def _abort(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()


def _refused(
    status: int, message: str, param: str | None = None, kind: str = "BadRequestError"
) -> web.Response:
    error = {"message": message, "type": kind, "param": param, "code": status}
    return web.json_response({"error": error}, status=status)
