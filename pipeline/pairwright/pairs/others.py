"""A row of another person's file as pairs: a pair, two responses with a label, a question with
options and a key, or right answers against wrong ones.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from pairwright.errors import first_invalid
from pairwright.pairs.address import licence_of
from pairwright.pairs.columns import FORMS, Columns, Fields, token
from pairwright.pairs.row import Row, RowAspect, has_columns
from pairwright.pairs.texts import (
    as_text,
    entries_of,
    is_messages,
    is_texts,
    name_of,
    parsed,
    posts_of,
    prompt,
    responses,
    transcript,
)
from pairwright.records import content_id, pseudonym
from pairwright.sources.fields import time_of
from pairwright.sources.problems import SourceRefusal, excerpt
from pairwright.sources.tables import kind

REASONS: dict[str, str] = FORMS["reasons"]
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
    """`file:line`, or `file:row` counted from 1; without the folders of this machine."""
    choice: Choice | None = None
    """Its question with options, or the place that a label names."""


class _Question(NamedTuple):
    """All responses that a row holds to one prompt, and the places of the right ones."""

    texts: Sequence[str]
    right: Sequence[int]
    before: str = ""
    """Its prompt, if that is no column."""
    ordered: bool = True
    """Whether the file gives all responses in one order, the right ones among the wrong."""
    at: str = ""
    """Its place in the row, if there are several."""


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
    if "options" in columns.named:
        questions = list(_options(fields, columns))
    else:
        questions = [_sides(fields, columns, flat=flat)]
    split = name_of(columns.value(fields, "split"), "split") or split
    return [
        ReadRow(split, row, place, choice)
        for question in questions
        for row, place, choice in _pairs(question, fields, columns, config, where)
    ]


def _release_row(fields: Fields) -> Row:
    try:
        row = Row.model_validate(fields)
        row.model_dump_json()
    except ValidationError as error:
        raise SourceRefusal("not_a_row", ": ".join(first_invalid(error))) from None
    except ValueError as error:  # pydantic's error for half a character is one
        raise SourceRefusal("lone_surrogate", str(error)) from None
    return row


def _pairs(
    asked: _Question, fields: Fields, columns: Columns, config: str, where: str
) -> Iterator[tuple[Row, str, Choice | None]]:
    shared, texts, right = _shared(fields, columns, config, asked.before), asked.texts, asked.right
    name = shared.pop("name")
    wrong = [n for n in range(len(texts)) if n not in right]
    if len(texts) == 2 and "options" not in columns.named:
        chosen, rejected = texts[right[0]], texts[wrong[0]]
        id = name or content_id("row", shared["question"], chosen, rejected)
        pair = Row(**shared, id=id, item_id=name, chosen=chosen, rejected=rejected)
        choice = Choice(where, 2, place=right[0], of_pair=True) if asked.ordered else None
        yield pair, where, choice
        return
    item = name or content_id("item", where, asked.at, *texts)
    place = right[0] if asked.ordered and len(right) == 1 else None
    choice = Choice(f"{where} {asked.at}".strip(), len(texts), len(right), place)
    for good in right:
        for bad in wrong:
            at = f"options[{bad}]" if asked.ordered else f"rejected[{bad - len(right)}]"
            if len(right) > 1:
                at = f"{'options' if asked.ordered else 'chosen'}[{good}] {at}"
            numbers = "".join(re.findall(r"\[\d+\]", asked.at + at))
            made = {**shared, "id": item + numbers, "item_id": item}
            pair = Row(**made, chosen=texts[good], rejected=texts[bad])
            yield pair, f"{where} {asked.at}{at}", choice


def _shared(fields: Fields, columns: Columns, config: str, before: str) -> dict[str, Any]:
    """What all pairs of a row have."""
    if not before:
        asked = columns.needed(fields, "prompt")
        messages = parsed(asked)
        before = prompt(messages if is_messages(messages) else asked, "prompt")
    names = ("id", "category", "domain", "user", "source_url", "licence", "generator", "narrative")
    texts = {name: name_of(columns.value(fields, name), name) for name in names}
    created = time_of(columns.value(fields, "created"), "created")
    url = texts["source_url"] or None
    return {
        "name": texts["id"],
        "question": before,
        "profile": tuple(posts_of(columns.value(fields, "profile"))),
        "rubric_aspects": tuple(
            RowAspect(aspect=one)
            if isinstance(one, str)
            else RowAspect(**{name: name_of(one.get(name), name) for name in _ASPECT})
            for one in entries_of(columns.value(fields, "rubric_aspects"), "rubric_aspects")
        ),
        "narrative": texts["narrative"] or None,
        "category": texts["category"],
        "domain": texts["domain"] or config,
        "user": pseudonym(texts["user"]) if texts["user"] else None,
        "generator": texts["generator"],
        "created": created,
        "source_url": url,
        "licence": texts["licence"] or licence_of(url, created),
    }


_ASPECT = ("aspect", "reason", "evidence")


def _sides(fields: Fields, columns: Columns, *, flat: bool) -> _Question:
    """Two responses, of which a label may say which is better, or right ones and wrong ones."""
    labelled = "first" in columns.named or "second" in columns.named
    names = ("first", "second") if labelled else ("chosen", "rejected")
    cells = {name: columns.needed(fields, name) for name in names}
    asked = columns.value(fields, "prompt")
    better = 0
    if labelled:
        said = columns.better(fields)
        if said is None:
            raise SourceRefusal(TIE, f"the label is {excerpt(', '.join(columns.labels(fields)))}")
        better = said
        if better > 1:
            raise SourceRefusal("bad_label", f"it names response {better + 1} of two")
    if flat:
        lists = {name: parsed(cell, name) for name, cell in cells.items()}
        # A list of one may be a text in brackets; an object may be any text.
        alone = not all(map(is_texts, lists.values()))
        cells = {
            name: one if is_messages(one) or (is_texts(one) and len(one) > alone) else cells[name]
            for name, one in lists.items()
        }
    elif columns.named.get("rejected") == "incorrect_answers":
        cells["rejected"] = parsed(cells["rejected"])
    prompts = parsed(asked) if flat else asked
    if labelled and is_texts(prompts):
        before, texts = responses({name: _turns(prompts, one) for name, one in cells.items()})
        return _Question(texts, [better], before)
    if any(map(is_texts, cells.values())) and not labelled:
        right, wrong = (
            [as_text(one, name) for one in (cell if isinstance(cell, list) else [cell])]
            for name, cell in cells.items()
        )
        return _Question([*right, *wrong], range(len(right)), ordered=False)
    if asked is None:
        cells = {name: transcript(cell) for name, cell in cells.items()}
    before, texts = responses(cells)
    return _Question(texts, [better], before if asked is None else "", ordered=labelled)


def _turns(prompts: list[str], given: object) -> list[dict[str, str]]:
    """The messages of a conversation whose prompts and responses are two lists, a turn each."""
    if not is_texts(given) or len(prompts) != len(given):
        n = len(given) if isinstance(given, list) else "no"
        raise SourceRefusal("bad_cell", f"{len(prompts)} prompts in a list, and {n} responses")
    turns = zip(prompts, given, strict=True)
    roles = ("user", "assistant")
    both = [pair for turn in turns for pair in zip(roles, turn, strict=True)]
    return [{"role": role, "content": text} for role, text in both]


# Questions with options

_MARK = re.compile(r"\s*(?:\((\w)\)|(\w)[).:])\s+")
_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")


def _options(fields: Fields, columns: Columns) -> Iterator[_Question]:
    value = columns.needed(fields, "options")
    value = value if columns.named["options"] not in fields else parsed(value)
    entries = value if isinstance(value, list) and all(isinstance(v, dict) for v in value) else []
    if entries and "if_chosen" in entries[0]:
        yield from _conversation(entries)
    elif entries and "overall_score" in entries[0]:
        texts = [as_text(one.get("response"), "a response") for one in entries]
        scores = [one.get("overall_score") for one in entries]
        if not all(isinstance(one, int | float) for one in scores):
            raise SourceRefusal("bad_label", "an overall_score is not a number")
        right = [n for n, score in enumerate(scores) if score == max(scores)]
        if len(right) == len(texts):
            raise SourceRefusal(TIE, "all responses have one overall_score")
        yield _Question(texts, right)
    else:
        given, labels = _texts(value)
        if len(given) < 2:
            raise SourceRefusal("bad_options", f"there is {len(given)} option")
        yield _Question(given, [_right_option(given, labels, fields, columns)])


def _conversation(entries: Sequence[Mapping[str, Any]]) -> Iterator[_Question]:
    """The questions of a conversation in which a user took one of several responses at each turn,
    as in PRISM."""
    before: list[dict[str, str]] = []
    for turn in dict.fromkeys(one.get("turn") for one in entries):
        own = [one for one in entries if one.get("turn") == turn]
        made = [one for one in own if one.get("role") == "model"]
        texts = [as_text(one.get("content"), "a response") for one in made]
        right = [n for n, one in enumerate(made) if one.get("if_chosen")]
        asked = (as_text(one.get("content"), "a message") for one in own if one not in made)
        before += [{"role": "user", "content": text} for text in asked]
        if before and len(right) == 1 < len(texts):
            yield _Question(texts, right, prompt(before, "prompt"), at=f"turn[{turn}] ")
        before += [{"role": "assistant", "content": texts[n]} for n in right[:1]]


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
    if len({*labels}) == len(texts):
        return [text[mark.end() :] for text, mark in zip(texts, marks, strict=True)], labels
    return texts, [chr(ord("a") + place) for place in range(len(texts))]


def _right_option(
    texts: Sequence[str], labels: Sequence[str], fields: Fields, columns: Columns
) -> int:
    """The place of the right option, from 0: by the text of an option or its letter; by a number
    only where the person says what it means."""
    key = "" if "" in columns.meanings else columns.needed(fields, "key")
    place = columns.meanings.get(token(key))
    if place is not None and place >= len(texts):
        raise _bad_key(key, f"there are {len(texts)} options")
    if place is not None:
        return place
    if not isinstance(key, str):
        raise _bad_key(key, "a number says which only with --label first=0 or --label first=1")
    own, mark = key.strip(), _MARK.match(key)
    letter = _LETTER.fullmatch(own)
    names = {own.lower(), letter[1].lower() if letter else ""}
    bare = [text.strip() for text in texts]
    ways = (
        [n for n, text in enumerate(bare) if text == own],
        [n for n, text in enumerate(bare) if mark and text == key[mark.end() :].strip()],
        [n for n, label in enumerate(labels) if label in names],
    )
    same = next(filter(None, ways), [])
    if len(same) != 1:
        raise _bad_key(key, "neither the letter nor the text of one option")
    return same[0]


def _bad_key(key: object, why: str) -> SourceRefusal:
    return SourceRefusal("bad_key", f"the key is {excerpt(key)}: {why}", str(key)[:80])
