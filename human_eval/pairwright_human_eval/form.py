"""The questions of each kind of task, and the answers that a filled-in form gives to them.

A tool stores everything that is posted, so nothing of a form is taken for granted. Tools without a
form language of their own, spreadsheets and previews, are written from `view_of`: what is shown and
what is asked, part after part.
"""

import re
from collections.abc import Iterable, Iterator
from html import escape
from typing import Literal, NamedTuple, cast

from pairwright.settings.domains import Scale
from pairwright.text import visible
from pairwright_human_eval.annotation import COMMENT, SEEN, Entry, Objection
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

CANNOT_JUDGE = "cannot_judge"
LONGEST = 5_000
"""Characters of a comment that a verdict holds; the raw file has all of it."""
# An at sign, in any spelling that a page would show as one.
_AT = re.compile(r"[@\uff20\ufe6b]|&#0*64;|&#x0*40;|&commat;", re.IGNORECASE)
QUESTIONS = {
    "preference": (
        "Going only by these posts, which answer would this person find more useful?"
        " Not which you prefer."
    ),
    "own": "Imagine that you ask this question today. Which answer would you find more useful?",
    "support": "Does what this person wrote support that this person wants this here?",
    "delivered": "Which response delivers it?",
}
_PREFERENCE = {
    "A": "Response A",
    "B": "Response B",
    EQUAL: "No difference for this person",
    CANNOT_TELL: "Cannot tell",
}
LABELS: dict[str, dict[str, str]] = {
    "preference": _PREFERENCE,
    "own": _PREFERENCE | {EQUAL: "No difference for me"},
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


class FormQuestion(NamedTuple):
    """A question with its choices."""

    control: str
    question: str
    choices: dict[str, str]
    """What is stored, and what the annotator reads."""
    heading: str = ""
    """The line that is asked about, where there are several."""
    role: Literal["asked"] = "asked"


def questions(
    kind: Kind,
    scales: tuple[Scale, ...],
    aspects: int,
    language: Language = ENGLISH,
    *,
    own: bool = False,
) -> dict[str, FormQuestion]:
    """The questions of a complete form, by control.

    `aspects` is how many rows a task of kind rubric has. What nobody has to answer, the comment and
    `marks`, is not among them. An `own` preference is for the person who wrote the posts.
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
        one = _form_question("own" if own else kind, "", "", language)
        asked = [one._replace(control=kind)]
    else:
        asked = [
            _form_question(name, f"_{n}", f"{language('Line')} {n + 1}", language)
            for n in range(aspects)
            for name in ("support", "delivered")
        ]
    return {one.control: one for one in asked}


def marks(kind: Kind, language: Language = ENGLISH) -> dict[str, FormQuestion]:
    """What may be ticked beside the questions, by control."""
    if kind != "preference":
        return {}
    question = language("I have had this very task before (optional)")
    return {SEEN: FormQuestion(SEEN, question, {SEEN: language("yes")})}


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
    aspects = _rows(data, "aspects")
    own = is_own(data, kind)
    asked = questions(kind, scales, len(aspects), language, own=own)
    if kind != "rubric":
        yield from asked.values()
        yield from () if own else marks(kind, language).values()
        return
    for n, row in enumerate(aspects):
        support, delivered = asked[f"support_{n}"], asked[f"delivered_{n}"]
        wanted, passage = language("What this person may want"), "The passage given for this"
        yield _plain("aspect", f"{support.heading}: {wanted}", row["text"])
        yield _plain("quote", f"{support.heading}: {language(passage)}", row["quote"])
        yield support
        yield delivered


def is_own(data: Data, kind: Kind) -> bool:
    """Whether a task asks the person whose posts the pair was made of: it shows no posts."""
    return kind == "preference" and "posts" not in data


def _plain(role: Role, heading: str, text: str) -> Shown:
    return Shown(role, heading, text, f'<p class="plain">{escape(text)}</p>')


def _rows(data: Data, name: str) -> list[dict[str, str]]:
    return cast(list[dict[str, str]], data.get(name) or [])


# What was answered


class FormAnswers(NamedTuple):
    """The answers of a complete form, with A and B as the responses' names."""

    answers: QualityAnswers | PreferenceAnswer | RubricAnswers
    comment: str


def read_answers(
    entries: Iterable[Entry], task: KeyedTask, scales: tuple[Scale, ...]
) -> FormAnswers | Objection:
    """Read a filled-in form as answers. Every one of its controls must be answered, once."""
    asked = questions(task.kind, scales, len(task.aspects))
    chosen: dict[str, str] = {}
    comment, seen = "", False
    for entry in entries:
        if isinstance(entry, Objection):
            return entry
        name, choice = entry
        if name in marks(task.kind):
            # A tick that was taken back is no choice.
            if choice not in (SEEN, Objection("missing_answer", SEEN)):
                return Objection("unknown_choice", SEEN)
            seen = choice == SEEN
            continue
        if name == COMMENT:
            if isinstance(choice, Objection):
                return choice
            if comment:
                return Objection("duplicate_answer", COMMENT)
            comment = _nameless(choice)
            continue
        if name is None or name not in asked:
            return Objection("unknown_control", "unnamed" if name is None else quoted(name))
        if isinstance(choice, Objection):
            return choice
        if choice not in asked[name].choices:
            return Objection("unknown_choice", f"{name}: {quoted(choice)}")
        if name in chosen:
            return Objection("duplicate_answer", name)
        chosen[name] = choice
    if missing := [name for name in asked if name not in chosen]:
        return Objection("missing_answer", ", ".join(sorted(missing)[:4]))
    return FormAnswers(_answers(chosen, seen, task, scales), comment)


def _answers(
    chosen: dict[str, str], seen: bool, task: KeyedTask, scales: tuple[Scale, ...]
) -> QualityAnswers | PreferenceAnswer | RubricAnswers:
    names = {"A": task.a, "B": task.b}
    if task.kind == "preference":
        choice = chosen["preference"]
        return PreferenceAnswer(choice=names.get(choice, choice), seen=seen)
    if task.kind == "quality":
        scores: dict[str, dict[str, int | None]] = {task.a: {}, task.b: {}}
        for response, side in ((task.a, "a"), (task.b, "b")):
            for scale in scales:
                choice = chosen[f"{scale.name}_{side}"]
                scores[response][scale.name] = None if choice == CANNOT_JUDGE else int(choice)
        return QualityAnswers(scores=scores)
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


def skip_remark(entries: Iterable[Entry]) -> str:
    """The comment of a task that was skipped. Nothing else in it is an answer."""
    for entry in entries:
        if not isinstance(entry, Objection) and entry[0] == COMMENT:
            return _nameless(entry[1]) if isinstance(entry[1], str) else ""
    return ""


def _nameless(comment: str) -> str:
    """A comment as a verdict holds it: visible, short, without e-mail addresses."""
    words = re.split(r"(\s+)", visible(comment).strip())
    return "".join("[e-mail]" if _AT.search(word) else word for word in words)[:LONGEST]


def quoted(text: str) -> str:
    """Something that somebody else wrote, for a detail: visible, and short."""
    return ascii(text if len(text) <= 40 else text[:40] + "…")
