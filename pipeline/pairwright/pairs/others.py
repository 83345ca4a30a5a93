"""A row of another person's file as pairs: a pair, two responses with a label, a question with
options and a key, or right answers against wrong ones.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from pairwright.errors import first_invalid
from pairwright.pairs.address import licence_of
from pairwright.pairs.columns import Columns, Fields, token
from pairwright.pairs.row import Row, RowAspect, has_columns
from pairwright.pairs.texts import (
    as_text,
    entries_of,
    is_messages,
    is_texts,
    name_of,
    parsed,
    parsed_side,
    posts_of,
    prompt,
    replies,
    text_of,
    turns,
)
from pairwright.records import content_id, pseudonym
from pairwright.sources.fields import is_missing, time_of
from pairwright.sources.problems import SourceRefusal, excerpt
from pairwright.sources.tables import kind

REASONS = {
    "bad_json": "a line is not JSON",
    "invalid_utf8": "a line or row holds bytes that are not UTF-8",
    "not_an_object": "a row, or an entry of one of its lists, is not an object",
    "missing_column": "a column that is needed or was named is not in the row",
    "empty_value": "a response or the prompt is null",
    "wrong_type": "a field holds another type than it should, such as a number for text",
    "lone_surrogate": "a text holds half a character, which no file in UTF-8 can hold",
    "bad_time": "a time that cannot be read",
    "bad_csv": "a record's quotes do not match",
    "ragged_row": "a record has more or fewer cells than there are columns",
    "bad_label": "the label does not say which response is better",
    "bad_cell": "a cell looks like a list of responses or messages, and cannot be read as one",
    "tie": "the label says that neither response is better",
    "no_messages": "a list of messages is empty",
    "ends_with_user": "the last message is not a response",
    "prompts_differ": "the two conversations differ before their last turn",
    "one_continues": "one conversation is the beginning of the other",
    "one_longer": "one conversation goes on after the answer of the other",
    "bad_options": "the options are not a list of two or more texts",
    "bad_key": "the key does not name one of the options",
    "not_a_row": "the row has a release's columns, and not its values",
}
TIE = "tie"
"""The reason of a row that can be read, and is not a preference."""


class Choice(NamedTuple):
    """The question that a pair is of, if one row of a file gives several pairs or a place."""

    question: str
    """Its place: `file:line`."""
    options: int
    rights: int = 1
    """How many of them are right. Each is paired with each wrong one."""
    place: int | None = None
    """The place of the right option, from 0; None if the file has no order."""
    of_pair: bool = False
    """Whether a label named it, of the two responses of a pair."""

    @property
    def chance(self) -> float:
        """How often blind choosing is right: of the options, or of pairs if several are right."""
        return 1 / self.options if self.rights == 1 else 0.5

    @property
    def weight(self) -> float:
        """The share of one pair in its question."""
        return 1 / (self.rights * (self.options - self.rights))


class ReadRow(NamedTuple):
    """A row with its split, which is empty where the source has none, and its place."""

    split: str
    row: Row
    where: str
    """The row's place: `file:line`, or `file:row` counted from 1; without the folders of this
    machine."""
    choice: Choice | None = None
    """The question with options that it is of, or the place of a pair's better response where a
    label names it."""


class _Question(NamedTuple):
    """What a row of a file asks, as far as its prompt is not a column, with all responses and the
    places of the right ones. The others are wrong."""

    before: str
    texts: Sequence[str]
    right: Sequence[int]
    ordered: bool = True
    """Whether the file gives all responses in one order, the right ones among the wrong."""
    of_pair: bool = False
    at: str = ""
    """Its place in the row, if there are several."""

    def place(self, right: int, wrong: int) -> str:
        """The place of a pair in the row."""
        if self.ordered:
            return f"{self.at}options[{wrong}]"
        chosen = f"chosen[{right}] " if len(self.right) > 1 else ""
        return f"{self.at}{chosen}rejected[{wrong - len(self.right)}]"


def read_row(
    fields: Fields, columns: Columns, config: str, split: str, where: str, *, flat: bool
) -> list[ReadRow]:
    """The pairs of a row, in the configuration and split of its file unless it names its own.

    Each right response is paired with each wrong one; the pairs of a row are of one item, and their
    ids and places name the responses, from 0. `flat`: whether cells are text that may hold lists.
    Raises SourceRefusal, with a reason of REASONS.
    """
    if has_columns(fields) and not columns.given:
        return [ReadRow(split, _release_row(fields), where)]
    if columns.form == "options":
        questions = list(_options(fields, columns))
    else:
        questions = [_sides(fields, columns, flat=flat)]
    split = name_of(columns.value(fields, "split"), "split") or split
    return [
        ReadRow(split, row, place, choice)
        for question in questions
        for row, place, choice in _pairs(question, fields, columns, config, where)
    ]


def _pairs(
    asked: _Question, fields: Fields, columns: Columns, config: str, where: str
) -> Iterator[tuple[Row, str, Choice | None]]:
    shared = _shared(fields, columns, config, asked.before)
    wrong = [n for n in range(len(asked.texts)) if n not in asked.right]
    if asked.of_pair or (not asked.ordered and len(asked.texts) == 2):
        chosen, rejected = asked.texts[asked.right[0]], asked.texts[wrong[0]]
        own = content_id("row", shared["question"], chosen, rejected)
        shared["id"] = shared["item_id"] or own
        choice = Choice(where, 2, place=asked.right[0], of_pair=True) if asked.of_pair else None
        yield Row(**shared, chosen=chosen, rejected=rejected), where, choice
        return
    item = shared["item_id"] or content_id("item", where, asked.at, *asked.texts)
    one = len(asked.right) == 1
    question = f"{where} {asked.at}".strip()
    place = asked.right[0] if asked.ordered and one else None
    choice = Choice(question, len(asked.texts), len(asked.right), place)
    for good in asked.right:
        for bad in wrong:
            at = asked.place(good, bad)
            numbers = "".join(re.findall(r"\[\d+\]", at))
            made = {**shared, "item_id": item, "id": f"{item}{numbers}"}
            pair = Row(**made, chosen=asked.texts[good], rejected=asked.texts[bad])
            yield pair, f"{where} {at}", choice


def _shared(fields: Fields, columns: Columns, config: str, before: str) -> dict[str, Any]:
    """What all pairs of a row have."""
    question = before
    if not before:
        asked = columns.needed(fields, "prompt")
        messages = parsed(asked)
        question = prompt(messages if is_messages(messages) else asked, "prompt")
    labels = {
        name: name_of(columns.value(fields, name), name)
        for name in ("id", "category", "domain", "user", "source_url", "licence", "generator")
    }
    url, created = (
        labels["source_url"] or None,
        time_of(columns.value(fields, "created"), "created"),
    )
    return {
        "question": question,
        "profile": tuple(posts_of(columns.value(fields, "profile"))),
        "rubric_aspects": tuple(_aspects(columns.value(fields, "rubric_aspects"))),
        "narrative": text_of(columns.value(fields, "narrative"), "narrative") or None,
        "item_id": labels["id"],
        "category": labels["category"],
        "domain": labels["domain"] or config,
        "user": pseudonym(labels["user"]) if labels["user"] else None,
        "generator": labels["generator"],
        "created": created,
        "source_url": url,
        "licence": labels["licence"] or licence_of(url, created),
    }


def _aspects(value: object) -> Iterator[RowAspect]:
    """The aspects of a row's rubric; raises SourceRefusal."""
    listed = parsed(value)
    for entry in [] if is_missing(listed) else entries_of(listed, "rubric_aspects"):
        if not isinstance(entry, dict):
            raise SourceRefusal("not_an_object", "an entry of rubric_aspects is not an object")
        yield RowAspect(
            aspect=text_of(entry.get("aspect"), "aspect"),
            reason=text_of(entry.get("reason"), "reason of an aspect"),
            evidence=text_of(entry.get("evidence"), "evidence of an aspect"),
        )


def _release_row(fields: Fields) -> Row:
    try:
        row = Row.model_validate(fields)
        row.model_dump_json()
    except ValidationError as error:
        raise SourceRefusal("not_a_row", ": ".join(first_invalid(error))) from None
    except ValueError as error:  # pydantic's error for half a character is one
        raise SourceRefusal("lone_surrogate", str(error)) from None
    return row


# Two responses, or right ones and wrong ones


def _sides(fields: Fields, columns: Columns, *, flat: bool) -> _Question:
    labelled = columns.form == "labelled"
    names = ("first", "second") if labelled else ("chosen", "rejected")
    cells = {name: columns.needed(fields, name) for name in names}
    asked = columns.value(fields, "prompt")
    if flat:
        lists = {name: parsed_side(cell, name) for name, cell in cells.items()}
        # A list of one may be a text in brackets.
        alone = not all(map(is_texts, lists.values()))
        cells = {
            name: cells[name] if alone and is_texts(one) and len(one) == 1 else one
            for name, one in lists.items()
        }
    elif columns.named["rejected" if not labelled else "second"] == "incorrect_answers":
        cells["rejected"] = parsed(cells["rejected"])
    better = 0
    if labelled:
        said = columns.labelled(fields)
        if said is None:
            raise SourceRefusal(TIE, f"the label is {excerpt(', '.join(columns.tokens(fields)))}")
        if said > 1:
            raise SourceRefusal("bad_label", f"it names response {said + 1} of two")
        better = said
    if labelled and is_texts(parsed(asked)) and all(map(is_texts, cells.values())):
        cells = {name: _turns(parsed(asked), cell) for name, cell in cells.items()}
        before, texts = replies(cells)
        return _Question(before, texts, [better], of_pair=True)
    if any(map(is_texts, cells.values())):
        if labelled:
            raise SourceRefusal("bad_cell", "a response is a list of texts, and the prompt is not")
        sides = [
            [as_text(one, name) for one in (cell if isinstance(cell, list) else [cell])]
            for name, cell in cells.items()
        ]
        return _Question("", [*sides[0], *sides[1]], range(len(sides[0])), ordered=False)
    if asked is None:
        cells = {name: turns(cell) for name, cell in cells.items()}
    before, texts = replies(cells)
    return _Question(
        before if asked is None else "", texts, [better], ordered=labelled, of_pair=labelled
    )


def _turns(prompts: object, responses: object) -> list[dict[str, str]]:
    """The messages of a conversation whose prompts and responses are two lists, a turn each."""
    assert is_texts(prompts)
    assert is_texts(responses)
    if len(prompts) != len(responses):
        detail = f"{len(prompts)} prompts and {len(responses)} responses"
        raise SourceRefusal("prompts_differ", detail)
    return [
        {"role": role, "content": text}
        for turn in zip(prompts, responses, strict=True)
        for role, text in zip(("user", "assistant"), turn, strict=True)
    ]


# Questions with options

_MARK = re.compile(r"\s*(?:\((\w)\)|(\w)[).:])\s+")
_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")


def _options(fields: Fields, columns: Columns) -> Iterator[_Question]:
    value = columns.needed(fields, "options")
    value = value if columns.named["options"] not in fields else parsed(value)
    entries = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    if entries and all("if_chosen" in one for one in entries):
        yield from _conversation(entries)
    elif entries and all("overall_score" in one for one in entries):
        yield _scored(entries)
    else:
        texts, labels = _texts(value)
        if len(texts) < 2:
            raise SourceRefusal("bad_options", f"there is {len(texts)} option")
        yield _Question("", texts, [_right_option(texts, labels, fields, columns)])


def _conversation(entries: Sequence[Mapping[str, Any]]) -> Iterator[_Question]:
    """The questions of a conversation in which a user took one of several responses at each turn,
    as in PRISM."""
    before: list[dict[str, str]] = []
    for turn in dict.fromkeys(one.get("turn") for one in entries):
        own = [one for one in entries if one.get("turn") == turn]
        replies_of = [one for one in own if one.get("role") == "model"]
        before += [
            {"role": "user", "content": as_text(one.get("content"), "a message")}
            for one in own
            if one.get("role") == "user"
        ]
        texts = [as_text(one.get("content"), "a response") for one in replies_of]
        right = [n for n, one in enumerate(replies_of) if one["if_chosen"]]
        if len(right) == 1 and len(texts) > 1 and before:
            yield _Question(prompt(before, "prompt"), texts, right, at=f"turn[{turn}] ")
        if right:
            before.append({"role": "assistant", "content": texts[right[0]]})


def _scored(entries: Sequence[Mapping[str, Any]]) -> _Question:
    """The responses with the highest score over those with a lower one, as in UltraFeedback."""
    texts = [as_text(one.get("response"), "a response") for one in entries]
    scores = [one["overall_score"] for one in entries]
    if not all(isinstance(one, int | float) for one in scores):
        raise SourceRefusal("bad_label", "an overall_score is not a number")
    right = [n for n, score in enumerate(scores) if score == max(scores)]
    if len(right) == len(texts):
        raise SourceRefusal(TIE, "all responses have one overall_score")
    return _Question("", texts, right)


def _texts(value: object) -> tuple[Sequence[str], Sequence[str]]:
    """The texts of a row's options, without their marks, such as `(a)`, where all have one, and
    their labels in small letters. Options are a list, an object of options by letter, or a table of
    `label` and `text`."""
    if isinstance(value, dict) and value.keys() >= {"label", "text"}:
        value = dict(zip(value["label"], value["text"], strict=False))
    if isinstance(value, dict):
        texts = [as_text(text, "an option") for text in value.values()]
        return texts, [str(label).strip().lower() for label in value]
    if not isinstance(value, list):
        raise SourceRefusal("bad_options", f"options is {kind(value)}, not a list")
    texts = [as_text(text, "an option") for text in value]
    marks = [mark for text in texts if (mark := _MARK.match(text))]
    labels = [(mark[1] or mark[2]).lower() for mark in marks]
    if len(labels) == len(texts) and len(set(labels)) == len(labels):
        return [text[mark.end() :] for text, mark in zip(texts, marks, strict=True)], labels
    return texts, [chr(ord("a") + place) for place in range(len(texts))]


def _right_option(
    texts: Sequence[str], labels: Sequence[str], fields: Fields, columns: Columns
) -> int:
    """The place of the right option, from 0: by a number only where the person says what it
    means."""
    key = columns.always
    if key is None:
        given = columns.needed(fields, "key")
        key = columns.meanings.get(token(given))
        if key is None:
            return _named_option(texts, labels, given)
    if key >= len(texts):
        raise _bad_key(key + 1, f"there are {len(texts)} options")
    return key


def _named_option(texts: Sequence[str], labels: Sequence[str], key: object) -> int:
    """By the text of an option, or its letter."""
    if not isinstance(key, str):
        raise _bad_key(key, "a number says which only with --label first=0 or --label first=1")
    bare = [text.strip() for text in texts]
    own = key.strip()
    same = [n for n, text in enumerate(bare) if text == own]
    if not same and (mark := _MARK.match(key)):
        same = [n for n, text in enumerate(bare) if text == key[mark.end() :].strip()]
    letter = _LETTER.fullmatch(own)
    if not same:
        names = (own.lower(), letter[1].lower() if letter else "")
        same = [n for n, label in enumerate(labels) if label in names]
    if len(same) != 1:
        raise _bad_key(key, "neither the letter nor the text of one option")
    return same[0]


def _bad_key(key: object, why: str) -> SourceRefusal:
    return SourceRefusal("bad_key", f"the key is {excerpt(key)}: {why}", str(key)[:80])
