"""One endpoint of the config: sends requests, retries what is worth it, and learns the pace.

The SDK gives connection handling, authentication and its exceptions; we send the body and take
the raw response, because building the SDK's objects is most of its cost. tenacity is the one
retry layer (the SDK's own is off).
"""

import asyncio
import json
import time
from contextlib import suppress

import httpx2
import tenacity
from openai import (
    APIConnectionError,
    APIError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    DefaultAioHttpClient,
    RequestOptions,
)

from pairwright.client.balance import Server, least_busy
from pairwright.client.meter import Meter
from pairwright.client.pace import Concurrency, Pace
from pairwright.client.wire import BROKEN_OFF, STAND_INS, Transient, body_of, refusal
from pairwright.config import Endpoint
from pairwright.errors import CallFailed, EndpointRefused, Interrupted
from pairwright.llm import Request, completion_of

_MANY = 100_000
_JSON: RequestOptions = {"headers": {"Content-Type": "application/json"}}
_JITTERED = tenacity.wait_exponential(multiplier=0.5, max=30) + tenacity.wait_random(0, 0.5)


class Client:
    """The `Sender` of one endpoint. Use as an async context manager."""

    def __init__(self, name: str, endpoint: Endpoint, api_key: str | None, meter: Meter) -> None:
        self.name = name
        self._endpoint = endpoint
        self._meter = meter
        self._pace = Pace(endpoint.rpm, endpoint.tpm)
        self.concurrency = Concurrency(
            None if endpoint.concurrency == "auto" else endpoint.concurrency
        )
        self._stopped = asyncio.Event()
        self._api_key = api_key
        self._answered = False
        self._servers = [
            Server(
                AsyncOpenAI(
                    # The SDK insists on a key; servers without one ignore it.
                    api_key=api_key or "none",
                    base_url=url,
                    max_retries=0,
                    http_client=DefaultAioHttpClient(
                        # A proxy of the environment cannot reach this machine's own servers.
                        trust_env=not _on_this_machine(url),
                        timeout=httpx2.Timeout(endpoint.timeout_s, connect=10, pool=None),
                        # aiohttp would stop at 100 connections, and the SDK at 1,000.
                        limits=httpx2.Limits(max_connections=_MANY),
                    ),
                )
            )
            for url in endpoint.base_urls
        ]

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in self._servers:
            await server.api.close()

    def stop(self) -> None:
        """Let what is in flight finish, and send nothing more."""
        self._stopped.set()

    async def send(self, request: Request) -> bytes:
        """The body of a usable reply.

        Raises CallFailed after the last attempt, EndpointRefused where no call of this kind
        can succeed, BudgetSpent and Interrupted without sending.
        """
        try:
            return await self._attempt(request)
        except Transient as first:
            return await self._again(request, first)

    async def _again(self, request: Request, first: Transient) -> bytes:
        """The attempts after the first. Most calls need none, and pay nothing for this."""
        failed = [first]

        async def attempt() -> bytes:
            if failed:
                raise failed.pop()
            return await self._attempt(request)

        retrying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception_type(Transient),
            stop=tenacity.stop_after_attempt(self._endpoint.attempts),
            wait=_wait,
            sleep=self._pause,
            before_sleep=self._count_retry,
            reraise=True,
        )
        try:
            return await retrying(attempt)
        except Transient as error:
            if not self._answered and "connect call failed" in error.detail.lower():
                raise EndpointRefused(
                    f"[endpoints.{self.name}] {error.detail}"
                    f" (after {self._endpoint.attempts} attempts)\n"
                    "  Is the server running, and is `base_url` right? See `pairwright doctor`."
                ) from None
            raise CallFailed(
                error.reason, f"{error.detail} (after {self._endpoint.attempts} attempts)"
            ) from None

    async def _attempt(self, request: Request) -> bytes:
        async with self.concurrency:
            await self._pause(self._pace.delay(_rough_tokens(request)))
            self._meter.admit()
            self._meter.in_flight += 1
            server = least_busy(self._servers)
            server.in_flight += 1
            started = time.monotonic()
            try:
                async with asyncio.timeout(self._endpoint.timeout_s):
                    body = await self._post(server, request)
            except TimeoutError:
                server.failed()
                raise Transient(
                    "timeout_or_dropped", f"no whole reply in {self._endpoint.timeout_s} s"
                ) from None
            except Transient as error:
                if error.reason == "http_429":
                    self.concurrency.refused()
                else:
                    server.failed()
                raise
            finally:
                server.in_flight -= 1
                self._meter.in_flight -= 1
            server.succeeded()
            self._answered = True
            completion = completion_of(request.key, body)
            # What was refused took no time that says how busy the endpoint is.
            if completion.finish not in STAND_INS:
                self.concurrency.answered(time.monotonic() - started)
            sent, got = completion.prompt_tokens, completion.completion_tokens
            self._meter.answered(sent, got, self._endpoint.cost(sent, got))
        return body

    async def _pause(self, seconds: float) -> None:
        """Wait, unless the run is stopping: then nothing more is sent."""
        if seconds > 0 and not self._stopped.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), seconds)
        if self._stopped.is_set():
            raise Interrupted("stopping: no new calls are sent")

    async def _post(self, server: Server, request: Request) -> bytes:
        self._meter.sent += 1
        try:
            response = await server.api.post(
                "/chat/completions",
                cast_to=httpx2.Response,
                content=json.dumps(body_of(request, self._endpoint.token_parameter)).encode(),
                options=_JSON,
            )
            body = _without(self._api_key, response.content)
            completion = completion_of(request.key, body)
            if completion.finish in BROKEN_OFF:
                raise Transient("broken_off", f"the engine ended with {completion.finish!r}")
        except APIStatusError as error:
            where = f"[endpoints.{self.name}] {server.api.base_url}"
            said = error.body or error.response.text
            asked = error.response.headers.get("retry-after", "")
            meaning = refusal(error.status_code, said, where, self._api_key, asked)
            if error.status_code == 403 and self._answered:
                # An endpoint that has answered knows the key: this one request is refused.
                raise CallFailed("http_403", str(meaning)) from None
            if isinstance(meaning, bytes):
                return meaning
            raise meaning from None
        # Over aiohttp a dropped connection is reported as a timeout, too: the cause says which.
        except (APIConnectionError, APIError, httpx2.HTTPError) as error:
            reason = "timeout_or_dropped" if isinstance(error, APITimeoutError) else "connection"
            raise Transient(reason, _told(error)) from None
        except ValueError as error:  # JSONDecodeError is one.
            raise Transient("malformed_body", str(error)) from None
        return body

    def _count_retry(self, _: tenacity.RetryCallState) -> None:
        self._meter.retried += 1


def _wait(state: tenacity.RetryCallState) -> float:
    """What the endpoint asked for in Retry-After (two minutes at most), else jittered backoff."""
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, Transient) else None
    return min(asked, 120.0) if asked is not None else _JITTERED(state)


def _told(error: Exception) -> str:
    """What lies behind the SDK's error, such as a refused connection."""
    causes = [error]
    while (cause := causes[-1].__cause__) and isinstance(cause, Exception):
        causes.append(cause)
    # "Request timed out" is what the SDK says of a refused connection, too.
    told = causes[1:] or causes
    return "; ".join(dict.fromkeys(str(e) or type(e).__name__ for e in told))[:500]


def _without(secret: str | None, body: bytes) -> bytes:
    """The body without the API key, should a server repeat it.

    A short key (`test`, `none`) is no secret, and may be a word of a reply.
    """
    return body.replace(secret.encode(), b"***") if secret and len(secret) >= 12 else body


def _on_this_machine(url: str) -> bool:
    host = httpx2.URL(url).host
    return host == "localhost" or host == "::1" or host.startswith("127.")


def _rough_tokens(request: Request) -> int:
    return sum(len(m.content) for m in request.messages) // 4 + request.max_tokens
