"""What refusals of endpoints mean: a body stored in place of a reply, a retry, or the end of the
run.
"""

import json
import math
import re
import time
from email.utils import parsedate_to_datetime

from pairwright.errors import CallFailed, EndpointRefused
from pairwright.models import CONTEXT_LENGTH
from pairwright.models.client.headers import Secrets
from pairwright.models.client.wire import Transient
from pairwright.models.foreign_body import web_page

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


BROKEN_OFF = frozenset({"error", "abort", "aborted", "cancelled", "canceled"})
"""Finish reasons of engines that gave up: what there is of the text is not a reply."""
STAND_INS = frozenset({CONTEXT_LENGTH, "content_filter"})
"""Finish reasons of refusals that are stored like answers."""


def refusal(
    status: int,
    body: object,
    where: str,
    secrets: Secrets,
    retry_after: str = "",
    *,
    enlarged: bool = False,
) -> bytes | Exception:
    """What a 4xx or 5xx means: a body to store in its place, or the exception to raise.

    `body` is what the endpoint said: parsed JSON, or text where it is none; `retry_after` is that
    header's value. A prompt over the context and a content filter are answers about this one
    request, so they are stored like answers, and so is too much room in a request that is
    `enlarged`. What every call of this kind would meet stops the run.
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
        return EndpointRefused(f"{where}: {message}\n  The account has no quota left.")
    if status in (408, 409, 425, 429) or status >= 500:
        return Transient(f"http_{status}", message, _seconds(retry_after))
    if status in (401, 403):
        return EndpointRefused(
            f"{where}: {status} {message}\n"
            "  Set the API key in the environment variable that `api_key_env` names."
        )
    if status == 402:
        return EndpointRefused(f"{where}: 402 {message}\n  The account has no credit left.")
    if status == 407:
        return EndpointRefused(
            f"{where}: 407 {message}\n"
            "  A proxy wants a password: name it in HTTPS_PROXY, or the server in NO_PROXY."
        )
    if status in (404, 405):
        return EndpointRefused(
            f"{where}: {status} {message}\n"
            "  Check `base_url` (it usually ends in /v1) and `model`; `pairwright doctor` lists"
            " the models that are served."
        )
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
        return EndpointRefused(
            f"{where}: {status} {message}\n"
            f"  The endpoint does not take {named} as it is: change it under [endpoints] or"
            " [sampling] (token_parameter, max_tokens, temperature, seed, structured = false)."
        )
    return CallFailed(f"http_{status}", message)


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


def _seconds(retry_after: str) -> float | None:
    """Seconds that the endpoint asks for, given as a number or as a date."""
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(retry_after).timestamp() - time.time()
        except (ValueError, OverflowError):  # A year or an offset that no clock has.
            return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
