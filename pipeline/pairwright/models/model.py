"""A role's model, which a stage calls, and the seam below it: what answers a request (`LLM`), and
what puts it on the wire (`Sender`)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from pairwright.models.completion import CONTEXT_LENGTH, MODEL_REFUSED, TOOL_CALL, Completion
from pairwright.models.reply import R, Unread, parse, schema_of
from pairwright.models.request import Request
from pairwright.records import Rejected
from pairwright.settings.prompt_variables import Ask
from pairwright.text import visible


class Answer(NamedTuple):
    """A usable reply as it came, and what is read from it."""

    body: bytes
    completion: Completion


class Sender(Protocol):
    """The wire below the store: sends a request and reads its reply."""

    async def send(self, request: Request) -> Answer:
        """A usable reply, or `errors.CallFailed`."""
        ...


class Wait(NamedTuple):
    """How long an endpoint asks to be left alone."""

    endpoint: str
    """Its name in the config."""
    seconds: float
    until: float
    """Seconds since 1970."""
    words: str
    """What it said of it."""


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
        return (await self.sender.send(request)).completion


T = TypeVar("T")

RATE_LIMITED = "rate_limited"
"""The reason of a call that failed because its endpoint asks for too long a wait."""
CUT_IN_THINKING = "cut_in_thinking"
"""The reason of a refusal where thinking left no room for a reply."""
CUT_SHORT = "cut_short"
"""The reason of a refusal where every reply was cut off at the limit of tokens."""
UNUSABLE = frozenset(
    {"unparseable", "unusable_reply", CUT_IN_THINKING, CUT_SHORT, MODEL_REFUSED, TOOL_CALL}
)
"""The reasons of refusals where no draw of a model was a reply that can be used."""
# Redraws of an empty text must not collide with the writers' own draws 0, 1, 2, ...
_NEXT_SERIES = 1000


class Model(NamedTuple):
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
    """Most tokens of a history this model is shown, where that is less than the rules'."""
    structured: bool = True
    """False where the endpoint takes no schema: then the prompt carries it."""
    thinking_tokens: int = 0
    """Room for thinking, added to that for a reply."""

    def bound_to(self, llm: LLM) -> "Model":
        return self._replace(llm=llm)

    async def write(self, ask: Ask, draw: int = 0) -> str | Rejected:
        """Free text. A reply cut short is drawn again with twice the room, or, where the model has
        none, as the next draw."""
        room, why = self.max_tokens, _EMPTY
        for _ in range(self.attempts):
            completion = await self.llm.complete(self._request(ask, draw, room))
            why = _no_reply(completion) or _EMPTY
            if completion.finish == "length":
                why = _no_reply(completion) or self._cut_short(room)
                room *= 2
            elif self._no_more_room(completion, room):
                draw, room = draw + _NEXT_SERIES, self.max_tokens
            elif refusal := _unusable(completion, ask):
                return refusal
            elif not completion.instead and (text := visible(completion.text).strip()):
                return text
            else:
                draw += _NEXT_SERIES
        return Rejected(stage=ask.name, reason=why.reason, detail=why.detail)

    async def answer(
        self, ask: Ask, reply: type[R], check: Callable[[R], str | None] | None = None
    ) -> R | Rejected:
        """A reply that validates as `reply` and passes `check` (which says what is wrong).

        A reply that does not is never guessed at: the next draw is asked for, and after
        `attempts` draws the answer is `Rejected("unparseable")` with the last complaint, or
        `Rejected("cut_short")` where there was no room for the last one.
        """

        def read(text: str) -> R | Unread:
            parsed = parse(text, reply)
            if isinstance(parsed, str):
                return Unread(parsed)
            wrong = check(parsed) if check else None
            return Unread(wrong) if wrong else parsed

        return await self.understood(ask, schema_of(reply), read)

    async def understood(
        self, ask: Ask, schema: tuple[str, str] | None, read: Callable[[str], T | Unread]
    ) -> T | Rejected:
        """What `read` makes of a reply that was asked for with this schema, for replies that can be
        understood without being JSON; without a schema the prompt alone says what to reply. Draws
        again as `answer` does."""
        why, room = _Complaint("unparseable", ""), self.max_tokens
        for draw in range(self.attempts):
            completion = await self.llm.complete(self._request(ask, draw, room, schema))
            if self._no_more_room(completion, room):
                room = self.max_tokens
                continue
            if refusal := _unusable(completion, ask):
                return refusal
            if completion.finish == "length":
                room, why = room * 2, _no_reply(completion) or self._cut_short(room)
                continue
            understood = read(completion.text)
            if not isinstance(understood, Unread):
                return understood
            why = _no_reply(completion) or _Complaint("unparseable", understood.why)
        return Rejected(stage=ask.name, reason=why.reason, detail=why.detail)

    def _cut_short(self, room: int) -> "_Complaint":
        doubled = f" ({self.max_tokens}, doubled)" if room > self.max_tokens else ""
        return _Complaint(CUT_SHORT, f"the reply was cut short at max_tokens = {room}{doubled}")

    def _no_more_room(self, completion: Completion, room: int) -> bool:
        """Whether only the room added for a reply that was cut short did not fit."""
        return completion.finish == CONTEXT_LENGTH and room > self.max_tokens

    def _request(
        self, ask: Ask, draw: int, room: int, schema: tuple[str, str] | None = None
    ) -> Request:
        messages, json_reply = ask.messages, schema is not None
        if schema and not self.structured:
            instruction = f"Reply with one JSON object that follows this JSON schema:\n{schema[1]}"
            last = messages[-1]
            messages = (*messages[:-1], last._replace(content=f"{last.content}\n\n{instruction}"))
            schema = None
        return Request(
            model=self.name,
            revision=self.revision,
            messages=messages,
            temperature=self.temperature,
            top_p=self.top_p,
            max_tokens=room + self.thinking_tokens,
            # Another draw needs another seed, or a seeded engine repeats itself.
            seed=None if self.seed is None else self.seed + draw,
            schema_name=schema[0] if schema else None,
            schema_json=schema[1] if schema else None,
            extra=self.extra,
            draw=draw,
            purpose=ask.name,
            json_reply=json_reply,
            enlarged=room > self.max_tokens,
        )


class Models(NamedTuple):
    """The model of each role in one piece of work."""

    planner: Model
    generator: Model
    judge: Model

    def bound_to(self, wrap: Callable[[LLM], LLM]) -> "Models":
        """The same models with each one's LLM wrapped, to trace or count its calls."""
        return Models(*(model.bound_to(wrap(model.llm)) for model in self))


class _Complaint(NamedTuple):
    """Why the last draw gave nothing."""

    reason: str
    detail: str


_EMPTY = _Complaint("unusable_reply", "empty")


def _no_reply(completion: Completion) -> _Complaint | None:
    """What to say of a model that thought, refused or called a tool and wrote no reply; None for
    any other completion."""
    if completion.instead == MODEL_REFUSED:
        return _Complaint(MODEL_REFUSED, f"the model refused: {completion.text[:300]}")
    if completion.instead == TOOL_CALL:
        return _Complaint(
            TOOL_CALL, "the model called a tool and gave no reply: switch tools off at its server"
        )
    if not completion.only_thinking:
        return None
    if completion.finish == "length":
        tokens = f" after {completion.completion_tokens:,}" if completion.completion_tokens else ""
        return _Complaint(
            CUT_IN_THINKING,
            f"the tokens ran out{tokens} while the model was thinking, before its reply: set"
            " thinking_tokens of its endpoint, or raise max_tokens under [sampling]",
        )
    return _Complaint(
        "unusable_reply",
        "the model thought and gave no reply: the server may take the reply for thinking (its"
        " --reasoning-parser must be the model's); `pairwright doctor` shows what it does",
    )


def _unusable(completion: Completion, ask: Ask) -> Rejected | None:
    if completion.finish in ("content_filter", CONTEXT_LENGTH):
        return Rejected(stage=ask.name, reason=completion.finish, detail=completion.text[:500])
    return None
