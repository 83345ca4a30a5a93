"""What goes over a wire: the body and the headers of a call, what comes back, and what a refusal
means: a body stored in place of a reply, a retry, or the end of the run.

OpenAI's form is the form inside: a server of another protocol is one more `Wire`, which takes a
body of that form and brings back a response of that form, as those of `scores` do.
"""

import json
import math
import os
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from pairwright.errors import CallFailed, EndpointRefused
from pairwright.models import CONTEXT_LENGTH, Request
from pairwright.models.completion import web_page
from pairwright.text import visible
from pairwright.version import __version__


class Response(NamedTuple):
    """What came back for a body, whatever its status."""

    status: int
    body: bytes
    headers: Mapping[str, str] = MappingProxyType({})
    """Names in any case; empty of an engine in this process."""


class Wire(Protocol):
    """What answers chat completions: a server, or an engine in this process."""

    where: str
    """For messages: its address."""

    async def post(self, body: bytes, request: Request) -> Response:
        """Answer a body, which is that of `request`; a server reads the body alone.

        Raises Transient where nothing whole came back."""
        ...

    async def close(self) -> None: ...


class Transient(Exception):
    """Worth asking again: a rate limit, a server error, a lost connection, a broken body."""

    def __init__(self, reason: str, detail: str, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.retry_after = retry_after


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


SHORTEST = 12
"""Characters from which a header's value counts as a secret, and a key is replaced in replies. A
shorter one (`test`, `none`) hides nothing, and may be a word of a reply."""


def headers_for(api_key: str | None) -> dict[str, str]:
    """The headers of every call. Those of OPENAI_CUSTOM_HEADERS replace others of their name."""
    ours = {
        "Accept": "application/json",
        "Content-Type": "application/json",
        "User-Agent": f"pairwright/{__version__}",
        # Servers without a key ignore it.
        "Authorization": f"Bearer {api_key or 'none'}",
        "OpenAI-Organization": os.environ.get("OPENAI_ORG_ID", ""),
        "OpenAI-Project": os.environ.get("OPENAI_PROJECT_ID", ""),
    }
    custom = _custom()
    replaced = {name.lower() for name in custom}
    kept = {name: value for name, value in ours.items() if name.lower() not in replaced}
    return {name: value for name, value in (kept | custom).items() if value}


class Secrets:
    """The API key and the values of custom headers, which a server may repeat in what it says."""

    def __init__(self, api_key: str | None) -> None:
        values = {api_key or ""}
        for value in _custom().values():
            # Of `Basic xyz` a server may repeat the second part alone.
            values |= {part for part in (value, *value.split()) if len(part) >= SHORTEST}
        # The longest first: one secret may be part of another.
        self._values = sorted(filter(None, values), key=len, reverse=True)

    def without(self, body: bytes) -> bytes:
        """The body of a reply with every secret replaced by `***`."""
        for secret in self._values:
            if len(secret) >= SHORTEST:
                body = body.replace(secret.encode(), b"***")
        return body

    def hide(self, message: str) -> str:
        """A server's message with every secret, and what looks like part of one, replaced, and
        without control characters, which a terminal would obey."""
        message = visible(message)
        for secret in self._values:
            message = message.replace(secret, "***")
        return re.sub(r"\b(sk|hf|key|gsk)[-_][\w*.-]{4,}", r"\1-***", message)


def _custom() -> dict[str, str]:
    """Headers of the variable that the SDK reads, too: a line `Name: value` for each."""
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
    pairs = (line.partition(":") for line in lines)
    return {name.strip(): value.strip() for name, colon, value in pairs if colon}


_CONTEXT = re.compile(
    r"context[ _](?:length|window|size)|maximum context|too many tokens|prompt is too long"
    r"|input is too long|input token count|exceeds the maximum number of tokens|max_new_tokens",
    re.I,
)
# Parameters that are the same in every call of a role: one refusal means all.
_OURS = frozenset({"max_tokens", "max_completion_tokens", "response_format", "temperature", "seed"})
_TOO_MUCH_ROOM = re.compile(r"max\w*_tokens\W*\d+ cannot be greater than", re.I)
"""vLLM's words for more room than the model has context."""
_UNSUPPORTED = re.compile(
    r"unsupported|not supported|unrecognized|unknown (?:parameter|argument)"
    r"|extra inputs are not permitted|does not support|grammar error",
    re.I,
)


_KEY = "Set the API key in the environment variable that `api_key_env` names."
_PLACE = (
    "Check `base_url` (it usually ends in /v1) and `model`; `pairwright doctor` lists the models"
    " that are served."
)
_ADVICE = {
    401: _KEY, 403: _KEY, 402: "The account has no credit left.", 404: _PLACE, 405: _PLACE,
    407: "A proxy wants a password: name it in HTTPS_PROXY, or the server in NO_PROXY.",
}  # fmt: skip
"""What to do about a status that every call would get."""

BROKEN_OFF = frozenset({"error", "abort", "aborted", "cancelled", "canceled"})
"""Finish reasons of engines that gave up: what there is of the text is not a reply."""


def refusal(
    status: int,
    body: object,
    where: str,
    secrets: Secrets,
    headers: Mapping[str, str] = MappingProxyType({}),
    *,
    enlarged: bool = False,
    known_key: bool = False,
) -> bytes:
    """The body that is stored in place of a 4xx or 5xx which is an answer about this one request: a
    prompt over the context, a content filter, or too much room in a request that is `enlarged`.

    `body` is what the endpoint said: parsed JSON, or text where it is none; `headers` may ask for a
    wait. `known_key` says that the endpoint has taken the key before.

    Raises Transient for what is worth asking again, EndpointRefused for what every call of this
    kind would meet, and CallFailed for anything else.
    """
    # vLLM's batch files nest `error` twice, proxies leave it out.
    while isinstance(body, dict) and body.get("error"):
        body = body["error"]
    detail = body if isinstance(body, dict) else {}
    code, parameter = str(detail.get("code") or ""), str(detail.get("param") or "")
    message = _message(body, secrets) or f"HTTP {status} without a word"
    page = web_page(message) if isinstance(body, str) else None
    if page:
        message = f"{page}, as a proxy or another server sends it"
    if status == 429 and "insufficient_quota" in code:
        raise EndpointRefused(f"{where}: {message}\n  The account has no quota left.")
    if status in (408, 409, 425, 429) or status >= 500:
        raise Transient(f"http_{status}", message, wait_asked(headers))
    if status == 403 and known_key:
        raise CallFailed("http_403", message)
    if advice := _ADVICE.get(status):
        raise EndpointRefused(f"{where}: {status} {message}\n  {advice}")
    too_long = code == "context_length_exceeded" or bool(_CONTEXT.search(message))
    too_long = too_long or (enlarged and bool(_TOO_MUCH_ROOM.search(message)))
    # A proxy's limit of bytes says nothing of the prompt, and can be raised.
    if (status == 413 and not page) or (status in (400, 422) and too_long and not page):
        return stand_in(CONTEXT_LENGTH, message)
    if status == 400 and "content_filter" in code:
        return stand_in("content_filter", message)
    ours = parameter in _OURS or _UNSUPPORTED.search(message)
    if status in (400, 422) and (code == "unsupported_parameter" or ours):
        named = f"the parameter {parameter!r}" if parameter else "a parameter"
        raise EndpointRefused(
            f"{where}: {status} {message}\n"
            f"  The endpoint does not take {named} as it is: change it under [endpoints] or"
            " [sampling] (token_parameter, max_tokens, temperature, seed, structured = false)."
        )
    raise CallFailed(f"http_{status}", message)


def stand_in(finish: str, message: str) -> bytes:
    """A body that is stored in place of a reply, and says why there is none."""
    choice = {"message": {"content": message}, "finish_reason": finish}
    return json.dumps({"object": "error", "choices": [choice]}).encode()


def _message(error: object, secrets: Secrets) -> str:
    """The endpoint's own words, in whatever shape it gives them, without any secret it repeats."""
    for name in ("message", "detail"):
        if isinstance(error, dict) and error.get(name):
            error = error[name]
    return secrets.hide(str(error or ""))[:1000]


def wait_asked(headers: Mapping[str, str]) -> float | None:
    """Seconds that `Retry-After` asks for, as a number or a date; None where it is not there or
    makes no sense."""
    named = {name.lower(): value.strip() for name, value in headers.items()}
    text = named.get("retry-after", "")
    try:
        seconds = (
            parsedate_to_datetime(text).timestamp() - time.time()
            if re.match(r"[A-Za-z]{3},? ", text)
            else float(text)
        )
    except (ValueError, OverflowError):  # Also a year or an offset that no clock has.
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
