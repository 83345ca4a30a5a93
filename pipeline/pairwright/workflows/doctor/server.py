"""What a server tells about itself, its list of models and vLLM's metrics; and real prompts that
are put to it."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any, Literal, NamedTuple

import aiohttp

from pairwright.errors import CallFailed, EndpointRefused
from pairwright.models import CONTEXT_LENGTH, Completion, Request
from pairwright.models.client import Client
from pairwright.models.client.connection import proxy_for, why
from pairwright.models.client.wire import headers_for
from pairwright.settings.endpoints import Endpoint, Sampling
from pairwright.settings.prompt import Prompts
from pairwright.settings.prompt_variables import Ask

QUESTION = "How do I keep bread fresh?"


class RequestRefused(Exception):
    """The server refuses this one request, in its own words; it may take others."""


class ServerQuestions(NamedTuple):
    """A server that can be asked, and the prompts to ask it with."""

    client: Client
    endpoint: Endpoint
    sampling: Sampling
    prompts: Prompts

    async def put(
        self, ask: Ask, *, room: int, seed: int | None, schema: str | None = None
    ) -> tuple[Completion, int | None]:
        """One request at temperature 1, so that seeds show. Returns the reply, and the prompt
        tokens that came from the server's prefix cache, where it says so.

        Raises RequestRefused, and errors.CallFailed where the server fails.
        """
        request = Request(
            model=self.endpoint.model,
            messages=ask.messages,
            temperature=None if self.sampling.temperature is None else 1.0,
            max_tokens=room,
            seed=seed,
            schema_name=schema and ask.name,
            schema_json=schema,
            extra=self.sampling.extra_json,
        )
        try:
            body, completion = await self.client.send(request)
        except EndpointRefused as error:
            raise RequestRefused(str(error)) from None
        except CallFailed as error:
            if error.reason.startswith("http_4"):
                raise RequestRefused(str(error)) from None
            raise
        if completion.finish in (CONTEXT_LENGTH, "content_filter"):
            raise RequestRefused(completion.text[:500])
        node = json.loads(body)
        for name in ("usage", "prompt_tokens_details", "cached_tokens"):
            node = node.get(name) if isinstance(node, dict) else None
        return completion, node if isinstance(node, int) and node >= 0 else None


class ServerFinding(NamedTuple):
    """One thing that a build depends on; `stop` means that a build cannot use the server."""

    state: Literal["ok", "note", "stop"]
    about: str
    found: str
    advice: str = ""
    """What it means for a build, and what to do."""


_WORDS = tomllib.loads(Path(__file__).with_name("findings.toml").read_text(encoding="utf-8"))


def finding(about: str, name: str, /, **values: object) -> ServerFinding:
    """A finding of findings.toml with its values."""
    words = _WORDS[about][name]
    found, advice = (words.get(part, "").format_map(values) for part in ("found", "advice"))
    return ServerFinding(words["state"], about, found, advice)


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


async def list_models(url: str, key: str | None, endpoint: Endpoint) -> ModelList:
    """Ask for the list of models."""
    where = f"{url.rstrip('/')}/models"
    limit = min(endpoint.timeout_s, TIMEOUT_S)
    try:
        status, text, moved_to = await _get(where, headers_for(key), limit)
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        return ModelList(finding("server", "unreachable", why=why(error, where, limit)))
    if moved_to:
        return ModelList(finding("server", "moved", status=status, moved_to=moved_to))
    if status in (401, 403):
        return ModelList(finding("server", "key_refused", status=status, where=where))
    unlisted = f"{status} for {where}" if status != 200 else ""
    served: dict[str, Any] = {}
    try:
        served = {} if unlisted else {str(one["id"]): one for one in json.loads(text)["data"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        unlisted = f"{where} is something else: {text.strip()[:60]!r}"
    if unlisted:
        return ModelList(finding("server", "no_list", why=unlisted))
    wanted = endpoint.model
    if wanted not in served:
        known = ", ".join(sorted(served)) or "none"
        return ModelList(finding("model", "not_served", model=wanted, known=known))
    context = served[wanted].get("max_model_len")
    length = context if isinstance(context, int) and context > 0 else None
    vllm = served[wanted].get("owned_by") == "vllm"
    return ModelList(finding("server", "serves", model=wanted), length, vllm)


async def cache_metrics(url: str) -> tuple[bool | None, int | None] | None:
    """vLLM's metrics, which are beside /v1 and not under it; None where there are none."""
    try:
        status, text, _ = await _get(
            f"{url.rstrip('/').removesuffix('/v1')}/metrics", {}, TIMEOUT_S
        )
    except (aiohttp.ClientError, OSError, TimeoutError):
        return None
    return read_metrics(text) if status == 200 else None


def read_metrics(text: str) -> tuple[bool | None, int | None] | None:
    """What vLLM's metrics say of its cache: whether it is on, and the tokens of prompts and replies
    that it holds, each None where they do not say; None for the metrics of another server."""
    lines = [line for line in text.splitlines() if line.startswith("vllm:")]
    if not lines:
        return None
    about = next((line for line in lines if line.startswith("vllm:cache_config_info{")), "")
    labels = dict(_LABEL.findall(about))
    caching = {"True": True, "False": False}.get(labels.get("enable_prefix_caching", ""))
    size = labels.get("kv_cache_size_tokens", "")
    return caching, int(size) if size.isdecimal() else None


async def _get(url: str, headers: dict[str, str], timeout_s: float) -> tuple[int, str, str | None]:
    """Status, text and where it sends on to, of one GET that follows nothing. Raises TimeoutError,
    OSError or aiohttp.ClientError."""
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
        return response.status, body.decode("utf-8", "replace"), moved_to
