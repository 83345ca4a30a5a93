"""Cells of another person's file: texts, messages, transcripts, posts, and lists of them in JSON or
Python.
"""

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeGuard

from pairwright.pairs.address import licence_of
from pairwright.pairs.row import RowAspect, RowPost
from pairwright.sources.fields import is_missing, name_text, time_of, turned
from pairwright.sources.problems import refuse
from pairwright.sources.tables import kind
from pairwright.text import number_of

Message = tuple[str, str]
"""Role and content."""
_LISTED = re.compile(r"\s*\[\s*['\"{].*\]\s*", re.DOTALL)


def parsed(value: object, name: str = "") -> object:
    """A list or an object that a cell of text holds; anything else as it is.

    With a name, raises SourceRefusal for an apparent list of texts or messages that cannot be read.
    So numpy's texts without commas are refused, which Python would join.
    """
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    with suppress(ValueError, RecursionError):
        return json.loads(value)
    with suppress(ValueError, SyntaxError, MemoryError, RecursionError, tokenize.TokenError):
        literal = ast.literal_eval(value.strip())
        tokens = tokenize.generate_tokens(io.StringIO(value.strip()).readline)
        strings = sum(one.type == tokenize.STRING for one in tokens)
        joined_texts = is_texts(literal) and strings != len(literal)
        if isinstance(literal, list | dict) and not joined_texts:
            return literal
    if name and _LISTED.fullmatch(value):
        refuse("bad_cell", f"{name} looks like a list, and is neither JSON nor Python")
    return value


def is_texts(value: object) -> TypeGuard[list[str]]:
    """Whether it is a list of texts, and not of messages."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def is_messages(value: object) -> bool:
    """Whether it is a message or a list of some, by the names of OpenAI or of ShareGPT."""
    messages = value if isinstance(value, list) else [value]
    names = ({"role", "content"}, {"from", "value"})
    return bool(messages) and all(
        isinstance(one, dict) and any(one.keys() >= pair for pair in names) for one in messages
    )


def as_text(value: object, name: str) -> str:
    """The text unchanged; raises SourceRefusal for another type and for invalid Unicode."""
    if not isinstance(value, str):
        refuse("wrong_type", f"{name} is {kind(value)}, not text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        refuse("lone_surrogate", f"{name}, character {error.start + 1}")
    return value


def names_in(entry: Mapping[str, Any], names: str) -> dict[str, str]:
    """The fields of these names, which are names themselves or missing. Of an id only what is empty
    is missing: one may be `null`. Raises SourceRefusal."""
    found = {}
    for name in names.split():
        value = entry.get(name)
        kept = name == "id" and isinstance(value, str) and value.strip()
        found[name] = as_text(value if kept else name_text(value, name), name)
    return found


# Conversations

_USER = ("user", "human", "prompter")
_ASKING = (*_USER, "system", "tool")
_TURN = re.compile(r"(?:\A\s*|\n\n)(Human|Assistant):[ ]?")


def joined(messages: Sequence[Message]) -> str:
    """One message as its text; several with their roles before them; empty for none."""
    if len(messages) == 1:
        return messages[0][1]
    return "\n\n".join(f"{role}: {text}" for role, text in messages)


def messages_of(value: object, name: str) -> list[Message]:
    """The messages of a list; one alone; or a text, which is a response. Raises SourceRefusal."""
    found = []
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict):
            names = ("role", "content") if "role" in one else ("from", "value")
            role, text = (as_text(one.get(part), f"{part} in {name}") for part in names)
            found.append((role, text))
        elif isinstance(value, list):
            refuse("not_an_object", f"a message of {name} is {kind(one)}")
        else:
            found.append(("assistant", as_text(one, name)))
    return found or refuse("no_messages", f"{name} is an empty list")


def transcript(value: object) -> object:
    """The messages of a conversation that is written as one text, as in HH-RLHF:
    `\\n\\nHuman: ...\\n\\nAssistant: ...`. Anything else stays as it is."""
    if not isinstance(value, str) or not re.match(r"\s*Human:", value):
        return value
    _, *turns = _TURN.split(value)
    return [
        {"role": role, "content": text} for role, text in zip(turns[::2], turns[1::2], strict=True)
    ]


def turns_of(prompts: list[str], given: object) -> list[dict[str, str]]:
    """The messages of a conversation whose prompts and responses are two lists, a turn each.
    Raises SourceRefusal."""
    if not is_texts(given) or len(prompts) != len(given):
        n = len(given) if isinstance(given, list) else "no"
        refuse("bad_cell", f"{len(prompts)} prompts in a list, and {n} responses")
    turns = zip(prompts, given, strict=True)
    both = ((("user", prompt), ("assistant", response)) for prompt, response in turns)
    return [{"role": role, "content": text} for turn in both for role, text in turn]


def responses(sides: Mapping[str, object]) -> tuple[str, list[str]]:
    """Two responses, and what came before both: empty for texts. Else each is the last message.

    Raises SourceRefusal if they do not answer the same conversation, and says why.
    """
    one, other = (messages_of(side, name) for name, side in sides.items())
    if one[:-1] != other[:-1]:
        turns = zip(sides, (len(one), len(other)), strict=True)
        both = ", ".join(f"{name} has {number_of(n, 'turn')}" for name, n in turns)
        short = min(len(one), len(other))
        n = next((n for n in range(short) if one[n] != other[n]), short)
        if n == short:
            refuse("one_continues", f"{both}, and one begins with the whole of the other")
        if n == short - 1 and {one[n][0].lower(), other[n][0].lower()}.isdisjoint(_ASKING):
            detail = f"{both}: one goes on after turn {short}, or its answer holds 'Human:' itself"
            refuse("one_longer", detail)
        refuse("prompts_differ", f"{both}, and they differ from turn {n + 1} on")
    for name, (role, _) in zip(sides, (one[-1], other[-1]), strict=True):
        if role.lower() in _ASKING:
            refuse("ends_with_user", f"the last message of {name} is by {role}")
    return joined(one[:-1]), [one[-1][1], other[-1][1]]


def prompt_of(value: object) -> str:
    """A prompt: text, or messages. Raises SourceRefusal."""
    messages = parsed(value)
    value = messages if is_messages(messages) else value
    if isinstance(value, list | dict):
        return joined(messages_of(value, "prompt"))
    return as_text(value, "prompt")


# Profiles and rubrics


def posts_of(value: object) -> Iterator[RowPost]:
    """The posts of a profile: objects with `text`, texts, one text, or a history of messages, of
    which the user's are the posts. Raises SourceRefusal."""
    for entry in entries_of(value, "profile", "text"):
        if "text" not in entry and ("role" in entry or "from" in entry):
            ((role, text),) = messages_of(entry, "profile")
            if role.lower() in _USER:
                yield RowPost(id="", text=text)
            continue
        own = names_in(entry, "id category source_url licence")
        created = time_of(entry.get("created"), "created")
        stated = own["licence"] or licence_of(own["source_url"], created)
        text = as_text(entry.get("text") or "", "text of a post")
        url = own["source_url"] or None
        yield RowPost(
            **own | {"text": text, "created": created, "licence": stated, "source_url": url}
        )


def aspects_of(value: object) -> Iterator[RowAspect]:
    """The aspects of a rubric: objects, or texts; none that is missing. Raises SourceRefusal."""
    for entry in entries_of(value, "rubric_aspects", "aspect"):
        named = names_in(entry, "aspect reason evidence")
        if named["aspect"]:
            yield RowAspect(**named)


def entries_of(value: object, name: str, part: str) -> list[dict[str, Any]]:
    """The objects of a list, or one of them; a text is the `part` of one. A table by columns, as
    `datasets` stores one, is turned. Raises SourceRefusal."""
    value = turned(parsed(value))
    missing = is_missing(value) or value == {}
    entries = value if isinstance(value, list) else [] if missing else [value]
    if wrong := [kind(one) for one in entries if not isinstance(one, dict | str)]:
        refuse("not_an_object", f"an entry of {name} is {wrong[0]}, not an object")
    return [one if isinstance(one, dict) else {part: one} for one in entries]
