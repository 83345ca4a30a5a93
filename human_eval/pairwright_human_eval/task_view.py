"""A task as an annotator meets it, part after part: what is shown, and what is asked.

Tools without a form language of their own are written from this: spreadsheets and previews.
"""

from collections.abc import Iterator
from html import escape
from typing import Literal, NamedTuple, cast

from pairwright.settings.domains import Scale
from pairwright_human_eval.form import scale_choices
from pairwright_human_eval.language import Language
from pairwright_human_eval.records import BOTH, CANNOT_TELL, EQUAL, NEITHER, Data, Kind
from pairwright_human_eval.safe_html import plain_text

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
