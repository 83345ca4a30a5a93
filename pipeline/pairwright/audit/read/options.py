"""Questions with several options and a key, as multiple-choice benchmarks have them.

Options are a list, an object of options by letter, or a table of `label` and `text`; in a cell of
CSV the same as JSON or as Python writes it; or several columns, named with commas between them.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pairwright.audit.read.cells import as_text, parsed_cell
from pairwright.audit.read.columns import Columns
from pairwright.sources.fields import kind
from pairwright.sources.problems import SourceRefusal, excerpt

Fields = Mapping[str, Any]
_MARK = re.compile(r"\s*(?:\((\w)\)|(\w)[).:])\s+")
_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")


class OptionKey(NamedTuple):
    """The question that a pair is of, where the pair is the right option over one of the others."""

    question: str
    """Its place: `file:line`."""
    options: int
    right: int
    """The place of the right option, from 0."""
    of_pair: bool = False
    """Whether a label named it, of the two responses of a pair."""


class KeyedOptions(NamedTuple):
    """The options of one question, and which is right."""

    texts: tuple[str, ...]
    """Without their marks, such as `(a)`, where all have one."""
    right: int
    """From 0."""


class _Options(NamedTuple):
    texts: tuple[str, ...]
    labels: tuple[str, ...]
    """In small letters."""


def keyed_options(fields: Fields, columns: Columns) -> KeyedOptions | None:
    """The options and the key of a row; None for a row of a pair. Raises SourceRefusal."""
    if not columns.has_options(fields):
        return None
    options = _options(_column(fields, columns))
    if len(options.texts) < 2:
        raise SourceRefusal("bad_options", f"there is {len(options.texts)} option")
    return KeyedOptions(options.texts, _right_option(options, fields, columns))


def _column(fields: Fields, columns: Columns) -> object:
    """The value with the options; of several columns, their values in order."""
    name = columns.given.get("options", "")
    if "," in name and name not in fields:
        parts = [part.strip() for part in name.split(",")]
        for part in parts:
            if part not in fields:
                raise SourceRefusal("missing_column", f"no column {part!r} for options")
        return [fields[part] for part in parts]
    return columns.needed(fields, "options")


def _options(value: object) -> _Options:
    value = parsed_cell(value)
    if isinstance(value, dict) and value.keys() >= {"label", "text"}:
        value = dict(zip(value["label"], value["text"], strict=False))
    if isinstance(value, dict):
        texts = tuple(as_text(text, "an option") for text in value.values())
        return _Options(texts, tuple(str(label).strip().lower() for label in value))
    if not isinstance(value, list):
        raise SourceRefusal("bad_options", f"options is {kind(value)}, not a list")
    texts = tuple(as_text(text, "an option") for text in value)
    marks = [_MARK.match(text) for text in texts]
    labels = [(mark[1] or mark[2]).lower() for mark in marks if mark]
    if len(labels) == len(texts) and len(set(labels)) == len(labels):
        bare = (text[mark.end() :] for text, mark in zip(texts, marks, strict=True) if mark)
        return _Options(tuple(bare), tuple(labels))
    return _Options(texts, tuple(chr(ord("a") + place) for place in range(len(texts))))


def _right_option(options: _Options, fields: Fields, columns: Columns) -> int:
    """The place of the right option, from 0: by a number only where an option names its start."""
    for first in (0, 1):
        if (name := f"key_from_{first}") in columns.given:
            return _by_number(options.texts, columns.needed(fields, name), first)
    key = columns.needed(fields, "key")
    if not isinstance(key, str):
        raise _bad_key(key, "a number says which only with key_from_0=COLUMN or key_from_1=COLUMN")
    same = [place for place, text in enumerate(options.texts) if text.strip() == key.strip()]
    if not same and (mark := _MARK.match(key)):
        same = [
            n for n, text in enumerate(options.texts) if text.strip() == key[mark.end() :].strip()
        ]
    if not same and key.strip().lower() in options.labels:
        same = [options.labels.index(key.strip().lower())]
    if not same and (letter := _LETTER.fullmatch(key.strip())):
        same = [n for n, label in enumerate(options.labels) if label == letter[1].lower()]
    if len(same) != 1:
        raise _bad_key(key, "neither the letter nor the text of one option")
    return same[0]


def _by_number(texts: Sequence[str], key: object, first: int) -> int:
    try:
        place = int(str(key).removesuffix(".0")) - first
    except ValueError:
        raise _bad_key(key, "not a whole number") from None
    if not 0 <= place < len(texts):
        raise _bad_key(key, f"options are {first} to {len(texts) - 1 + first}")
    return place


def _bad_key(key: object, why: str) -> SourceRefusal:
    return SourceRefusal("bad_key", f"the key is {excerpt(key)}: {why}")
