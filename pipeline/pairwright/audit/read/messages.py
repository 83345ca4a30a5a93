"""Prompts and responses that are lists of messages."""

import re
from typing import Any, NamedTuple

from pairwright.sources.fields import kind
from pairwright.sources.problems import SourceRefusal

_USER = ("user", "human")
_ASKING = ("user", "human", "system", "tool")
_OPENING = re.compile(r"\s*Human:")
_TURN = re.compile(r"(?:\A\s*|\n\n)(Human|Assistant):[ ]?")


class ResponseMessage(NamedTuple):
    """A response and what came before it, as text; empty where nothing did."""

    before: str
    text: str


def reply(value: object, name: str) -> ResponseMessage:
    """A response: text, a message, or messages of which the last is the response. Raises
    SourceRefusal."""
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return ResponseMessage("", as_text(value, name))
    if not value:
        raise SourceRefusal("no_messages", f"{name} is an empty list")
    role, text = _message(value[-1], name)
    if role.lower() in _ASKING:
        raise SourceRefusal("ends_with_user", f"the last message of {name} is by {role!r}")
    return ResponseMessage(prompt(value[:-1], name), text)


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


def user_text(message: object, name: str) -> str | None:
    """What the user said in a message of a history; None for a message by another role."""
    role, text = _message(message, name)
    return text if role.lower() in _USER else None


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
