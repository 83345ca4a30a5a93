"""What a cell of another person's file holds: texts, messages, transcripts, and lists of them in
JSON or Python. Texts are not changed, since an audit is about them.
"""

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from pairwright.pairs.address import licence_of
from pairwright.pairs.row import RowPost
from pairwright.sources.fields import is_missing, time_of
from pairwright.sources.problems import SourceRefusal
from pairwright.sources.tables import kind

_LISTED = re.compile(r"\s*\[\s*['\"{].*\]\s*", re.DOTALL)


def parsed(value: object) -> object:
    """A list or an object that a cell of text holds; anything else as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    return value


def parsed_side(cell: object, name: str) -> object:
    """The messages or texts that a cell of a sheet holds; else the cell.

    Raises SourceRefusal for what looks like such a list and cannot be read as one.
    """
    value = parsed(cell)
    if isinstance(cell, str) and _LISTED.fullmatch(cell) and _is_joined(cell, value):
        raise SourceRefusal("bad_cell", f"{name} looks like a list, and is neither JSON nor Python")
    return value if is_texts(value) or is_messages(value) else cell


def _is_joined(cell: str, value: object) -> bool:
    """Whether a list cannot be read, or would be read with texts joined because no comma is between
    them, as numpy writes a list."""
    if not isinstance(value, list):
        return True
    try:
        json.loads(cell)
    except ValueError:
        tokens = tokenize.generate_tokens(io.StringIO(cell.strip()).readline)
        strings = sum(one.type == tokenize.STRING for one in tokens)
        return is_texts(value) and strings != len(value)
    return False


def is_texts(value: object) -> TypeGuard[list[str]]:
    """Whether it is a list of texts, and not of messages."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def is_messages(value: object) -> bool:
    """Whether it is a message or a list of some, by the names of OpenAI's or of ShareGPT's."""
    messages = value if isinstance(value, list) else [value]
    return bool(messages) and all(
        isinstance(one, dict)
        and (one.keys() >= {"role", "content"} or one.keys() >= {"from", "value"})
        for one in messages
    )


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


def text_of(value: object, name: str) -> str:
    """A text as it is; empty if there is none. Raises SourceRefusal."""
    return "" if value is None or value != value else as_text(value, name)


def name_of(value: object, name: str) -> str:
    """What names something; a whole number is taken as its digits. Raises SourceRefusal."""
    if isinstance(value, float) and value.is_integer():  # how pandas stores numbers with gaps
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_of(value, name)


# Conversations

_USER = ("user", "human", "prompter")
_ASKING = (*_USER, "system", "tool")
_OPENING = re.compile(r"\s*Human:")
_TURN = re.compile(r"(?:\A\s*|\n\n)(Human|Assistant):[ ]?")


def turns(value: object) -> object:
    """The messages of a conversation that is written as one text, as in HH-RLHF:
    `\\n\\nHuman: ...\\n\\nAssistant: ...`. Anything else stays as it is."""
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
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return as_text(value, name)
    messages = [_message(message, name) for message in value]
    if len(messages) == 1:
        return messages[0][1]
    return "\n\n".join(f"{role}: {text}" for role, text in messages)


def replies(sides: Mapping[str, object]) -> tuple[str, list[str]]:
    """Responses, and what came before all of them; empty where nothing did. Each is a text, a
    message, or messages of which the last is the response.

    Raises SourceRefusal where the responses do not answer the same conversation.
    """
    if not any(isinstance(side, list | dict) for side in sides.values()):
        return "", [as_text(side, name) for name, side in sides.items()]
    talks = {name: _messages(side, name) for name, side in sides.items()}
    (name, first), *others = talks.items()
    for other_name, other in others:
        _check_same_start(name, first, other_name, other)
    for name, talk in talks.items():
        if talk[-1][0].lower() in _ASKING:
            raise SourceRefusal("ends_with_user", f"the last message of {name} is by {talk[-1][0]}")
    before = [{"role": role, "content": text} for role, text in first[:-1]]
    return prompt(before, name) if before else "", [talk[-1][1] for talk in talks.values()]


def _messages(value: object, name: str) -> list[tuple[str, str]]:
    if isinstance(value, str):
        return [("assistant", value)]
    found = [_message(one, name) for one in (value if isinstance(value, list) else [value])]
    if not found:
        raise SourceRefusal("no_messages", f"{name} is an empty list")
    return found


def _check_same_start(
    name: str, one: list[tuple[str, str]], other_name: str, other: list[tuple[str, str]]
) -> None:
    """Raise SourceRefusal, with the reason, where two conversations differ before their last
    turn."""
    if one[:-1] == other[:-1]:
        return
    both = f"{name} has {len(one)} turns, {other_name} {len(other)}"
    n = next((n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), -1)
    if n < 0:
        raise SourceRefusal("one_continues", f"{both}, and one begins with the whole of the other")
    answers = one[n][0] == other[n][0] and one[n][0].lower() not in _ASKING
    if answers and n == min(len(one), len(other)) - 1:
        detail = f"{both}: one goes on after turn {n + 1}, or its answer holds a line like 'Human:'"
        raise SourceRefusal("one_longer", detail)
    raise SourceRefusal("prompts_differ", f"{both}, and they differ from turn {n + 1} on")


def _message(value: Any, name: str) -> tuple[str, str]:
    """Role and content, by the names of OpenAI's messages or of ShareGPT's."""
    if isinstance(value, str):
        return "assistant", as_text(value, name)
    if not isinstance(value, dict):
        raise SourceRefusal("not_an_object", f"a message of {name} is {kind(value)}")
    role, content = ("role", "content") if "role" in value else ("from", "value")
    return (
        as_text(value.get(role), f"{role} in {name}"),
        as_text(value.get(content), f"{content} in {name}"),
    )


# Profiles


def posts_of(value: object) -> Iterator[RowPost]:
    """The posts of a profile: objects with `text`, texts, one text, or a history of messages, of
    which the user's are the posts. Raises SourceRefusal."""
    value = parsed(value)
    if is_missing(value):
        return
    for entry in entries_of(value if isinstance(value, list | dict) else [value], "profile"):
        if isinstance(entry, str):
            yield RowPost(id="", text=as_text(entry, "profile"))
        elif "text" in entry or not ("role" in entry or "from" in entry):
            yield _post(entry)
        else:
            role, text = _message(entry, "profile")
            if role.lower() in _USER:
                yield RowPost(id="", text=text)


def entries_of(value: object, name: str) -> list[Any]:
    """The objects or texts of a list; a table by columns, as `datasets` stores one, is turned.
    Raises SourceRefusal."""
    if isinstance(value, dict):
        columns = list(value.values())
        if not all(isinstance(one, list) for one in columns):
            value = [value]
        elif len(set(map(len, columns))) == 1:
            value = [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]
    if not isinstance(value, list):
        raise SourceRefusal("wrong_type", f"{name} is {kind(value)}, not a list")
    if not all(isinstance(entry, dict | str) for entry in value):
        raise SourceRefusal("not_an_object", f"an entry of {name} is not an object")
    return value


def _post(fields: Mapping[str, Any]) -> RowPost:
    url = name_of(fields.get("source_url"), "source_url of a post") or None
    created = time_of(fields.get("created"), "created")
    licence = name_of(fields.get("licence"), "licence of a post")
    return RowPost(
        id=name_of(fields.get("id"), "id of a post"),
        text=text_of(fields.get("text"), "text of a post"),
        category=name_of(fields.get("category"), "category of a post"),
        created=created,
        source_url=url,
        licence=licence or licence_of(url, created),
    )
