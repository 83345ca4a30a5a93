"""What an endpoint's reply means: an answer, which may be stored in place of a refusal, a retry, or
the end of the run; and the secrets that must be in nothing that it says."""

import json
import math
import os
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from pairwright.errors import CallFailed, EndpointRefused
from pairwright.models.model import Answer, Request
from pairwright.models.reply import CONTEXT_LENGTH, completion_of, first_words
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


SHORTEST = 8
"""Characters from which a key, or the value of a header, is a secret. A shorter one (`test`,
`none`) hides nothing, and may be a word of a reply."""


class Secrets:
    """API keys and the values of custom headers, which a server may repeat in what it says."""

    def __init__(self, *keys: str | None) -> None:
        values = set(filter(None, keys))
        for line in os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines():
            value = line.partition(":")[2].strip()
            # Of `Basic xyz` a server may repeat the second part alone.
            values |= {value, *value.split()}
        # The longest first: one secret may be part of another.
        self._values = sorted((one for one in values if len(one) >= SHORTEST), key=len)[::-1]

    def without(self, body: bytes) -> bytes:
        """The body of a reply with every secret replaced by `***`."""
        for secret in self._values:
            body = body.replace(secret.encode(), b"***")
        return body

    def hide(self, message: str) -> str:
        """A server's message with every secret, and what looks like part of one, replaced, and
        without control characters, which a terminal would obey."""
        message = visible(self.without(message.encode("utf-8", "replace")).decode())
        return re.sub(r"\b(sk|hf|key|gsk)[-_][\w*.-]{4,}", r"\1-***", message)


_CONTEXT = re.compile(
    r"context[ _](?:length|window|size)|maximum context|too many tokens|prompt is too long"
    r"|input is too long|input token count|exceeds the maximum number of tokens|max_new_tokens",
    re.I,
)
_TOO_MUCH_ROOM = re.compile(r"max\w*_tokens\W*\d+ cannot be greater than", re.I)
"""vLLM's words for more room than the model has context."""
# Parameters that are the same in every call of a role: one refusal means all.
_OURS = frozenset({"max_tokens", "max_completion_tokens", "response_format", "temperature", "seed"})
_UNSUPPORTED = re.compile(
    r"unsupported|not supported|unrecognized|unknown (?:parameter|argument)"
    r"|extra inputs are not permitted|does not support|grammar error",
    re.I,
)
_AGAIN = (408, 409, 425, 429)
KEY_ADVICE = "Set the API key in the environment variable that `api_key_env` names."
_PLACE = "Check `base_url` (it usually ends in /v1) and `model`; see `pairwright doctor`."
_ADVICE = {
    401: KEY_ADVICE,
    402: "The account has no credit left.",
    403: KEY_ADVICE,
    404: _PLACE,
    405: _PLACE,
    407: "A proxy wants a password: name it in HTTPS_PROXY, or the server in NO_PROXY.",
}
"""What to do about a status that every call would get."""
_BROKEN_OFF = ("error", "abort", "aborted", "cancelled", "canceled")
"""Finish reasons of engines that gave up: what there is of the text is not a reply."""


def read_reply(
    request: Request, reply: Response, where: str, secrets: Secrets, *, known_key: bool
) -> Answer:
    """The reply with every secret replaced. `known_key` says that the endpoint has taken the key
    before.

    Raises what it means if it is none: Transient for what is worth asking again, EndpointRefused
    for what every call of this kind would meet, and CallFailed for anything else.
    """
    body = secrets.without(reply.body)
    if not 200 <= reply.status < 300:
        said = Response(reply.status, body, reply.headers)
        body = _refusal(request, said, where, secrets, known_key=known_key)
    try:
        completion = completion_of(request.key, body)
    except ValueError as error:
        failure = Transient("web_page" if is_page(body) else "malformed_body", f"{where}: {error}")
    else:
        if completion.finish not in _BROKEN_OFF:
            return Answer(body, completion)
        failure = Transient("broken_off", f"the engine ended with {completion.finish!r}")
    # Outside the block: as the context of another error, this one would keep the body.
    raise failure


def _refusal(
    request: Request, reply: Response, where: str, secrets: Secrets, *, known_key: bool
) -> bytes:
    """What is stored in place of a refusal of this one request: its prompt is over the context, it
    was given too much room, or a filter refuses it. Raises as `read_reply` does."""
    status, error = reply.status, error_of(reply.body)
    code, parameter = str(error.get("code") or ""), str(error.get("param") or "")
    words = str(error.get("message", error.get("detail", error or "")) or "")
    message = secrets.hide(words)[:1000] or f"HTTP {status} without a word"
    if 300 <= status < 400:
        target = visible(reply.headers.get("Location", "nowhere").partition("?")[0][:300])
        raise EndpointRefused(
            f"{where}: redirects calls ({status}) to {target}\n  They hold posts and a key, so they"
            " are not sent on. Set `base_url` to where calls should go."
        )
    if status == 429 and "insufficient_quota" in code:
        raise EndpointRefused(f"{where}: {message}\n  The account has no quota left.")
    if status in _AGAIN or status >= 500:
        raise Transient(f"http_{status}", message, wait_asked(reply.headers))
    if (advice := _ADVICE.get(status)) and not (status == 403 and known_key):
        raise EndpointRefused(f"{where}: {status} {message}\n  {advice}")
    # A proxy's page on too many bytes says nothing of the prompt.
    if status in (400, 413, 422) and not is_page(reply.body):
        long = status == 413 or code == "context_length_exceeded" or _CONTEXT.search(message)
        if long or (request.enlarged and _TOO_MUCH_ROOM.search(message)):
            return stand_in(CONTEXT_LENGTH, message)
        if "content_filter" in code:
            return stand_in("content_filter", message)
        if "unsupported" in code or parameter in _OURS or _UNSUPPORTED.search(message):
            raise EndpointRefused(
                f"{where}: {status} {message}\n  The endpoint does not take"
                f" {parameter or 'a parameter'} as it is: change it under [endpoints] or [sampling]"
                " (token_parameter, max_tokens, temperature, seed, structured = false)."
            )
    raise CallFailed(f"http_{status}", message)


def stand_in(finish: str, message: str) -> bytes:
    """A body that is stored in place of a reply, and says why there is none."""
    choice = {"message": {"content": message}, "finish_reason": finish}
    return json.dumps({"object": "error", "choices": [choice]}).encode()


def is_page(body: bytes) -> bool:
    """Whether a body is a web page: of a proxy, a sign-in, or a server that is not the API."""
    return body.lstrip().startswith(b"<")


def error_of(said: object) -> dict[str, Any]:
    """The error in a body: vLLM's batch files nest `error` twice, proxies leave it out, and some
    give a text alone."""
    if isinstance(said, bytes):
        try:
            said = json.loads(said)
        except (ValueError, RecursionError):
            said = first_words(said)  # type: ignore[arg-type]
    while isinstance(said, dict) and said.get("error"):
        said = said["error"]
    return said if isinstance(said, dict) else {"message": said}


def wait_asked(headers: Mapping[str, str]) -> float | None:
    """Seconds that `Retry-After` asks for, as a number or a date; None where it is not there or
    makes no sense."""
    text = {name.lower(): value for name, value in headers.items()}.get("retry-after", "").strip()
    try:
        date = None if text[:1].isdigit() else parsedate_to_datetime(text)
        seconds = date.timestamp() - time.time() if date else float(text)
    except (ValueError, OverflowError):  # Also a year or an offset that no clock has.
        return None
    return seconds if 0 <= seconds < math.inf else None
