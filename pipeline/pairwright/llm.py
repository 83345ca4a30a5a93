"""The model seam: what a stage may ask of a model, and nothing about how it is answered.

A stage gets a `Model` and calls `write` (free text) or `answer` (a validated object). Below
that stands an `LLM`: anything with `complete(request)`. Durability, retries, rate limits and
progress live behind it, so a stage is tested with five lines that return canned replies.

The key of a call is the tagged hash of its canonical request (`Request.key`): model and
revision, messages, sampling, response schema, seed and draw. What does not change the answer
(base URL, timeouts, retries, concurrency) is not in it. A malformed reply is an answer too:
asking again is asking for the next draw.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from pairwright.prompt import Ask, Message
from pairwright.records import Rejected
from pairwright.together import together

__all__ = ["LLM", "Completion", "Model", "Models", "Reply", "Request", "Sender", "together"]

KEY_TAG = "b2:"
SIMULATED = "pairwright-simulated"
"""The `system_fingerprint` of replies of the embedded model."""

R = TypeVar("R", bound="Reply")


class Reply(BaseModel):
    """Base of structured replies: closed, so that its JSON schema is a strict one."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Request:
    """One effective chat-completion request. Its `key` identifies it for ever."""

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
    """Which prompt this is, for people. Not part of the key."""

    @cached_property
    def canonical(self) -> str:
        """The documented form that is hashed: compact JSON, fields in alphabetical order.

        Changing it changes every key. Half an emoji, which no UTF-8 can hold, is escaped.
        """
        fields = {
            "draw": self.draw,
            "extra": self.extra,
            "max_tokens": self.max_tokens,
            "messages": [{"content": m.content, "role": m.role} for m in self.messages],
            "model": self.model,
            "revision": self.revision,
            "schema": self.schema_json,
            "schema_name": self.schema_name,
            "seed": self.seed,
            "temperature": self.temperature,
            "top_p": self.top_p,
        }
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
        try:
            text.encode()
        except UnicodeEncodeError:
            return json.dumps(fields, separators=(",", ":"))
        return text

    @cached_property
    def key(self) -> str:
        return key_of(self.canonical)


def key_of(canonical: str) -> str:
    """The tagged key of a canonical request: `b2:` and 40 hex digits of blake2b."""
    digest = blake2b(canonical.encode(), digest_size=20)
    return KEY_TAG + digest.hexdigest()


@dataclass(frozen=True)
class Completion:
    """A reply as stored. `finish` is the endpoint's finish reason, or `context_length`
    where the endpoint answered that the prompt does not fit."""

    key: str
    text: str
    finish: str
    reasoning: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    simulated: bool = False


def completion_of(key: str, body: bytes) -> Completion:
    """A chat-completion body as a Completion. Reasoning never becomes part of the text.

    Raises ValueError for a body that is no chat completion.
    """
    try:
        data = json.loads(body)
        choice = data["choices"][0]
        message = choice["message"]
        usage = data.get("usage") or {}
        text = message.get("content") or message.get("refusal") or ""
        reasoning = message.get("reasoning_content") or message.get("reasoning") or ""
        # Some servers leave the reasoning inline; some templates open it in the prompt, so
        # that only its end is in the reply. Without an end, all of it is reasoning.
        if "</think>" in text or text.lstrip().startswith("<think>"):
            inline, _, text = text.partition("</think>")
            reasoning = reasoning + inline.lstrip().removeprefix("<think>")
        return Completion(
            key=key,
            text=text,
            finish=str(choice.get("finish_reason") or "stop"),
            reasoning=reasoning,
            prompt_tokens=int(usage.get("prompt_tokens") or 0),
            completion_tokens=int(usage.get("completion_tokens") or 0),
            simulated=data.get("system_fingerprint") == SIMULATED,
        )
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"not a chat completion ({type(error).__name__}: {error})") from None


class Sender(Protocol):
    """The wire below the store: sends a request and returns the raw body of its reply."""

    async def send(self, request: Request) -> bytes:
        """The body of a usable reply, or `errors.CallFailed`."""
        ...


# The same request is often made for both modes: its canonical form and key are kept.
_request: Callable[..., Request] = lru_cache(maxsize=2048, typed=True)(Request)


class LLM(Protocol):
    """Whatever answers requests: the durable client, or a test's canned replies."""

    async def complete(self, request: Request) -> Completion:
        """Answer one request, or raise `errors.CallFailed`."""
        ...


@dataclass(frozen=True)
class Unstored:
    """An LLM straight to a sender, for a probe that nobody needs again."""

    sender: Sender

    async def complete(self, request: Request) -> Completion:
        return completion_of(request.key, await self.sender.send(request))


@dataclass(frozen=True)
class Model:
    """One role's model with its sampling, bound to what answers for it."""

    llm: LLM
    name: str
    revision: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int = 1024
    seed: int | None = None
    attempts: int = 3
    """How many draws a reply that cannot be used gets."""
    extra: str = "{}"
    history_tokens: int | None = None
    """Most tokens of a history this model is shown, where that is less than the policy's."""
    structured: bool = True
    """False where the endpoint takes no schema: then the prompt carries it."""

    def bound_to(self, llm: LLM) -> "Model":
        return replace(self, llm=llm)

    async def write(self, ask: Ask, draw: int = 0) -> str | Rejected:
        """Free text. A reply cut short is drawn again with twice the room."""
        room = self.max_tokens
        for _ in range(self.attempts):
            completion = await self.llm.complete(self._request(ask, draw, room))
            if completion.finish == "length":
                room *= 2
            elif refusal := _unusable(completion, ask):
                return refusal
            elif text := completion.text.strip():
                return text
            else:
                draw += _NEXT_SERIES
        return Rejected(stage=ask.name, reason="unusable_reply", detail="empty or cut short")

    async def answer(
        self, ask: Ask, reply: type[R], check: Callable[[R], str | None] | None = None
    ) -> R | Rejected:
        """A reply that validates as `reply` and passes `check` (which says what is wrong).

        A reply that does not is never guessed at: the next draw is asked for, and after
        `attempts` draws the answer is `Rejected("unparseable")` with the last complaint.
        """
        complaint, room = "", self.max_tokens
        for draw in range(self.attempts):
            request = self._request(ask, draw, room, schema_of(reply))
            completion = await self.llm.complete(request)
            if refusal := _unusable(completion, ask):
                return refusal
            if completion.finish == "length":
                room, complaint = room * 2, "the reply was cut short"
                continue
            parsed = parse(completion.text, reply)
            if isinstance(parsed, str):
                complaint = parsed
            elif check and (wrong := check(parsed)):
                complaint = wrong
            else:
                return parsed
        return Rejected(stage=ask.name, reason="unparseable", detail=complaint)

    def _request(
        self, ask: Ask, draw: int, room: int, schema: tuple[str, str] | None = None
    ) -> Request:
        messages = ask.messages
        if schema and not self.structured:
            told = f"Reply with one JSON object that follows this JSON schema:\n{schema[1]}"
            last = messages[-1]
            messages = (*messages[:-1], last._replace(content=f"{last.content}\n\n{told}"))
            schema = None
        return _request(
            model=self.name,
            revision=self.revision,
            messages=messages,
            temperature=self.temperature,
            top_p=self.top_p,
            max_tokens=room,
            # Another draw needs another seed, or a seeded engine repeats itself.
            seed=None if self.seed is None else self.seed + draw,
            schema_name=schema[0] if schema else None,
            schema_json=schema[1] if schema else None,
            extra=self.extra,
            draw=draw,
            purpose=ask.name,
        )


class Models(NamedTuple):
    """Who plays which role in one piece of work."""

    planner: Model
    generator: Model
    judge: Model

    def bound_to(self, wrap: Callable[[LLM], LLM]) -> "Models":
        """The same models with each one's LLM wrapped, to trace or count its calls."""
        return Models(*(model.bound_to(wrap(model.llm)) for model in self))


# Redraws of an empty text must not collide with the writers' own draws 0, 1, 2, ...
_NEXT_SERIES = 1000
CONTEXT_LENGTH = "context_length"


def _unusable(completion: Completion, ask: Ask) -> Rejected | None:
    if completion.finish in ("content_filter", CONTEXT_LENGTH):
        return Rejected(stage=ask.name, reason=completion.finish, detail=completion.text[:500])
    return None


def parse(text: str, reply: type[R]) -> R | str:
    """The reply as an object, or a sentence saying why it is none.

    Accepts a JSON object alone or inside one Markdown fence; control characters inside
    strings are let through, because some structured-output engines emit them.
    """
    return _parse(text, reply)  # type: ignore[return-value]


@lru_cache(maxsize=2048)
def _parse(text: str, reply: type[Reply]) -> Reply | str:
    body = text.strip()
    if body.startswith("```") and body.endswith("```"):
        body = body.strip("`").removeprefix("json").strip()
    try:
        return reply.model_validate(json.loads(body, strict=False))
    except RecursionError:
        return "not JSON: nested too deeply"
    except ValueError as error:
        if isinstance(error, ValidationError):
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the reply"
            return f"{where}: {first['msg']}"
        return f"not JSON: {error}"


_SCHEMAS: dict[type[BaseModel], tuple[str, str]] = {}


def schema_of(reply: type[Reply]) -> tuple[str, str]:
    """Name and canonical JSON of a reply's schema; titles and descriptions are left out."""
    if reply not in _SCHEMAS:
        schema = _without_titles(reply.model_json_schema())
        # In the order of declaration: engines write fields in the schema's order, and a
        # reason must come before its score.
        text = json.dumps(schema, separators=(",", ":"))
        _SCHEMAS[reply] = (reply.__name__.removesuffix("Reply").lower(), text)
    return _SCHEMAS[reply]


def _without_titles(node: Any) -> JsonValue:
    if isinstance(node, dict):
        named = node.get("properties")
        kept = {k: _without_titles(v) for k, v in node.items() if k not in ("title", "description")}
        # A property may itself be called `title`: only schema keywords are dropped.
        if isinstance(named, dict):
            kept["properties"] = {k: _without_titles(v) for k, v in named.items()}
        return kept
    if isinstance(node, list):
        return [_without_titles(v) for v in node]
    return node  # type: ignore[no-any-return]
