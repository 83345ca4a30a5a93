"""The columns of anybody's file by what they hold, and what the labels in one of them mean.

`forms.toml` has what is known. The meaning of a number, or of true and false, is never guessed: it
comes from a set that is known by its columns, or from the person's own map.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from pairwright.errors import InputError, near
from pairwright.records import Record
from pairwright.sources.fields import is_missing
from pairwright.sources.problems import SourceRefusal, excerpt
from pairwright.text import visible

Fields = Mapping[str, Any]
FORMS = tomllib.loads(Path(__file__).with_name("forms.toml").read_text(encoding="utf-8"))
KNOWN: dict[str, list[str]] = FORMS["columns"]
"""What a row is made of, and the columns that usually hold it."""
CHOICE = frozenset({"chosen", "rejected", "first", "second", "label", "options", "key"})
"""Of these, what says which response is better; a file has it in one form."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
            "tenth")  # fmt: skip
Meaning = int | None
"""The place of the right response, from 0; None of a tie."""
MOST_LABELS = 1000
"""Different labels after which no more are looked at: they are no labels."""


class KnownSet(Record):
    """A published set that its columns show."""

    name: str
    needs: frozenset[str]
    columns: Mapping[str, str] = Field(default_factory=dict)
    labels: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)


SETS = [KnownSet.model_validate(one) for one in FORMS["sets"]]

# What a label says


_NOUN = r"(?:the )?(?:model|response|assistant|answer|output|option|completion)[ _]?"
_ONE = re.compile(rf"(?:{_NOUN})?(?P<letter>[ab])|{_NOUN}(?P<number>[12])|(?P<word>first|second)")
_COMPARED = re.compile(r"([ab])(>{1,3}|<{1,3})([ab])")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?|true|false")


def token(value: object) -> str:
    """A label as it is compared: in small letters, `1.0` as `1`, without double brackets."""
    if is_missing(value):
        return ""
    text = " ".join(str(value).lower().split()).removeprefix("[[").removesuffix("]]")
    text = re.sub(r" ?([<>=]+) ?", r"\1", text)
    return re.sub(r"^\+|(?<=\d)\.0+$", "", text) if _NUMBER.fullmatch(text) else text


def _words(labels: Iterable[str]) -> dict[str, Meaning]:
    """What labels say by themselves, for those that do: a number does not."""
    found: dict[str, Meaning] = {}
    for label in labels:
        compared, named = _COMPARED.fullmatch(label), _ONE.fullmatch(label)
        if label in FORMS["labels"]["tie"]:
            found[label] = None
        elif compared and compared[1] != compared[3]:
            found[label] = int((compared[1] == "b") == (compared[2][0] == ">"))
        elif named:
            found[label] = int(named.group(named.lastgroup or 0) in ("b", "2", "second"))
    return found


def column_map(options: Iterable[str]) -> dict[str, str]:
    """The map of `--column` options, such as `chosen=better_text`; raises InputError."""
    return read_map(options, KNOWN, "--column")


def label_map(options: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The map of `--label` options, such as `first=model_a,A>B`, or `first` for every row; raises
    InputError."""
    named = read_map(options, (*ORDINALS, "tie"), "--label")
    return {place: tuple(filter(None, values.split(","))) for place, values in named.items()}


def read_map(options: Iterable[str], known: Iterable[str], option: str) -> dict[str, str]:
    """A map of repeated options `NAME=VALUE`, whose names are known; raises InputError."""
    named: dict[str, str] = {}
    for one in options:
        name, equals, value = one.partition("=")
        if name not in known or not (equals or option == "--label"):
            fix = f"WHAT is one of {', '.join(known)}.{near(name, known)}"
            raise InputError("is not WHAT=VALUE", where=f"{option} {one}", fix=fix)
        if name in named:
            fix = "Leave one out."
            raise InputError(f"{name} is given twice", where=f"{option} {one}", fix=fix)
        named[name] = value
    return named


# The columns of a file


@dataclass(frozen=True)
class Columns:
    """The columns of one file, by what they hold, and the meaning of its labels."""

    named: Mapping[str, str]
    """By what it holds; several with commas between."""
    given: frozenset[str] = frozenset()
    """Those that the person named."""
    meanings: Mapping[str, Meaning] = field(default_factory=dict)
    """Of labels, by `token`. If no column is named for them, of the columns that hold 0 or 1; of an
    empty label, the place that is right in every row."""
    said: tuple[str, ...] = ()
    """What was recognised, for the person."""
    seen: frozenset[str] = frozenset()
    """The columns that were there when these were named."""

    def value(self, fields: Fields, name: str) -> object:
        """What a row holds under this name, a list of several columns; None without such a column.

        Raises SourceRefusal if the person named a column that the row does not have.
        """
        column = self.named.get(name, "")
        if not column and name not in self.given | CHOICE:  # Rows of JSON differ in their columns.
            column = next((c for c in KNOWN[name] if c in fields and c not in self.seen), "")
        parts = [column] if column in fields else list(filter(None, column.split(",")))
        missing = [part for part in parts if part not in fields]
        if missing and name in self.given:
            raise SourceRefusal("missing_column", f"no column {missing[0]!r} for {name}")
        values = [fields[part] for part in parts if part in fields]
        if name == "prompt" and len(values) > 1:
            return "\n\n".join(str(one) for one in values if not is_missing(one))
        return values if len(parts) > 1 else values[0] if values else None

    def needed(self, fields: Fields, name: str) -> object:
        """The same of what a row must have; raises SourceRefusal."""
        value = self.value(fields, name)
        if value is None:
            there = self.named.get(name) in fields
            detail = f"{name} is null" if there else f"no column for {name}"
            raise SourceRefusal("empty_value" if there else "missing_column", detail)
        return value

    def labels(self, fields: Fields) -> list[str]:
        """The labels of a row, of each annotator. A model's name is the place of that model."""
        values = self.value(fields, "label")
        found = list(map(token, values if isinstance(values, list) else [values]))
        models = {token(fields.get(f"model_{place}")): f"model_{place}" for place in "ab"}
        return [models.get(one, one) if one else "" for one in found]

    def better(self, fields: Fields) -> Meaning:
        """The place of the better of two responses; None of a tie. Of several annotators, what more
        than half say. Raises SourceRefusal."""
        if "" in self.meanings:
            return self.meanings[""]
        if "label" not in self.named and not self.meanings:
            raise SourceRefusal("missing_column", "no column for label")
        if "label" in self.named:
            found = self.labels(fields)
        else:
            marks = {column: token(fields.get(column)) for column in self.meanings}
            found = [column for column, mark in marks.items() if mark in ("1", "true")]
            if len(found) != 1 or {*marks.values()} - {"0", "1", "true", "false"}:
                listed = ", ".join(f"{column} is {mark!r}" for column, mark in marks.items())
                raise SourceRefusal("bad_label", f"not one 1 among 0s: {listed}")
        if unknown := [label for label in found if label not in self.meanings]:
            raise SourceRefusal("bad_label", f"the label is {excerpt(unknown[0])}")
        votes = Counter(self.meanings[label] for label in found)
        place, n = votes.most_common(1)[0]
        return place if 2 * n > votes.total() else None


def columns_of(
    first: Fields,
    given: Mapping[str, str],
    labels: Mapping[str, tuple[str, ...]],
    rows: Iterable[Fields],
) -> Columns:
    """The columns of a file by its first row and the person's maps.

    `rows` are gone through only to see all labels. Raises InputError for maps without meaning and
    for labels whose meaning nothing tells.
    """
    forms = ({"chosen", "rejected"}, {"first", "second", "label"}, {"options", "key"})
    if sum(bool(form & given.keys()) for form in forms) > 1:
        listed = ", ".join(name for name in KNOWN if name in CHOICE & given.keys())
        fix = "Give chosen and rejected; or first, second and label; or options and key."
        raise InputError(f"{listed} are of several forms", where="--column", fix=fix)
    of = next((one for one in SETS if one.needs <= first.keys()), None)
    usual = {
        name: next((one for one in columns if {*one.split(",")} <= first.keys()), "")
        for name, columns in KNOWN.items()
    }
    usual["profile"] = "profile" if "profile" in first else ""  # Of others: below.
    sides = zip(FORMS["sides"]["first"], FORMS["sides"]["second"], strict=True)
    usual["first"], usual["second"] = next((s for s in sides if {*s} <= first.keys()), ("", ""))
    annotators = [column for column in first if re.fullmatch(r"annotator_?\d+", column)]
    usual["label"] = usual["label"] or ",".join(annotators)
    known = of.columns if of else {}
    named = {name: given.get(name, known.get(name, usual[name])) for name in KNOWN}
    usual_form = 2 if named["options"] else 1 if named["first"] or named["second"] else 0
    usual_form = 0 if named["chosen"] or named["rejected"] else usual_form
    form = next((form for form in forms if form & given.keys()), forms[usual_form])
    named = {name: one for name, one in named.items() if one and name not in CHOICE - form}
    used = {part for one in named.values() for part in (one, *one.split(","))}
    histories = [one for one in KNOWN["profile"] if one in first and one not in used]
    if "profile" not in {*named, *given} and len(histories) == 1:
        named["profile"] = histories[0]
    source = f", as in {of.name}" if of else ""
    other = {*given.get("label", "").split(",")} - {*known.get("label", usual["label"]).split(",")}
    as_known = of and other <= {""} and not {"first", "second"} & given.keys()
    own = labels or (of.labels if of and as_known else {})
    meanings = {} if form == forms[0] else _meanings(named, own, first, rows)
    used |= meanings.keys()
    read = ", ".join(name if name == one else f"{name} = {one}" for name, one in named.items())
    left = ", ".join(one for one in first if one not in {*used, named.get("profile")})
    unread = f"; not read: {visible(left[:400])}{'...' * (len(left) > 400)}" if left else ""
    said = [f"columns: {read}{source}{unread}"]
    if {*meanings} == {""}:
        place = ORDINALS[meanings[""] or 0]
        said.append(f"the {place} is right in every row{'' if labels else source}")
    elif meanings and form == forms[1]:
        listed = ", ".join(
            f"{label} = {'tie' if place is None else ORDINALS[place]}"
            for label, place in sorted(meanings.items())
        )
        said.append(f"labels read as: {listed}{'' if labels else source}")
    return Columns(named, frozenset(given), meanings, tuple(said), frozenset(first))


def _meanings(
    named: dict[str, str],
    given: Mapping[str, tuple[str, ...]],
    first: Fields,
    rows: Iterable[Fields],
) -> dict[str, Meaning]:
    """What the labels of a file mean. If they are columns that hold 0 or 1, no other is named for
    labels."""
    places = dict(zip(ORDINALS, range(len(ORDINALS)), strict=True))
    always = [place for place, values in given.items() if not values]
    if always and (len(given) > 1 or always[0] == "tie"):
        fix = "Give --label first alone for every row; or each with its values."
        raise InputError("a place without values", where=f"--label {always[0]}", fix=fix)
    if always:
        return {"": places[always[0]]}
    own = {value: places.get(place) for place, values in given.items() for value in values}
    if own and all(token(first.get(column)) in ("0", "1", "true", "false") for column in own):
        named.pop("label", None)
        return own
    own = {token(value): place for value, place in own.items()}
    if len(own) == 1 and own.get(start := next(iter(own))) == 0 and start.isdigit():
        own = {str(int(start) + place): place for place in places.values()}
    if "options" in named:
        return own
    counts, columns = Counter[str](), Columns(named)
    for fields in rows:
        counts.update(columns.labels(fields))
        if len(counts) > MOST_LABELS:
            break
    counts.pop("", None)
    meanings = {label: one for label, one in (_words(counts) | own).items() if label in counts}
    unknown = sorted(counts.keys() - meanings.keys())
    if any(map(_NUMBER.fullmatch, unknown)) or (unknown and {*meanings.values()} <= {None}):
        shown = ", ".join(f"{excerpt(label)} ({counts[label]:,})" for label in unknown[:20])
        raise InputError(
            f"nothing says what these labels mean: {shown}",
            where=f"column {named.get('label', '')}",
            fix=f"Look it up where the file comes from, and say it: {_possible(unknown)}.",
        )
    return meanings


def _possible(unknown: list[str]) -> str:
    """The maps to write: the ones that people mean by such values, or one to be filled in."""
    habits = {
        "0,1,2": ("--label first=1 --label second=2 --label tie=0",
                  "--label first=0 --label second=1 --label tie=2"),
        "0,1": ("--label first=0 --label second=1", "--label first=1 --label second=0"),
        "1,2": ("--label first=1 --label second=2", "--label first=2 --label second=1"),
    }  # fmt: skip
    fill = ("--label first=... --label second=... --label tie=...",)
    return ", or ".join(habits.get(",".join(unknown), fill))
