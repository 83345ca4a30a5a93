"""The questions of each kind of task, and the answers that a filled-in form gives to them.

A tool stores everything that is posted, so nothing of a form is taken for granted.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple, cast, get_args

from pairwright.settings.domains import Scale
from pairwright.text import visible
from pairwright_human_eval.annotation import Entry, Objection, Remark
from pairwright_human_eval.language import ENGLISH, Language
from pairwright_human_eval.records import (
    BOTH,
    CANNOT_TELL,
    EQUAL,
    NEITHER,
    AspectAnswer,
    KeyedTask,
    Kind,
    PreferenceAnswer,
    QualityAnswers,
    RubricAnswers,
    Support,
)

Answers = QualityAnswers | PreferenceAnswer | RubricAnswers
Controls = Mapping[str, frozenset[str]]
CANNOT_JUDGE = "cannot_judge"
COMMENT = "comment"
LONGEST = 5_000
"""Characters of a comment that a verdict holds; the raw file has all of it."""
# An at sign, in any spelling that a page would show as one.
_AT = re.compile(r"[@\uff20\ufe6b]|&#0*64;|&#x0*40;|&commat;", re.IGNORECASE)


class FormAnswers(NamedTuple):
    """The answers of a complete form, with A and B as the responses' names."""

    answers: Answers
    comment: str


def controls(kind: Kind, scales: tuple[Scale, ...], aspects: int) -> dict[str, frozenset[str]]:
    """The controls of a complete form, by name, and the choices that each allows.

    `aspects` is how many rows a task of kind rubric has. The comment, which nobody has to write,
    is not among them.
    """
    if kind == "quality":
        return {
            f"{scale.name}_{side}": frozenset(scale_choices(scale))
            for scale in scales
            for side in "ab"
        }
    if kind == "preference":
        return {"preference": frozenset({"A", "B", EQUAL, CANNOT_TELL})}
    row = {
        "support": frozenset(get_args(Support)),
        "delivered": frozenset({"A", "B", BOTH, NEITHER, CANNOT_TELL}),
    }
    return {f"{name}_{n}": values for n in range(aspects) for name, values in row.items()}


def scale_choices(scale: Scale, language: Language = ENGLISH) -> dict[str, str]:
    """The choices of a scale and their labels: every score with its anchor, and `cannot judge`
    where the scale has it."""
    texts = {anchor.score: language(anchor.text) for anchor in scale.anchors}
    choices = {
        str(score): f"{score}: {texts[score]}" if score in texts else str(score)
        for score in range(scale.low, scale.high + 1)
    }
    return choices | ({CANNOT_JUDGE: language("Cannot judge")} if scale.cannot_judge else {})


def read_answers(
    entries: Iterable[Entry], task: KeyedTask, controls: Controls, scales: tuple[Scale, ...]
) -> FormAnswers | Objection:
    """Read a filled-in form as answers. Every one of its `controls` must be answered, once."""
    chosen: dict[str, str] = {}
    comment = ""
    for entry in entries:
        if isinstance(entry, Objection):
            return entry
        if isinstance(entry, Remark):
            if isinstance(entry.text, Objection):
                return entry.text
            if comment:
                return Objection("duplicate_answer", COMMENT)
            comment = _nameless(entry.text)
            continue
        name, choice = entry
        if name is None or name not in controls:
            return Objection("unknown_control", "unnamed" if name is None else _quoted(name))
        if isinstance(choice, Objection):
            return choice
        if choice not in controls[name]:
            return Objection("unknown_choice", f"{name}: {_quoted(choice)}")
        if name in chosen:
            return Objection("duplicate_answer", name)
        chosen[name] = choice
    if missing := [name for name in controls if name not in chosen]:
        return Objection("missing_answer", ", ".join(sorted(missing)[:4]))
    return FormAnswers(_answers(chosen, task, scales), comment)


def skip_remark(entries: Iterable[Entry]) -> str:
    """The comment of a task that was skipped. Nothing else in it is an answer."""
    for entry in entries:
        if isinstance(entry, Remark):
            return _nameless(entry.text) if isinstance(entry.text, str) else ""
    return ""


def _nameless(comment: str) -> str:
    """A comment as a verdict holds it: visible, short, without e-mail addresses."""
    text = visible(comment).strip()
    return re.sub(r"\S+", _without_address, text)[:LONGEST]


def _without_address(word: re.Match[str]) -> str:
    return "[e-mail]" if _AT.search(word.group()) else word.group()


def _quoted(text: str) -> str:
    """A word of somebody else's for a detail: visible, and short."""
    return ascii(text if len(text) <= 40 else text[:40] + "…")


def _answers(chosen: dict[str, str], task: KeyedTask, scales: tuple[Scale, ...]) -> Answers:
    names = {"A": task.a, "B": task.b}
    if task.kind == "preference":
        choice = chosen["preference"]
        return PreferenceAnswer(choice=names.get(choice, choice))
    if task.kind == "quality":
        return QualityAnswers(
            scores={
                response: {scale.name: _score(chosen[f"{scale.name}_{side}"]) for scale in scales}
                for response, side in ((task.a, "a"), (task.b, "b"))
            }
        )
    return RubricAnswers(
        aspects=tuple(
            AspectAnswer(
                aspect=aspect,
                support=cast(Support, chosen[f"support_{n}"]),
                delivered=names.get(chosen[f"delivered_{n}"], chosen[f"delivered_{n}"]),
            )
            for n, aspect in enumerate(task.aspects)
        )
    )


def _score(choice: str) -> int | None:
    return None if choice == CANNOT_JUDGE else int(choice)
