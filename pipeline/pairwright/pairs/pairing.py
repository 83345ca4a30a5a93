"""Pairs from another person's row: a pair, two responses with a label, a question with options and
a key, or right answers against wrong ones.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, cycle, product
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
from pairwright.sources.problems import excerpt, refuse
from pairwright.sources.tables import kind

REASONS: dict[str, str] = KNOWN["reasons"]
TIE = "tie"
"""The reason of a row that can be read, and is not a preference."""


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


def read_row(
    fields: Fields, columns: Columns, config: str, split: str, where: str, flat: bool
) -> list[ReadRow]:
    """The pairs of a row, in the configuration and split of its file unless it names its own.

    Each right response is paired with each wrong one. The pairs of a row are of one item, and their
    ids and places name the responses, from 0. `flat`: whether cells are text that may hold lists.
    Raises SourceRefusal, with a reason of REASONS.
    """
    split = name_of(columns.value(fields, "split"), "split") or split
    if has_columns(fields) and not columns.given:
        return [ReadRow(split, _release_row(fields), where)]
    if "options" in columns.named:
        questions = _options(fields, columns)
        return [
            pair
            for asked in questions
            for pair in _pairs(asked, fields, columns, config, split, where)
        ]
    if "first" in columns.named or "second" in columns.named:
        asked = _labelled(fields, columns, flat=flat)
    else:
        asked = _sides(fields, columns, flat=flat)
    return list(_pairs(asked, fields, columns, config, split, where))


def _release_row(fields: Fields) -> Row:
    try:
        row = Row.model_validate(fields)
        row.model_dump_json()
    except ValidationError as error:
        refuse("not_a_row", ": ".join(first_invalid(error)))
    except ValueError as error:  # pydantic's error for half a character is one
        refuse("lone_surrogate", str(error))
    return row


def _pairs(
    asked: _Question, fields: Fields, columns: Columns, config: str, split: str, where: str
) -> Iterator[ReadRow]:
    shared, texts, right = _shared(fields, columns, config, asked.before), asked.texts, asked.right
    single = len(texts) == 2 and "options" not in columns.named
    if not shared["item_id"] and not single:
        shared["item_id"] = content_id("item", where, *texts)
    place = right[0] if asked.ordered and len(right) == 1 else None
    choice = Choice(f"{where} {asked.at}".strip(), len(texts), len(right), place)
    given = choice if asked.ordered or not single else None
    good_name, bad_name = ("options", "options") if asked.ordered else ("chosen", "rejected")
    first_bad = 0 if asked.ordered else len(right)
    wrong = [place for place in range(len(texts)) if place not in right]
    for good, bad in product(right, wrong):
        at = "" if single else f"{bad_name}[{bad - first_bad}]"
        at = asked.at + (f"{good_name}[{good}] {at}" if len(right) > 1 else at)
        id = shared["item_id"] + "".join(re.findall(r"\[\d+\]", at))
        id = id or content_id("row", shared["question"], texts[good], texts[bad])
        row = Row(**shared, id=id, chosen=texts[good], rejected=texts[bad])
        yield ReadRow(split, row, f"{where} {at}".strip(), given)


def _shared(fields: Fields, columns: Columns, config: str, before: str) -> dict[str, Any]:
    """Fields that all pairs of a row share."""
    names = ("id", "category", "domain", "user", "source_url", "licence", "generator", "narrative")
    texts = {name: name_of(columns.value(fields, name), name) for name in names}
    created = time_of(columns.value(fields, "created"), "created")
    url, user = texts["source_url"] or None, texts["user"]
    nobody = not user or NOBODY.fullmatch(user[:60])  # Strangers share a name.
    aspects = entries_of(columns.value(fields, "rubric_aspects"), "rubric_aspects")
    return {
        "item_id": texts["id"],
        "question": before or _prompt(columns.needed(fields, "prompt")),
        "profile": tuple(posts_of(columns.value(fields, "profile"))),
        "rubric_aspects": tuple(map(_aspect, aspects)),
        "narrative": texts["narrative"] or None,
        "category": texts["category"],
        "domain": texts["domain"] or config,
        "user": None if nobody else pseudonym(user),
        "generator": texts["generator"],
        "created": created,
        "source_url": url,
        "licence": texts["licence"] or licence_of(url, created),
    }


def _aspect(entry: str | Fields) -> RowAspect:
    if isinstance(entry, str):
        return RowAspect(aspect=entry)
    texts = {name: name_of(entry.get(name), name) for name in ("aspect", "reason", "evidence")}
    return RowAspect(**texts)


def _prompt(value: object) -> str:
    """A prompt: text, or messages."""
    messages = parsed(value)
    value = messages if is_messages(messages) else value
    if isinstance(value, list | dict):
        return joined(messages_of(value, "prompt"))
    return as_text(value, "prompt")


# Two responses, or right ones and wrong ones


def _cells(
    fields: Fields, columns: Columns, names: tuple[str, str], *, flat: bool
) -> dict[str, object]:
    """Values of a row on both sides; of cells of text, the lists and messages in them."""
    lacking = [name for name in ("prompt", *names) if name not in columns.named]
    if {*lacking} & {*names}:
        refuse("missing_column", f"no column for {', '.join(lacking)}")
    cells = {name: columns.needed(fields, name) for name in names}
    if flat:
        lists = {name: parsed(cell, name) for name, cell in cells.items()}
        # A list of one may be a text in brackets; an object may be any text.
        alone = not all(map(is_texts, lists.values()))
        for name, one in lists.items():
            if is_messages(one) or (is_texts(one) and len(one) > alone):
                cells[name] = one
    return cells


def _labelled(fields: Fields, columns: Columns, *, flat: bool) -> _Question:
    """Two responses and what says which is better."""
    cells = _cells(fields, columns, ("first", "second"), flat=flat)
    better = columns.better(fields)
    if better is None:
        refuse(TIE, f"the label is {excerpt(', '.join(columns.labels(fields)))}")
    if better > 1:
        refuse("bad_label", f"it names response {better + 1} of two")
    asked = columns.value(fields, "prompt")
    prompts = parsed(asked) if flat else asked
    if is_texts(prompts):
        cells = {name: _turns(prompts, one) for name, one in cells.items()}
        asked = None
    before, texts = responses(cells)
    return _Question(texts, [better], before if asked is None else "")


def _sides(fields: Fields, columns: Columns, *, flat: bool) -> _Question:
    """Right responses and wrong ones: one each, or lists."""
    cells = _cells(fields, columns, ("chosen", "rejected"), flat=flat)
    if columns.named.get("rejected") == "incorrect_answers":  # PersonaMem has JSON in text.
        cells["rejected"] = parsed(cells["rejected"], "rejected")
    if any(map(is_texts, cells.values())):
        right, wrong = (
            [as_text(one, name) for one in (cell if isinstance(cell, list) else [cell])]
            for name, cell in cells.items()
        )
        return _Question([*right, *wrong], range(len(right)), ordered=False)
    alone = columns.value(fields, "prompt") is None
    if alone:
        cells = {name: transcript(cell) for name, cell in cells.items()}
    before, texts = responses(cells)
    return _Question(texts, [0], before if alone else "", ordered=False)


def _turns(prompts: list[str], given: object) -> list[dict[str, str]]:
    """The messages of a conversation whose prompts and responses are two lists, a turn each."""
    if not is_texts(given) or len(prompts) != len(given):
        n = len(given) if isinstance(given, list) else "no"
        refuse("bad_cell", f"{len(prompts)} prompts in a list, and {n} responses")
    turns = zip(
        cycle(("user", "assistant")), chain(*zip(prompts, given, strict=True)), strict=False
    )
    return [{"role": role, "content": text} for role, text in turns]


# Questions with options

_MARK = re.compile(r"\s*(?:\((\w)\)|(\w)[).:])\s+")


def _options(fields: Fields, columns: Columns) -> Iterator[_Question]:
    value = columns.needed(fields, "options")
    value = value if columns.named["options"] not in fields else parsed(value)
    entries = value if isinstance(value, list) and all(isinstance(v, dict) for v in value) else []
    if entries and "if_chosen" in entries[0]:
        yield from _conversation(entries)
    elif entries and "overall_score" in entries[0]:
        yield _best_scored(entries)
    else:
        texts, labels = _texts(value)
        if len(texts) < 2:
            refuse("bad_options", f"there is {len(texts)} option")
        yield _Question(texts, [_right_option(texts, labels, fields, columns)])


def _conversation(entries: Sequence[Fields]) -> Iterator[_Question]:
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


def _best_scored(entries: Sequence[Fields]) -> _Question:
    """The responses of the highest `overall_score` against those of a lower one, as in
    UltraFeedback."""
    texts = [as_text(one.get("response"), "a response") for one in entries]
    given = [one.get("overall_score") for one in entries]
    scores = [float(one) for one in given if isinstance(one, int | float)]
    if len(scores) < len(texts):
        refuse("bad_label", "an overall_score is not a number")
    right = [n for n, score in enumerate(scores) if score == max(scores)]
    if len(right) == len(texts):
        refuse(TIE, "all responses have one overall_score")
    return _Question(texts, right)


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
        refuse("bad_options", f"options is {kind(value)}, not a list")
    texts = [as_text(text, "an option") for text in value]
    labels = [(mark[1] or mark[2]).lower() for text in texts if (mark := _MARK.match(text))]
    if len({*labels}) == len(texts):
        return [_MARK.sub("", text, count=1) for text in texts], labels
    return texts, [chr(ord("a") + place) for place in range(len(texts))]


def _right_option(
    texts: Sequence[str], labels: Sequence[str], fields: Fields, columns: Columns
) -> int:
    """The place of the right option, from 0: by the text of an option or its letter. A number
    counts only if the person says what it means."""
    key = "" if "" in columns.meanings else columns.needed(fields, "key")
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
