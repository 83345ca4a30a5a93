"""What endpoints say in place of a reply, and what it means: a body stored in its place, a retry,
or the end of the run; and the secrets that must be in nothing that they say."""

import json
import math
import os
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic_core import from_json

from pairwright.errors import CallFailed, EndpointRefused
from pairwright.models.completion import CONTEXT_LENGTH, web_page
from pairwright.text import visible


class Response(NamedTuple):
    """What came back for a request, whatever its status."""

    status: int
    body: bytes
    headers: Mapping[str, str] = MappingProxyType({})
    """Names in any case; empty of an engine in this process."""


class Transient(Exception):
    """Worth asking again: a rate limit, a server error, a lost connection, a broken body."""

    def __init__(self, reason: str, detail: str, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.retry_after = retry_after


SHORTEST = 12
"""Characters from which a header's value counts as a secret, and a key is replaced in replies. A
shorter one (`test`, `none`) hides nothing, and may be a word of a reply."""


class Secrets:
    """API keys and the values of custom headers, which a server may repeat in what it says."""

    def __init__(self, *keys: str | None) -> None:
        values = set(keys)
        for line in os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines():
            value = line.partition(":")[2].strip()
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
KEY_ADVICE = "Set the API key in the environment variable that `api_key_env` names."
_PLACE = (
    "Check `base_url` (it usually ends in /v1) and `model`; `pairwright doctor` lists the models"
    " that are served."
)
_ADVICE = {
    401: KEY_ADVICE, 403: KEY_ADVICE, 402: "The account has no credit left.", 404: _PLACE,
    405: _PLACE,
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

    `body` is what the endpoint said: bytes, or parsed JSON; `headers` may ask for a wait.
    `known_key` says that the endpoint has taken the key before.

    Raises Transient for what is worth asking again, EndpointRefused for what every call of this
    kind would meet, and CallFailed for anything else.
    """
    if isinstance(body, bytes):
        body = _parsed(body)
    detail = error_of(body)
    code, parameter = str(detail.get("code") or ""), str(detail.get("param") or "")
    message = _message(detail, secrets) or f"HTTP {status} without a word"
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


def error_of(said: object) -> dict[str, Any]:
    """The error in what an endpoint says: vLLM's batch files nest `error` twice, proxies leave it
    out, and some give a text alone."""
    while isinstance(said, dict) and said.get("error"):
        said = said["error"]
    return said if isinstance(said, dict) else {"message": said}


def _parsed(body: bytes) -> object:
    try:
        said: object = from_json(body)
    except ValueError:
        return body.decode("utf-8", "replace")
    return said


def _message(error: dict[str, Any], secrets: Secrets) -> str:
    """The endpoint's own words, in whatever shape it gives them, without any secret it repeats."""
    said = error.get("message", error.get("detail", error or ""))
    return secrets.hide(str(said or ""))[:1000]


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
