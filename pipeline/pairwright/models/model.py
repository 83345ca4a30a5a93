"""A role's model, which a stage calls, the requests that it makes, and the seam below it: what
answers a request (`LLM`).

The key of a call is the tagged hash of its canonical request: model and revision, messages,
sampling, response schema, seed and draw. What does not change the answer (base URL, timeouts,
retries, concurrency) is not in it.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol, TypeVar

from pydantic_core import to_json

from pairwright.models.reply import (
    CONTEXT_LENGTH,
    MODEL_REFUSED,
    TOOL_CALL,
    Completion,
    R,
    Unread,
    parse,
    schema_of,
)
from pairwright.records import Dropped, Record
from pairwright.settings.endpoints import Endpoint, Sampling
from pairwright.settings.prompt import Ask, Message
from pairwright.text import visible

T = TypeVar("T")
UNUSABLE = frozenset(
    {"unparseable", "unusable_reply", "cut_in_thinking", "cut_short", MODEL_REFUSED, TOOL_CALL}
)
"""The reasons of refusals where no draw of a model was a reply that can be used."""
# Redraws of an empty text must not collide with the writers' own draws 0, 1, 2, ...
_NEXT_SERIES = 1000


_SAMPLED = (
    "draw", "extra", "max_tokens", "model", "revision", "schema_name", "seed", "temperature",
    "top_p",
)  # fmt: skip


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
    enlarged: bool = False
    """Whether it gives more room than its role begins with, because a reply was cut short. Not
    part of the key."""

    @cached_property
    def canonical(self) -> str:
        """The documented form that is hashed: compact JSON, fields in alphabetical order.

        Changing it changes every key.
        """
        fields = {name: getattr(self, name) for name in _SAMPLED}
        fields["messages"] = [{"content": m.content, "role": m.role} for m in self.messages]
        fields["schema"] = self.schema_json
        fields = dict(sorted(fields.items()))
        return bytes_of(fields).decode()

    @cached_property
    def key(self) -> str:
        return key_of(self.canonical)

    @classmethod
    def of(cls, canonical: str, purpose: str) -> "Request":
        """The request whose canonical form this is."""
        fields = json.loads(canonical)
        messages = tuple(Message(m["role"], m["content"]) for m in fields.pop("messages"))
        schema = fields.pop("schema")
        return cls(**fields, messages=messages, schema_json=schema, purpose=purpose)

    def body(self, token_parameter: str) -> dict[str, Any]:
        """The JSON body of the chat completion that is sent."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": m.role, "content": m.content} for m in self.messages],
            token_parameter: self.max_tokens,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "seed": self.seed,
        }
        body = {name: value for name, value in body.items() if value is not None}
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


class Answer(NamedTuple):
    """A usable reply as it came, and what is read from it."""

    body: bytes
    completion: Completion


class LLM(Protocol):
    """Whatever answers requests: a client, or a test's canned replies."""

    async def complete(self, request: Request) -> Completion:
        """Answer one request, or raise `errors.CallFailed`."""
        ...


class Usage(NamedTuple):
    """What some calls add up to."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Those of `prompt_tokens` that came from the endpoint's cache."""

    @classmethod
    def of(cls, each: Iterable["Usage"]) -> "Usage":
        """The sum of several."""
        return cls(*map(sum, zip(cls(), *each, strict=True)))


@dataclass
class CallLog:
    """The calls of one piece of work; equal calls are noted once."""

    made: dict[str, str] = field(default_factory=dict)
    """The purpose of each call by its key, in the order of the answers."""
    used: Usage = field(default_factory=Usage)
    recorded: set[str] = field(default_factory=set)
    """Models whose replies came from a recording."""

    def add(self, request: Request, completion: Completion) -> None:
        """Note an answered call."""
        if completion.key not in self.made:
            self.used = Usage.of([self.used, Usage(1, *completion.tokens)])
            self.recorded |= {request.model} if completion.recorded else set()
        self.made[completion.key] = request.purpose


class Model(NamedTuple):
    """One role's model, bound to what answers for it."""

    llm: LLM
    endpoint: Endpoint
    sampling: Sampling
    log: CallLog | None = None
    """Where each answered call is noted."""

    @property
    def name(self) -> str:
        """The model's id, as the endpoint knows it."""
        return self.endpoint.model

    def with_log(self, log: CallLog) -> "Model":
        """The same model with its calls noted."""
        return Model(self.llm, self.endpoint, self.sampling, log)

    async def write(self, ask: Ask, draw: int = 0) -> str | Dropped:
        """Free text. An empty one is drawn again."""

        def read(text: str) -> str | Unread:
            return visible(text).strip() or Unread("empty")

        draws = (draw, _NEXT_SERIES)
        return await self.understood(ask, None, read, unread="unusable_reply", draws=draws)

    async def answer(
        self, ask: Ask, reply: type[R], check: Callable[[R], str | None] | None = None
    ) -> R | Dropped:
        """A reply that validates as `reply` and passes `check` (which says what is wrong).

        A reply that does not is never guessed at: the next draw is asked for, and after `attempts`
        draws the answer is `Dropped` with the last complaint.
        """

        def read(text: str) -> R | Unread:
            parsed = parse(text, reply)
            if isinstance(parsed, str):
                return Unread(parsed)
            wrong = check(parsed) if check else None
            return Unread(wrong) if wrong else parsed

        return await self.understood(ask, schema_of(reply), read)

    async def understood(
        self,
        ask: Ask,
        schema: tuple[str, str] | None,
        read: Callable[[str], T | Unread],
        *,
        unread: str = "unparseable",
        draws: tuple[int, int] = (0, 1),
    ) -> T | Dropped:
        """What `read` makes of the first draw that it can read, from one number on by a step.

        Without a schema the prompt alone says what to reply. After a reply that was cut short the
        next draw has twice the room, unless it does not fit.
        """
        why, (draw, step) = Dropped(stage=ask.name, reason=unread), draws
        room = least = self.sampling.max_tokens
        for number in range(draw, draw + step * self.sampling.attempts, step):
            request = self._request(ask, number, room, schema)
            completion = await self.llm.complete(request)
            if self.log is not None:
                self.log.add(request, completion)
            if completion.finish == CONTEXT_LENGTH and room > least:
                room = least
                continue
            if completion.finish in ("content_filter", CONTEXT_LENGTH):
                detail = completion.text[:500]
                return Dropped(stage=ask.name, reason=completion.finish, detail=detail)
            failed = _no_reply(completion, room, least)
            if failed is None:
                understood = read(completion.text)
                if not isinstance(understood, Unread):
                    return understood
                failed = unread, understood.why
            why = Dropped(stage=ask.name, reason=failed[0], detail=failed[1])
            if completion.finish == "length":
                room *= 2
        return why

    def _request(self, ask: Ask, draw: int, room: int, schema: tuple[str, str] | None) -> Request:
        messages, endpoint, sampling = ask.messages, self.endpoint, self.sampling
        if schema and not endpoint.structured:
            *before, last = messages
            wanted = f"Reply with one JSON object that follows this JSON schema:\n{schema[1]}"
            messages = (*before, Message(last.role, f"{last.content}\n\n{wanted}"))
            schema = None
        name, schema_json = schema or (None, None)
        return Request(
            model=endpoint.model,
            revision=endpoint.revision,
            messages=messages,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            max_tokens=room + (endpoint.thinking_tokens or 0),
            # Another draw needs another seed, or a seeded engine repeats itself.
            seed=None if sampling.seed is None else sampling.seed + draw,
            schema_name=name,
            schema_json=schema_json,
            extra=sampling.extra_json,
            draw=draw,
            purpose=ask.name,
            enlarged=room > sampling.max_tokens,
        )


def _no_reply(completion: Completion, room: int, least: int) -> tuple[str, str] | None:
    """Reason and detail of a model that refused, called a tool, was cut short, or thought and wrote
    no reply; None for a reply that can be read."""
    cut = completion.finish == "length"
    if completion.instead == MODEL_REFUSED:
        return MODEL_REFUSED, f"the model refused: {completion.text[:300]}"
    if completion.instead:
        return TOOL_CALL, "the model called a tool and gave no reply: switch tools off"
    if completion.only_thinking and cut:
        return "cut_in_thinking", (
            f"no room was left after {completion.completion_tokens:,} tokens of thinking: set"
            " thinking_tokens of its endpoint, or raise max_tokens under [sampling]"
        )
    if completion.only_thinking:
        return "unusable_reply", (
            "the model thought and gave no reply: the server may take the reply for thinking (its"
            " --reasoning-parser must be the model's); see `pairwright doctor`"
        )
    if not cut:
        return None
    doubled = f" ({least}, doubled)" if room > least else ""
    return "cut_short", f"the reply was cut short at max_tokens = {room}{doubled}"


class Models(NamedTuple):
    """The model of each role in one piece of work."""

    planner: Model
    generator: Model
    judges: tuple[Model, ...]
    """All must accept a draft; the first does the rest."""

    @property
    def judge(self) -> Model:
        return self.judges[0]

    def logged(self) -> tuple["Models", CallLog]:
        """The models with one log of all calls that are made through them."""
        log = CallLog()
        judges = tuple(judge.with_log(log) for judge in self.judges)
        return Models(self.planner.with_log(log), self.generator.with_log(log), judges), log


class ModelRef(Record):
    """A model in a result, identified exactly."""

    name: str
    """What the settings call it."""
    kind: str = ""
    """Of a scorer or planner its kind in the settings, else its role."""
    model: str = ""
    revision: str | None = None
    settings: str = ""
    """Hash of all that decides its replies beside model and revision."""
