"""Requests with their keys, replies as they are stored, and the meaning of a response.

A `Request` has a key, which omits what does not change the answer (base URL, timeouts, retries,
concurrency). A `Response` is the answer of a server or an engine. `read_reply` makes a `Completion`
of it, which is stored, or raises the reason that it cannot.
"""

import json
import math
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cached_property
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic_core import to_json

from pairwright.errors import CallFailed, EndpointRefused
from pairwright.settings.prompt import Message
from pairwright.text import visible

RECORDED = "pairwright-recorded"
"""The `object` of replies that come from a recording."""
CONTEXT_LENGTH, CONTENT_FILTER = "context_length", "content_filter"
"""The `finish` of a reply that says that the prompt does not fit, or that a filter refuses it."""
MODEL_REFUSED, TOOL_CALL = "model_refused", "tool_call"
"""The `finish` of a message that has a refusal, or calls a tool, and has no content."""


_SAMPLED = "draw extra max_tokens model revision schema_name seed temperature top_p".split()


@dataclass(frozen=True)
class Request:
    """One effective chat-completion request."""

    model: str
    messages: tuple[Message, ...]
    max_tokens: int
    revision: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    schema_name: str | None = None
    schema_json: str | None = None
    extra: str = "{}"
    """Canonical JSON of further body fields, such as a reasoning effort."""
    draw: int = 0
    purpose: str = ""
    """The name of the prompt, for people; not part of the key."""

    @cached_property
    def canonical(self) -> str:
        """The documented form that is hashed: compact JSON, fields in alphabetical order."""
        fields = {name: getattr(self, name) for name in _SAMPLED}
        fields |= {"messages": self.spoken, "schema": self.schema_json}
        return bytes_of(dict(sorted(fields.items()))).decode()

    @cached_property
    def key(self) -> str:
        """The tagged hash of all that decides the answer."""
        return key_of(self.canonical)

    @property
    def spoken(self) -> list[dict[str, str]]:
        """The messages as the API takes them."""
        return [{"content": m.content, "role": m.role} for m in self.messages]

    @classmethod
    def of(cls, canonical: str, purpose: str) -> "Request":
        """The request whose canonical form this is."""
        fields = json.loads(canonical)
        messages = tuple(Message(**message) for message in fields.pop("messages"))
        schema = fields.pop("schema")
        return cls(**fields, messages=messages, schema_json=schema, purpose=purpose)

    def body(self, token_parameter: str) -> dict[str, Any]:
        """The JSON body of the chat completion that is sent."""
        sampled = {"temperature": self.temperature, "top_p": self.top_p, "seed": self.seed}
        body: dict[str, Any] = {
            "model": self.model,
            "messages": self.spoken,
            token_parameter: self.max_tokens,
            **{name: value for name, value in sampled.items() if value is not None},
        }
        if self.schema_json is not None:
            schema = json.loads(self.schema_json)
            named = {"name": self.schema_name, "schema": schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        return {**body, **json.loads(self.extra)}


def bytes_of(body: dict[str, Any]) -> bytes:
    """Compact JSON. Half an emoji, which no UTF-8 can hold, is escaped."""
    try:
        return to_json(body)
    except ValueError:  # PydanticSerializationError
        return json.dumps(body, separators=(",", ":")).encode()


def key_of(canonical: str) -> str:
    """The tagged key of a canonical request: `b2:` and 40 hex digits of blake2b."""
    return "b2:" + blake2b(canonical.encode(), digest_size=20).hexdigest()


class Response(NamedTuple):
    """The response to a request, whatever its status."""

    status: int
    body: bytes
    headers: Mapping[str, str] = MappingProxyType({})


class Completion(NamedTuple):
    """A reply, and what is read from it."""

    key: str
    text: str
    finish: str = "stop"
    """The endpoint's finish reason, or why there is no reply."""
    reasoning: str = ""
    """The model's reasoning before its reply; never part of `text`."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Those of `prompt_tokens` that came from the endpoint's cache."""
    thinking_tokens: int = 0
    recorded: bool = False
    """Whether it comes from a recording of an earlier run."""
    served: str = ""
    """The model that the reply says answered; empty if it names none."""
    body: bytes = b""
    """The reply as it came and is stored."""

    @property
    def only_thinking(self) -> bool:
        """Whether the model thought and wrote no reply."""
        return bool(self.reasoning or self.thinking_tokens) and not self.text.strip()


def body_of(
    text: str, finish: str = "stop", *, kind: str, model: str = "", reasoning: str = "", **of: int
) -> bytes:
    """The body of a chat completion that says this, for a reply that did not come as one; with
    numbers of tokens by their names in a `Completion`."""
    usage = {
        "prompt_tokens": of.get("prompt_tokens", 0),
        "completion_tokens": of.get("completion_tokens", 0),
        "prompt_tokens_details": {"cached_tokens": of.get("cached_tokens", 0)},
        "completion_tokens_details": {"reasoning_tokens": of.get("thinking_tokens", 0)},
    }
    message = {"role": "assistant", "content": text, "reasoning_content": reasoning}
    choices = [{"message": message, "finish_reason": finish}]
    return bytes_of({"object": kind, "model": model, "choices": choices, "usage": usage})


def completion_of(key: str, body: bytes) -> Completion:
    """The reply that the body of a chat completion holds. Raises ValueError for another body, with
    the words of an error that it holds instead."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError(f"not JSON: {_first_words(body)!r}") from None
    try:
        if not data.get("choices") and data.get("error"):
            words = str(error_of(data).get("message") or data["error"])
            raise ValueError(f"an error instead of a reply: {printable(words)[:500]}")
        choice, usage = data["choices"][0], data.get("usage")
        message = choice["message"]
        text, instead = _said(message)
        thought, text = _without_thinking(text)
        reasoning = message.get("reasoning_content") or message.get("reasoning") or ""
        prompt, reply = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        return Completion(
            key,
            _whole(text),
            instead or _whole(str(choice.get("finish_reason") or "stop")),
            _whole(reasoning + thought),
            prompt,
            reply,
            min(prompt, _count(usage, "prompt_tokens_details", "cached_tokens")),
            min(reply, _count(usage, "completion_tokens_details", "reasoning_tokens")),
            data.get("object") == RECORDED,
            " ".join(visible(_whole(str(data.get("model") or ""))).split())[:200],
            body,
        )
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"not a chat completion ({type(error).__name__}: {error})") from None


def _whole(text: str) -> str:
    """The text without half an emoji, cut inside its escape, which can be written to no file."""
    return text.encode("utf-8", "replace").decode()


def _said(message: Any) -> tuple[str, str]:
    """The text of a message; and what it has instead of content."""
    content = message.get("content")
    if isinstance(content, list):
        texts = (one["text"] for one in content if one.get("type") in ("text", "output_text"))
        content = "".join(texts)
    if not content and (refusal := message.get("refusal")):
        return refusal, MODEL_REFUSED
    calls = message.get("tool_calls") or message.get("function_call")
    return content or "", TOOL_CALL if calls and not content else ""


_OPEN, _CLOSE = r"(?:<think(?:ing)?>|\[THINK\])", r"(?:</think(?:ing)?>|\[/THINK\])"
_TAG = re.compile(f"{_OPEN}|{_CLOSE}")
# It may be cut short. A template may open it in the prompt: then only its end is in the reply.
_THOUGHT = re.compile(rf"\s*{_OPEN}.*?(?:{_CLOSE}|\Z)|(?:(?!{_TAG.pattern}).)*{_CLOSE}", re.DOTALL)


def _without_thinking(text: str) -> tuple[str, str]:
    """The thinking at the start of a text, if a server leaves it inline, and what follows. Tags
    further on, and those inside JSON, are words of the reply."""
    thought = ""
    while _TAG.search(text):
        with suppress(ValueError, RecursionError):
            json.loads(text)
            break
        if not (found := _THOUGHT.match(text)):
            break
        thought, text = thought + found[0], text[found.end() :]
    return _TAG.sub("", thought), text


def _count(usage: Any, *names: str) -> int:
    """A number of tokens; 0 for one that no endpoint can mean."""
    for name in names:
        usage = usage.get(name) if isinstance(usage, dict) else None
    return int(usage) if isinstance(usage, int | float) and 0 <= usage < 1_000_000_000 else 0


# Secrets, and a server's words


class Secrets:
    """API keys and the values of custom headers, which a server may repeat in what it says."""

    def __init__(self, *keys: str | None) -> None:
        values = set(filter(None, keys))
        for line in os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines():
            value = line.partition(":")[2].strip()
            # Of `Basic xyz` a server may repeat the second part alone.
            values |= {value, *value.split()}
        # A shorter key (`test`, `none`) may be a word of a reply. The longest first: one secret may
        # be part of another.
        long = (value.encode() for value in values if len(value) >= 8)
        self._values = sorted(long, key=len, reverse=True)

    def without(self, body: bytes) -> bytes:
        """The body of a reply with every secret replaced by `***`."""
        for secret in self._values:
            body = body.replace(secret, b"***")
        return body


def printable(message: str) -> str:
    """A server's message without control characters, which a terminal would obey, and with all that
    looks like a key, or part of one, replaced."""
    return re.sub(r"\b(sk|hf|key|gsk)[-_][\w*.-]{4,}", r"\1-***", visible(_whole(message)))


# The meaning of a response


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
        failure = Transient("web_page" if _is_page(body) else "malformed_body", f"{where}: {error}")
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
_ADVICE = {
    401: KEY_ADVICE, 402: "The account has no credit left.", 403: KEY_ADVICE, 404: _PLACE,
    405: _PLACE,
    407: "A proxy wants a password: name it in HTTPS_PROXY, or the server in NO_PROXY.",
}  # fmt: skip
"""The remedy for a status that every call would get."""


def _refused(response: Response, where: str, *, known_key: bool) -> tuple[str, str]:
    """The words and the `finish` of a refusal of this one prompt. Raises as `read_reply` does."""
    status, error = response.status, error_of(response.body)
    code, parameter = str(error.get("code") or ""), str(error.get("param") or "")
    words = str(error.get("message", error.get("detail", error or "")) or "")
    message = printable(words)[:1000] or f"HTTP {status} without a word"
    advice = _ADVICE.get(status)
    if 300 <= status < 400:
        target = visible(response.headers.get("Location", "").partition("?")[0][:300])
        message = f"redirects calls to {target or 'nowhere'}"
        advice = "They hold posts and a key and are not sent on: set `base_url` to the new place."
    elif status == 429 and "insufficient_quota" in code:
        advice = "The account has no quota left."
    elif status in (408, 409, 425, 429) or status >= 500:
        wait = _wait_asked(response.headers.get("Retry-After", "").strip())
        raise Transient(f"http_{status}", message, wait)
    elif status == 403 and known_key:
        advice = None  # It is about this one prompt.
    # A proxy's page on too many bytes says nothing of the prompt.
    elif status in (400, 413, 422) and not _is_page(response.body):
        if status == 413 or code == "context_length_exceeded" or _CONTEXT.search(message):
            return message, CONTEXT_LENGTH
        if CONTENT_FILTER in code:
            return message, CONTENT_FILTER
        if "unsupported" in code or parameter in _OURS or _UNSUPPORTED.search(message):
            advice = (
                f"The endpoint does not take {parameter or 'a parameter'} as it is: change it under"
                " [endpoints] or [sampling] (token_parameter, max_tokens, temperature, seed,"
                " structured = false)."
            )
    if advice:
        raise EndpointRefused(f"{where}: {status} {message}\n  {advice}")
    raise CallFailed(f"http_{status}", message)


def error_of(said: object) -> dict[str, Any]:
    """The error in a body: vLLM's batch files nest `error` twice, proxies leave it out, and some
    give a text alone."""
    if isinstance(body := said, bytes):
        try:
            said = json.loads(body)
        except (ValueError, RecursionError):
            return {"message": _first_words(body)}
    while isinstance(said, dict) and said.get("error"):
        said = said["error"]
    return said if isinstance(said, dict) else {"message": said}


def _first_words(body: bytes) -> str:
    """The beginning of a body that is not JSON, without the tags of a web page."""
    text = re.sub(r"<[^>]*>", " ", body[:2000].decode("utf-8", "replace"))
    return "a web page: " * _is_page(body) + " ".join(visible(text).split())[:100]


def _is_page(body: bytes) -> bool:
    """Whether a body is a web page: of a proxy, a sign-in, or a server that is not the API."""
    return body.lstrip().startswith(b"<")


def _wait_asked(retry_after: str) -> float | None:
    """Seconds that a server asks to wait, as a number or a date; None if it makes no sense."""
    try:
        date = None if retry_after[:1].isdigit() else parsedate_to_datetime(retry_after)
        seconds = date.timestamp() - time.time() if date else float(retry_after)
    except (ValueError, OverflowError):  # Also a year or an offset that no clock has.
        return None
    return seconds if 0 <= seconds < math.inf else None
