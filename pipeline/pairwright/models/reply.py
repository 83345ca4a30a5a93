"""Replies: a stored body read as a `Completion`, and its text read as an object (`parse`)."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, JsonValue, ValidationError

from pairwright.errors import first_invalid
from pairwright.text import visible

RECORDED = "pairwright-recorded"
"""The `object` of replies that come from a recording."""
CONTEXT_LENGTH = "context_length"
"""The `finish` of an answer that says that the prompt does not fit."""
MODEL_REFUSED, TOOL_CALL = "model_refused", "tool_call"
"""The reasons of a refusal where a message has a refusal, or calls a tool, and has no content."""

_OPENS = re.compile(r"\s*(?:<think(?:ing)?>|\[THINK\])")
_CLOSES = re.compile(r"</think(?:ing)?>|\[/THINK\]")
_TAG = re.compile(r"</?think(?:ing)?>|\[/?THINK\]")


class Completion(NamedTuple):
    """A reply as stored."""

    key: str
    text: str
    finish: str
    """The endpoint's finish reason, or `context_length` where the prompt does not fit."""
    reasoning: str = ""
    """What a model thought before its reply; never part of `text`."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Those of the prompt that the endpoint took from its cache."""
    thinking_tokens: int = 0
    """Those of the reply that are reasoning."""
    recorded: bool = False
    """Whether it comes from a recording of an earlier run."""
    instead: str = ""
    """What the message has in place of content: `model_refused` or `tool_call`."""
    served: str = ""
    """The model that the reply says answered; empty where it names none."""

    @property
    def tokens(self) -> tuple[int, int, int]:
        """Tokens of the prompt, of the reply, and those of the prompt from a cache."""
        return self.prompt_tokens, self.completion_tokens, self.cached_tokens

    @property
    def only_thinking(self) -> bool:
        """Whether the model thought and wrote no reply."""
        return bool(self.reasoning or self.thinking_tokens) and not self.text.strip()


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
            raise ValueError(f"an error in place of a reply: {visible(str(words))[:500]}")
        choice = data["choices"][0]
        message = choice["message"]
        text, instead = _said(message)
        thought, text = _without_thinking(text)
        usage = data.get("usage")
        prompt, reply = _tokens(usage, "prompt_tokens"), _tokens(usage, "completion_tokens")
        cached = _tokens(usage, "prompt_tokens_details", "cached_tokens")
        thinking = _tokens(usage, "completion_tokens_details", "reasoning_tokens")
        reasoning = message.get("reasoning_content") or message.get("reasoning") or ""
        return Completion(
            key=key,
            # Half an emoji, cut inside its escape, can be written to no file.
            text=text.encode("utf-8", "replace").decode(),
            finish=str(choice.get("finish_reason") or "stop"),
            reasoning=reasoning + thought,
            prompt_tokens=prompt,
            completion_tokens=reply,
            cached_tokens=min(prompt, cached),
            thinking_tokens=min(reply, thinking),
            recorded=data.get("object") == RECORDED,
            instead=instead,
            served=" ".join(visible(str(data.get("model") or "")).split())[:200],
        )
    except (LookupError, TypeError, AttributeError) as error:
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


def _tokens(usage: Any, *names: str) -> int:
    """A count of tokens; 0 where none is given that an endpoint can mean: a reply is worth more
    than its bill."""
    for name in names:
        usage = usage.get(name) if isinstance(usage, dict) else None
    return int(usage) if isinstance(usage, (int, float)) and 0 <= usage < 1_000_000_000 else 0


def first_words(body: bytes) -> str:
    """How a body begins that is not JSON, without the tags of a web page."""
    text = body[:2000].decode("utf-8", "replace")
    kind = "a web page: " if text.lstrip().startswith("<") else ""
    return kind + " ".join(visible(re.sub(r"<[^>]*>", " ", text)).split())[:100]


_VERSION = re.compile(r"(?:[-@:](?:latest|\d{3,}(?:-\d\d){0,2}))?(?:\.gguf)?")


def is_same_model(served: str, wanted: str) -> bool:
    """Whether two names are of one model, as far as names can tell: case and folders do not count,
    and one of them may go on with `latest`, a date, a version of three digits, or `.gguf`."""
    names = (name.strip().rstrip("/").rpartition("/")[2].casefold() for name in (served, wanted))
    short, long = sorted(names, key=len)
    ending = long[len(short) :] if short and long.startswith(short) else "-"
    return _VERSION.fullmatch(ending) is not None


class Reply(BaseModel):
    """Base of structured replies: closed, so that its JSON schema is a strict one, and strict
    about types: `true` is not a score, and "2" is not a number."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


R = TypeVar("R", bound=Reply)


def _number(value: object) -> object:
    if isinstance(value, bool):
        return str(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE_NUMBER = BeforeValidator(_number)
"""Goes with whole numbers: in JSON `4.0` is one, and `true` is not a number, though Python takes it
for 1."""


class Unread(NamedTuple):
    """A reply that cannot be used, and why."""

    why: str


def parse(text: str, reply: type[R]) -> R | str:
    """The reply as an object, or a sentence saying why it is none.

    Strict JSON, or JSON in a Markdown fence or with control characters inside its strings.
    """
    # Most replies are plain JSON, which is read and checked in one step.
    with suppress(ValidationError):
        return reply.model_validate_json(text)
    try:
        data = json.loads(_unfenced(text), strict=False)
        json.dumps(data, ensure_ascii=False).encode()  # Half an emoji is a ValueError.
        return reply.model_validate(data)
    except RecursionError:
        return "not JSON: nested too deeply"
    except ValidationError as error:
        where, why = first_invalid(error)
        return f"{where or 'the reply'}: {why}"
    except ValueError as error:
        return f"not JSON: {error}"


def _unfenced(text: str) -> str:
    """The text inside the one Markdown fence that is all of it, or the text as it is."""
    body = text.strip()
    if body.startswith("```") and body.endswith("```"):
        return body.strip("`").removeprefix("json").strip()
    return text


class NumberedEntry(Protocol):
    """An entry of a reply that names the number, from 1, of what it answers."""

    @property
    def number(self) -> int: ...


E = TypeVar("E", bound=NumberedEntry)


def misnumbered(entries: Iterable[NumberedEntry], due: int) -> str | None:
    """Why the entries do not answer each of 1 ... `due` exactly once, or None where they do."""
    counts = Counter(entry.number for entry in entries)
    for number in sorted({*counts, *range(1, due + 1)}):
        if not 1 <= number <= due:
            return f"an entry for number {number}, which is not among 1 to {due}"
        if counts[number] != 1:
            return f"{'more than one' if counts[number] else 'no'} entry for number {number}"
    return None


def in_order(entries: Sequence[E]) -> list[E]:
    """The entries by their numbers."""
    return sorted(entries, key=lambda entry: entry.number)


@lru_cache(maxsize=256)
def schema_of(reply: type[Reply]) -> tuple[str, str]:
    """Name and canonical JSON of a reply's schema; titles and descriptions are left out."""
    # In the order of declaration: engines write fields in the schema's order, and a
    # reason must come before its score.
    text = json.dumps(_without_titles(reply.model_json_schema()), separators=(",", ":"))
    return reply.__name__.removesuffix("Reply").lower(), text


def _without_titles(node: Any) -> JsonValue:
    if isinstance(node, dict):
        plain = {
            k: _without_titles(v) for k, v in node.items() if k not in ("title", "description")
        }
        # A property may itself be called `title`: only schema keywords are dropped.
        if isinstance(named := node.get("properties"), dict):
            plain["properties"] = {k: _without_titles(v) for k, v in named.items()}
        return plain
    if isinstance(node, list):
        return [_without_titles(v) for v in node]
    return node  # type: ignore[no-any-return]
