"""The columns of another person's file by what they hold, and what the labels in one of them mean.

`known.toml` has what is known. The meaning of a number, or of true and false, is never guessed. It
comes from a set that is known by its columns, or from the person's own map.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pairwright.errors import InputError, near
from pairwright.sources.fields import is_missing
from pairwright.sources.problems import excerpt, refuse
from pairwright.text import visible

Fields = Mapping[str, Any]
KNOWN = tomllib.loads(Path(__file__).with_name("known.toml").read_text(encoding="utf-8"))
USUAL: dict[str, list[str]] = KNOWN["columns"]
"""Parts of a row, with the columns that usually hold them."""
FORMS = (("chosen", "rejected"), ("first", "second", "label"), ("options", "key"))
"""Columns that say which response is better: a file has one of these forms."""
CHOICE = frozenset(name for form in FORMS for name in form)
PLACES = {name: n for n, name in enumerate(
    "first second third fourth fifth sixth seventh eighth ninth tenth".split())}  # fmt: skip
Meaning = int | None
"""The place of the right response, from 0; None for a tie."""
MOST_LABELS = 1000
"""Number of values beyond which a column is not one of labels, and no more are looked at."""


@dataclass(frozen=True)
class Columns:
    """The columns of one file, by what they hold, and the meaning of its labels."""

    named: Mapping[str, str]
    """Columns by what they hold; several with commas between."""
    given: frozenset[str] = frozenset()
    """Names that the person gave a column for."""
    meanings: Mapping[str, Meaning] = field(default_factory=dict)
    """Meaning by label, as `token` writes it. Without a column of labels: by column that holds 0 or
    1. By an empty label: the place that is right in every row."""
    said: tuple[str, ...] = ()
    """Messages for the person on what was recognised."""
    seen: frozenset[str] = frozenset()
    """The columns that were there when these were named."""

    def value(self, fields: Fields, name: str) -> object:
        """The value of a row under this name, a list for several columns; None without a column.

        Raises SourceRefusal if the person named a column that the row does not have.
        """
        column = self.named.get(name, "")
        if not column and name not in self.given | CHOICE:  # Rows of JSON differ in their columns.
            column = next((c for c in USUAL[name] if c in fields and c not in self.seen), "")
        parts = [column] if column in fields else list(filter(None, column.split(",")))
        missing = [part for part in parts if part not in fields]
        if missing and name in self.given:
            refuse("missing_column", f"no column {missing[0]!r} for {name}")
        values = [fields[part] for part in parts if part in fields]
        if name == "prompt" and len(values) > 1:
            return "\n\n".join(str(one) for one in values if not is_missing(one))
        return values if len(parts) > 1 else values[0] if values else None

    def needed(self, fields: Fields, name: str) -> object:
        """The `value` of a field that a row must have. Raises SourceRefusal without one."""
        value = self.value(fields, name)
        if value is None and self.named.get(name) in fields:
            refuse("empty_value", f"{name} is null")
        if value is None:
            refuse("missing_column", f"no column for {name}")
        return value

    def labels(self, fields: Fields) -> list[str]:
        """The labels of a row, one per annotator; of columns that hold 0 or 1, the one with 1.
        Raises SourceRefusal."""
        if "label" in self.named:
            values = self.value(fields, "label")
            return [*map(token, values if isinstance(values, list) else [values])]
        if not self.meanings:
            refuse("missing_column", "no column for label")
        marks = {column: token(fields.get(column)) for column in self.meanings}
        found = [column for column, mark in marks.items() if mark in ("1", "true")]
        if len(found) != 1 or {*marks.values()} - _MARKS:
            listed = ", ".join(f"{column} is {mark!r}" for column, mark in marks.items())
            refuse("bad_label", f"not one 1 among 0s: {listed}")
        return found

    def better(self, fields: Fields) -> Meaning:
        """The place of the better of two responses; None for a tie. More than half of several
        annotators decide. Raises SourceRefusal."""
        if "" in self.meanings:
            return self.meanings[""]
        found = self.labels(fields)
        if unknown := [label for label in found if label not in self.meanings]:
            shown = excerpt(unknown[0])
            why = f"nothing says what {shown} means: give it a place with --label"
            refuse("bad_label", why if unknown[0] else "the label is empty")
        votes = Counter(self.meanings[label] for label in found)
        place, n = votes.most_common(1)[0]
        return place if 2 * n > votes.total() else None


def columns_of(
    first: Fields,
    given: Mapping[str, str],
    labels: Mapping[str, tuple[str, ...]],
    rows: Iterable[Fields],
) -> Columns:
    """The columns of a file by its first rows, taken together, and the person's maps.

    `rows` are gone through only to see all labels. Raises InputError for maps without meaning and
    for labels whose meaning nothing says.
    """
    asked = [form for form in FORMS if given.keys() & {*form}]
    if len(asked) > 1:
        listed = ", ".join(name for name in USUAL if name in CHOICE & given.keys())
        fix = "Give chosen and rejected; or first, second and label; or options and key."
        raise InputError(f"{listed} are of several forms", where="--column", fix=fix)
    known: dict[str, Any] = next(
        (one for one in KNOWN["sets"] if {*one["needs"]} <= first.keys()), {}
    )
    named = _usual(first) | known.get("columns", {})
    if any(given[name] != named.get(name) for name in given.keys() & CHOICE):
        # What a known set's labels mean holds for its own columns alone.
        known, named = {}, _usual(first)
    named = named | given
    if asked:
        form = asked[0]
    elif named.get("chosen") or named.get("rejected"):
        form = FORMS[0]
    else:
        form = FORMS[2 if named.get("options") else 1 if named.get("first") else 0]
    left_out = CHOICE - {*form}
    named = {name: named[name] for name in USUAL if named.get(name) and name not in left_out}
    used = {part for one in named.values() for part in (one, *one.split(","))}
    histories = [one for one in USUAL["profile"] if one in first and one not in used]
    if "profile" not in named.keys() | given and len(histories) == 1:
        named["profile"] = histories[0]
    own, meanings = labels or known.get("labels", {}), dict[str, Meaning]()
    if form != FORMS[0]:
        said = {token(one) for values in labels.values() for one in values}
        meanings = _meanings(named, own, said, first, rows)
    read = ", ".join(name if name == one else f"{name} = {one}" for name, one in named.items())
    unused = (one for one in first if one not in used | {*meanings, named.get("profile")})
    left = _listed(", ".join(unused))
    source = f", as in {known['name']}" if known else ""
    notes = [f"columns: {read or 'none is recognised'}{source}{left and f'; not read: {left}'}"]
    if (meanings and form != FORMS[2]) or "" in meanings:
        notes.append(_said_of(meanings) + ("" if labels else source))
    return Columns(named, frozenset(given), meanings, tuple(notes), frozenset(first))


def _listed(text: str) -> str:
    """A text for a line of a terminal: 400 characters at most."""
    return visible(text if len(text) <= 400 else f"{text[:400]}...")


def _said_of(meanings: Mapping[str, Meaning]) -> str:
    """Message for the person on how labels are read."""
    names = [*PLACES]
    if "" in meanings:
        return f"the {names[meanings[''] or 0]} is right in every row"
    pairs = ((one, "tie" if n is None else names[n]) for one, n in sorted(meanings.items()))
    return f"labels read as: {', '.join(map(' = '.join, pairs))}"


def _usual(first: Fields) -> dict[str, str]:
    """The usual columns that are there, the first of each."""
    usual = {
        name: next((one for one in columns if {*one.split(",")} <= first.keys()), "")
        for name, columns in USUAL.items()
    }
    usual["profile"] = "profile" if "profile" in first else ""  # Another one only if it is alone.
    sides = next((pair for pair in KNOWN["labels"]["sides"] if {*pair} <= first.keys()), ("", ""))
    usual["first"], usual["second"] = sides
    annotators = (column for column in first if re.fullmatch(r"annotator_?\d+", column))
    usual["label"] = usual["label"] or ",".join(annotators)
    return usual


# Labels

_NOUN = r"(?:the )?(?:model|response|assistant|answer|output|option|completion)[ _]?"
_ONE = re.compile(rf"(?:{_NOUN})?(?P<letter>[ab])|{_NOUN}(?P<number>[12])|(?P<word>first|second)")
_COMPARED = re.compile(r"([ab])(>{1,3}|<{1,3})([ab])")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?|true|false")
_MARKS = {"0", "1", "true", "false"}


def token(value: object) -> str:
    """A label as it is compared: in small letters, `1.0` as `1`, without double brackets."""
    if is_missing(value):
        return ""
    text = " ".join(str(value).lower().split()).removeprefix("[[").removesuffix("]]")
    text = re.sub(r" ?([<>=]+) ?", r"\1", text)
    return re.sub(r"^\+|(?<=\d)\.0+$", "", text) if _NUMBER.fullmatch(text) else text


def _words(labels: Iterable[str]) -> dict[str, Meaning]:
    """Meanings of labels that are words with a meaning of their own: a number has none."""
    found: dict[str, Meaning] = {}
    for label in labels:
        compared, named = _COMPARED.fullmatch(label), _ONE.fullmatch(label)
        if label in KNOWN["labels"]["tie"]:
            found[label] = None
        elif compared and compared[1] != compared[3]:
            found[label] = int((compared[1] == "b") == (compared[2][0] == ">"))
        elif named:
            found[label] = int(named.group(named.lastgroup or 0) in ("b", "2", "second"))
    return found


def _meanings(
    named: dict[str, str],
    given: Mapping[str, Iterable[str]],
    said: set[str],
    first: Fields,
    rows: Iterable[Fields],
) -> dict[str, Meaning]:
    """Meanings of the labels of a file. If they are columns that hold 0 or 1, the column of labels
    is taken out of `named`. `said` are the labels that the person gave. Raises InputError for
    labels whose meaning nothing says, if they are numbers, all there are but ties, or a quarter of
    all while a label that was said is nowhere."""
    always = [place for place, values in given.items() if not values]
    if always and (len(given) > 1 or always[0] == "tie"):
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
    if "options" in named:
        return own
    counts, columns = Counter[str](), Columns(named)
    for fields in rows if "label" in named else ():
        counts.update(columns.labels(fields))
        if len(counts) > MOST_LABELS:
            break
    counts.pop("", None)
    meanings = {label: one for label, one in (_words(counts) | own).items() if label in counts}
    unknown = sorted(counts.keys() - meanings.keys())
    many = 4 * sum(counts[label] for label in unknown) >= counts.total() > 0
    absent = sorted(said - counts.keys()) if many and len(counts) <= MOST_LABELS else []
    if (
        absent
        or any(map(_NUMBER.fullmatch, unknown))
        or (unknown and {*meanings.values()} <= {None})
    ):
        never = "".join(f"no row has the label {excerpt(label)} of --label; " for label in absent)
        shown = ", ".join(f"{excerpt(label)} ({counts[label]:,})" for label in unknown[:20])
        fill = ["--label first=... --label second=... --label tie=..."]
        maps = ", or ".join(KNOWN["labels"]["habits"].get(",".join(unknown), fill))
        raise InputError(
            f"{never}nothing says what these labels mean: {shown}",
            where=f"column {named.get('label', '')}",
            fix=f"Look it up where the file comes from, and say it: {maps}.",
        )
    return meanings


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
