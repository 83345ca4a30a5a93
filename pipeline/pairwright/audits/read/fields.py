"""A row of another person's file as a Row: a pair, or a question with several options and a key, as
multiple-choice benchmarks have them. Texts are not changed, since an audit is about them.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import ValidationError

from pairwright.audits.read.cells import (
    CellsByColumn,
    as_text,
    aspects_of,
    is_texts,
    label_of,
    parsed_cell,
    posts_of,
    prompt,
    reply,
    text_licence,
    text_of,
    transcript,
    with_parsed_sides,
)
from pairwright.audits.read.columns import Columns
from pairwright.audits.read.source import LABEL_0, TIE, OptionKey, PairSourceKind, ReadRow
from pairwright.errors import first_invalid
from pairwright.modes import MODES
from pairwright.pairs import Row
from pairwright.pairs.row import has_columns
from pairwright.records import content_id, pseudonym
from pairwright.sources.fields import time_of
from pairwright.sources.problems import SourceRefusal, excerpt
from pairwright.sources.tables import kind

_OFFICIAL_COLUMNS = {
    "question", "profile", "rubric_aspects", "narrative", "category", "chosen", "rejected",
}  # fmt: skip
_RUN_COLUMNS = {"rubric", "draft", "mode", "twin_id"}
_TIES = frozenset(
    {"tie", "tied", "tie (bothbad)", "equal", "draw", "same", "both", "neither", 0.5, "0.5"}
)
"""Labels of a tie. 0 is not one of them: in many files it means that the first response is
better."""


class ResponseSides(NamedTuple):
    """A pair's responses; what came before both is empty where the row has a prompt."""

    before: str
    chosen: str
    rejected: str
    place: int | None = None
    """In the row's lists of responses, where it has such lists."""


def kind_of(fields: CellsByColumn) -> PairSourceKind:
    """By the columns of a source's first row."""
    if has_columns(fields):
        return "release"
    if fields.keys() >= _RUN_COLUMNS:
        return "run"
    return "official" if fields.keys() >= _OFFICIAL_COLUMNS else "plain"


def rows_of(
    fields: CellsByColumn,
    columns: Columns,
    config: str,
    split: str,
    where: str,
    *,
    flat: bool = False,
) -> list[ReadRow]:
    """The row, in the configuration and split of its file unless it names its own.

    A row whose sides are lists of responses gives a pair for each place in the lists: the first
    response of one over the first of the other, and so on. All are of one item, and the id and the
    place of each name its index, from 0. `flat`: whether its cells are text that may hold lists.
    Raises SourceRefusal, with a reason of REASONS.
    """
    if kind_of(fields) == "release" and not columns.given:
        return [ReadRow(split, _release_row(fields), where)]
    if columns.has_options(fields):
        return _option_rows(fields, columns, config, split, where)
    if flat:
        fields = with_parsed_sides(fields, columns)
    sides = _sides(fields, columns)
    split = label_of(fields, columns, "split") or split
    choice = None
    if columns.labelled:
        better = _better_response(columns.needed(fields, "label"))
        choice = OptionKey(where, 2, better - 1, of_pair=True)
    if len(sides) == 1 and sides[0].place is None:
        return [ReadRow(split, _row(fields, columns, config, sides[0]), where, choice)]
    item = content_id(
        "item", where, *(side.chosen for side in sides), *(side.rejected for side in sides)
    )
    rows = [_row(fields, columns, config, side) for side in sides]
    return [
        ReadRow(
            split,
            row.model_copy(update={"id": f"{row.id}[{n}]", "item_id": row.item_id or item}),
            f"{where} chosen[{n}]",
            choice,
        )
        for n, row in enumerate(rows)
    ]


def _option_rows(
    fields: CellsByColumn, columns: Columns, config: str, split: str, where: str
) -> list[ReadRow]:
    """The right option over each of the others. Id and place name the other option, from 0."""
    texts, labels = _options(fields, columns)
    if len(texts) < 2:
        raise SourceRefusal("bad_options", f"there is {len(texts)} option")
    right = _right_option(texts, labels, fields, columns)
    split = label_of(fields, columns, "split") or split
    choice = OptionKey(where, len(texts), right)
    item = content_id("item", where, *texts)
    read = []
    for n, text in enumerate(texts):
        if n != right:
            row = _row(fields, columns, config, ResponseSides("", texts[right], text))
            item_id = row.item_id or item
            row = row.model_copy(update={"id": f"{item_id}[{n}]", "item_id": item_id})
            read.append(ReadRow(split, row, f"{where} options[{n}]", choice))
    return read


def _row(fields: CellsByColumn, columns: Columns, config: str, sides: ResponseSides) -> Row:
    prompt_value = columns.value(fields, "prompt")
    if prompt_value is None and sides.before:
        question = sides.before
    else:
        question = prompt(columns.needed(fields, "prompt"), "prompt")
    name = label_of(fields, columns, "id")
    user = label_of(fields, columns, "user")
    url = label_of(fields, columns, "source_url") or None
    created = time_of(columns.value(fields, "created"), "created")
    return Row(
        id=name or content_id("row", question, sides.chosen, sides.rejected),
        question=question,
        profile=tuple(posts_of(fields, columns)),
        rubric_aspects=tuple(aspects_of(fields, columns)),
        narrative=text_of(columns.value(fields, "narrative"), "narrative") or None,
        category=label_of(fields, columns, "category"),
        chosen=sides.chosen,
        rejected=sides.rejected,
        item_id=name,
        domain=label_of(fields, columns, "domain") or config,
        user=pseudonym(user) if user else None,
        generator=label_of(fields, columns, "generator"),
        created=created,
        source_url=url,
        licence=text_licence(url, created, label_of(fields, columns, "licence")),
    )


def _release_row(fields: CellsByColumn) -> Row:
    try:
        row = Row.model_validate(fields)
        row.model_dump_json()
    except ValidationError as error:
        raise SourceRefusal("not_a_row", ": ".join(first_invalid(error))) from None
    except ValueError as error:  # pydantic's error for half a character is one
        raise SourceRefusal("lone_surrogate", str(error)) from None
    if row.mode is not None and row.mode not in MODES:
        raise SourceRefusal("not_a_row", f"mode: there is none that is called {row.mode!r}")
    return row


def _sides(fields: CellsByColumn, columns: Columns) -> list[ResponseSides]:
    """The better response and the other, of each pair in the row."""
    names = ("first", "second") if columns.labelled else ("chosen", "rejected")
    a, b = (columns.needed(fields, name) for name in names)
    if columns.labelled and _better_response(columns.needed(fields, "label")) == 2:
        a, b, names = b, a, (names[1], names[0])
    if is_texts(a) or is_texts(b):
        if not (isinstance(a, list) and isinstance(b, list) and len(a) == len(b)):
            raise SourceRefusal("lists_differ", f"{names[0]} {_size(a)}, {names[1]} {_size(b)}")
        return [
            ResponseSides("", as_text(x, names[0]), as_text(y, names[1]), n)
            for n, (x, y) in enumerate(zip(a, b, strict=True))
        ]
    if columns.value(fields, "prompt") is None:
        a, b = transcript(a), transcript(b)
    (before, one), (other_before, other) = reply(a, names[0]), reply(b, names[1])
    if before != other_before:
        raise SourceRefusal(
            "prompts_differ", f"the messages before {names[0]} and {names[1]} differ"
        )
    return [ResponseSides(before, one, other)]


def _size(value: object) -> str:
    return f"holds {len(value):,}" if isinstance(value, list) else f"is {kind(value)}"


def _better_response(label: object) -> int:
    answer = label.strip().lower() if isinstance(label, str) else label
    if not isinstance(answer, bool) and answer in (1, "1", "a"):
        return 1
    if answer in (2, "2", "b"):
        return 2
    if isinstance(answer, str | float) and answer in _TIES:
        raise SourceRefusal(TIE, f"the label is {excerpt(label)}")
    if answer in (0, "0", "0.0"):
        raise SourceRefusal(LABEL_0, f"the label is {excerpt(label)}")
    raise SourceRefusal("bad_label", f"the label is {excerpt(label)}, not 1, 2, a, b or tie")


_MARK = re.compile(r"\s*(?:\((\w)\)|(\w)[).:])\s+")
_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")


def _options(fields: CellsByColumn, columns: Columns) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts of a row's options, without their marks, such as `(a)`, where all have one, and
    their labels in small letters. Options are a list, an object of options by letter, or a table of
    `label` and `text`; in a cell of CSV the same as JSON or as Python writes it; or several
    columns, named with commas between them."""
    name = columns.given.get("options", "")
    if "," in name and name not in fields:
        parts = [part.strip() for part in name.split(",")]
        for part in parts:
            if part not in fields:
                raise SourceRefusal("missing_column", f"no column {part!r} for options")
        value: object = [fields[part] for part in parts]
    else:
        value = parsed_cell(columns.needed(fields, "options"))
    if isinstance(value, dict) and value.keys() >= {"label", "text"}:
        value = dict(zip(value["label"], value["text"], strict=False))
    if isinstance(value, dict):
        texts = tuple(as_text(text, "an option") for text in value.values())
        return texts, tuple(str(label).strip().lower() for label in value)
    if not isinstance(value, list):
        raise SourceRefusal("bad_options", f"options is {kind(value)}, not a list")
    texts = tuple(as_text(text, "an option") for text in value)
    marks = [_MARK.match(text) for text in texts]
    labels = [(mark[1] or mark[2]).lower() for mark in marks if mark]
    if len(labels) == len(texts) and len(set(labels)) == len(labels):
        bare = (text[mark.end() :] for text, mark in zip(texts, marks, strict=True) if mark)
        return tuple(bare), tuple(labels)
    return texts, tuple(chr(ord("a") + place) for place in range(len(texts)))


def _right_option(
    texts: Sequence[str], labels: Sequence[str], fields: CellsByColumn, columns: Columns
) -> int:
    """The place of the right option, from 0: by a number only where an option names its start."""
    for first in (0, 1):
        if (name := f"key_from_{first}") in columns.given:
            number = columns.needed(fields, name)
            try:
                place = int(str(number).removesuffix(".0")) - first
            except ValueError:
                raise _bad_key(number, "not a whole number") from None
            last = len(texts) - 1
            if not 0 <= place <= last:
                raise _bad_key(number, f"options are {first} to {last + first}")
            return place
    key = columns.needed(fields, "key")
    if not isinstance(key, str):
        raise _bad_key(key, "a number says which only with key_from_0=COLUMN or key_from_1=COLUMN")
    bare = [text.strip() for text in texts]
    same = [n for n, text in enumerate(bare) if text == key.strip()]
    if not same and (mark := _MARK.match(key)):
        same = [n for n, text in enumerate(bare) if text == key[mark.end() :].strip()]
    if not same and key.strip().lower() in labels:
        same = [labels.index(key.strip().lower())]
    if not same and (letter := _LETTER.fullmatch(key.strip())):
        same = [n for n, label in enumerate(labels) if label == letter[1].lower()]
    if len(same) != 1:
        raise _bad_key(key, "neither the letter nor the text of one option")
    return same[0]


def _bad_key(key: object, why: str) -> SourceRefusal:
    return SourceRefusal("bad_key", f"the key is {excerpt(key)}: {why}")
