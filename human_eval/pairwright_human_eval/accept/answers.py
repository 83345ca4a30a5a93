"""The results of one annotation as answers about responses and aspects.

Label Studio stores whatever is posted, so nothing of the form is taken for granted.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple, cast

from pydantic import JsonValue

from pairwright.settings.domains import Scale
from pairwright.text import visible
from pairwright_human_eval.accept.reasons import Objection, quoted
from pairwright_human_eval.forms import CANNOT_JUDGE
from pairwright_human_eval.records import (
    AspectAnswer,
    KeyedTask,
    PreferenceAnswer,
    QualityAnswers,
    RubricAnswers,
    Support,
)

Answers = QualityAnswers | PreferenceAnswer | RubricAnswers
Controls = Mapping[str, frozenset[str]]
COMMENT = "comment"
LONGEST = 5_000
"""Characters of a comment that a verdict holds; the raw file has all of it."""
# Whatever has an at sign in it, in any spelling that a page would show as one.
_AT = re.compile(r"[@\uff20\ufe6b]|&#0*64;|&#x0*40;|&commat;", re.IGNORECASE)


class FormAnswers(NamedTuple):
    """A complete form, with A and B as the responses' names."""

    answers: Answers
    comment: str


def read_answers(
    result: list[JsonValue], task: KeyedTask, controls: Controls, scales: tuple[Scale, ...]
) -> FormAnswers | Objection:
    """What the results say. `controls` are the form's, with the choices each allows: every one
    must be answered, once."""
    chosen: dict[str, str] = {}
    comment = ""
    for row in result:
        if not isinstance(row, dict):
            return Objection("malformed", "a result that is no object")
        name, value = row.get("from_name"), row.get("value")
        if name == COMMENT:
            text = _text(row, value)
            if isinstance(text, Objection):
                return text
            if comment:
                return Objection("duplicate_answer", COMMENT)
            comment = text
            continue
        if not isinstance(name, str) or name not in controls:
            return Objection(
                "unknown_control", quoted(name) if isinstance(name, str) else "unnamed"
            )
        choice = _choice(name, row, value)
        if isinstance(choice, Objection):
            return choice
        if choice not in controls[name]:
            return Objection("unknown_choice", f"{name}: {quoted(choice)}")
        if name in chosen:
            return Objection("duplicate_answer", name)
        chosen[name] = choice
    if missing := [name for name in controls if name not in chosen]:
        return Objection("missing_answer", ", ".join(sorted(missing)[:4]))
    return FormAnswers(_answers(chosen, task, scales), comment)


def remark(result: list[JsonValue]) -> str:
    """The comment of a task that was skipped; whatever else is ticked there is no answer."""
    for row in result:
        if isinstance(row, dict) and row.get("from_name") == COMMENT:
            text = _text(row, row.get("value"))
            return text if isinstance(text, str) else ""
    return ""


def _choice(name: str, row: dict[str, JsonValue], value: JsonValue) -> str | Objection:
    choices = value.get("choices") if isinstance(value, dict) else None
    if row.get("type") != "choices" or not isinstance(choices, list):
        return Objection("wrong_type", name)
    if not choices:
        return Objection("missing_answer", name)
    if len(choices) > 1:
        return Objection("duplicate_answer", name)
    return choices[0] if isinstance(choices[0], str) else Objection("wrong_type", name)


def _text(row: dict[str, JsonValue], value: JsonValue) -> str | Objection:
    text = value.get("text") if isinstance(value, dict) else None
    lines = [text] if isinstance(text, str) else text
    if row.get("type") != "textarea" or not isinstance(lines, list):
        return Objection("wrong_type", COMMENT)
    if not all(isinstance(line, str) for line in lines):
        return Objection("wrong_type", COMMENT)
    said = visible("\n".join(map(str, lines))).strip()
    return re.sub(r"\S+", _nameless, said)[:LONGEST]


def _nameless(word: re.Match[str]) -> str:
    return "[e-mail]" if _AT.search(word.group()) else word.group()


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
