"""The wire to one base URL: a connection pool, set up as the OpenAI SDK sets up its own.

The SDK itself is left out: building its objects costs more than twice what sending a call does
(`benchmarks/throughput.md`).
"""

import os

import aiohttp
import httpx2

from pairwright.client.proxy import proxy_for
from pairwright.client.unreachable import why
from pairwright.client.wire import Response, Transient
from pairwright.version import __version__

CONNECT_S = 10
KEPT_S = 4
"""How long a quiet connection is kept: vLLM's server closes it after five seconds."""


class Connection:
    """The `Wire` to one base URL. Needs a running loop."""

    def __init__(
        self, base_url: str, api_key: str | None, timeout_s: float, path: str = "chat/completions"
    ) -> None:
        """`path` is what bodies are posted to, below the base URL."""
        self.where = base_url.rstrip("/")
        self._url = f"{self.where}/{path}"
        self._timeout_s = timeout_s
        self._session = _session(base_url, api_key, timeout_s)

    async def post(self, body: bytes) -> Response:
        try:
            async with self._session.post(self._url, data=body) as reply:
                asked = reply.headers.get("Retry-After", "")
                return Response(reply.status, await reply.read(), asked)
        except (TimeoutError, aiohttp.ClientError, ValueError) as error:
            told = why(error, self.where, self._timeout_s)
            raise Transient(_reason(error), told[:500]) from None

    async def close(self) -> None:
        await self._session.close()


def _reason(error: Exception) -> str:
    """Why no reply came, in one word."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return "connection"
    if isinstance(error, (TimeoutError, aiohttp.ClientConnectionError, aiohttp.ClientPayloadError)):
        return "timeout_or_dropped"
    return "malformed_body"  # Not HTTP, or a redirect that leads nowhere.


def _session(base_url: str, api_key: str | None, timeout_s: float) -> aiohttp.ClientSession:
    """A session whose calls may take `timeout_s` each, body included.

    Redirects are followed, and the key does not follow to another host. Raises ConfigError for
    a proxy that cannot be used.
    """
    session = aiohttp.ClientSession(
        headers={
            "Accept": "application/json",
            "Content-Type": "application/json",
            "User-Agent": f"pairwright/{__version__}",
            # Servers without a key ignore it.
            "Authorization": f"Bearer {api_key or 'none'}",
        },
        timeout=aiohttp.ClientTimeout(total=timeout_s, sock_connect=CONNECT_S),
        connector=aiohttp.TCPConnector(
            limit=0,  # How many calls are in flight is not decided here.
            keepalive_timeout=KEPT_S,
            ssl=httpx2.create_ssl_context(),
        ),
        cookie_jar=aiohttp.DummyCookieJar(),
        proxy=proxy_for(base_url),
    )
    session.headers.update(_headers_of_environment())
    return session


def _headers_of_environment() -> dict[str, str]:
    """From the variables that the SDK reads: an organisation, a project, and lines of any."""
    headers = {
        "OpenAI-Organization": os.environ.get("OPENAI_ORG_ID"),
        "OpenAI-Project": os.environ.get("OPENAI_PROJECT_ID"),
    }
    for line in os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines():
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip()] = value.strip()
    return {name: value for name, value in headers.items() if value}
