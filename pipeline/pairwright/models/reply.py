"""Structured replies: the schema that is sent, and reading what comes back."""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, JsonValue, ValidationError

from pairwright.errors import first_invalid


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

    Strict JSON, or what is JSON once the faults that `leniency` names are overlooked.
    """
    return _parse(text, reply)  # type: ignore[return-value]


@lru_cache(maxsize=2048)
def _parse(text: str, reply: type[Reply]) -> Reply | str:
    # Most replies are plain JSON, which is read and checked in one step.
    with suppress(ValidationError):
        return reply.model_validate_json(text)
    try:
        data = json.loads(_unfenced(text), strict=False)
        if "\\ud" in text.lower():
            json.dumps(data, ensure_ascii=False).encode()  # UnicodeError is a ValueError.
        return reply.model_validate(data)
    except RecursionError:
        return "not JSON: nested too deeply"
    except ValueError as error:
        if isinstance(error, ValidationError):
            where, why = first_invalid(error)
            return f"{where or 'the reply'}: {why}"
        return f"not JSON: {error}"


Leniency = Literal["fence", "control_characters", "fence_and_control_characters"]


@lru_cache(maxsize=2048)
def leniency(text: str) -> Leniency | None:
    """What has to be overlooked to read a reply as JSON: a Markdown fence around it, control
    characters inside strings (some structured-output engines emit them), or both.

    None for strict JSON, and for what is not JSON either way.
    """
    body = _unfenced(text)
    fenced = body is not text
    # Most replies of engines are one printable line, and a look is cheaper than a parser.
    controlled = not body.isprintable() and not is_json(body) and is_json(body, strict=False)
    if fenced and (controlled or is_json(body)):
        return "fence_and_control_characters" if controlled else "fence"
    return "control_characters" if controlled else None


def is_json(body: str, *, strict: bool = True) -> bool:
    try:
        json.loads(body, strict=strict)
    except (ValueError, RecursionError):
        return False
    return True


def _unfenced(text: str) -> str:
    """The text inside the one Markdown fence that is all of it, or the text as it is."""
    body = text.strip()
    if body.startswith("```") and body.endswith("```"):
        return body.strip("`").removeprefix("json").strip()
    return text


class NumberedEntry(Protocol):
    """An entry of a reply that names the number of what it answers: the order of such entries does
    not matter."""

    @property
    def number(self) -> int:
        """The number, from 1, of what it answers."""
        ...


E = TypeVar("E", bound=NumberedEntry)


def misnumbered(entries: Iterable[NumberedEntry], due: int) -> str | None:
    """Why the entries do not answer each of 1 ... `due` exactly once, or None where they do."""
    numbers = [entry.number for entry in entries]
    wanted = range(1, due + 1)
    if unknown := [number for number in numbers if number not in wanted]:
        return f"an entry for number {unknown[0]}, which is not among 1 to {due}"
    if doubled := [number for number in wanted if numbers.count(number) > 1]:
        return f"more than one entry for number {doubled[0]}"
    if missing := [number for number in wanted if number not in numbers]:
        return f"no entry for number {missing[0]}"
    return None


def in_order(entries: Sequence[E]) -> list[E]:
    """The entries by their numbers."""
    return sorted(entries, key=lambda entry: entry.number)


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
        plain = {
            k: _without_titles(v) for k, v in node.items() if k not in ("title", "description")
        }
        # A property may itself be called `title`: only schema keywords are dropped.
        if isinstance(named, dict):
            plain["properties"] = {k: _without_titles(v) for k, v in named.items()}
        return plain
    if isinstance(node, list):
        return [_without_titles(v) for v in node]
    return node  # type: ignore[no-any-return]
