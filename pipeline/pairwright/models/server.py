"""An OpenAI-compatible server: what is sent to it, and which proxy it is reached through."""

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from pairwright.errors import ConfigError
from pairwright.models.endpoint import EndpointClient
from pairwright.models.model import Request, bytes_of
from pairwright.models.refusals import Response

if TYPE_CHECKING:
    from pairwright.models.sdk import Sdk


def body_of(request: Request, token_parameter: str) -> dict[str, Any]:
    """The JSON body of a chat completion."""
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        token_parameter: request.max_tokens,
    }
    for name in ("temperature", "top_p", "seed"):
        if (value := getattr(request, name)) is not None:
            body[name] = value
    if request.schema_json is not None:
        body["response_format"] = _format(request.schema_name, request.schema_json)
    body |= json.loads(request.extra)
    return body


@lru_cache
def _format(name: str | None, schema_json: str) -> dict[str, Any]:
    schema = {"name": name, "schema": json.loads(schema_json), "strict": True}
    return {"type": "json_schema", "json_schema": schema}


class Server(EndpointClient):
    """A client of one server, by the OpenAI SDK, which is imported at the first call: that takes
    half a second, and a run over stored calls needs none."""

    _sdk: "Sdk | None" = None

    async def post(self, request: Request) -> Response:
        return await self._posted(
            f"{self._base_url}/chat/completions", body_of(request, self._endpoint.token_parameter)
        )

    async def _posted(self, url: str, body: dict[str, Any]) -> Response:
        """The whole reply. Raises Transient for none."""
        if self._sdk is None:
            from pairwright.models.sdk import Sdk

            self._sdk = Sdk(self._endpoint, self._api_key, proxy_for(self._base_url))
        return await self._sdk.post(url, bytes_of(body))

    async def __aexit__(self, *_: object) -> None:
        if self._sdk is not None:
            await self._sdk.close()


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
