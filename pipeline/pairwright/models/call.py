"""A call: a request with its key, and the reply as it is stored.

A `Request` has a key, which omits what does not change the answer (base URL, timeouts, retries,
concurrency). A `Response` is the answer of a server or an engine, whatever its status. A
`Completion` is what is read from its body.
"""

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic_core import to_json

from pairwright.settings.prompt import Message
from pairwright.text import visible

RECORDED = "pairwright-recorded"
"""The `object` of replies that come from a recording."""
CONTEXT_LENGTH, CONTENT_FILTER = "context_length", "content_filter"
"""The `finish` of a reply that says that the prompt does not fit, or that a filter refuses it."""
MODEL_REFUSED, TOOL_CALL = "model_refused", "tool_call"
"""The `finish` of a message that has a refusal, or calls a tool, and has no content."""


_SAMPLED = (
    "draw", "extra", "max_tokens", "model", "revision", "schema_name", "seed", "temperature",
    "top_p",
)  # fmt: skip


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
    text: str,
    finish: str = "stop",
    *,
    kind: str = "chat.completion",
    model: str = "",
    reasoning: str = "",
    prompt_tokens: int = 0,
    completion_tokens: int = 0,
    cached_tokens: int = 0,
    thinking_tokens: int = 0,
) -> bytes:
    """The body of a chat completion that says this, for a reply that did not come as one."""
    message = {"role": "assistant", "content": text, "reasoning_content": reasoning}
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "prompt_tokens_details": {"cached_tokens": cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": thinking_tokens},
    }
    choices = [{"message": message, "finish_reason": finish}]
    return bytes_of({"object": kind, "model": model, "choices": choices, "usage": usage})


def completion_of(key: str, body: bytes) -> Completion:
    """The reply that the body of a chat completion holds. Raises ValueError for another body, with
    the words of an error that it holds instead."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError(f"not JSON: {first_words(body)!r}") from None
    try:
        if not data.get("choices") and (error := data.get("error")):
            words = (isinstance(error, dict) and error.get("message")) or error
            raise ValueError(f"an error instead of a reply: {visible(str(words))[:500]}")
        choice, usage = data["choices"][0], data.get("usage")
        message = choice["message"]
        text, instead = _said(message)
        thought, text = _without_thinking(text)
        reasoning = message.get("reasoning_content") or message.get("reasoning") or ""
        prompt, reply = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        return Completion(
            key,
            # Half an emoji, cut inside its escape, can be written to no file.
            text.encode("utf-8", "replace").decode(),
            instead or str(choice.get("finish_reason") or "stop"),
            reasoning + thought,
            prompt,
            reply,
            min(prompt, _count(usage, "prompt_tokens_details", "cached_tokens")),
            min(reply, _count(usage, "completion_tokens_details", "reasoning_tokens")),
            data.get("object") == RECORDED,
            " ".join(visible(str(data.get("model") or "")).split())[:200],
            body,
        )
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"not a chat completion ({type(error).__name__}: {error})") from None


def _said(message: Any) -> tuple[str, str]:
    """The text of a message; and what it has instead of content."""
    content = message.get("content")
    if isinstance(content, list):
        texts = (one["text"] for one in content if one.get("type") in ("text", "output_text"))
        content = "".join(texts)
    if content:
        return content, ""
    if refusal := message.get("refusal"):
        return refusal, MODEL_REFUSED
    calls = message.get("tool_calls") or message.get("function_call")
    return "", TOOL_CALL if calls else ""


_OPEN, _CLOSE = r"(?:<think(?:ing)?>|\[THINK\])", r"(?:</think(?:ing)?>|\[/THINK\])"
_TAG = re.compile(f"{_OPEN}|{_CLOSE}")
# A template may open it in the prompt: then only its end is in the reply.
_THOUGHT = re.compile(rf"\s*{_OPEN}.*?{_CLOSE}|(?:(?!{_TAG.pattern}).)*{_CLOSE}", re.DOTALL)
_CUT_SHORT = re.compile(rf"\s*{_OPEN}")


def _without_thinking(text: str) -> tuple[str, str]:
    """The thinking at the start of a text, if a server leaves it inline, and what follows. Tags
    further on, and those inside JSON, are words of the reply."""
    thought = ""
    while _TAG.search(text):
        with suppress(ValueError, RecursionError):
            json.loads(text)
            break
        if not (found := _THOUGHT.match(text)):
            if _CUT_SHORT.match(text):
                thought, text = thought + text, ""
            break
        thought, text = thought + found[0], text[found.end() :]
    return _TAG.sub("", thought), text


def _count(usage: Any, *names: str) -> int:
    """A number of tokens; 0 for one that no endpoint can mean."""
    for name in names:
        usage = usage.get(name) if isinstance(usage, dict) else None
    return int(usage) if isinstance(usage, int | float) and 0 <= usage < 1_000_000_000 else 0


# The model that answered, secrets, and a server's words

_VERSION = re.compile(r"(?:[-@:](?:latest|\d{3,}(?:-\d\d){0,2}))?(?:\.gguf)?")


def is_same_model(served: str, wanted: str) -> bool:
    """Whether two names are of one model, as far as names can tell: case and folders do not count,
    and one of them may go on with `latest`, a date, a version of three digits, or `.gguf`."""
    names = (name.strip().rstrip("/").rpartition("/")[2].casefold() for name in (served, wanted))
    short, long = sorted(names, key=len)
    ending = long[len(short) :] if short and long.startswith(short) else "-"
    return _VERSION.fullmatch(ending) is not None


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
    return re.sub(r"\b(sk|hf|key|gsk)[-_][\w*.-]{4,}", r"\1-***", visible(message))


def first_words(body: bytes) -> str:
    """The beginning of a body that is not JSON, without the tags of a web page."""
    text = body[:2000].decode("utf-8", "replace")
    kind = "a web page: " if is_page(body) else ""
    return kind + " ".join(visible(re.sub(r"<[^>]*>", " ", text)).split())[:100]


def is_page(body: bytes) -> bool:
    """Whether a body is a web page: of a proxy, a sign-in, or a server that is not the API."""
    return body.lstrip().startswith(b"<")
