"""A stored reply, read from the wire's body; what came in its place; and what the replies behind
one piece of work come to.

with counting() as usage:
    ...
usage.by_model["some/model"]
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic_core import from_json

from pairwright.models.reply import is_json
from pairwright.text import visible

RECORDED = "pairwright-recorded"
"""The `object` of replies that come from a recording."""
CONTEXT_LENGTH = "context_length"
"""The `finish` of an answer that says that the prompt does not fit."""

MODEL_REFUSED, TOOL_CALL = "model_refused", "tool_call"
"""The reasons of a refusal where a message has a refusal, or calls a tool, and has no content."""

_THINKS = re.compile(r"\s*(?:<think(?:ing)?>|\[THINK\])")
_THOUGHT = re.compile(r"</think(?:ing)?>|\[/THINK\]")
_TAG = re.compile(f"{_THINKS.pattern}|{_THOUGHT.pattern}")


class Completion(NamedTuple):
    """A reply as stored. `finish` is the endpoint's finish reason, or `context_length`
    where the endpoint answered that the prompt does not fit. `reasoning` is what a model thought
    before its reply, and never part of `text`."""

    key: str
    text: str
    finish: str
    reasoning: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Prompt tokens that the endpoint took from its cache, as far as it says so."""
    thinking_tokens: int = 0
    """Tokens of the reasoning, part of `completion_tokens`, as far as the endpoint counts them."""
    recorded: bool = False
    """Whether it comes from a recording of an earlier run."""
    instead: str = ""
    """What the message has in place of content: `model_refused` or `tool_call`."""
    served: str = ""
    """The model that the reply says answered; empty where it names none."""

    @property
    def totals(self) -> "Totals":
        """What it adds to a sum of calls."""
        return Totals(1, self.prompt_tokens, self.completion_tokens, self.cached_tokens)

    @property
    def only_thinking(self) -> bool:
        """Whether the model thought and wrote no reply."""
        return bool(self.reasoning or self.thinking_tokens) and not self.text.strip()


def completion_of(key: str, body: bytes) -> Completion:
    """A chat-completion body as a Completion. Reasoning never becomes part of the text.

    Raises ValueError for a body that is not a chat completion, with the words of an error that it
    holds instead.
    """
    try:
        data = _parsed(body)
        if not data.get("choices") and (error := data.get("error")):
            words = (isinstance(error, dict) and error.get("message")) or error
            raise ValueError(f"an error in place of a reply: {visible(str(words))[:500]}")
        choice = data["choices"][0]
        message = choice["message"]
        text, instead = _said(message)
        thought, text = _without_thinking(text)
        # Half an emoji, cut inside its escape, can be written to no file.
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode()
        return Completion(
            key,
            text,
            str(choice.get("finish_reason") or "stop"),
            (message.get("reasoning_content") or message.get("reasoning") or "") + thought,
            *_tokens(data.get("usage")),
            recorded=data.get("object") == RECORDED,
            instead=instead,
            served=_shown(model) if isinstance(model := data.get("model"), str) else "",
        )
    except (LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"not a chat completion ({type(error).__name__}: {error})") from None


def _said(message: Any) -> tuple[str, str]:
    """The text of a message; and what it has in place of content."""
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


def _without_thinking(text: str) -> tuple[str, str]:
    """The thinking at the start of a text, where a server leaves it inline, and what follows.

    A template may open it in the prompt: then only its end is in the reply. Thinking without an end
    is all of the text. Tags further on, and those inside JSON, are words of the reply.
    """
    thought = ""
    # Most replies have no such tag, and a look is much cheaper than the patterns.
    if "<think" not in text and "</think" not in text and "THINK]" not in text:
        return thought, text
    while True:
        opened = _THINKS.match(text)
        begin = opened.end() if opened else 0
        end = _THOUGHT.search(text, begin) if opened else _TAG.search(text)
        if opened and not end:
            return thought + text[begin:], ""
        if not end or not _THOUGHT.fullmatch(end[0]) or is_json(text):
            return thought, text
        thought += text[begin : end.start()]
        text = text[end.end() :]


def _parsed(body: bytes) -> Any:
    try:
        return from_json(body)
    except ValueError:
        # The slower parser knows what the quick one refuses: half an emoji as an escape.
        try:
            return json.loads(body)
        except ValueError:
            raise ValueError(f"not JSON: {first_words(body)!r}") from None


@lru_cache(maxsize=64)
def _shown(model: str) -> str:
    return " ".join(visible(model).split())[:200]


def _tokens(usage: Any) -> tuple[int, int, int, int]:
    """Tokens of the prompt, of the reply, those of the prompt from a cache, those of thinking."""
    usage = usage if isinstance(usage, dict) else {}
    prompt, reply = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    cached = _count(usage.get("prompt_tokens_details"), "cached_tokens")
    thinking = _count(usage.get("completion_tokens_details"), "reasoning_tokens")
    return prompt, reply, min(prompt, cached), min(reply, thinking)


def _count(usage: object, name: str) -> int:
    """A count of tokens; 0 where none is given that an endpoint can mean. A reply is worth more
    than its bill, so none is thrown away for it."""
    tokens = usage.get(name) if isinstance(usage, dict) else None
    if not isinstance(tokens, (int, float)) or not 0 <= tokens < 1_000_000_000:
        return 0
    return int(tokens)


def first_words(body: bytes) -> str:
    """How a body begins that is not JSON, without the tags of a web page."""
    text = body[:2000].decode("utf-8", "replace")
    kind = "a web page: " if text.lstrip().startswith("<") else ""
    return kind + " ".join(visible(re.sub(r"<[^>]*>", " ", text)).split())[:100]


_DATE = re.compile(r"[-@:]\d{3,}(?:-\d\d){0,2}$")
_LATEST = re.compile(r"(?:[-@:]latest)?(?:\.gguf)?$")


def is_same_model(served: str, wanted: str) -> bool:
    """Whether two names are of one model, as far as names can tell.

    Case does not count, nor what is before the last `/` (`openai/gpt-4o`, a path), nor a file's
    `.gguf`, nor `latest`. A date or a version of three digits or more at the end may be in one of
    the two names alone: `gpt-4o` and `gpt-4o-2024-08-06` are one model, two dates are two.
    """
    one, other = (
        _LATEST.sub("", name.strip().rstrip("/").rpartition("/")[2].casefold())
        for name in (served, wanted)
    )
    return bool(one) and (
        one == other or _DATE.sub("", one) == other or one == _DATE.sub("", other)
    )


class Totals(NamedTuple):
    """What some calls add up to."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Those of `prompt_tokens` that came from the endpoint's cache."""

    @classmethod
    def of(cls, each: Iterable["Totals"]) -> "Totals":
        """The sum of several."""
        return cls(*map(sum, zip(*each, strict=True)))


@dataclass
class Usage:
    """Each call counts once, however often it is asked for."""

    by_model: dict[str, Totals] = field(default_factory=dict)
    _keys: set[str] = field(default_factory=set)

    def add(self, model: str, completion: Completion) -> None:
        """Count one call's reply."""
        if completion.key not in self._keys:
            self._keys.add(completion.key)
            self.by_model[model] = Totals.of(
                [self.by_model.get(model, Totals()), completion.totals]
            )


_USAGE: ContextVar[Usage | None] = ContextVar("usage", default=None)


@contextmanager
def counting() -> Iterator[Usage]:
    """Count what durable calls of this context and of tasks that it starts are answered with."""
    usage = Usage()
    token = _USAGE.set(usage)
    try:
        yield usage
    finally:
        _USAGE.reset(token)


def note(model: str, completion: Completion) -> None:
    """Count a reply where somebody counts."""
    if usage := _USAGE.get():
        usage.add(model, completion)
