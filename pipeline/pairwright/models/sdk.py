"""The OpenAI SDK over aiohttp, below the retries: one POST and its whole reply.

The only file of the client that imports the SDK; it takes half a second.
"""

import asyncio
import errno
import ssl
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
        self._where = (endpoint.base_url or "").rstrip("/")
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
        self._api = AsyncOpenAI(
            # The SDK insists on a key; servers without one ignore it.
            api_key=api_key or "none",
            base_url=endpoint.base_url,
            max_retries=0,
            http_client=http,
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
            cause = _cause(error)
            failure = Transient(_reason(cause), why(cause, self._where, self._timeout_s)[:500])
        else:
            return Response(reply.status_code, reply.content, reply.headers)
        # Outside the block: as the context of another error, this one would keep what was read.
        raise failure

    async def close(self) -> None:
        """Close every connection."""
        await self._api.close()


def _cause(error: BaseException) -> BaseException:
    """What an error of the SDK came from: an error of httpx2, or that of aiohttp behind it."""
    while not isinstance(error, aiohttp.ClientError) and isinstance(
        error.__cause__, httpx2.HTTPError | aiohttp.ClientError | TimeoutError
    ):
        error = error.__cause__
    return error


def _reason(error: BaseException) -> str:
    """Why no reply came, in one word."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return "connection"
    dropped = (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError)
    if isinstance(error, (TimeoutError, httpx2.DecodingError, *dropped)):
        return "timeout_or_dropped"
    return "malformed_body"  # Not HTTP.


def why(error: BaseException, url: str, timeout_s: float) -> str:
    """One clause that names the address and what happened there."""
    if isinstance(error, aiohttp.ClientConnectorError):
        at = f"{error.host}:{error.port}"
        if isinstance(error, aiohttp.ClientProxyConnectionError):
            return f"{url}: the proxy {at} cannot be reached: {_of_os(error.os_error)}"
        if isinstance(error, aiohttp.ClientConnectorDNSError):
            return f"{url}: no machine is known by the name {error.host!r}"
        if isinstance(error, aiohttp.ClientConnectorCertificateError):
            return f"{url}: its certificate is not trusted: {error.certificate_error}"
        return f"{url}: {_of_os(error.os_error)}"
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return f"{url}: the machine did not answer"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return f"{url}: the server closed the connection without a reply"
    if isinstance(error, httpx2.DecodingError):
        return f"{url}: the reply cannot be unpacked"
    if isinstance(error, aiohttp.ClientPayloadError):
        return f"{url}: the reply broke off in the middle ({' '.join(str(error).split())})"
    if isinstance(error, TimeoutError):
        return f"{url}: no whole reply in {timeout_s:g} s"
    return f"{url}: {error or type(error).__name__}"


def _of_os(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError) or error.errno == errno.ECONNREFUSED:
        return "the connection was refused; no server listens there"
    if isinstance(error, ssl.SSLError):
        return "no encrypted connection: it may speak http and not https"
    if isinstance(error, TimeoutError) or error.errno == errno.ETIMEDOUT:
        return "the machine did not answer"
    return f"no connection: {error.strerror or error}"
