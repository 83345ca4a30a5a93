"""The wire format: a Request as a chat-completions body, and refusals as what they mean for us."""

import json
import re
from typing import Any

from openai import APIStatusError

from pairwright.errors import CallFailed, EndpointRefused
from pairwright.llm import CONTEXT_LENGTH, Request

_CONTEXT = re.compile(
    r"context[ _](?:length|window|size)|maximum context|too many tokens|prompt is too long", re.I
)
_UNSUPPORTED = re.compile(
    r"unsupported|not supported|unrecognized|unknown (?:parameter|argument)"
    r"|extra inputs are not permitted|does not support",
    re.I,
)


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
        schema = {
            "name": request.schema_name,
            "schema": json.loads(request.schema_json),
            "strict": True,
        }
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    body |= json.loads(request.extra)
    return body


def refusal(error: APIStatusError, where: str) -> bytes | Exception:
    """What a 4xx or 5xx means: a body to store in its place, or the exception to raise.

    A prompt over the context and a content filter are answers about this one request, so they
    are stored like answers. What every call of this kind would meet stops the run.
    """
    status, message = error.status_code, _message(error)
    detail = error.body if isinstance(error.body, dict) else {}
    code, parameter = str(detail.get("code") or ""), detail.get("param")
    if status == 429 and "insufficient_quota" in code:
        return EndpointRefused(f"{where}: {message}\n  The account has no quota left.")
    if status in (408, 409, 425, 429) or status >= 500:
        return Transient(f"http_{status}", message, _retry_after(error))
    if status in (401, 403):
        return EndpointRefused(
            f"{where}: {status} {message}\n"
            "  Set the API key in the environment variable that `api_key_env` names."
        )
    if status == 404:
        return EndpointRefused(
            f"{where}: 404 {message}\n"
            "  Check `base_url` (it usually ends in /v1) and `model`; `pairwright doctor` lists"
            " the models that are served."
        )
    if status == 400 and (code == "context_length_exceeded" or _CONTEXT.search(message)):
        return _stand_in(CONTEXT_LENGTH, message)
    if status == 400 and "content_filter" in code:
        return _stand_in("content_filter", message)
    if status in (400, 422) and (code == "unsupported_parameter" or _UNSUPPORTED.search(message)):
        named = f"the parameter {parameter!r}" if parameter else "a parameter"
        return EndpointRefused(
            f"{where}: {status} {message}\n"
            f"  The endpoint does not take {named}: change it under [endpoints] or [sampling]"
            " (token_parameter, temperature, seed, structured = false)."
        )
    return CallFailed(f"http_{status}", message)


def _stand_in(finish: str, message: str) -> bytes:
    choice = {"message": {"content": message}, "finish_reason": finish}
    return json.dumps({"object": "error", "choices": [choice]}).encode()


def _message(error: APIStatusError) -> str:
    """The endpoint's own words without any key that it may repeat."""
    body = error.body if isinstance(error.body, dict) else {}
    text = str(body.get("message") or error.message)
    return re.sub(r"\b(sk|hf|key|gsk)[-_][\w*.-]{4,}", r"\1-***", text)[:1000]


def _retry_after(error: APIStatusError) -> float | None:
    try:
        return float(error.response.headers["retry-after"])
    except (KeyError, ValueError):
        return None
