"""The columns of another person's file by what they hold, and what the labels in one of them mean.

`known.toml` has what is known. The meaning of a number, or of true and false, is never guessed. It
comes from a set that is known by its columns, or from the person's own map.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.errors import InputError, near
from pairwright.pairs.row import has_columns
from pairwright.sources.fields import is_missing
from pairwright.sources.problems import excerpt, refuse
from pairwright.sources.tables import Table
from pairwright.text import visible

Fields = Mapping[str, Any]
KNOWN = tomllib.loads(Path(__file__).with_name("known.toml").read_text(encoding="utf-8"))
USUAL: dict[str, list[str]] = KNOWN["columns"]
"""Parts of a row, with the columns that usually hold them."""
FORMS = (("chosen", "rejected"), ("options", "key"), ("first", "second", "label"))
"""Columns that say which response is better: a file has one of these forms, and is of the first
whose first column it has."""
CHOICE = frozenset(name for form in FORMS for name in form)
PLACES = {name: n for n, name in enumerate(
    "first second third fourth fifth sixth seventh eighth ninth tenth".split())}  # fmt: skip
Meaning = int | None
"""The place of the right response, from 0; None for a tie."""
_WORDS = {place: re.compile(words) for place, words in KNOWN["labels"]["words"].items()}
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?|true|false")
_MARKS = {"0", "1", "true", "false"}
_RUN = {"rubric", "draft", "mode", "twin_id"}


class Maps(NamedTuple):
    """Options on a file's columns and labels, and the command that takes them."""

    columns: Mapping[str, str]
    labels: Mapping[str, tuple[str, ...]]
    command: str


class Piece(NamedTuple):
    """One table of a source: a file, or a configuration's split on the Hub."""

    table: Callable[[], Table]
    source: str
    """Name of the table in an error."""
    name: str
    """Name of the table in a place: a file without its folder."""
    config: str = ""
    split: str = ""
    flat: bool = False
    """Whether its cells are text, which may hold lists and messages."""

    def rows(self) -> Iterator[Fields]:
        """The fields of every row that has some."""
        return (row for _, row in self.table()[1] if isinstance(row, dict))

    def first(self) -> Fields:
        """The first value of each column. Rows of JSON differ in their columns: all are read."""
        found: Fields = {}
        columns, rows = self.table()
        for _, fields in rows:
            if isinstance(fields, dict) and fields.keys() - found.keys():
                found = {**fields, **found}
            if found and columns:
                break
        return found


class Columns(NamedTuple):
    """The columns of one table, by what they hold, and the meaning of its labels."""

    piece: Piece
    named: Mapping[str, str] = {}
    """Columns by what they hold; several with commas between."""
    meanings: Mapping[str, Meaning] = {}
    """Meaning by label, as `token` writes it. Without a column of labels: by column that holds 0 or
    1. By an empty label: the place that is right in every row."""
    said: tuple[str, ...] = ()
    """Messages for the person on what was recognised."""
    released: bool = False
    """Whether its rows are a release's, which are read as they are."""

    @property
    def form(self) -> tuple[str, ...]:
        """The form of the file."""
        return next((one for one in FORMS if one[0] in self.named), FORMS[0])

    def cells(self, fields: Fields) -> dict[str, Any]:
        """The values of a row by what they are, a list for several columns."""
        cells = dict[str, Any]()
        for name, column in self.named.items():
            parts = [column] if column in fields else column.split(",")
            values = [fields[part] for part in parts if part in fields]
            if name == "prompt" and values and len(parts) > 1:
                cells[name] = "\n\n".join(str(one) for one in values if not is_missing(one))
            elif values:
                cells[name] = values if len(parts) > 1 else values[0]
        return cells

    def labels(self, cells: Fields, fields: Fields) -> list[str]:
        """The labels of a row, one per annotator; of columns that hold 0 or 1, the one with 1.
        Raises SourceRefusal."""
        if "label" in self.named:
            values = cells.get("label")
            return [*map(token, values if isinstance(values, list) else [values])]
        if not self.meanings:
            refuse("missing_column", "no column for label")
        marks = {column: token(fields.get(column)) for column in self.meanings}
        found = [column for column, mark in marks.items() if mark in ("1", "true")]
        if len(found) != 1 or {*marks.values()} - _MARKS:
            listed = ", ".join(f"{column} is {mark!r}" for column, mark in marks.items())
            refuse("bad_label", f"not one 1 among 0s: {listed}")
        return found

    def better(self, labels: Sequence[str]) -> Meaning:
        """The place of the better of two responses; None for a tie. More than half of several
        annotators decide. Raises SourceRefusal."""
        for label in labels:
            if label not in self.meanings:
                said = f"nothing says what {excerpt(label)} means: add it to a --label"
                refuse("bad_label", said if label else "the label is empty")
        votes = Counter(self.meanings[label] for label in labels)
        place, n = votes.most_common(1)[0]
        return place if 2 * n > votes.total() else None


def columns_of(piece: Piece, maps: Maps) -> Columns:
    """The columns of a table, by its rows and the person's maps; none are named for one without
    rows, and for a release's.

    Raises InputError for maps without meaning, for labels whose meaning nothing says, and for the
    pairs of a run.
    """
    first, given = piece.first(), maps.columns
    if first.keys() >= _RUN:
        what = "a run's pairs, which are not whole rows without their folder"
        raise InputError(what, where=piece.name, fix="Name the run folder itself.")
    if not first or (has_columns(first) and not given):
        return Columns(piece, released=bool(first))
    usual, known = _usual(first), dict[str, Any]()
    known = next((one for one in KNOWN["sets"] if {*one["needs"]} <= first.keys()), known)
    named = usual | known.get("columns", {})
    if any(given[name] != named.get(name) for name in given.keys() & CHOICE):
        # What a known set's labels mean holds for its own columns alone.
        known, named = {}, usual
    named = named | given
    for name, column in given.items():
        parts = [] if column in first else filter(None, column.split(","))
        if absent := next((part for part in parts if part not in first), None):
            there = ", ".join(map(excerpt, islice(first, 40)))
            fix = f"Correct --column {name}={column}.{near(absent, first)} The columns are {there}."
            raise InputError(f"no column {absent!r} for {name}", where=piece.source, fix=fix)
    asked = [form for form in FORMS if given.keys() & {*form}]
    if len(asked) > 1:
        listed = ", ".join(name for name in given if name in CHOICE)
        fix = "Give chosen and rejected; or first, second and label; or options and key."
        raise InputError(f"{listed} are of several forms", where="--column", fix=fix)
    form = asked[0] if asked else next((one for one in FORMS if named.get(one[0])), FORMS[0])
    histories = [column for column in USUAL["profile"] if column in first.keys() - _parts(named)]
    alone = histories[:1] == ["profile"] or len(histories) == 1
    if alone and "profile" not in given and not named["profile"]:
        named["profile"] = histories[0]
    left_out = CHOICE - {*form}
    named = {name: named[name] for name in USUAL if named.get(name) and name not in left_out}
    meanings = {} if form == FORMS[0] else _meanings(piece, named, first, known, maps.labels)
    said = _said(named, meanings, first, f", as in {known['name']}" if known else "", maps)
    return Columns(piece, named, meanings, said)


def _parts(named: Mapping[str, str]) -> set[str]:
    """All columns that are named, alone or among several."""
    return {part for column in named.values() for part in (column, *column.split(","))}


def _usual(first: Fields) -> dict[str, str]:
    """The usual columns that are there, the first of each, but for histories."""
    usual = {
        name: next((one for one in columns if {*one.split(",")} <= first.keys()), "")
        for name, columns in USUAL.items()
    }
    sides = zip(USUAL["first"], USUAL["second"], strict=True)
    both = next((pair for pair in sides if {*pair} <= first.keys()), ("", ""))
    annotators = (column for column in first if re.fullmatch(r"annotator_?\d+", column))
    label = usual["label"] or ",".join(annotators)
    return {**usual, "first": both[0], "second": both[1], "label": label, "profile": ""}


def _said(
    named: Mapping[str, str], meanings: Mapping[str, Meaning], first: Fields, source: str,
    maps: Maps,
) -> tuple[str, ...]:  # fmt: skip
    """Messages for the person on how columns and labels are read."""
    read = ", ".join(name if name == one else f"{name} = {one}" for name, one in named.items())
    left = ", ".join(one for one in first if one not in _parts(named) | meanings.keys())
    left = visible(left[:400])
    columns = f"columns: {read or 'none is recognised'}{source}{left and f'; not read: {left}'}"
    names = {place: name for name, place in PLACES.items()} | {None: "tie"}
    if "" in meanings:
        labels = f"the {names[meanings['']]} is right in every row"
    elif meanings and "options" not in named:
        pairs = (f"{label} = {names[place]}" for label, place in sorted(meanings.items()))
        labels = f"labels read as: {', '.join(pairs)}"
    else:
        return (columns,)
    return columns, labels + ("" if maps.labels else source)


# Labels


def token(value: object) -> str:
    """A label as it is compared: in small letters, `1.0` as `1`, without double brackets."""
    if is_missing(value):
        return ""
    text = " ".join(str(value).lower().split()).removeprefix("[[").removesuffix("]]")
    text = re.sub(r" ?([<>=]+) ?", r"\1", text)
    return re.sub(r"^\+|(?<=\d)\.0+$", "", text) if _NUMBER.fullmatch(text) else text


def _meanings(
    piece: Piece, named: dict[str, str], first: Fields, known: Fields,
    labels: Mapping[str, tuple[str, ...]],
) -> dict[str, Meaning]:  # fmt: skip
    """Meanings of the labels of a file. If they are columns that hold 0 or 1, the column of labels
    is taken out of `named`. Raises InputError for labels whose meaning nothing says."""
    given: Mapping[str, Iterable[str]] = labels or known.get("labels", {})
    always = [place for place, values in given.items() if not values]
    if always and (len(given) > 1 or always == ["tie"]):
        fix = "Give --label first alone for every row; or each with its values."
        raise InputError("a place without values", where=f"--label {always[0]}", fix=fix)
    if always:
        return {"": PLACES[always[0]]}
    own = {value: PLACES.get(place) for place, values in given.items() for value in values}
    if own and all(token(first.get(column)) in _MARKS for column in own):
        named.pop("label", None)
        return own
    own = {token(value): place for value, place in own.items()}
    if len(own) == 1 and own.get(start := next(iter(own))) == 0 and start.isdigit():
        own = {str(int(start) + place): place for place in PLACES.values()}
    if "options" in named or "label" not in named:
        return own if "options" in named else {}
    counts = _counts(piece, named["label"])
    words = {
        label: PLACES.get(place)
        for label in counts
        for place, pattern in _WORDS.items()
        if pattern.fullmatch(label)
    }
    meanings = {label: place for label, place in {**words, **own}.items() if label in counts}
    unknown = sorted(counts.keys() - meanings.keys())
    # One odd word among many is one row that is not read.
    few = 4 * sum(counts[label] for label in unknown) < counts.total()
    if not unknown or (few and not any(map(_NUMBER.fullmatch, unknown))):
        return meanings
    shown = ", ".join(f"{excerpt(label)} ({counts[label]:,})" for label in unknown[:20])
    fill = ["--label first=... --label second=... --label tie=..."]
    choices = ", or ".join(KNOWN["labels"]["habits"].get(",".join(unknown), fill))
    raise InputError(
        f"nothing says what these labels mean: {shown}",
        where=f"column {named['label']}",
        fix=f"Say which response each of them prefers: {choices}.",
    )


def _counts(piece: Piece, column: str) -> Counter[str]:
    """The labels in a column, or in several, with their numbers of rows."""
    columns, counts = Columns(piece, {"label": column}), Counter[str]()
    for fields in piece.rows():
        counts.update(filter(None, columns.labels(columns.cells(fields), fields)))
    return counts


# The person's maps


def column_map(options: Iterable[str]) -> dict[str, str]:
    """The map of `--column` options, such as `chosen=better_text`; raises InputError."""
    return read_map(options, USUAL, "--column")


def label_map(options: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The map of `--label` options, such as `first=model_a,A>B`, or `first` for every row; raises
    InputError."""
    named = read_map(options, (*PLACES, "tie"), "--label")
    return {place: tuple(filter(None, values.split(","))) for place, values in named.items()}


def read_map(options: Iterable[str], known: Iterable[str], option: str) -> dict[str, str]:
    """A map of repeated options `NAME=VALUE`, whose names are known; raises InputError."""
    named: dict[str, str] = {}
    for one in options:
        name, equals, value = one.partition("=")
        if name not in known or not (equals or option == "--label"):
            fix = f"WHAT is one of {', '.join(known)}.{near(name, known)}"
            what = f"there is no {name!r}" if equals else "is not WHAT=VALUE"
            raise InputError(what, where=f"{option} {one}", fix=fix)
        if name in named:
            fix = "Leave one out."
            raise InputError(f"{name} is given twice", where=f"{option} {one}", fix=fix)
        named[name] = value
    return named
