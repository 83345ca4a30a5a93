"""The columns of anybody's file by what they hold, and what the labels in one of them mean.

Well-known sets are recognised by their columns. The meaning of a number or of true and false is
never guessed: it comes from such a set, or from the person's own map.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pairwright.errors import InputError, near
from pairwright.sources.fields import is_missing
from pairwright.sources.problems import SourceRefusal, excerpt

Fields = Mapping[str, Any]
_SIDES = (
    ("first", "second"), ("response1", "response2"), ("response_1", "response_2"),
    ("response 1", "response 2"), ("response_a", "response_b"), ("response_A", "response_B"),
    ("response_0", "response_1"), ("output_1", "output_2"), ("answer_a", "answer_b"),
    ("human_ref_A", "human_ref_B"), ("conversation_a", "conversation_b"),
)  # fmt: skip
KNOWN: dict[str, tuple[str, ...]] = {
    "prompt": (
        "prompt", "question", "instruction,input", "instruction", "input", "user_query",
        "conversations",
    ),
    "chosen": ("chosen",),
    "rejected": ("rejected",),
    "first": tuple(first for first, _ in _SIDES),
    "second": tuple(second for _, second in _SIDES),
    "label": (
        "label", "winner", "preference", "overall_preference", "preference_strength",
        "better_response_id", "labels",
    ),
    "options": ("options", "choices", "all_options"),
    "key": ("key", "answer", "correct_answer"),
    "id": ("id", "pair_id"),
    "domain": ("domain", "config", "subset"),
    "category": ("category",),
    "user": ("user", "persona_id", "user_id"),
    "narrative": ("narrative",),
    "profile": ("profile",),
    "rubric_aspects": ("rubric_aspects",),
    "generator": ("generator",),
    "created": ("created",),
    "source_url": ("source_url",),
    "licence": ("licence",),
    "split": ("split",),
}  # fmt: skip
"""What a row is made of, and the columns that hold it unless the person says otherwise: the first
that is there. `first`, `second` and `label`, or `options` and `key`, stand for the pair."""
PAIR = frozenset({"chosen", "rejected", "first", "second", "label", "options", "key"})
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
            "tenth")  # fmt: skip
PLACES = (*ORDINALS, "tie")
Meaning = int | None
"""The place of the right response, from 0; None of a tie."""


class KnownSet(NamedTuple):
    """A published set whose columns show what it is."""

    name: str
    needs: frozenset[str]
    labels: Mapping[str, tuple[str, ...]]
    columns: Mapping[str, str] = {}


def _known(
    name: str, needs: str, columns: Mapping[str, str] | None = None, **labels: str
) -> KnownSet:
    given = {place: tuple(values.split()) for place, values in labels.items()}
    return KnownSet(name, frozenset(needs.split(", ")), given, columns or {})


_STRENGTH = {"first": "-3 -2 -1", "tie": "0", "second": "1 2 3"}
SETS = (
    _known("PandaLM", "response1, response2, annotator1", first="1", second="2", tie="0"),
    _known("Auto-J", "response 1, response 2, label", first="0", second="1", tie="2"),
    _known("LLMBar", "input, output_1, output_2, label", first="1", second="2"),
    _known("HelpSteer2", "response_1, response_2, preference_strength", None, **_STRENGTH),
    _known(
        "HelpSteer3", "context, response1, response2, overall_preference",
        {"prompt": "context"}, **_STRENGTH,
    ),
    _known(
        "PKU-SafeRLHF", "response_0, response_1, better_response_id", first="0", second="1"
    ),
    _known(
        "SHP", "history, human_ref_A, human_ref_B, labels", {"prompt": "history"},
        first="1", second="0",
    ),
    _known(
        "Chatbot Arena", "response_a, response_b, winner_model_a, winner_model_b, winner_tie",
        first="winner_model_a", second="winner_model_b", tie="winner_tie",
    ),
    _known(
        "PrefEval", "preference, question, classification_task_options",
        {"options": "classification_task_options", "profile": "preference"}, first="",
    ),
    _known(
        "PersonaMem", "user_question_or_message, all_options, correct_answer",
        {"prompt": "user_question_or_message", "id": "question_id"},
    ),
    _known(
        "PRISM", "conversation_history, conversation_id, user_id",
        {"options": "conversation_history", "id": "conversation_id"},
    ),
    _known(
        "UltraFeedback, the highest overall_score right", "instruction, completions",
        {"options": "completions"},
    ),
    _known(
        "PersonaMem", "user_query, correct_answer, incorrect_answers",
        {"chosen": "correct_answer", "rejected": "incorrect_answers", "domain": "who"},
    ),
)  # fmt: skip

_TIES = frozenset(
    {"tie", "tied", "tie (bothbad)", "tie (both bad)", "both_bad", "bothbad", "both bad", "equal",
     "draw", "same", "both", "neither", "no preference", "a=b", "b=a"}
)  # fmt: skip
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


def word_meaning(label: str) -> Meaning | str:
    """What a word says by itself; `""` of one that says nothing, such as a number."""
    if label in _TIES:
        return None
    if compared := _COMPARED.fullmatch(label):
        left, sign, right = compared.groups()
        return "" if left == right else int((left == "b") == (sign[0] == ">"))
    if named := _ONE.fullmatch(label):
        return int((named["letter"] or named["number"] or named["word"]) in ("b", "2", "second"))
    return ""


def read_map(options: Iterable[str], known: Iterable[str], option: str) -> dict[str, str]:
    """A map from options such as `chosen=better_text`; raises InputError."""
    named: dict[str, str] = {}
    for one in options:
        name, equals, value = one.partition("=")
        where, names = f"{option} {one}", list(known)
        if name not in names or not (equals or option == "--label"):
            fix = f"Write {option} WHAT=VALUE; WHAT is one of {', '.join(names)}."
            raise InputError("is not WHAT=VALUE", where=where, fix=fix + near(name, names))
        if name in named:
            raise InputError(f"{name} is given twice", where=where, fix="Leave one out.")
        named[name] = value
    return named


def column_map(options: Iterable[str]) -> dict[str, str]:
    """The map of `--column` options; raises InputError."""
    return read_map(options, KNOWN, "--column")


def label_map(options: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The map of `--label` options, such as `first=model_a,A>B`, or `first` for every row; raises
    InputError."""
    named = read_map(options, PLACES, "--label").items()
    return {place: tuple(filter(None, values.split(","))) for place, values in named}


@dataclass(frozen=True)
class Columns:
    """The columns of one file, by what they hold, and the meaning of its labels."""

    named: Mapping[str, str]
    """By what it holds; several with commas between."""
    given: frozenset[str] = frozenset()
    """Those that the person named."""
    said: tuple[str, ...] = ()
    """What was recognised, for the person."""
    meanings: Mapping[str, Meaning] = field(default_factory=dict)
    """Of labels, by `token`."""
    one_hot: bool = False
    """Whether `meanings` are of columns that hold 0 or 1."""
    always: int | None = None
    """The place of the right response in every row, if the file has no labels."""

    @property
    def form(self) -> str:
        """How a row holds its pairs: `pair`, `labelled` or `options`."""
        if "chosen" in self.named or "rejected" in self.named:
            return "pair"
        if "options" in self.named:
            return "options"
        return "labelled" if {"first", "second"} & self.named.keys() else "pair"

    def value(self, fields: Fields, name: str) -> object:
        """What a row holds under this name; None if it has no such column.

        Raises SourceRefusal if the person named a column that the row does not have.
        """
        column = self.named.get(name, "")
        if not column and name not in self.given | PAIR:  # Not every row of JSON has every column.
            column = next((one for one in KNOWN[name] if one in fields), "")
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

    def tokens(self, fields: Fields) -> list[str]:
        """The labels of a row, one for each column that holds one. A label that is a model's name
        is the place of that model."""
        values = self.value(fields, "label")
        found = list(map(token, values if isinstance(values, list) else [values]))
        for place in "ab":
            model = token(fields.get(f"model_{place}"))
            found = [f"model_{place}" if model and one == model else one for one in found]
        return found

    def labelled(self, fields: Fields) -> Meaning:
        """The place of the right one of two responses; None of a tie. Of several annotators, what
        more than half say. Raises SourceRefusal."""
        if self.always is not None:
            return self.always
        if self.one_hot:
            said = {column: token(fields.get(column)) for column in self.meanings}
            marked = [column for column, value in said.items() if value in ("1", "true")]
            if len(marked) != 1 or {*said.values()} - {"0", "1", "true", "false"}:
                listed = ", ".join(f"{column} is {value!r}" for column, value in said.items())
                raise SourceRefusal("bad_label", f"not one 1 among 0s: {listed}")
            return self.meanings[marked[0]]
        found = self.tokens(fields)
        for label in found:
            if label not in self.meanings:
                raise SourceRefusal("bad_label", f"the label is {excerpt(label)}")
        votes = Counter(self.meanings[label] for label in found)
        most, n = votes.most_common(1)[0]
        return most if 2 * n > votes.total() else None


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
    _check(given)
    of = next((one for one in SETS if one.needs <= first.keys()), None)
    known = of.columns if of else {}
    sides = {"chosen", "rejected"} & (given.keys() | known.keys() | first.keys())
    named: dict[str, str] = {}
    for name, columns in KNOWN.items():
        usual = (column for column in columns if {*column.split(",")} <= first.keys())
        if column := given.get(name, known.get(name) or next(usual, "")):
            named[name] = column
    annotators = [column for column in first if re.fullmatch(r"annotator_?\d+", column)]
    if "label" not in named and annotators:
        named["label"] = ",".join(annotators)
    if {"options", "key"} & given.keys() or (not sides and "options" in named):
        other = {"chosen", "rejected", "first", "second", "label"}
    elif {"first", "second"} & given.keys() or not sides:
        other = {"chosen", "rejected", "options", "key"}
    else:
        other = {"first", "second", "label", "options", "key"}
    named = {name: column for name, column in named.items() if name not in other}
    source = f", as in {of.name}" if of else ""
    said = ", ".join(f"{name} = {column}" for name, column in named.items() if name != column)
    meant = _with_labels(Columns(named), first, labels or (of.labels if of else {}), rows)
    return Columns(
        named,
        frozenset(given),
        tuple(
            [f"columns read as: {said}{source}"] * bool(said and (of or meant.form != "pair"))
            + [f"{one}{'' if labels else source}" for one in meant.said]
        ),
        meant.meanings,
        meant.one_hot,
        meant.always,
    )


def _check(given: Mapping[str, str]) -> None:
    groups = ({"chosen", "rejected"}, {"first", "second", "label"}, {"options", "key"})
    several = [group & given.keys() for group in groups if group & given.keys()]
    if len(several) > 1:
        listed = " beside ".join(", ".join(sorted(group)) for group in several)
        fix = "Give chosen and rejected; or first, second and label; or options and key."
        raise InputError(listed, where="--column", fix=fix)


def _with_labels(
    columns: Columns,
    first: Fields,
    labels: Mapping[str, tuple[str, ...]],
    rows: Iterable[Fields],
) -> Columns:
    """The same columns with what the labels mean, said in a sentence."""
    named = columns.named
    always = [place for place, values in labels.items() if not values]
    if columns.form == "pair":
        return columns
    if always:
        if len(labels) > 1 or always[0] not in ORDINALS:
            fix = "Give --label first alone for every row; or each with its values."
            raise InputError("a place without values", where=f"--label {always[0]}", fix=fix)
        place = ORDINALS.index(always[0])
        return Columns(named, said=(f"the {always[0]} is right in every row",), always=place)
    own = {value: _place(place) for place, values in labels.items() for value in values}
    if own and all(token(first.get(column)) in ("0", "1", "true", "false") for column in own):
        return Columns(named, said=(_say(own),), meanings=own, one_hot=True)
    own = {token(value): place for value, place in own.items()}
    if len(own) == 1 and [*own.values()] == [0] and (start := next(iter(own))).isdigit():
        own = {str(int(start) + place): place for place in range(len(ORDINALS))}
    if columns.form == "options":
        return Columns(named, meanings=own)
    counts = Counter[str]()
    for fields in rows:
        counts.update(columns.tokens(fields))
        if len(counts) > MOST_LABELS:
            break
    counts.pop("", None)
    words = {label: word_meaning(label) for label in counts}
    meanings = {label: one for label, one in words.items() if not isinstance(one, str)} | own
    unknown = [label for label in counts if label not in meanings]
    read = {label: meanings[label] for label in counts if label in meanings}
    if any(map(_NUMBER.fullmatch, unknown)) or (unknown and {*read.values()} <= {None}):
        raise _unknown(named.get("label", ""), counts, unknown)
    return Columns(named, said=(_say(read),) if read else (), meanings=meanings)


MOST_LABELS = 1000
"""Different labels after which no more are looked at: they are no labels."""


def _place(name: str) -> Meaning:
    return ORDINALS.index(name) if name in ORDINALS else None


def _say(meanings: Mapping[str, Meaning]) -> str:
    listed = (
        f"{label} = {'tie' if place is None else ORDINALS[place]}"
        for label, place in sorted(meanings.items())
    )
    return f"labels read as: {', '.join(listed)}"


_HABITS = {
    ("0", "1", "2"): (("1", "2", "0"), ("0", "1", "2")),
    ("0", "1"): (("0", "1", ""), ("1", "0", "")),
    ("1", "2"): (("1", "2", ""), ("2", "1", "")),
}
"""By values, what they mean to some people: the first is better, the second, a tie."""


def _unknown(column: str, counts: Counter[str], unknown: list[str]) -> InputError:
    shown = ", ".join(f"{excerpt(label)} ({counts[label]:,})" for label in sorted(unknown)[:20])
    habits = _HABITS.get(tuple(sorted(unknown)), (("...", "...", "..."),))
    maps = [
        " ".join(
            f"--label {place}={value}"
            for place, value in zip(("first", "second", "tie"), habit, strict=True)
            if value
        )
        for habit in habits
    ]
    return InputError(
        f"nothing says what these labels mean: {shown}",
        where=f"column {column}",
        fix=f"Look it up where the file comes from, and say it: {', or '.join(maps)}.",
    )
