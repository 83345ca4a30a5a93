"""The OpenAI SDK over aiohttp, below the retries: one POST and its whole reply.

The only file of the client that imports the SDK; it takes half a second.
"""

import asyncio
from typing import Any

import aiohttp
import httpx2
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, DefaultAioHttpClient

from pairwright.models.refusals import Response, Transient
from pairwright.settings.endpoints import Endpoint

CONNECT_S = 10
KEPT_S = 4
"""How long a quiet connection is kept: vLLM's server closes it after five seconds."""
LARGEST_REPLY = 16 * 1024 * 1024
"""Bytes of a reply, inflated. The largest real ones are log-probabilities of a long prompt: 5 MB
for 32,000 tokens."""
_HEADERS = ("Retry-After", "Location")


class _Bounded(DefaultAioHttpClient):
    """Reads replies up to `LARGEST_REPLY`: a few packed bytes may be gigabytes."""

    async def send(self, request: httpx2.Request, **how: Any) -> httpx2.Response:
        """Send, and read the whole reply. Raises Transient once it is too large."""
        reply = await super().send(request, **{**how, "stream": True})
        body = bytearray()
        try:
            async for part in reply.aiter_bytes():
                body += part
                if len(body) > LARGEST_REPLY:
                    body.clear()
                    limit = LARGEST_REPLY // 1024**2
                    said = f"HTTP {reply.status_code} with more than {limit} MiB"
                    raise Transient("reply_too_large", said)
        finally:
            await reply.aclose()
        headers = {name: reply.headers[name] for name in _HEADERS if name in reply.headers}
        return httpx2.Response(
            reply.status_code, headers=headers, content=bytes(body), request=request
        )


class Sdk:
    """The SDK's client of one endpoint."""

    def __init__(self, endpoint: Endpoint, api_key: str | None, proxy: str | None) -> None:
        self._where = endpoint.base_url
        self._timeout_s = endpoint.timeout_s
        http = _Bounded(
            # The time of a whole try is limited in `post`.
            timeout=httpx2.Timeout(None, connect=CONNECT_S),
            limits=httpx2.Limits(max_connections=endpoint.concurrency, keepalive_expiry=KEPT_S),
            follow_redirects=False,
            verify=httpx2.create_ssl_context(),
            # Not its own look at the environment: it takes passwords from ~/.netrc.
            trust_env=False,
            proxy=proxy,
        )
        # The SDK insists on a key; servers without one ignore it.
        self._api = AsyncOpenAI(
            api_key=api_key or "none", base_url=self._where, max_retries=0, http_client=http
        )

    async def post(self, url: str, body: bytes) -> Response:
        """The whole reply to a body of JSON, whatever its status.

        Raises Transient where none came within the time, or one over `LARGEST_REPLY`.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                reply = await self._api.post(url, cast_to=httpx2.Response, content=body)
        except APIStatusError as error:
            return Response(error.status_code, error.response.content, error.response.headers)
        except (APIConnectionError, aiohttp.ClientError, TimeoutError, ValueError) as error:
            failure = self._failure(error)
        else:
            return Response(reply.status_code, reply.content, reply.headers)
        # Outside the block: as the context of another error, this one would keep what was read.
        raise failure

    def _failure(self, error: BaseException) -> Transient:
        while error.__cause__ and not isinstance(error, aiohttp.ClientError | TimeoutError):
            error = error.__cause__
        said = f"{self._where}: {error or type(error).__name__}"[:500]
        if isinstance(error, TimeoutError):
            said = f"{self._where}: no whole reply in {self._timeout_s:g} s"
        if isinstance(error, aiohttp.ClientConnectorError):
            return Transient("connection", said)
        dropped = (TimeoutError, aiohttp.ClientConnectionError, aiohttp.ClientPayloadError)
        return Transient(
            "timeout_or_dropped" if isinstance(error, dropped) else "malformed_body", said
        )

    async def close(self) -> None:
        """Close every connection."""
        await self._api.close()
