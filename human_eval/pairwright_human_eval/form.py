"""The questions of each kind of task, and the answers that a filled-in form gives to them.

A tool stores everything that is posted, so nothing of a form is taken for granted. Tools without a
form language of their own, spreadsheets and previews, are written from `view_of`: what is shown and
what is asked, part after part.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Literal, NamedTuple, cast, get_args

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
    Data,
    KeyedTask,
    Kind,
    PreferenceAnswer,
    QualityAnswers,
    RubricAnswers,
    Support,
)
from pairwright_human_eval.safe_html import plain_text

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


PREFERENCE_QUESTION = (
    "Going only by these posts, which answer would this person find more useful?"
    " Not which you prefer."
)
SUPPORT_QUESTION = "Does what this person wrote support that this person wants this here?"
DELIVERED_QUESTION = "Which response delivers it?"
LABELS = {
    "preference": {
        "A": "Response A",
        "B": "Response B",
        EQUAL: "About equal",
        CANNOT_TELL: "Cannot tell",
    },
    "support": {
        "clearly": "Clearly",
        "plausibly": "Plausibly",
        "no": "No",
        "contradicted": "Contradicted",
    },
    "delivered": {
        "A": "Only A",
        "B": "Only B",
        BOTH: "Both",
        NEITHER: "Neither",
        CANNOT_TELL: "Cannot tell",
    },
}
"""By question: what is stored, and what the annotator reads."""


Role = Literal["question", "narrative", "post", "response", "earlier", "aspect", "quote"]


class Shown(NamedTuple):
    """Something to read."""

    role: Role
    heading: str
    text: str
    html: str
    """The same, safe for a page."""


class Asked(NamedTuple):
    """A question with its choices."""

    control: str
    question: str
    choices: dict[str, str]
    """What is stored, and what the annotator reads."""
    heading: str = ""
    """The line that is asked about, where there are several."""


Part = Shown | Asked


def view_of(
    data: Data, kind: Kind, scales: tuple[Scale, ...], language: Language
) -> tuple[Part, ...]:
    """The parts of a task in the order in which they are to be read and answered."""
    parts = [
        *_shown(data, language),
        *{"quality": _quality, "preference": _preference, "rubric": _rubric}[kind](
            data, scales, language
        ),
    ]
    return tuple(parts)


def _shown(data: Data, language: Language) -> Iterator[Shown]:
    yield _plain("question", language("The question"), str(data["question"]))
    for row in _rows(data, "narrative"):
        yield _plain(
            "narrative", language("What this person wrote below the question"), row["text"]
        )
    for row in _rows(data, "posts"):
        heading = language("Earlier posts by this person")
        dated = f"{heading}: {row['when']}" if row["when"] else heading
        yield _plain("post", dated, row["text"])
    for side in "AB":
        html = str(data[f"response_{side.lower()}"])
        yield Shown("response", language(f"Response {side}"), plain_text(html), html)
    for row in _rows(data, "earlier"):
        yield _plain("earlier", language("What others answered"), row["text"])


def _plain(role: Role, heading: str, text: str) -> Shown:
    return Shown(role, heading, text, f'<p class="plain">{escape(text)}</p>')


def _quality(_data: Data, scales: tuple[Scale, ...], language: Language) -> Iterator[Part]:
    for number, scale in enumerate(scales, start=1):
        for side in "AB":
            yield Asked(
                f"{scale.name}_{side.lower()}",
                f"{number}. {language(scale.question)} ({language(f'Response {side}')})",
                scale_choices(scale, language),
            )


def _preference(_data: Data, scales: tuple[Scale, ...], language: Language) -> Iterator[Part]:
    labels = labels_of("preference", "preference", scales, language)
    yield Asked("preference", language(PREFERENCE_QUESTION), labels)


def _rubric(data: Data, scales: tuple[Scale, ...], language: Language) -> Iterator[Part]:
    asked = {"support": SUPPORT_QUESTION, "delivered": DELIVERED_QUESTION}
    for n, row in enumerate(_rows(data, "aspects")):
        line = f"{language('Line')} {n + 1}"
        wanted, passage = "What this person may want", "The passage given for this"
        yield _plain("aspect", f"{line}: {language(wanted)}", row["text"])
        yield _plain("quote", f"{line}: {language(passage)}", row["quote"])
        for name, question in asked.items():
            control = f"{name}_{n}"
            labels = labels_of(control, "rubric", scales, language)
            yield Asked(control, language(question), labels, line)


def labels_of(
    control: str, kind: Kind, scales: tuple[Scale, ...], language: Language
) -> dict[str, str]:
    """The choices of a control: what is stored, and what the annotator reads."""
    name = control.rpartition("_")[0]
    if kind == "quality":
        return scale_choices(next(scale for scale in scales if scale.name == name), language)
    labels = LABELS[control if kind == "preference" else name]
    return {alias: language(label) for alias, label in labels.items()}


def _rows(data: Data, name: str) -> list[dict[str, str]]:
    return cast(list[dict[str, str]], data.get(name) or [])
