"""The meaning of a response: a reply that is stored, or the reason for having none."""

import json
import math
import re
import time
from email.utils import parsedate_to_datetime
from typing import Any

from pairwright.errors import CallFailed, EndpointRefused
from pairwright.models.call import (
    CONTENT_FILTER,
    CONTEXT_LENGTH,
    Completion,
    Response,
    body_of,
    completion_of,
    first_words,
    is_page,
    printable,
)
from pairwright.text import visible


class Transient(Exception):
    """Worth asking again: a rate limit, a server error, a lost connection, a broken body."""

    def __init__(self, reason: str, detail: str, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.reason, self.detail, self.retry_after = reason, detail, retry_after


def read_reply(key: str, response: Response, where: str, *, known_key: bool) -> Completion:
    """The reply to the request of this key; `known_key` if the endpoint has taken the API key
    before. A refusal of this one prompt is a reply, too: it is too long, or a filter refuses it.

    Raises Transient for what is worth asking again, EndpointRefused for what every call of this
    kind would meet, and CallFailed for anything else.
    """
    body = response.body
    if not 200 <= response.status < 300:
        body = body_of(*_refused(response, where, known_key=known_key), kind="error")
    try:
        completion = completion_of(key, body)
    except ValueError as error:
        failure = Transient("web_page" if is_page(body) else "malformed_body", f"{where}: {error}")
    else:
        if completion.finish not in _BROKEN_OFF:
            return completion
        failure = Transient("broken_off", f"the engine ended with {completion.finish!r}")
    # Outside the block: as the context of another error, this one would keep the body.
    raise failure


_BROKEN_OFF = ("error", "abort", "aborted", "cancelled", "canceled")
"""Finish reasons of engines that gave up: what there is of the text is not a reply."""
_CONTEXT = re.compile(
    r"context[ _](?:length|window|size)|maximum context|too many tokens|prompt is too long"
    r"|input is too long|input token count|exceeds the maximum number of tokens|max_new_tokens",
    re.I,
)
# Parameters that are the same in every call of a role: one refusal means all.
_OURS = frozenset({"max_tokens", "max_completion_tokens", "response_format", "temperature", "seed"})
_UNSUPPORTED = re.compile(
    r"unsupported|not supported|unrecognized|unknown (?:parameter|argument)"
    r"|extra inputs are not permitted|does not support|grammar error",
    re.I,
)
KEY_ADVICE = "Set the API key in the environment variable that `api_key_env` names."
_PLACE = "Check `base_url` (it usually ends in /v1) and `model`; see `pairwright doctor`."
_PASSWORD = "A proxy wants a password: name it in HTTPS_PROXY, or the server in NO_PROXY."
_ADVICE = {
    401: KEY_ADVICE, 402: "The account has no credit left.", 403: KEY_ADVICE, 404: _PLACE,
    405: _PLACE, 407: _PASSWORD,
}  # fmt: skip
"""The remedy for a status that every call would get."""


def _refused(response: Response, where: str, *, known_key: bool) -> tuple[str, str]:
    """The words and the `finish` of a refusal of this one prompt. Raises as `read_reply` does."""
    status, error = response.status, error_of(response.body)
    code, parameter = str(error.get("code") or ""), str(error.get("param") or "")
    words = str(error.get("message", error.get("detail", error or "")) or "")
    message = printable(words)[:1000] or f"HTTP {status} without a word"
    if 300 <= status < 400:
        target = response.headers.get("Location", "").partition("?")[0] or "nowhere"
        raise EndpointRefused(
            f"{where}: redirects calls ({status}) to {visible(target[:300])}\n"
            "  They hold posts and a key, so they are not sent on. Set `base_url` to where calls"
            " should go."
        )
    if status == 429 and "insufficient_quota" in code:
        raise EndpointRefused(f"{where}: {message}\n  The account has no quota left.")
    if status in (408, 409, 425, 429) or status >= 500:
        wait = _wait_asked(response.headers.get("Retry-After", "").strip())
        raise Transient(f"http_{status}", message, wait)
    # With a key that was good before, 403 is about this one prompt.
    if (advice := _ADVICE.get(status)) and not (status == 403 and known_key):
        raise EndpointRefused(f"{where}: {status} {message}\n  {advice}")
    # A proxy's page on too many bytes says nothing of the prompt.
    if status in (400, 413, 422) and not is_page(response.body):
        if status == 413 or code == "context_length_exceeded" or _CONTEXT.search(message):
            return message, CONTEXT_LENGTH
        if CONTENT_FILTER in code:
            return message, CONTENT_FILTER
        if "unsupported" in code or parameter in _OURS or _UNSUPPORTED.search(message):
            raise EndpointRefused(
                f"{where}: {status} {message}\n  The endpoint does not take"
                f" {parameter or 'a parameter'} as it is: change it under [endpoints] or [sampling]"
                " (token_parameter, max_tokens, temperature, seed, structured = false)."
            )
    raise CallFailed(f"http_{status}", message)


def error_of(said: object) -> dict[str, Any]:
    """The error in a body: vLLM's batch files nest `error` twice, proxies leave it out, and some
    give a text alone."""
    if isinstance(body := said, bytes):
        try:
            said = json.loads(body)
        except (ValueError, RecursionError):
            return {"message": first_words(body)}
    while isinstance(said, dict) and said.get("error"):
        said = said["error"]
    return said if isinstance(said, dict) else {"message": said}


def _wait_asked(retry_after: str) -> float | None:
    """Seconds that a server asks to wait, as a number or a date; None if it makes no sense."""
    try:
        date = None if retry_after[:1].isdigit() else parsedate_to_datetime(retry_after)
        seconds = date.timestamp() - time.time() if date else float(retry_after)
    except (ValueError, OverflowError):  # Also a year or an offset that no clock has.
        return None
    return seconds if 0 <= seconds < math.inf else None
