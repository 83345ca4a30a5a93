"""Pairs from another person's row: a pair, two responses with a label, a question with options and
a key, or right answers against wrong ones. Texts are not changed, since an audit is about them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from pydantic import ValidationError

from pairwright.errors import first_invalid
from pairwright.pairs import cells as read
from pairwright.pairs.address import licence_of
from pairwright.pairs.columns import KNOWN, Columns, Fields, token
from pairwright.pairs.row import Choice, ReadRow, Row
from pairwright.records import content_id, pseudonym
from pairwright.sources.fields import NOBODY, time_of
from pairwright.sources.problems import excerpt, refuse
from pairwright.sources.tables import kind
from pairwright.text import number_of

REASONS: dict[str, str] = KNOWN["reasons"]
TIE = "tie"
"""The reason of a row that can be read, and is not a preference."""
_NAMES = "id category domain user source_url licence generator narrative split"


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
    if columns.released:
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
    given, created = read.names_in(cells, _NAMES), time_of(cells.get("created"), "created")
    texts, right, user, url = asked.texts, asked.right, given["user"], given["source_url"]
    split = given.pop("split") or columns.piece.split
    single = len(texts) == 2 and "options" not in columns.named
    item = given.pop("id") or ("" if single else content_id("item", where, *texts))
    nobody = not user or NOBODY.fullmatch(user[:60])  # Strangers share a name.
    whose = () if nobody else (user,)  # Two people may have taken the same response.
    shared: dict[str, Any] = given | {
        "item_id": item,
        "question": asked.before or read.prompt_of(_needed(cells, "prompt")),
        "profile": tuple(read.posts_of(cells.get("profile"))),
        "rubric_aspects": tuple(read.aspects_of(cells.get("rubric_aspects"))),
        "narrative": given["narrative"] or None,
        "domain": given["domain"] or columns.piece.config,
        "user": None if nobody else pseudonym(user),
        "created": created,
        "source_url": url or None,
        "licence": given["licence"] or licence_of(url, created),
    }
    place = right[0] if asked.ordered and len(right) == 1 else None
    choice = Choice(f"{where} {asked.at}".strip(), len(texts), len(right), place)
    good_name, bad_name = ("options", "options") if asked.ordered else ("chosen", "rejected")
    first_bad = 0 if asked.ordered else len(right)
    wrong = [place for place in range(len(texts)) if place not in right]
    for good, bad in product(right, wrong):
        at = "" if single else f"{bad_name}[{bad - first_bad}]"
        at = asked.at + (f"{good_name}[{good}] {at}" if len(right) > 1 else at)
        name = item + "".join(re.findall(r"\[\d+\]", at))
        name = name or content_id("row", shared["question"], texts[good], texts[bad], *whose)
        row = Row(**shared, id=name, chosen=texts[good], rejected=texts[bad])
        own = choice if asked.ordered or not single else None
        yield ReadRow(split, row, f"{where} {at}".strip(), own)


def _needed(cells: Fields, name: str) -> object:
    """A cell that a row must have. Raises SourceRefusal without one."""
    if name not in cells:
        refuse("missing_column", f"no column for {name}")
    return refuse("empty_value", f"{name} is null") if cells[name] is None else cells[name]


# Two responses, or right ones and wrong ones


def _both(cells: Fields, columns: Columns, *names: str) -> dict[str, object]:
    """Both sides of a row; of cells of text, the lists and messages in them."""
    sides = {name: _needed(cells, name) for name in names}
    if columns.piece.flat:
        lists = {name: read.parsed(side, name) for name, side in sides.items()}
        # A list of one may be a text in brackets; an object may be any text.
        alone = not all(map(read.is_texts, lists.values()))
        for name, one in lists.items():
            if read.is_messages(one) or (read.is_texts(one) and len(one) > alone):
                sides[name] = one
    return sides


def _labelled(cells: Fields, columns: Columns, fields: Fields) -> _Question:
    """Two responses and what says which is better."""
    sides = _both(cells, columns, "first", "second")
    labels = [""] if "" in columns.meanings else columns.labels(cells, fields)
    better = columns.better(labels)
    if better is None:
        refuse(TIE, f"the label is {excerpt(', '.join(labels))}", action="noted")
    if better > 1:
        refuse("bad_label", f"it names response {better + 1} of two")
    asked = cells.get("prompt")
    prompts = read.parsed(asked) if columns.piece.flat else asked
    if read.is_texts(prompts):
        sides = {name: read.turns_of(prompts, one) for name, one in sides.items()}
        asked = None
    before, texts = read.responses(sides)
    return _Question(texts, [better], before if asked is None else "")


def _sides(cells: Fields, columns: Columns) -> _Question:
    """Right responses and wrong ones: one each, or lists."""
    sides = _both(cells, columns, "chosen", "rejected")
    if columns.named["rejected"] == "incorrect_answers":  # PersonaMem has JSON in text.
        sides["rejected"] = read.parsed(sides["rejected"], "rejected")
    if any(map(read.is_texts, sides.values())):
        right, wrong = (
            [read.as_text(one, name) for one in (side if isinstance(side, list) else [side])]
            for name, side in sides.items()
        )
        return _Question([*right, *wrong], range(len(right)), ordered=False)
    alone = cells.get("prompt") is None
    if alone:
        sides = {name: read.transcript(side) for name, side in sides.items()}
    before, texts = read.responses(sides)
    return _Question(texts, [0], before if alone else "", ordered=False)


# Questions with options

_MARK = re.compile(r"\s*(?:\((\w)\)|(\w)[).:])\s+")


def _options(cells: Fields, columns: Columns) -> Iterator[_Question]:
    value = read.parsed(_needed(cells, "options"))
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
        texts = [read.as_text(one.get("content"), "a response") for one in made]
        right = [n for n, one in enumerate(made) if one.get("if_chosen")]
        asked = (read.as_text(one.get("content"), "a message") for one in own if one not in made)
        before += [("user", text) for text in asked]
        if before and len(right) == 1 < len(texts):
            yield _Question(texts, right, read.joined(before), at=f"turn[{turn}] ")
        before += [("assistant", texts[n]) for n in right[:1]]


def _best_scored(entries: Sequence[Fields]) -> _Question:
    """The responses of the highest `overall_score` against those of a lower one, as in
    UltraFeedback."""
    texts = [read.as_text(one.get("response"), "a response") for one in entries]
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
    letters."""
    if not isinstance(value, list):
        refuse("bad_options", f"options is {kind(value)}, not a list")
    texts = [read.as_text(text, "an option") for text in value]
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
