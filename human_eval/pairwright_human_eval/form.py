"""The questions of each kind of task, and the answers that a filled-in form gives to them.

A tool stores everything that is posted, so nothing of a form is taken for granted. Spreadsheets are
written from `view_of`: what is shown and what is asked, part after part.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, cast

from pairwright.settings.domains import Scale
from pairwright.text import visible
from pairwright_human_eval.language import ENGLISH, Language
from pairwright_human_eval.records import (
    BOTH,
    CANNOT_JUDGE,
    CANNOT_TELL,
    EQUAL,
    NEITHER,
    AnswerKind,
    Data,
    KeyedTask,
    Kind,
    Objection,
)
from pairwright_human_eval.safe_html import plain_text

COMMENT = "comment"
"""The control that holds a comment. Nobody has to write one."""
LONGEST = 5_000
"""Characters of a comment that is kept."""
# An at sign, in any spelling that a page would show as one.
_AT = re.compile(r"[@\uff20\ufe6b]|&#0*64;|&#x0*40;|&commat;", re.IGNORECASE)
QUESTIONS = {
    "preference": (
        "Going only by these posts, which answer would this person find more useful?"
        " Not which you prefer."
    ),
    "support": "Does what this person wrote support that this person wants this here?",
    "delivered": "Which response delivers it?",
}
LABELS: dict[str, dict[str, str]] = {
    "preference": {
        "A": "Response A",
        "B": "Response B",
        EQUAL: "No difference for this person",
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


class Shown(NamedTuple):
    """Something to read."""

    heading: str
    text: str


class FormQuestion(NamedTuple):
    """A question with its choices."""

    control: str
    question: str
    choices: dict[str, str]
    """What is stored, and what the annotator reads."""
    heading: str = ""
    """The line that is asked about, where there are several."""


def questions(
    kind: Kind, scales: tuple[Scale, ...], aspects: int, language: Language = ENGLISH
) -> dict[str, FormQuestion]:
    """The questions of a complete form, by control.

    `aspects` is how many rows a task of kind rubric has. The comment, which nobody has to write, is
    not among them.
    """
    if kind == "quality":
        asked = [
            FormQuestion(
                f"{scale.name}_{side.lower()}",
                f"{number}. {language(scale.question)} ({language(f'Response {side}')})",
                scale_choices(scale, language),
            )
            for number, scale in enumerate(scales, start=1)
            for side in "AB"
        ]
    elif kind == "preference":
        asked = [_form_question(kind, "", "", language)]
    else:
        asked = [
            _form_question(name, f"_{n}", f"{language('Line')} {n + 1}", language)
            for n in range(aspects)
            for name in ("support", "delivered")
        ]
    return {one.control: one for one in asked}


def _form_question(name: str, end: str, heading: str, language: Language) -> FormQuestion:
    labels = {alias: language(label) for alias, label in LABELS[name].items()}
    return FormQuestion(f"{name}{end}", language(QUESTIONS[name]), labels, heading)


def scale_choices(scale: Scale, language: Language = ENGLISH) -> dict[str, str]:
    """The choices of a scale and their labels: every score with its anchor, and `cannot judge`
    where the scale has it."""
    texts = {anchor.score: language(anchor.text) for anchor in scale.anchors}
    choices = {
        str(score): f"{score}: {texts[score]}" if score in texts else str(score)
        for score in range(scale.low, scale.high + 1)
    }
    return choices | ({CANNOT_JUDGE: language("Cannot judge")} if scale.cannot_judge else {})


def view_of(
    data: Data, kind: Kind, scales: tuple[Scale, ...], language: Language
) -> Iterator[Shown | FormQuestion]:
    """The parts of a task in the order in which they are to be read and answered."""
    yield Shown(language("The question"), str(data["question"]))
    for row in _rows(data, "narrative"):
        yield Shown(language("What this person wrote below the question"), row["text"])
    for row in _rows(data, "posts"):
        heading = language("Earlier posts by this person")
        yield Shown(f"{heading}: {row['when']}" if row["when"] else heading, row["text"])
    for side in "AB":
        text = plain_text(str(data[f"response_{side.lower()}"]))
        yield Shown(language(f"Response {side}"), text)
    for row in _rows(data, "earlier"):
        yield Shown(language("What others answered"), row["text"])
    aspects = _rows(data, "aspects")
    asked = questions(kind, scales, len(aspects), language)
    if kind != "rubric":
        yield from asked.values()
    for n, row in enumerate(aspects):
        support, delivered = asked[f"support_{n}"], asked[f"delivered_{n}"]
        wanted, passage = language("What this person may want"), "The passage given for this"
        yield Shown(f"{support.heading}: {wanted}", row["text"])
        yield Shown(f"{support.heading}: {language(passage)}", row["quote"])
        yield support
        yield delivered


def _rows(data: Data, name: str) -> list[dict[str, str]]:
    return cast(list[dict[str, str]], data.get(name) or [])


# What was answered


def read_choices(
    entries: Iterable[tuple[str, str]], task: KeyedTask, scales: tuple[Scale, ...]
) -> dict[str, str] | Objection:
    """Read a filled-in form: what was chosen, by control. Every control must be answered, once."""
    asked = questions(task.kind, scales, task.aspects)
    chosen: dict[str, str] = {}
    for name, choice in entries:
        if name not in asked:
            return Objection("unknown_control", quoted(name))
        if choice not in asked[name].choices:
            return Objection("unknown_choice", f"{name}: {quoted(choice)}")
        if name in chosen:
            return Objection("duplicate_answer", name)
        chosen[name] = choice
    if missing := [name for name in asked if name not in chosen]:
        return Objection("missing_answer", ", ".join(sorted(missing)[:4]))
    return {name: chosen[name] for name in asked}


def labels_of(chosen: Mapping[str, str], task: KeyedTask) -> Iterator[tuple[AnswerKind, str, str]]:
    """What the choices of a whole form say: kind, item and label of each answer."""
    for control, choice in chosen.items():
        name, _, end = control.rpartition("_")
        if task.kind == "preference":
            yield "preference", "", task.sides.get(choice, choice)
        elif task.kind == "quality":
            yield "quality", f"{name} {task.sides[end.upper()]}", choice
        else:
            kind: AnswerKind = "support" if name == "support" else "delivery"
            yield kind, str(int(end) + 1), task.sides.get(choice, choice)


_LONE = re.compile("[\ud800-\udfff]")


def nameless(comment: str) -> str:
    """A comment as a study keeps it: visible, short, fit for a file, without e-mail addresses."""
    words = re.split(r"(\s+)", visible(_LONE.sub("\ufffd", comment)).strip())
    return "".join("[e-mail]" if _AT.search(word) else word for word in words)[:LONGEST]


def quoted(text: str) -> str:
    """Something that somebody else wrote, for a detail: visible, and short."""
    return ascii(text if len(text) <= 40 else text[:40] + "…")
