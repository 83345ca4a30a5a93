"""One endpoint of the config: sends requests, retries what is worth it, and learns the pace.

The SDK gives connection handling, authentication and its exceptions; we send the body and take
the raw response, because building the SDK's objects is most of its cost. tenacity is the one
retry layer (the SDK's own is off).
"""

import json
import time

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
from pairwright.client.wire import Transient, body_of, refusal
from pairwright.config import Endpoint
from pairwright.errors import CallFailed, Interrupted
from pairwright.llm import Request, completion_of

_MANY = 100_000
_JSON: RequestOptions = {"headers": {"Content-Type": "application/json"}}
_JITTERED = tenacity.wait_exponential_jitter(initial=0.5, max=30)


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
        self._stopping = False
        self._servers = [
            Server(
                AsyncOpenAI(
                    # The SDK insists on a key; servers without one ignore it.
                    api_key=api_key or "none",
                    base_url=url,
                    max_retries=0,
                    http_client=DefaultAioHttpClient(
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
        self._stopping = True

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
            before_sleep=self._count_retry,
            reraise=True,
        )
        try:
            return await retrying(attempt)
        except Transient as error:
            raise CallFailed(
                error.reason, f"{error.detail} (after {self._endpoint.attempts} attempts)"
            ) from None

    async def _attempt(self, request: Request) -> bytes:
        async with self.concurrency:
            await self._pace.wait(_rough_tokens(request))
            if self._stopping:
                raise Interrupted("stopping: no new calls are sent")
            self._meter.admit()
            self._meter.in_flight += 1
            server = least_busy(self._servers)
            server.in_flight += 1
            started = time.monotonic()
            try:
                body = await self._post(server, request)
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
            self.concurrency.answered(time.monotonic() - started)
        return body

    async def _post(self, server: Server, request: Request) -> bytes:
        self._meter.sent += 1
        try:
            response = await server.api.post(
                "/chat/completions",
                cast_to=httpx2.Response,
                content=json.dumps(body_of(request, self._endpoint.token_parameter)).encode(),
                options=_JSON,
            )
            body = response.content
            completion = completion_of(request.key, body)
        except APIStatusError as error:
            meaning = refusal(error, f"[endpoints.{self.name}] {server.api.base_url}")
            if isinstance(meaning, bytes):
                return meaning
            raise meaning from None
        # Over aiohttp a dropped connection is reported as a timeout, too.
        except APITimeoutError as error:
            raise Transient("timeout_or_dropped", str(error)) from None
        except (APIConnectionError, APIError, httpx2.HTTPError) as error:
            raise Transient("connection", str(error) or type(error).__name__) from None
        except (json.JSONDecodeError, ValueError) as error:
            raise Transient("malformed_body", str(error)) from None
        self._meter.answered(
            completion.prompt_tokens,
            completion.completion_tokens,
            self._endpoint.cost(completion.prompt_tokens, completion.completion_tokens),
        )
        return body

    def _count_retry(self, _: tenacity.RetryCallState) -> None:
        self._meter.retried += 1


def _wait(state: tenacity.RetryCallState) -> float:
    """What the endpoint asked for in Retry-After (two minutes at most), else jittered backoff."""
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, Transient) else None
    return min(asked, 120.0) if asked is not None else _JITTERED(state)


def _rough_tokens(request: Request) -> int:
    return sum(len(m.content) for m in request.messages) // 4 + request.max_tokens
