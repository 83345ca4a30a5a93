"""Pairs from another person's row: a pair, two responses with a label, a question with options and
a key, or right answers against wrong ones. Its cells hold texts, messages, transcripts, posts, and
lists of them in JSON or Python. Texts are not changed, since an audit is about them.
"""

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import Any, NamedTuple, TypeGuard

from pydantic import ValidationError

from pairwright.errors import first_invalid
from pairwright.pairs.address import licence_of
from pairwright.pairs.columns import KNOWN, Columns, Fields, token
from pairwright.pairs.row import Choice, ReadRow, Row, RowAspect, RowPost, has_columns
from pairwright.records import content_id, pseudonym
from pairwright.sources.fields import NOBODY, is_missing, name_text, time_of, turned
from pairwright.sources.problems import excerpt, refuse
from pairwright.sources.tables import kind
from pairwright.text import number_of

REASONS: dict[str, str] = KNOWN["reasons"]
TIE = "tie"
"""The reason of a row that can be read, and is not a preference."""
_NAMES = "id category domain user source_url licence generator narrative split"
_Message = tuple[str, str]
"""Role and content."""


class _Question(NamedTuple):
    """All responses that a row holds to one prompt, and the places of the right ones."""

    texts: Sequence[str]
    right: Sequence[int]
    before: str = ""
    """Prompt of the row, if that is not a column."""
    ordered: bool = True
    """Whether the file gives all responses in one order, the right ones among the wrong."""
    at: str = ""
    """Place of the question in a row that holds several."""


def read_row(fields: Fields, columns: Columns, where: str) -> Iterator[ReadRow]:
    """The pairs of a row, in the configuration and split of its file unless it names its own.

    Each right response is paired with each wrong one. The pairs of a row are of one item, and their
    ids and places name the responses, from 0. Raises SourceRefusal, with a reason of REASONS.
    """
    if has_columns(fields) and not columns.given:
        try:
            row = Row.model_validate(fields)
            row.model_dump_json()
        except ValidationError as error:
            refuse("not_a_row", ": ".join(first_invalid(error)))
        except ValueError as error:  # pydantic's error for half a character is one
            refuse("lone_surrogate", str(error))
        yield ReadRow(columns.piece.split, row, where)
        return
    cells = columns.cells(fields)
    questions: Iterable[_Question]
    if "options" in columns.named:
        questions = _options(cells, columns)
    elif "first" in columns.named or "second" in columns.named:
        questions = [_labelled(cells, columns, fields)]
    else:
        questions = [_sides(cells, columns)]
    for asked in questions:
        yield from _pairs(asked, cells, columns, where)


def _pairs(asked: _Question, cells: Fields, columns: Columns, where: str) -> Iterator[ReadRow]:
    """The pairs of a question. Raises SourceRefusal for a field that all of them share."""
    id, category, domain, user, url, licence, generator, narrative, split = _names_in(cells, _NAMES)
    created, texts, right = time_of(cells.get("created"), "created"), asked.texts, asked.right
    single = len(texts) == 2 and "options" not in columns.named
    item = id or ("" if single else content_id("item", where, *texts))
    nobody = not user or NOBODY.fullmatch(user[:60])  # Strangers share a name.
    whose = () if nobody else (user,)  # Two people may have taken the same response.
    shared: dict[str, Any] = {
        "item_id": item,
        "question": asked.before or _prompt_of(_needed(cells, "prompt")),
        "profile": tuple(_posts_of(cells.get("profile"))),
        "rubric_aspects": tuple(_aspects_of(cells.get("rubric_aspects"))),
        "narrative": narrative or None,
        "category": category,
        "domain": domain or columns.piece.config,
        "user": None if nobody else pseudonym(user),
        "generator": generator,
        "created": created,
        "source_url": url or None,
        "licence": licence or licence_of(url, created),
    }
    place = right[0] if asked.ordered and len(right) == 1 else None
    choice = Choice(f"{where} {asked.at}".strip(), len(texts), len(right), place)
    given = choice if asked.ordered or not single else None
    good_name, bad_name = ("options", "options") if asked.ordered else ("chosen", "rejected")
    first_bad = 0 if asked.ordered else len(right)
    wrong = [place for place in range(len(texts)) if place not in right]
    for good, bad in product(right, wrong):
        at = "" if single else f"{bad_name}[{bad - first_bad}]"
        at = asked.at + (f"{good_name}[{good}] {at}" if len(right) > 1 else at)
        name = item + "".join(re.findall(r"\[\d+\]", at))
        name = name or content_id("row", shared["question"], texts[good], texts[bad], *whose)
        row = Row(**shared, id=name, chosen=texts[good], rejected=texts[bad])
        yield ReadRow(split or columns.piece.split, row, f"{where} {at}".strip(), given)


def _needed(cells: Fields, name: str) -> object:
    """A cell that a row must have. Raises SourceRefusal without one."""
    if name not in cells:
        refuse("missing_column", f"no column for {name}")
    return refuse("empty_value", f"{name} is null") if cells[name] is None else cells[name]


# Two responses, or right ones and wrong ones


def _both(cells: Fields, columns: Columns, *names: str) -> dict[str, object]:
    """Both sides of a row; of cells of text, the lists and messages in them."""
    if not columns.named.keys() >= {*names}:
        lacking = [name for name in ("prompt", *names) if name not in columns.named]
        refuse("missing_column", f"no column for {', '.join(lacking)}")
    sides = {name: _needed(cells, name) for name in names}
    if columns.piece.flat:
        lists = {name: _parsed(side, name) for name, side in sides.items()}
        # A list of one may be a text in brackets; an object may be any text.
        alone = not all(map(_is_texts, lists.values()))
        for name, one in lists.items():
            if _is_messages(one) or (_is_texts(one) and len(one) > alone):
                sides[name] = one
    return sides


def _labelled(cells: Fields, columns: Columns, fields: Fields) -> _Question:
    """Two responses and what says which is better."""
    sides = _both(cells, columns, "first", "second")
    always = "" in columns.meanings
    labels = [""] if always else columns.labels(cells, fields)
    better = columns.better(labels)
    if better is None:
        refuse(TIE, f"the label is {excerpt(', '.join(labels))}", action="noted")
    if better > 1:
        refuse("bad_label", f"it names response {better + 1} of two")
    asked = cells.get("prompt")
    prompts = _parsed(asked) if columns.piece.flat else asked
    if _is_texts(prompts):
        sides = {name: _turns_of(prompts, one) for name, one in sides.items()}
        asked = None
    before, texts = _responses(sides)
    return _Question(texts, [better], before if asked is None else "")


def _sides(cells: Fields, columns: Columns) -> _Question:
    """Right responses and wrong ones: one each, or lists."""
    sides = _both(cells, columns, "chosen", "rejected")
    if columns.named["rejected"] == "incorrect_answers":  # PersonaMem has JSON in text.
        sides["rejected"] = _parsed(sides["rejected"], "rejected")
    if any(map(_is_texts, sides.values())):
        right, wrong = (
            [_as_text(one, name) for one in (side if isinstance(side, list) else [side])]
            for name, side in sides.items()
        )
        return _Question([*right, *wrong], range(len(right)), ordered=False)
    alone = cells.get("prompt") is None
    if alone:
        sides = {name: _transcript(side) for name, side in sides.items()}
    before, texts = _responses(sides)
    return _Question(texts, [0], before if alone else "", ordered=False)


# Questions with options

_MARK = re.compile(r"\s*(?:\((\w)\)|(\w)[).:])\s+")


def _options(cells: Fields, columns: Columns) -> Iterator[_Question]:
    value = _parsed(_needed(cells, "options"))
    entries = value if isinstance(value, list) and all(isinstance(v, dict) for v in value) else []
    if entries and "if_chosen" in entries[0]:
        yield from _conversation(entries)
    elif entries and "overall_score" in entries[0]:
        yield _best_scored(entries)
    else:
        texts, labels = _texts(value)
        if len(texts) < 2:
            refuse("bad_options", f"the list has {number_of(len(texts), 'option')}")
        key = "" if "" in columns.meanings else _needed(cells, "key")
        yield _Question(texts, [_right_option(texts, labels, key, columns)])


def _conversation(entries: Sequence[Fields]) -> Iterator[_Question]:
    """The questions of a conversation in which a user took one of several responses at each turn,
    as in PRISM."""
    before: list[tuple[str, str]] = []
    for turn in dict.fromkeys(one.get("turn") for one in entries):
        own = [one for one in entries if one.get("turn") == turn]
        made = [one for one in own if one.get("role") == "model"]
        texts = [_as_text(one.get("content"), "a response") for one in made]
        right = [n for n, one in enumerate(made) if one.get("if_chosen")]
        asked = (_as_text(one.get("content"), "a message") for one in own if one not in made)
        before += [("user", text) for text in asked]
        if before and len(right) == 1 < len(texts):
            yield _Question(texts, right, _joined(before), at=f"turn[{turn}] ")
        before += [("assistant", texts[n]) for n in right[:1]]


def _best_scored(entries: Sequence[Fields]) -> _Question:
    """The responses of the highest `overall_score` against those of a lower one, as in
    UltraFeedback."""
    texts = [_as_text(one.get("response"), "a response") for one in entries]
    given = [one.get("overall_score") for one in entries]
    scores = [float(one) for one in given if isinstance(one, int | float)]
    if len(scores) < len(texts):
        refuse("bad_label", "an overall_score is not a number")
    right = [n for n, score in enumerate(scores) if score == max(scores)]
    if len(right) == len(texts):
        refuse(TIE, "all responses have one overall_score", action="noted")
    return _Question(texts, right)


def _texts(value: object) -> tuple[Sequence[str], Sequence[str]]:
    """The texts of a row's options, without their marks, such as `(a)`, if all have one, and their
    labels in small letters. Options are a list, an object of options by letter, or a table of
    `label` and `text`."""
    if isinstance(value, dict) and value.keys() >= {"label", "text"}:
        value = dict(zip(value["label"], value["text"], strict=False))
    if not isinstance(value, list | dict):
        refuse("bad_options", f"options is {kind(value)}, not a list")
    given = value.values() if isinstance(value, dict) else value
    texts = [_as_text(text, "an option") for text in given]
    if isinstance(value, dict):
        return texts, [str(label).strip().lower() for label in value]
    labels = [(mark[1] or mark[2]).lower() for text in texts if (mark := _MARK.match(text))]
    if len({*labels}) == len(texts):
        return [_MARK.sub("", text, count=1) for text in texts], labels
    return texts, [chr(ord("a") + place) for place in range(len(texts))]


def _right_option(
    texts: Sequence[str], labels: Sequence[str], key: object, columns: Columns
) -> int:
    """The place of the right option, from 0: by the text of an option or its letter. A number
    counts only if the person says what it means."""
    place, found = columns.meanings.get(token(key)), list[int]()
    if place is not None:
        found, why = [place][: place < len(texts)], f"there are {len(texts)} options"
    elif isinstance(key, str):
        own = {key.strip(), _MARK.sub("", key, count=1).strip()}
        letter = key.lower().strip("().: ")
        found = [n for n, text in enumerate(texts) if text.strip() in own]
        found = found or [n for n, label in enumerate(labels) if label == letter]
        why = "neither the letter nor the text of one option"
    else:
        why = "a number says which only with --label first=0 or --label first=1"
    if len(found) != 1:
        refuse("bad_key", f"the key is {excerpt(key)}: {why}", str(key)[:80])
    return found[0]


# Cells

_LISTED = re.compile(r"\s*\[\s*['\"{].*\]\s*", re.DOTALL)


def _parsed(value: object, name: str = "") -> object:
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
        texts_apart = not _is_texts(literal) or strings == len(literal)
        if texts_apart and isinstance(literal, list | dict):
            return literal
    if name and _LISTED.fullmatch(value):
        refuse("bad_cell", f"{name} looks like a list, and is neither JSON nor Python")
    return value


def _is_texts(value: object) -> TypeGuard[list[str]]:
    """Whether it is a list of texts, and not of messages."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _is_messages(value: object) -> bool:
    """Whether it is a message or a list of some, by the names of OpenAI or of ShareGPT."""
    messages = value if isinstance(value, list) else [value]
    names = ({"role", "content"}, {"from", "value"})
    return bool(messages) and all(
        isinstance(one, dict) and any(one.keys() >= pair for pair in names) for one in messages
    )


def _as_text(value: object, name: str) -> str:
    """The text unchanged; raises SourceRefusal for another type and for invalid Unicode."""
    if not isinstance(value, str):
        refuse("wrong_type", f"{name} is {kind(value)}, not text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        refuse("lone_surrogate", f"{name}, character {error.start + 1}")
    return value


def _names_in(entry: Mapping[str, Any], names: str, of: str = "") -> list[str]:
    """The fields of these names, which are names themselves or missing. Of an id only what is empty
    is missing: one may be `null`. Raises SourceRefusal."""
    found = []
    for name in names.split():
        value, said = entry.get(name), name + of
        kept = name == "id" and isinstance(value, str) and value.strip()
        found.append(_as_text(value if kept else name_text(value, said), said))
    return found


# Conversations

_USER = ("user", "human", "prompter")
_ASKING = (*_USER, "system", "tool")
_TURN = re.compile(r"(?:\A\s*|\n\n)(Human|Assistant):[ ]?")


def _joined(messages: Sequence[_Message]) -> str:
    """One message as its text; several with their roles before them; empty for none."""
    if len(messages) == 1:
        return messages[0][1]
    return "\n\n".join(f"{role}: {text}" for role, text in messages)


def _messages_of(value: object, name: str) -> list[_Message]:
    """The messages of a list; one alone; or a text, which is a response. Raises SourceRefusal."""
    found = []
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict):
            names = ("role", "content") if "role" in one else ("from", "value")
            role, text = (_as_text(one.get(part), f"{part} in {name}") for part in names)
            found.append((role, text))
        elif isinstance(value, list):
            refuse("not_an_object", f"a message of {name} is {kind(one)}")
        else:
            found.append(("assistant", _as_text(one, name)))
    return found or refuse("no_messages", f"{name} is an empty list")


def _transcript(value: object) -> object:
    """The messages of a conversation that is written as one text, as in HH-RLHF:
    `\\n\\nHuman: ...\\n\\nAssistant: ...`. Anything else stays as it is."""
    if not isinstance(value, str) or not re.match(r"\s*Human:", value):
        return value
    _, *turns = _TURN.split(value)
    return [
        {"role": role, "content": text} for role, text in zip(turns[::2], turns[1::2], strict=True)
    ]


def _responses(sides: Mapping[str, object]) -> tuple[str, list[str]]:
    """Two responses, and what came before both: empty for texts. Else each is the last message.

    Raises SourceRefusal if they do not answer the same conversation, and says why.
    """
    one, other = (_messages_of(side, name) for name, side in sides.items())
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
    return _joined(one[:-1]), [one[-1][1], other[-1][1]]


def _turns_of(prompts: list[str], given: object) -> list[dict[str, str]]:
    """The messages of a conversation whose prompts and responses are two lists, a turn each.
    Raises SourceRefusal."""
    if not _is_texts(given) or len(prompts) != len(given):
        n = len(given) if isinstance(given, list) else "no"
        refuse("bad_cell", f"{len(prompts)} prompts in a list, and {n} responses")
    messages = list[dict[str, str]]()
    for prompt, response in zip(prompts, given, strict=True):
        messages.append({"role": "user", "content": prompt})
        messages.append({"role": "assistant", "content": response})
    return messages


def _prompt_of(value: object) -> str:
    """A prompt: text, or messages. Raises SourceRefusal."""
    messages = _parsed(value)
    value = messages if _is_messages(messages) else value
    if isinstance(value, list | dict):
        return _joined(_messages_of(value, "prompt"))
    return _as_text(value, "prompt")


# Profiles and rubrics


def _posts_of(value: object) -> Iterator[RowPost]:
    """The posts of a profile: objects with `text`, texts, one text, or a history of messages, of
    which the user's are the posts. Raises SourceRefusal."""
    for entry in _entries_of(value, "profile"):
        if isinstance(entry, str):
            yield RowPost(id="", text=_as_text(entry, "profile"))
        elif "text" not in entry and ("role" in entry or "from" in entry):
            ((role, text),) = _messages_of(entry, "profile")
            if role.lower() in _USER:
                yield RowPost(id="", text=text)
        else:
            names = "id category source_url licence"
            id, category, url, licence = _names_in(entry, names, " of a post")
            created = time_of(entry.get("created"), "created")
            yield RowPost(
                id=id, text=_as_text(entry.get("text") or "", "text of a post"), category=category,
                created=created, source_url=url or None,
                licence=licence or licence_of(url, created),
            )  # fmt: skip


def _aspects_of(value: object) -> Iterator[RowAspect]:
    """The aspects of a rubric: objects, or texts; none that is missing. Raises SourceRefusal."""
    for entry in _entries_of(value, "rubric_aspects"):
        named = {"aspect": entry} if isinstance(entry, str) else entry
        aspect, reason, evidence = _names_in(named, "aspect reason evidence")
        if aspect:
            yield RowAspect(aspect=aspect, reason=reason, evidence=evidence)


def _entries_of(value: object, name: str) -> list[Any]:
    """The objects or texts of a list, or one of them; a table by columns, as `datasets` stores one,
    is turned. Raises SourceRefusal."""
    value = turned(_parsed(value))
    missing = is_missing(value) or value == {}
    entries = value if isinstance(value, list) else [] if missing else [value]
    if wrong := [kind(one) for one in entries if not isinstance(one, dict | str)]:
        refuse("not_an_object", f"an entry of {name} is {wrong[0]}, not an object")
    return entries
