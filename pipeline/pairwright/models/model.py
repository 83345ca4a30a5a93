"""A role's model, which a stage asks: for a text (`write`) or for an object (`answer`).

Below it is an `LLM`, which answers requests. A malformed reply is never guessed at, and is stored,
too: the next draw is asked for.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeVar, overload

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core.core_schema import ModelSchema

from pairwright.errors import PairwrightError, Unanswered, first_invalid
from pairwright.models.call import (
    CONTENT_FILTER,
    CONTEXT_LENGTH,
    MODEL_REFUSED,
    TOOL_CALL,
    Completion,
    Request,
)
from pairwright.records import Dropped
from pairwright.settings.endpoints import Endpoint, Sampling
from pairwright.settings.prompt import Ask, Message
from pairwright.text import visible

T = TypeVar("T")
Made = TypeVar("Made")
T1 = TypeVar("T1")
T2 = TypeVar("T2")
Work = Coroutine[Any, Any, T1]
UNUSABLE = frozenset(
    {"unparseable", "unusable_reply", "cut_in_thinking", "cut_short", MODEL_REFUSED, TOOL_CALL}
)
"""The reasons of refusals for which no draw of a model was a reply that can be used."""
# Redraws of an empty text must not collide with the writers' own draws 0, 1, 2, ...
_NEXT_SERIES = 1000


class Reply(BaseModel):
    """Base of structured replies: closed, so that its JSON schema is a strict one, and strict
    about types: `true` is not a score, and "2" is not a number."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


R = TypeVar("R", bound=Reply)


class Unread(NamedTuple):
    """A reply that cannot be used, and why."""

    why: str
    reason: str = ""


class LLM(Protocol):
    """Whatever answers requests: a client, or a test's canned replies."""

    async def complete(self, request: Request) -> Completion:
        """Answer one request, or raise `errors.CallFailed`."""
        ...


@dataclass
class CallLog:
    """The calls of one piece of work; equal calls are noted once."""

    made: dict[str, str] = field(default_factory=dict)
    """The purpose of each call by its key, in the order of the answers."""
    tokens: int = 0
    """Tokens of all prompts and replies."""
    recorded: set[str] = field(default_factory=set)
    """Models whose replies came from a recording."""

    def add(self, request: Request, reply: Completion) -> None:
        """Note an answered call."""
        if reply.key not in self.made:
            self.tokens += reply.prompt_tokens + reply.completion_tokens
            self.recorded |= {request.model} if reply.recorded else set()
        self.made[reply.key] = request.purpose


class Model(NamedTuple):
    """One role's model, bound to what answers for it."""

    llm: LLM
    endpoint: Endpoint
    sampling: Sampling
    log: CallLog | None = None
    """The log of answered calls."""

    @property
    def name(self) -> str:
        """The model's id, as the endpoint knows it."""
        return self.endpoint.model

    def with_log(self, log: CallLog) -> "Model":
        """The same model with its calls noted."""
        return Model(self.llm, self.endpoint, self.sampling, log)

    async def write(self, prompt: Ask, draw: int = 0) -> str | Dropped:
        """Free text. An empty one is drawn again."""

        def read(text: str) -> str | Unread:
            return visible(text).strip() or Unread("empty")

        return await self.ask(prompt, read, unread="unusable_reply", draw=draw, step=_NEXT_SERIES)

    async def answer(
        self, prompt: Ask, reply: type[R], check: Callable[[R], str | None] | None = None
    ) -> R | Dropped:
        """A reply that validates as `reply` and passes `check`, which says what is wrong; or
        Dropped with the last complaint, after `attempts` draws without one."""

        def read(text: str) -> R | Unread:
            parsed = parse(text, reply)
            wrong = check(parsed) if check and not isinstance(parsed, Unread) else None
            return Unread(wrong) if wrong else parsed

        return await self.ask(prompt, read, reply)

    async def ask(
        self,
        prompt: Ask,
        read: Callable[[str], T | Unread],
        reply: type[Reply] | None = None,
        *,
        unread: str = "unparseable",
        draw: int = 0,
        step: int = 1,
    ) -> T | Dropped:
        """The result of `read` for the first draw that it can read, from one number on by a step.

        Without a kind of `reply` the prompt alone says what to reply.
        """
        why = Dropped(stage=prompt.name, reason=unread)
        for number in range(draw, draw + step * self.sampling.attempts, step):
            request = self._request(prompt, number, reply)
            completion = await self.llm.complete(request)
            if self.log is not None:
                self.log.add(request, completion)
            finish, text = completion.finish, completion.text
            if finish in (CONTENT_FILTER, CONTEXT_LENGTH):
                return Dropped(stage=prompt.name, reason=finish, detail=text[:500])
            found = _no_reply(completion, self.sampling.max_tokens) or read(text)
            if not isinstance(found, Unread):
                return found
            why = Dropped(stage=prompt.name, reason=found.reason or unread, detail=found.why)
        return why

    def _request(self, prompt: Ask, draw: int, reply: type[Reply] | None) -> Request:
        messages, endpoint, sampling = prompt.messages, self.endpoint, self.sampling
        name, schema = schema_of(reply) if reply else (None, None)
        if schema and not endpoint.structured:
            *before, last = messages
            wanted = f"Reply with one JSON object that follows this JSON schema:\n{schema}"
            messages = (*before, Message(last.role, f"{last.content}\n\n{wanted}"))
            name, schema = None, None
        return Request(
            model=endpoint.model,
            revision=endpoint.revision,
            messages=messages,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            max_tokens=sampling.max_tokens + (endpoint.thinking_tokens or 0),
            # Another draw needs another seed, or a seeded engine repeats itself.
            seed=None if sampling.seed is None else sampling.seed + draw,
            schema_name=name,
            schema_json=schema,
            extra=sampling.extra_json,
            draw=draw,
            purpose=prompt.name,
        )


def _no_reply(completion: Completion, room: int) -> Unread | None:
    """The reason of a model that refused, called a tool, was cut short, or thought and wrote no
    reply; None for a reply that can be read."""
    finish, thought = completion.finish, completion.only_thinking
    if finish == MODEL_REFUSED:
        return Unread(f"the model refused: {completion.text[:300]}", finish)
    if finish == TOOL_CALL:
        return Unread("the model called a tool and gave no reply: switch tools off", finish)
    if finish == "length" and thought:
        why = f"no room was left after {completion.completion_tokens:,} tokens of thinking: set"
        why += " thinking_tokens of its endpoint, or raise max_tokens under [sampling]"
        return Unread(why, "cut_in_thinking")
    if finish == "length":
        return Unread(f"the reply was cut short at max_tokens = {room}", "cut_short")
    if thought:
        why = "the model thought and gave no reply: the server may take the reply for thinking (its"
        why += " --reasoning-parser must be the model's); see `pairwright doctor`"
        return Unread(why, "unusable_reply")
    return None


class Models(NamedTuple):
    """The model of each role in one piece of work."""

    planner: Model
    generator: Model
    judges: tuple[Model, ...]
    """All must accept a draft; the first does the rest."""

    @property
    def judge(self) -> Model:
        return self.judges[0]


@overload
async def together(a: Work[T1], b: Work[T2], /) -> tuple[T1, T2]: ...
@overload
async def together(*calls: Work[T1]) -> tuple[T1, ...]: ...
async def together(*calls: Work[Any]) -> tuple[Any, ...]:
    """Await all calls of one piece of work at once, in order.

    Every sibling is awaited before the first exception is let through, so that no call
    is abandoned half way and its reply lost.
    """
    found = await asyncio.gather(*calls, return_exceptions=True)
    if failed := [one for one in found if isinstance(one, BaseException)]:
        # A bug must not hide behind a call that merely failed or has no reply yet.
        raise min(failed, key=lambda error: isinstance(error, PairwrightError | Unanswered))
    return tuple(found)


async def work_through(
    units: Iterable[T],
    work: Callable[[T], Awaitable[Made]],
    *,
    workers: int,
    stop: Callable[[], None],
) -> list[Made]:
    """Call `work` on every unit; what it gives, in the order of the units.

    Workers take the next unit from one shared iterator, so there are never more units alive than
    workers. The first error that is not about one unit stops the run: `stop` is called once, units
    under way finish the calls they have in flight, and the error is raised.
    """
    numbered, done, failures = enumerate(units), dict[int, Made](), list[Exception]()

    async def worker() -> None:
        try:
            for number, unit in numbered:
                done[number] = await work(unit)
                if failures:
                    return
        except Exception as error:  # Kept and raised below, after the others have ended.
            if not failures:
                stop()
            failures.append(error)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    if failures:
        raise failures[0]
    return [done[number] for number in sorted(done)]


# Replies that are objects


def _number(value: object) -> object:
    if isinstance(value, bool):
        return str(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE_NUMBER = BeforeValidator(_number)
"""Goes with whole numbers: in JSON `4.0` is one, and `true` is not a number, though Python takes it
for 1."""


def parse(text: str, reply: type[R]) -> R | Unread:
    """The reply as an object, or why it is not one.

    Strict JSON, or JSON in a Markdown fence or with control characters inside its strings.
    """
    # Most replies are plain JSON, which is read and checked in one step.
    with suppress(ValidationError):
        return reply.model_validate_json(text)
    body = text.strip()
    if body.startswith("```") and body.endswith("```"):
        body = body.strip("`").removeprefix("json").strip()
    try:
        data = json.loads(body, strict=False)
        json.dumps(data, ensure_ascii=False).encode()  # Half an emoji is a ValueError.
        return reply.model_validate(data)
    except RecursionError:
        return Unread("not JSON: nested too deeply")
    except ValidationError as error:
        where, why = first_invalid(error)
        return Unread(f"{where or 'the reply'}: {why}")
    except ValueError as error:
        return Unread(f"not JSON: {error}")


class _Plain(GenerateJsonSchema):
    """Schemas without titles and descriptions, which cost tokens and say nothing to an engine."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False

    def model_schema(self, schema: ModelSchema) -> dict[str, Any]:
        made = super().model_schema(schema)
        return {key: one for key, one in made.items() if key not in ("title", "description")}


@lru_cache(maxsize=256)
def schema_of(reply: type[Reply]) -> tuple[str, str]:
    """Name and canonical JSON of a reply's schema."""
    # In the order of declaration: engines write fields in the schema's order, and a reason must
    # come before its score.
    schema = reply.model_json_schema(schema_generator=_Plain)
    name = reply.__name__.removesuffix("Reply").lower()
    return name, json.dumps(schema, separators=(",", ":"))
