"""The wire to one base URL: a connection pool, set up as the OpenAI SDK sets up its own.

The SDK itself is left out: building its objects costs more than twice what sending a call does
(`benchmarks/throughput.md`).
"""

import asyncio
import errno
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from pairwright.errors import ConfigError, EndpointRefused
from pairwright.models import Request
from pairwright.models.client.wire import Response, Transient
from pairwright.text import visible


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
        raise ConfigError(
            f"the proxy for {host} is not an HTTP proxy, and no other kind can be used",
            where=f"{parts.scheme.upper()}_PROXY or ALL_PROXY in the environment",
            fix=f"Set {parts.scheme.upper()}_PROXY to an HTTP proxy, or add {host} to NO_PROXY.",
        )
    return proxy


def why(error: Exception, url: str, timeout_s: float) -> str:
    """One clause that names the address and what happened there."""
    if isinstance(error, aiohttp.ClientConnectorError):
        at = f"{error.host}:{error.port}"
        if isinstance(error, aiohttp.ClientProxyConnectionError):
            return f"{url}: the proxy {at} cannot be reached: {_cause(error.os_error)}"
        if isinstance(error, aiohttp.ClientConnectorDNSError):
            return f"{url}: no machine is known by the name {error.host!r}"
        if isinstance(error, aiohttp.ClientConnectorCertificateError):
            return f"{url}: its certificate is not trusted: {error.certificate_error}"
        return f"{url}: {_cause(error.os_error)}"
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return f"{url}: the machine did not answer"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return f"{url}: the server closed the connection without a reply"
    if isinstance(error, aiohttp.ClientPayloadError):
        unpacked = "decode" in str(error)
        how = "cannot be unpacked" if unpacked else "broke off in the middle"
        return f"{url}: the reply {how} ({' '.join(str(error).split())})"
    if isinstance(error, TimeoutError):
        return f"{url}: no whole reply in {timeout_s:g} s"
    return f"{url}: {error or type(error).__name__}"


def _cause(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError) or error.errno == errno.ECONNREFUSED:
        return "the connection was refused; no server listens there"
    if isinstance(error, ssl.SSLError):
        return "no encrypted connection: it may speak http and not https"
    if isinstance(error, TimeoutError) or error.errno == errno.ETIMEDOUT:
        return "the machine did not answer"
    return f"no connection: {error.strerror or error}"


CONNECT_S = 10
KEPT_S = 4
"""How long a quiet connection is kept: vLLM's server closes it after five seconds."""
LARGEST_REPLY = 16 * 1024 * 1024
"""Bytes of a reply, inflated. The largest real ones are log-probabilities of a long prompt: 5 MB
for 32,000 tokens."""


class Connection:
    """The `Wire` to one base URL. Needs a running loop."""

    def __init__(
        self,
        base_url: str,
        headers: Mapping[str, str],
        timeout_s: float,
        path: str = "chat/completions",
    ) -> None:
        """`headers` go with every body; `path` is what bodies are posted to, below the base URL."""
        self.where = base_url.rstrip("/")
        self._url = f"{self.where}/{path}"
        self._timeout_s = timeout_s
        self._session = _session(base_url, headers)

    async def post(self, body: bytes, request: Request | None = None) -> Response:  # noqa: ARG002
        """The whole reply.

        Raises Transient where no whole reply came within the time, or one over `LARGEST_REPLY`;
        EndpointRefused for a redirect.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._reply(body)
        except (TimeoutError, aiohttp.ClientError, ValueError) as error:
            failure = Transient(_reason(error), why(error, self.where, self._timeout_s)[:500])
        # Outside the block: as the context of another error, this one would keep what was read.
        raise failure

    async def _reply(self, body: bytes) -> Response:
        async with self._session.post(self._url, data=body, allow_redirects=False) as reply:
            if 300 <= reply.status < 400:
                target = reply.headers.get("Location", "nowhere").partition("?")[0][:300]
                raise EndpointRefused(
                    f"{self.where}: redirects calls ({reply.status}) to {visible(target)}\n"
                    "  Calls hold users' posts and a key, so they are not sent on. Set `base_url`"
                    " to where calls should go."
                )
            return Response(reply.status, await _whole(reply), reply.headers)

    async def close(self) -> None:
        await self._session.close()


async def _whole(reply: aiohttp.ClientResponse) -> bytes:
    """The inflated body. Raises Transient once it is over `LARGEST_REPLY`; the rest is not read."""
    body = bytearray()
    async for part in reply.content.iter_any():
        body += part
        if len(body) > LARGEST_REPLY:
            body.clear()
            limit = LARGEST_REPLY // 1024**2
            raise Transient("reply_too_large", f"HTTP {reply.status} with more than {limit} MiB")
    return bytes(body)


def _reason(error: Exception) -> str:
    """Why no reply came, in one word."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return "connection"
    if isinstance(error, (TimeoutError, aiohttp.ClientConnectionError, aiohttp.ClientPayloadError)):
        return "timeout_or_dropped"
    return "malformed_body"  # Not HTTP.


def _session(base_url: str, headers: Mapping[str, str]) -> aiohttp.ClientSession:
    """A session without a limit of time of its own. Raises ConfigError for a proxy that cannot be
    used."""
    return aiohttp.ClientSession(
        headers=headers,
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
        connector=aiohttp.TCPConnector(
            limit=0,  # How many calls are in flight is not decided here.
            keepalive_timeout=KEPT_S,
        ),
        cookie_jar=aiohttp.DummyCookieJar(),
        proxy=proxy_for(base_url),
    )
