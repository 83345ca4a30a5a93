"""A connection pool for one base URL, set up as the OpenAI SDK sets up its own.

The SDK itself is left out: building its objects costs more than twice what sending a call does
(`benchmarks/throughput.md`).
"""

import os

import aiohttp
import httpx2

from pairwright.client.proxy import proxy_for
from pairwright.version import __version__

CONNECT_S = 10
KEPT_S = 4
"""How long a quiet connection is kept: vLLM's server closes it after five seconds."""


def connect(base_url: str, api_key: str | None, timeout_s: float) -> aiohttp.ClientSession:
    """A session whose calls may take `timeout_s` each, body included; needs a running loop.

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
