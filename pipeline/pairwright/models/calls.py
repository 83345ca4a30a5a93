"""A call: its request, with the key that identifies it, and what the endpoint's reply means.

What does not change the answer (base URL, timeouts, retries, concurrency) is not in the key.
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
CONTEXT_LENGTH = "context_length"
"""The `finish` of an answer that says that the prompt does not fit."""
MODEL_REFUSED, TOOL_CALL = "model_refused", "tool_call"
"""The reasons of a refusal if a message has a refusal, or calls a tool, and has no content."""
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
    """Which prompt this is, for people. Like `enlarged` it is not part of the key."""
    enlarged: bool = False
    """Whether it gives more room than its role begins with, because a reply was cut short."""

    @cached_property
    def canonical(self) -> str:
        """The documented form that is hashed: compact JSON, fields in alphabetical order."""
        fields = {name: getattr(self, name) for name in _SAMPLED}
        fields["messages"] = [{"content": m.content, "role": m.role} for m in self.messages]
        fields["schema"] = self.schema_json
        return bytes_of(dict(sorted(fields.items()))).decode()

    @cached_property
    def key(self) -> str:
        """The tagged hash of all that decides the answer."""
        return key_of(self.canonical)

    @property
    def spoken(self) -> list[dict[str, str]]:
        """The messages as the API takes them."""
        return [{"role": m.role, "content": m.content} for m in self.messages]

    @classmethod
    def of(cls, canonical: str, purpose: str, *, enlarged: bool = False) -> "Request":
        """The request whose canonical form this is."""
        fields = json.loads(canonical)
        fields["messages"] = tuple(Message(m["role"], m["content"]) for m in fields["messages"])
        fields["schema_json"] = fields.pop("schema")
        return cls(**fields, purpose=purpose, enlarged=enlarged)

    def body(self, token_parameter: str) -> dict[str, Any]:
        """The JSON body of the chat completion that is sent."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": self.spoken,
            token_parameter: self.max_tokens,
        }
        sampled = {"temperature": self.temperature, "top_p": self.top_p, "seed": self.seed}
        body |= {name: value for name, value in sampled.items() if value is not None}
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


# A reply as it is stored


class Completion(NamedTuple):
    """A reply as stored."""

    key: str
    text: str
    finish: str
    """The endpoint's finish reason, or `context_length` if the prompt does not fit."""
    reasoning: str = ""
    """What a model thought before its reply; never part of `text`."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    thinking_tokens: int = 0
    recorded: bool = False
    """Whether it comes from a recording of an earlier run."""
    instead: str = ""
    """What the message has instead of content: `model_refused` or `tool_call`."""
    served: str = ""
    """The model that the reply says answered; empty if it names none."""

    @property
    def tokens(self) -> tuple[int, int, int]:
        """Tokens of the prompt, of the reply, and those of the prompt from a cache."""
        return self.prompt_tokens, self.completion_tokens, self.cached_tokens

    @property
    def only_thinking(self) -> bool:
        """Whether the model thought and wrote no reply."""
        return bool(self.reasoning or self.thinking_tokens) and not self.text.strip()


class Answer(NamedTuple):
    """A usable reply as it came, and what is read from it."""

    body: bytes
    completion: Completion


def completion_of(key: str, body: bytes) -> Completion:
    """A chat-completion body as a Completion. Raises ValueError for another body, with the words of
    an error that it holds instead."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError(f"not JSON: {first_words(body)!r}") from None
    try:
        if not data.get("choices") and (error := data.get("error")):
            words = (isinstance(error, dict) and error.get("message")) or error
            raise ValueError(f"an error instead of a reply: {visible(str(words))[:500]}")
        choice = data["choices"][0]
        message = choice["message"]
        text, instead = _said(message)
        thought, text = _without_thinking(text)
        reasoning = message.get("reasoning_content") or message.get("reasoning") or ""
        return Completion(
            key,
            # Half an emoji, cut inside its escape, can be written to no file.
            text.encode("utf-8", "replace").decode(),
            str(choice.get("finish_reason") or "stop"),
            reasoning + thought,
            *_tokens(data.get("usage")),
            recorded=data.get("object") == RECORDED,
            instead=instead,
            served=" ".join(visible(str(data.get("model") or "")).split())[:200],
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


_OPENS = re.compile(r"\s*(?:<think(?:ing)?>|\[THINK\])")
_CLOSES = re.compile(r"</think(?:ing)?>|\[/THINK\]")
_TAG = re.compile(r"</?think(?:ing)?>|\[/?THINK\]")


def _without_thinking(text: str) -> tuple[str, str]:
    """The thinking at the start of a text, if a server leaves it inline, and what follows.

    A template may open it in the prompt: then only its end is in the reply. Tags further on, and
    those inside JSON, are words of the reply.
    """
    thought = ""
    while True:
        opened = _OPENS.match(text)
        end = (_CLOSES if opened else _TAG).search(text)
        if not end and opened:
            return thought + text[opened.end() :], ""
        if not end or not _CLOSES.match(end[0]):
            return thought, text
        with suppress(ValueError, RecursionError):
            json.loads(text)
            return thought, text
        thought += text[opened.end() if opened else 0 : end.start()]
        text = text[end.end() :]


def _tokens(usage: Any) -> tuple[int, int, int, int]:
    """Tokens of the prompt, the reply, the prompt from a cache, and thinking; 0 for none that an
    endpoint can mean."""

    def count(*names: str) -> int:
        found = usage
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        return int(found) if isinstance(found, (int, float)) and 0 <= found < 1_000_000_000 else 0

    prompt, reply = count("prompt_tokens"), count("completion_tokens")
    cached = count("prompt_tokens_details", "cached_tokens")
    thinking = count("completion_tokens_details", "reasoning_tokens")
    return prompt, reply, min(prompt, cached), min(reply, thinking)


def first_words(body: bytes) -> str:
    """How a body begins that is not JSON, without the tags of a web page."""
    text = body[:2000].decode("utf-8", "replace")
    kind = "a web page: " if is_page(body) else ""
    return kind + " ".join(visible(re.sub(r"<[^>]*>", " ", text)).split())[:100]


def is_page(body: bytes) -> bool:
    """Whether a body is a web page: of a proxy, a sign-in, or a server that is not the API."""
    return body.lstrip().startswith(b"<")


_VERSION = re.compile(r"(?:[-@:](?:latest|\d{3,}(?:-\d\d){0,2}))?(?:\.gguf)?")


def is_same_model(served: str, wanted: str) -> bool:
    """Whether two names are of one model, as far as names can tell: case and folders do not count,
    and one of them may go on with `latest`, a date, a version of three digits, or `.gguf`."""
    names = (name.strip().rstrip("/").rpartition("/")[2].casefold() for name in (served, wanted))
    short, long = sorted(names, key=len)
    ending = long[len(short) :] if short and long.startswith(short) else "-"
    return _VERSION.fullmatch(ending) is not None


# What came back: an answer, or why there is none


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
        self.reason, self.detail, self.retry_after = reason, detail, retry_after


SHORTEST = 8
"""Characters of a secret. A shorter key (`test`, `none`) may be a word of a reply."""


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
_PASSWORD = "A proxy wants a password: name it in HTTPS_PROXY, or the server in NO_PROXY."
_ADVICE = {
    401: KEY_ADVICE, 402: "The account has no credit left.", 403: KEY_ADVICE, 404: _PLACE,
    405: _PLACE, 407: _PASSWORD,
}  # fmt: skip
"""What to do about a status that every call would get."""
_BROKEN_OFF = ("error", "abort", "aborted", "cancelled", "canceled")
"""Finish reasons of engines that gave up: what there is of the text is not a reply."""


def read_reply(
    request: Request, reply: Response, where: str, secrets: Secrets, *, known_key: bool
) -> Answer:
    """The reply with every secret replaced; `known_key` if the endpoint has taken the key before.
    Raises Transient for what is worth asking again, EndpointRefused for what every call of this
    kind would meet, and CallFailed for anything else."""
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
    """What is stored instead of a refusal of this one request: its prompt is over the context, it
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
    """A body that is stored instead of a missing reply, with the reason."""
    choice = {"message": {"content": message}, "finish_reason": finish}
    return json.dumps({"object": "error", "choices": [choice]}).encode()


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
    """Seconds that `Retry-After` asks for, as a number or a date; None if it is not there or makes
    no sense."""
    text = {name.lower(): value for name, value in headers.items()}.get("retry-after", "").strip()
    try:
        date = None if text[:1].isdigit() else parsedate_to_datetime(text)
        seconds = date.timestamp() - time.time() if date else float(text)
    except (ValueError, OverflowError):  # Also a year or an offset that no clock has.
        return None
    return seconds if 0 <= seconds < math.inf else None
