"""What a server tells about itself: its list of models, and vLLM's metrics."""

import json
import re
from typing import NamedTuple

import aiohttp

from pairwright.models.client.connection import proxy_for, why
from pairwright.models.client.wire import headers_for
from pairwright.settings.endpoints import Endpoint
from pairwright.workflows.doctor.questions import ServerFinding

TIMEOUT_S = 20.0
LONGEST = 8_000_000
"""Bytes of a reply that are read."""
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class ModelList(NamedTuple):
    """The list of models, and what it says of the one that is wanted."""

    finding: ServerFinding
    context: int | None = None
    """Tokens of prompt and reply together, where the server says so."""
    vllm: bool = False


class CacheMetrics(NamedTuple):
    """vLLM's account of its own cache. None where it does not say."""

    prefix_caching: bool | None
    cache_tokens: int | None
    """Tokens of prompts and replies that the cache holds."""


class _Page(NamedTuple):
    status: int
    text: str
    moved_to: str | None


async def list_models(url: str, key: str | None, endpoint: Endpoint) -> ModelList:
    """Ask for the list of models."""
    where = f"{url.rstrip('/')}/models"
    limit = min(endpoint.timeout_s, TIMEOUT_S)
    try:
        page = await _get(where, headers_for(key), limit)
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        return ModelList(
            ServerFinding(
                "stop", "server", f"not reachable: {why(error, where, limit)}",
                "Is the server running, and does the address end in /v1?",
            )
        )  # fmt: skip
    if page.moved_to:
        return ModelList(
            ServerFinding(
                "note", "server", f"answers {page.status} and sends on to {page.moved_to}",
                "Name the address that it sends to as base_url: on the way a request can lose"
                " its key and its content.",
            )
        )  # fmt: skip
    if page.status in (401, 403):
        return ModelList(
            ServerFinding(
                "stop", "server", f"refuses the key: {page.status} for {where}",
                "Set the key in the environment variable that `api_key_env` names.",
            )
        )  # fmt: skip
    if page.status != 200:
        return _unlisted(f"{page.status} for {where}")
    return _model(page.text, endpoint.model, where)


def _model(text: str, wanted: str, where: str) -> ModelList:
    try:
        served = {str(model["id"]): model for model in json.loads(text)["data"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        return _unlisted(f"{where} is something else: {text.strip()[:60]!r}")
    if wanted not in served:
        known = ", ".join(sorted(served)) or "none"
        return ModelList(
            ServerFinding(
                "stop", "model", f"{wanted} is not served; there are: {known}",
                "Write one of these names as `model`, or start the server with another one.",
            )
        )  # fmt: skip
    context = served[wanted].get("max_model_len")
    length = context if isinstance(context, int) and context > 0 else None
    vllm = served[wanted].get("owned_by") == "vllm"
    return ModelList(ServerFinding("ok", "server", f"reachable, and serves {wanted}"), length, vllm)


def _unlisted(reason: str) -> ModelList:
    return ModelList(
        ServerFinding(
            "note", "server", f"no list of models: {reason}",
            "Some servers have none. Otherwise: does base_url end in /v1?",
        )
    )  # fmt: skip


async def cache_metrics(url: str) -> CacheMetrics | None:
    """vLLM's metrics, which are beside /v1 and not under it; None where there are none."""
    try:
        page = await _get(f"{url.rstrip('/').removesuffix('/v1')}/metrics", {}, TIMEOUT_S)
    except (aiohttp.ClientError, OSError, TimeoutError):
        return None
    return read_metrics(page.text) if page.status == 200 else None


def read_metrics(text: str) -> CacheMetrics | None:
    """What vLLM's metrics say of its cache; None for the metrics of another server."""
    lines = [line for line in text.splitlines() if line.startswith("vllm:")]
    if not lines:
        return None
    about = next((line for line in lines if line.startswith("vllm:cache_config_info{")), "")
    labels = dict(_LABEL.findall(about))
    caching = {"True": True, "False": False}.get(labels.get("enable_prefix_caching", ""))
    size = labels.get("kv_cache_size_tokens", "")
    return CacheMetrics(caching, int(size) if size.isdecimal() else None)


async def _get(url: str, headers: dict[str, str], timeout_s: float) -> _Page:
    """One GET that follows nothing; raises TimeoutError, OSError or aiohttp.ClientError."""
    limit = aiohttp.ClientTimeout(total=timeout_s)
    async with (
        aiohttp.ClientSession(timeout=limit) as session,
        session.get(url, headers=headers, allow_redirects=False, proxy=proxy_for(url)) as response,
    ):
        body = b""
        async for part in response.content.iter_any():
            body += part
            if len(body) > LONGEST:
                break
        moved_to = response.headers.get("location") if 300 <= response.status < 400 else None
        return _Page(response.status, body.decode("utf-8", "replace"), moved_to)
