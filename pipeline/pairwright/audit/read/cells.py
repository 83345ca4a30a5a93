"""Lists, objects and messages that a cell of text holds, as JSON or as Python writes them."""

import ast
import io
import json
import re
import tokenize
from collections.abc import Mapping
from typing import Any, TypeGuard

from pairwright.audit.read.columns import KNOWN, Columns
from pairwright.sources.problems import SourceRefusal

Fields = Mapping[str, Any]
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


def with_parsed_sides(fields: Fields, columns: Columns) -> Fields:
    """The fields of a flat row, with prompt and responses as the lists of messages that their cells
    hold, or as the lists of texts that the responses' cells hold.

    Raises SourceRefusal for a cell that looks like such a list and cannot be read as one.
    """
    names = {name: _column(name, fields, columns) for name in ("prompt", *_SIDES)}
    cells = {name: _parsed(name, fields[column]) for name, column in names.items() if column}
    parsed = {names[name]: cell for name, cell in cells.items() if _is_messages(cell)}
    sides = {names[name]: cell for name, cell in cells.items() if name in _SIDES}
    if sides and all(map(_is_texts, sides.values())):
        parsed |= sides
    # A list of one may be a text in brackets; where one side alone holds several, the row is
    # refused, because its sides differ.
    parsed |= {column: side for column, side in sides.items() if _is_texts(side) and len(side) > 1}
    return {**fields, **parsed} if parsed else fields


_SIDES = ("chosen", "rejected", "first", "second")


def _column(name: str, fields: Fields, columns: Columns) -> str:
    """The column of the row that holds it; empty where there is none."""
    known = (columns.given[name],) if name in columns.given else KNOWN[name]
    return next((column for column in known if column in fields), "")


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
    if not _is_texts(value):
        return False
    try:
        json.loads(cell)
    except ValueError:
        tokens = tokenize.generate_tokens(io.StringIO(cell.strip()).readline)
        return sum(token.type == tokenize.STRING for token in tokens) != len(value)
    return False


def _is_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _is_messages(value: object) -> bool:
    """Whether it is a message or a list of some, by the names of OpenAI's or of ShareGPT's."""
    messages = value if isinstance(value, list) else [value]
    return bool(messages) and all(
        isinstance(one, dict)
        and (one.keys() >= {"role", "content"} or one.keys() >= {"from", "value"})
        for one in messages
    )
