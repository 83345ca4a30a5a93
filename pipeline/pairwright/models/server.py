"""An OpenAI-compatible server, by the OpenAI SDK over aiohttp: one POST and its whole reply.

The SDK is imported at the first call: that takes half a second, and a run over stored calls needs
none.
"""

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from pairwright.errors import ConfigError
from pairwright.models.client import EndpointClient
from pairwright.models.reply import Response, Transient
from pairwright.models.request import Request, bytes_of
from pairwright.settings.endpoints import Endpoint

if TYPE_CHECKING:
    from httpx2 import Request as HttpRequest
    from httpx2 import Response as HttpResponse
    from openai import AsyncOpenAI

CONNECT_S = 10
KEPT_S = 4
"""How long a quiet connection is kept: vLLM's server closes it after five seconds."""
LARGEST_REPLY = 16 * 1024 * 1024
"""Bytes of a reply, inflated: three times the log-probabilities of a prompt of 32,000 tokens."""


class Server(EndpointClient):
    """A client of one server."""

    _sdk: "AsyncOpenAI | None" = None

    async def post(self, request: Request) -> Response:
        body = request.body(self._endpoint.token_parameter)
        return await self.exchange(f"{self._base_url}/chat/completions", body)

    async def exchange(self, url: str, body: dict[str, Any] | None = None) -> Response:
        """The whole reply to a POST of JSON, or to a GET without a body, whatever its status.
        Raises Transient if none came within the time, or one over `LARGEST_REPLY`."""
        from aiohttp import ClientError
        from httpx2 import Response as HttpResponse
        from openai import APIConnectionError, APIStatusError

        if self._sdk is None:
            self._sdk = _connected(self._endpoint, self._api_key)
        try:
            async with asyncio.timeout(self._endpoint.timeout_s):
                if body is None:
                    reply = await self._sdk.get(url, cast_to=HttpResponse)
                else:
                    reply = await self._sdk.post(url, cast_to=HttpResponse, content=bytes_of(body))
        except APIStatusError as error:
            reply = error.response
        except (APIConnectionError, ClientError, TimeoutError, ValueError) as error:
            raise _failure(error, self._endpoint) from None
        return Response(reply.status_code, reply.content, reply.headers)

    async def __aexit__(self, *_: object) -> None:
        if self._sdk is not None:
            await self._sdk.close()


def _connected(endpoint: Endpoint, api_key: str | None) -> "AsyncOpenAI":
    """The SDK's client of an endpoint."""
    import httpx2
    from openai import AsyncOpenAI, DefaultAioHttpClient

    class Bounded(DefaultAioHttpClient):
        """Reads replies up to `LARGEST_REPLY`: a few packed bytes may be gigabytes."""

        async def send(self, request: "HttpRequest", **how: Any) -> "HttpResponse":
            reply, body = await super().send(request, **{**how, "stream": True}), bytearray()
            try:
                async for part in reply.aiter_bytes():
                    body += part
                    if len(body) > LARGEST_REPLY:
                        body.clear()
                        said = f"HTTP {reply.status_code} with more than {LARGEST_REPLY >> 20} MiB"
                        raise Transient("reply_too_large", said)
            finally:
                await reply.aclose()
            headers = {name: reply.headers.get(name, "") for name in ("Retry-After", "Location")}
            return httpx2.Response(
                reply.status_code, headers=headers, content=bytes(body), request=request
            )

    http = Bounded(
        # The time of a whole try is limited where it is made.
        timeout=httpx2.Timeout(None, connect=CONNECT_S),
        limits=httpx2.Limits(max_connections=endpoint.concurrency, keepalive_expiry=KEPT_S),
        follow_redirects=False,
        verify=httpx2.create_ssl_context(),
        # Not its own look at the environment: it takes passwords from ~/.netrc.
        trust_env=False,
        proxy=proxy_for(endpoint.base_url or ""),
    )
    # The SDK insists on a key; servers without one ignore it.
    return AsyncOpenAI(
        api_key=api_key or "none", base_url=endpoint.base_url, max_retries=0, http_client=http
    )


def _failure(error: BaseException, endpoint: Endpoint) -> Transient:
    """The failure that prevented a whole reply."""
    import aiohttp

    while error.__cause__ and not isinstance(error, aiohttp.ClientError | TimeoutError):
        error = error.__cause__
    if isinstance(error, TimeoutError):
        said = f"{endpoint.base_url}: no whole reply in {endpoint.timeout_s:g} s"
        return Transient("timeout_or_dropped", said)
    said = f"{endpoint.base_url}: {error or type(error).__name__}"[:500]
    if isinstance(error, aiohttp.ClientConnectorError):
        return Transient("connection", said)
    dropped = isinstance(error, aiohttp.ClientConnectionError | aiohttp.ClientPayloadError)
    return Transient("timeout_or_dropped" if dropped else "malformed_body", said)


def proxy_for(base_url: str) -> str | None:
    """The proxy's address; None for this machine's own servers and for what NO_PROXY names.

    Raises ConfigError for a proxy that does not speak HTTP.
    """
    parts = urlsplit(base_url)
    host, proxies = parts.hostname or "", getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    local = host in ("localhost", "::1") or host.startswith("127.")
    if not proxy or local or proxy_bypass(parts.netloc):
        return None
    if "://" not in proxy:
        return f"http://{proxy}"
    if urlsplit(proxy).scheme not in ("http", "https"):
        variable = f"{parts.scheme.upper()}_PROXY"
        raise ConfigError(
            f"the proxy for {host} is not an HTTP proxy, and no other kind can be used",
            where=f"{variable} or ALL_PROXY in the environment",
            fix=f"Set {variable} to an HTTP proxy, or add {host} to NO_PROXY.",
        )
    return proxy
