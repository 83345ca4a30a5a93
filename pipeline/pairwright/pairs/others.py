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
from pairwright.sources.fields import NOBODY, time_of
from pairwright.sources.problems import SourceRefusal, excerpt
from pairwright.sources.tables import kind

REASONS: dict[str, str] = FORMS["reasons"]
TIE = "tie"
"""The reason of a row that can be read, and is not a preference."""
MAX_SHORTCUT = 0.58
"""The bound on accuracy on pairs without the user, unless an audit is told another."""


def blind_bound(chance: float, max_shortcut: float = MAX_SHORTCUT) -> float:
    """The bound on accuracy without the user: as far above chance as `max_shortcut` is above one
    half, of the way to 1."""
    return round(chance + (2 * max_shortcut - 1) * (1 - chance), 6)


class Choice(NamedTuple):
    """The question that a pair is of, if its row gives several pairs, or names the better place."""

    question: str
    """Its place: `file:line`."""
    options: int
    rights: int = 1
    """How many of them are right. Each is paired with each wrong one."""
    place: int | None = None
    """The place of the right option, from 0; None if the file has no order."""

    @property
    def chance(self) -> float:
        """How often blind choosing is right: of the options, or of pairs if several are right."""
        return 1 / self.options if self.rights == 1 else 0.5


class ReadRow(NamedTuple):
    """A row with its split, which is empty where the source has none, and its place."""

    split: str
    row: Row
    where: str
    """`file:line`, or `file:row` counted from 1; without the folders of this machine."""
    choice: Choice | None = None


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
    split = name_of(columns.value(fields, "split"), "split") or split
    if has_columns(fields) and not columns.given:
        return [ReadRow(split, _release_row(fields), where)]
    if "options" not in columns.named:
        return list(
            _pairs(_sides(fields, columns, flat=flat), fields, columns, config, split, where)
        )
    questions = list(_options(fields, columns))
    return [
        pair
        for question in questions
        for pair in _pairs(question, fields, columns, config, split, where)
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
    name, single = shared["item_id"], len(texts) == 2 and "options" not in columns.named
    shared["item_id"] = item = name or (
        "" if single else content_id("item", where, asked.at, *texts)
    )
    place = right[0] if asked.ordered and len(right) == 1 else None
    choice = Choice(f"{where} {asked.at}".strip(), len(texts), len(right), place)
    names = ("options", "options", 0) if asked.ordered else ("chosen", "rejected", len(right))
    for good in right:
        for bad in range(len(texts)):
            if bad in right:
                continue
            at = f"{asked.at}{names[1]}[{bad - names[2]}]"
            at = f"{names[0]}[{good}] {at}" if len(right) > 1 else at
            at = "" if single else at
            id = item + "".join(re.findall(r"\[\d+\]", at))
            id = id or content_id("row", shared["question"], texts[good], texts[bad])
            row = Row(**shared, id=id, chosen=texts[good], rejected=texts[bad])
            given = choice if asked.ordered or not single else None
            yield ReadRow(split, row, f"{where} {at}".strip(), given)


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
    user = "" if NOBODY.fullmatch(texts["user"][:60]) else texts["user"]  # Strangers share a name.
    return {
        "item_id": texts["id"],
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
        "user": pseudonym(user) if user else None,
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
    turns = zip(prompts, given, strict=True)
    roles = ("user", "assistant")
    both = [pair for turn in turns for pair in zip(roles, turn, strict=True)]
    return [{"role": role, "content": text} for role, text in both]


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
    labels = [(mark[1] or mark[2]).lower() for text in texts if (mark := _MARK.match(text))]
    if len({*labels}) == len(texts):
        return [_MARK.sub("", text, count=1) for text in texts], labels
    return texts, [chr(ord("a") + place) for place in range(len(texts))]


def _right_option(
    texts: Sequence[str], labels: Sequence[str], fields: Fields, columns: Columns
) -> int:
    """The place of the right option, from 0: by the text of an option or its letter; by a number
    only where the person says what it means."""
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
