"""What a cell of another person's file holds: texts, messages, and lists in JSON or
Python; and the posts, aspects and labels of a row.
"""

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from pairwright.audits.read.columns import KNOWN, Columns
from pairwright.pairs import RowAspect, RowPost, licence_of
from pairwright.sources.fields import rows_of, time_of
from pairwright.sources.problems import SourceRefusal
from pairwright.sources.tables import kind

CellsByColumn = Mapping[str, Any]
_LISTED = re.compile(r"\s*\[\s*['\"{].*\]\s*", re.DOTALL)


def parsed_cell(value: object) -> object:
    """A list or an object that a cell of text holds; anything else as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    return value


def with_parsed_sides(fields: CellsByColumn, columns: Columns) -> CellsByColumn:
    """The fields of a flat row, with prompt and responses as the lists of messages that their cells
    hold, or as the lists of texts that the responses' cells hold.

    Raises SourceRefusal for a cell that looks like such a list and cannot be read as one.
    """
    names: dict[str, str] = {}
    """The column of the row that holds each; empty where there is none."""
    for name in ("prompt", *_SIDES):
        known = (columns.given[name],) if name in columns.given else KNOWN[name]
        names[name] = next((column for column in known if column in fields), "")
    cells = {name: _parsed(name, fields[column]) for name, column in names.items() if column}
    parsed = {names[name]: cell for name, cell in cells.items() if _is_messages(cell)}
    sides = {names[name]: cell for name, cell in cells.items() if name in _SIDES}
    if sides and all(map(is_texts, sides.values())):
        parsed |= sides
    # A list of one may be a text in brackets; where one side alone holds several, the row is
    # refused, because its sides differ.
    parsed |= {column: side for column, side in sides.items() if is_texts(side) and len(side) > 1}
    return {**fields, **parsed} if parsed else fields


_SIDES = ("chosen", "rejected", "first", "second")


def _parsed(name: str, cell: object) -> object:
    value = parsed_cell(cell)
    if isinstance(cell, str) and _LISTED.fullmatch(cell) and _is_joined(cell, value):
        raise SourceRefusal("bad_cell", f"{name} looks like a list, and is neither JSON nor Python")
    return value


def _is_joined(cell: str, value: object) -> bool:
    """Whether a list cannot be read, or would be read with texts joined because no comma is between
    them, as numpy writes a list."""
    if not isinstance(value, list):
        return True
    if not is_texts(value):
        return False
    try:
        json.loads(cell)
    except ValueError:
        tokens = tokenize.generate_tokens(io.StringIO(cell.strip()).readline)
        return sum(token.type == tokenize.STRING for token in tokens) != len(value)
    return False


def is_texts(value: object) -> TypeGuard[list[str]]:
    """Whether it is a list of texts, and not of messages."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _is_messages(value: object) -> bool:
    """Whether it is a message or a list of some, by the names of OpenAI's or of ShareGPT's."""
    messages = value if isinstance(value, list) else [value]
    return bool(messages) and all(
        isinstance(one, dict)
        and (one.keys() >= {"role", "content"} or one.keys() >= {"from", "value"})
        for one in messages
    )


_USER = ("user", "human")
_ASKING = ("user", "human", "system", "tool")
_OPENING = re.compile(r"\s*Human:")
_TURN = re.compile(r"(?:\A\s*|\n\n)(Human|Assistant):[ ]?")


def reply(value: object, name: str) -> tuple[str, str]:
    """A response and what came before it, as text; empty where nothing did. It is text, a message,
    or messages of which the last is the response. Raises SourceRefusal."""
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return "", as_text(value, name)
    if not value:
        raise SourceRefusal("no_messages", f"{name} is an empty list")
    role, text = _message(value[-1], name)
    if role.lower() in _ASKING:
        raise SourceRefusal("ends_with_user", f"the last message of {name} is by {role!r}")
    return prompt(value[:-1], name), text


def transcript(value: object) -> object:
    """The messages of a conversation that is written as one text, as in HH-RLHF:
    `\n\nHuman: ...\n\nAssistant: ...`. Anything else stays as it is."""
    if not isinstance(value, str) or not _OPENING.match(value):
        return value
    marks = [*_TURN.finditer(value)]
    ends = [*(mark.start() for mark in marks[1:]), len(value)]
    return [
        {"role": mark[1], "content": value[mark.end() : end]}
        for mark, end in zip(marks, ends, strict=True)
    ]


def prompt(value: object, name: str) -> str:
    """A prompt: text, or messages; one alone is its text, several have their roles before them."""
    if not isinstance(value, list):
        return as_text(value, name)
    messages = [_message(message, name) for message in value]
    if len(messages) == 1:
        return messages[0][1]
    return "\n\n".join(f"{role}: {text}" for role, text in messages)


def as_text(value: object, name: str) -> str:
    """The text unchanged; raises SourceRefusal for another type or a text that is not valid
    UTF-8."""
    if not isinstance(value, str):
        raise SourceRefusal("wrong_type", f"{name} is {kind(value)}, not text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise SourceRefusal("lone_surrogate", f"{name}, character {error.start + 1}") from None
    return value


def _message(value: Any, name: str) -> tuple[str, str]:
    """Role and content, by the names of OpenAI's messages or of ShareGPT's."""
    if not isinstance(value, dict):
        raise SourceRefusal("not_an_object", f"a message of {name} is {kind(value)}")
    role, content = ("role", "content") if "role" in value else ("from", "value")
    return (
        as_text(value.get(role), f"{role} in {name}"),
        as_text(value.get(content), f"{content} in {name}"),
    )


def text_licence(url: str | None, created: str | None, licence: str) -> str | None:
    """The licence that a text states, or else the one that its address and date imply."""
    return licence or licence_of(url, created)


def posts_of(fields: CellsByColumn, columns: Columns) -> Iterator[RowPost]:
    """The posts of a profile; raises SourceRefusal. Of a history of messages, those of the user are
    the posts."""
    for entry in _entries(fields, columns, "profile"):
        if "text" in entry or not ("role" in entry or "from" in entry):
            yield _post(entry)
        else:
            role, text = _message(entry, "profile")
            if role.lower() in _USER:
                yield RowPost(id="", text=text)


def _post(fields: CellsByColumn) -> RowPost:
    url = _name(fields.get("source_url"), "source_url of a post") or None
    created = time_of(fields.get("created"), "created")
    licence = _name(fields.get("licence"), "licence of a post")
    return RowPost(
        id=_name(fields.get("id"), "id of a post"),
        text=text_of(fields.get("text"), "text of a post"),
        category=_name(fields.get("category"), "category of a post"),
        created=created,
        source_url=url,
        licence=text_licence(url, created, licence),
    )


def aspects_of(fields: CellsByColumn, columns: Columns) -> Iterator[RowAspect]:
    """The aspects of a row's rubric; raises SourceRefusal."""
    for entry in _entries(fields, columns, "rubric_aspects"):
        yield RowAspect(
            aspect=text_of(entry.get("aspect"), "aspect"),
            reason=text_of(entry.get("reason"), "reason of an aspect"),
            evidence=text_of(entry.get("evidence"), "evidence of an aspect"),
        )


def _entries(fields: CellsByColumn, columns: Columns, name: str) -> list[CellsByColumn]:
    entries = rows_of(parsed_cell(columns.value(fields, name)), name)
    if not all(isinstance(entry, dict) for entry in entries):
        raise SourceRefusal("not_an_object", f"an entry of {name} is not an object")
    return entries


def label_of(fields: CellsByColumn, columns: Columns, name: str) -> str:
    """What names something in a column, such as a category; raises SourceRefusal."""
    return _name(columns.value(fields, name), name)


def _name(value: object, name: str) -> str:
    """What names something; a whole number is taken as its digits."""
    if isinstance(value, float) and value.is_integer():  # how pandas stores numbers with gaps
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_of(value, name)


def text_of(value: object, name: str) -> str:
    """A text as it is; empty where there is none. Raises SourceRefusal."""
    return "" if value is None or value != value else as_text(value, name)
