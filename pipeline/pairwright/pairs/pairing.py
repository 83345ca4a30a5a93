"""A row of another person's file as pairs: a pair, two responses with a label, a question with
options and a key, or right answers against wrong ones.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from pairwright.errors import first_invalid
from pairwright.pairs.address import licence_of
from pairwright.pairs.cells import (
    as_text,
    entries_of,
    is_messages,
    is_texts,
    joined,
    messages_of,
    name_of,
    parsed,
    posts_of,
    responses,
    transcript,
)
from pairwright.pairs.columns import KNOWN, Columns, Fields, token
from pairwright.pairs.row import Choice, ReadRow, Row, RowAspect, has_columns
from pairwright.records import content_id, pseudonym
from pairwright.sources.fields import NOBODY, time_of
from pairwright.sources.problems import SourceRefusal, excerpt
from pairwright.sources.tables import kind

REASONS: dict[str, str] = KNOWN["reasons"]
TIE = "tie"
"""The reason of a row that can be read, and is not a preference."""


class _Question(NamedTuple):
    """All responses that a row holds to one prompt, and the places of the right ones."""

    texts: Sequence[str]
    right: Sequence[int]
    before: str = ""
    """Its prompt, if that is not a column."""
    ordered: bool = True
    """Whether the file gives all responses in one order, the right ones among the wrong."""
    at: str = ""
    """Its place in the row, if there are several."""


def read_row(
    fields: Fields, columns: Columns, config: str, split: str, where: str, flat: bool
) -> list[ReadRow]:
    """The pairs of a row, in the configuration and split of its file unless it names its own.

    Each right response is paired with each wrong one; the pairs of a row are of one item, and their
    ids and places name the responses, from 0. `flat`: whether cells are text that may hold lists.
    Raises SourceRefusal, with a reason of REASONS.
    """
    split = name_of(columns.value(fields, "split"), "split") or split
    if has_columns(fields) and not columns.given:
        return [ReadRow(split, _release_row(fields), where)]
    several = "options" in columns.named
    questions = _options(fields, columns) if several else [_sides(fields, columns, flat=flat)]
    return [
        pair for asked in questions for pair in _pairs(asked, fields, columns, config, split, where)
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
    asked: _Question, fields: Fields, columns: Columns, config: str, split: str, where: str
) -> Iterator[ReadRow]:
    shared, texts, right = _shared(fields, columns, config, asked.before), asked.texts, asked.right
    single = len(texts) == 2 and "options" not in columns.named
    if not shared["item_id"] and not single:
        shared["item_id"] = content_id("item", where, asked.at, *texts)
    place = right[0] if asked.ordered and len(right) == 1 else None
    choice = Choice(f"{where} {asked.at}".strip(), len(texts), len(right), place)
    good_name, bad_name, n = ("options", "options", 0) if asked.ordered else (
        "chosen", "rejected", len(right)
    )  # fmt: skip
    for good in right:
        for bad in (place for place in range(len(texts)) if place not in right):
            at = "" if single else f"{asked.at}{bad_name}[{bad - n}]"
            at = f"{good_name}[{good}] {at}" if len(right) > 1 else at
            id = shared["item_id"] + "".join(re.findall(r"\[\d+\]", at))
            id = id or content_id("row", shared["question"], texts[good], texts[bad])
            row = Row(**shared, id=id, chosen=texts[good], rejected=texts[bad])
            given = choice if asked.ordered or not single else None
            yield ReadRow(split, row, f"{where} {at}".strip(), given)


def _shared(fields: Fields, columns: Columns, config: str, before: str) -> dict[str, Any]:
    """What all pairs of a row have."""
    names = ("id", "category", "domain", "user", "source_url", "licence", "generator", "narrative")
    texts = {name: name_of(columns.value(fields, name), name) for name in names}
    created = time_of(columns.value(fields, "created"), "created")
    url, user = texts["source_url"] or None, texts["user"]
    nobody = not user or NOBODY.fullmatch(user[:60])  # Strangers share a name.
    return {
        "item_id": texts["id"],
        "question": before or _prompt(columns.needed(fields, "prompt")),
        "profile": tuple(posts_of(columns.value(fields, "profile"))),
        "rubric_aspects": tuple(
            RowAspect(aspect=one)
            if isinstance(one, str)
            else RowAspect(**{n: name_of(one.get(n), n) for n in ("aspect", "reason", "evidence")})
            for one in entries_of(columns.value(fields, "rubric_aspects"), "rubric_aspects")
        ),
        "narrative": texts["narrative"] or None,
        "category": texts["category"],
        "domain": texts["domain"] or config,
        "user": None if nobody else pseudonym(user),
        "generator": texts["generator"],
        "created": created,
        "source_url": url,
        "licence": texts["licence"] or licence_of(url, created),
    }


def _prompt(value: object) -> str:
    """A prompt: text, or messages."""
    messages = parsed(value)
    value = messages if is_messages(messages) else value
    if isinstance(value, list | dict):
        return joined(messages_of(value, "prompt"))
    return as_text(value, "prompt")


def _sides(fields: Fields, columns: Columns, *, flat: bool) -> _Question:
    """Two responses, and a label if it says which is better; or right ones and wrong ones."""
    labelled = "first" in columns.named or "second" in columns.named
    names = ("first", "second") if labelled else ("chosen", "rejected")
    cells = {name: columns.needed(fields, name) for name in names}
    asked = columns.value(fields, "prompt")
    better = columns.better(fields) if labelled else 0
    if better is None:
        raise SourceRefusal(TIE, f"the label is {excerpt(', '.join(columns.labels(fields)))}")
    if better > 1:
        raise SourceRefusal("bad_label", f"it names response {better + 1} of two")
    if flat:
        lists = {name: parsed(cell, name) for name, cell in cells.items()}
        # A list of one may be a text in brackets; an object may be any text.
        alone = not all(map(is_texts, lists.values()))
        cells |= {
            name: one
            for name, one in lists.items()
            if is_messages(one) or (is_texts(one) and len(one) > alone)
        }
    elif columns.named.get("rejected") == "incorrect_answers":
        cells["rejected"] = parsed(cells["rejected"], "rejected")
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
    return [
        {"role": role, "content": text}
        for turn in zip(prompts, given, strict=True)
        for role, text in zip(("user", "assistant"), turn, strict=True)
    ]


# Questions with options

_MARK = re.compile(r"\s*(?:\((\w)\)|(\w)[).:])\s+")


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
    before: list[tuple[str, str]] = []
    for turn in dict.fromkeys(one.get("turn") for one in entries):
        own = [one for one in entries if one.get("turn") == turn]
        made = [one for one in own if one.get("role") == "model"]
        texts = [as_text(one.get("content"), "a response") for one in made]
        right = [n for n, one in enumerate(made) if one.get("if_chosen")]
        asked = (as_text(one.get("content"), "a message") for one in own if one not in made)
        before += [("user", text) for text in asked]
        if before and len(right) == 1 < len(texts):
            yield _Question(texts, right, joined(before), at=f"turn[{turn}] ")
        before += [("assistant", texts[n]) for n in right[:1]]


def _texts(value: object) -> tuple[Sequence[str], Sequence[str]]:
    """The texts of a row's options, without their marks, such as `(a)`, if all have one, and their
    labels in small letters. Options are a list, an object of options by letter, or a table of
    `label` and `text`."""
    if isinstance(value, dict) and value.keys() >= {"label", "text"}:
        value = dict(zip(value["label"], value["text"], strict=False))
    if isinstance(value, dict):
        texts = [as_text(text, "an option") for text in value.values()]
        return texts, [str(label).strip().lower() for label in value]
    if not isinstance(value, list):
        raise SourceRefusal("bad_options", f"options is {kind(value)}, not a list")
    texts = [as_text(text, "an option") for text in value]
    labels = [(mark[1] or mark[2]).lower() for text in texts if (mark := _MARK.match(text))]
    if len({*labels}) == len(texts):
        return [_MARK.sub("", text, count=1) for text in texts], labels
    return texts, [chr(ord("a") + place) for place in range(len(texts))]


def _right_option(
    texts: Sequence[str], labels: Sequence[str], fields: Fields, columns: Columns
) -> int:
    """The place of the right option, from 0: by the text of an option or its letter; by a number
    only if the person says what it means."""
    key = "" if "" in columns.meanings else columns.needed(fields, "key")
    place, why = columns.meanings.get(token(key)), "neither the letter nor the text of one option"
    if place is not None and place < len(texts):
        return place
    if place is not None:
        why = f"there are {len(texts)} options"
    elif isinstance(key, str):
        own = {key.strip(), _MARK.sub("", key, count=1).strip()}
        same = [n for n, text in enumerate(texts) if text.strip() in own]
        letter = key.lower().strip("().: ")
        same = same or [n for n, label in enumerate(labels) if label == letter]
        if len(same) == 1:
            return same[0]
    else:
        why = "a number says which only with --label first=0 or --label first=1"
    raise SourceRefusal("bad_key", f"the key is {excerpt(key)}: {why}", str(key)[:80])
