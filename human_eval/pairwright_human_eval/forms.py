"""The forms that annotators fill in: questions and choices, the templates that show them, and what
filled-in ones say. Texts in the code are in English. `languages/CODE.toml` has the words of another
language by the English ones."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import jinja2
from pydantic import Field

from pairwright import assets
from pairwright.errors import InputError
from pairwright.lines import read_document
from pairwright.records import Record
from pairwright.settings import read_toml, validated
from pairwright.settings.domains import Scale
from pairwright.text import visible
from pairwright_human_eval import records
from pairwright_human_eval.records import Answer, AnswerKind, KeyedTask, Kind, Objection, Tool

COMMENT = "comment"  # The control that holds a comment, which is optional.
LONGEST_COMMENT = 5_000
# An at sign, in any spelling that a page would show as one.
_AT = re.compile(r"[@\uff20\ufe6b]|&#0*64;|&#x0*40;|&commat;", re.IGNORECASE)
_LONE = re.compile("[\ud800-\udfff]")
# What Label Studio would put a value of the task, or a row's number, in place of.
_VARIABLE = re.compile(r"\$\w|\{\{")
LANGUAGES = assets.HUMAN_EVAL / "languages"


class Language(Record):
    """The words of one language. Called with a text in English, it gives it in this language."""

    code: str
    separator: str = ","
    words: dict[str, str] = Field(default_factory=dict)

    def __call__(self, text: str) -> str:
        return self.words.get(text, text)


ENGLISH = Language(code="en")


def load_language(code: str) -> Language:
    """The language of a code; raises InputError if there is no file for it."""
    if code == "en":
        return ENGLISH
    path = LANGUAGES / f"{code}.toml"
    there = ", ".join(one.stem for one in LANGUAGES.glob("*.toml"))
    fix = f"Choose --language en or {there}, or write this file like {LANGUAGES / 'de.toml'}."
    tables = {"code": code, **read_toml(path, fix, InputError)}
    return validated(Language, tables, path, docs=LANGUAGES / "de.toml", error=InputError)


class Question(NamedTuple):
    """A question with its choices."""

    control: str
    question: str
    choices: dict[str, str]
    """Stored values, with the words that the annotator reads."""
    heading: str = ""


QUESTIONS = tomllib.loads((assets.HUMAN_EVAL / "questions.toml").read_text(encoding="utf-8"))


def questions(
    kind: Kind, scales: tuple[Scale, ...], aspects: int, language: Language = ENGLISH
) -> dict[str, Question]:
    """The questions of a complete form, by control. `aspects` is how many rows a rubric has."""
    asked = []
    for number, scale in enumerate(scales if kind == "quality" else (), start=1):
        for side in "AB":
            text = f"{number}. {language(scale.question)} ({language(f'Response {side}')})"
            control = f"{scale.name}_{side.lower()}"
            asked.append(Question(control, text, scale_choices(scale, language)))
    rows = [("preference", "", "")] if kind == "preference" else []
    for n in range(aspects if kind == "rubric" else 0):
        heading = f"{language('Line')} {n + 1}"
        rows += [("support", f"_{n}", heading), ("delivered", f"_{n}", heading)]
    for name, end, heading in rows:
        one = QUESTIONS[name]
        labels = {alias: language(label) for alias, label in one["choices"].items()}
        asked.append(Question(name + end, language(one["question"]), labels, heading))
    return {question.control: question for question in asked}


def scale_choices(scale: Scale, language: Language = ENGLISH) -> dict[str, str]:
    """Every score with its anchor, and `cannot judge` where the scale has it."""
    texts = {anchor.score: language(anchor.text) for anchor in scale.anchors}
    scores = range(scale.low, scale.high + 1)
    choices = {str(n): f"{n}: {texts[n]}" if n in texts else str(n) for n in scores}
    if scale.cannot_judge:
        choices[records.CANNOT_JUDGE] = language("Cannot judge")
    return choices


TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(assets.HUMAN_EVAL),
    undefined=jinja2.StrictUndefined,
    autoescape=lambda name: name is not None and name.endswith(".xml.jinja"),
    keep_trailing_newline=True,
    trim_blocks=True,
    # Label Studio has its own use for braces.
    variable_start_string="[[", variable_end_string="]]",
    block_start_string="[%", block_end_string="%]",
    comment_start_string="[#", comment_end_string="#]",
)  # fmt: skip


def labelling_config(kind: Kind, scales: tuple[Scale, ...], language: Language = ENGLISH) -> str:
    """The XML of a kind's labelling configuration for Label Studio; raises InputError."""
    for scale in scales if kind == "quality" else ():
        for text in (scale.question, *(anchor.text for anchor in scale.anchors)):
            if found := _VARIABLE.search(text):
                what = f"Label Studio would take {found.group()!r} in {text!r} for a variable"
                fix = "Say it without a $ before a word and without {{."
                raise InputError(what, where=f"quality.toml [{scale.name}]", fix=fix)
    text = TEMPLATES.get_template(f"labeling_config_{kind}.xml.jinja").render(
        _=language, scales=scales, questions=QUESTIONS, scale_choices=scale_choices
    )
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip()) + "\n"


def render_guidelines(
    scales: Sequence[Scale], language: Language = ENGLISH, tool: Tool = "label-studio", *,
    aspects: bool = True,
) -> str:  # fmt: skip
    """The whole page, in Markdown, for people who work with this tool. `aspects`: whether anybody
    is asked about these. Raises InputError if the language has no guidelines."""
    path = LANGUAGES / f"guidelines.{language.code}.md"
    if language.code == "en":
        path = assets.HUMAN_EVAL / "guidelines.md"
    page = read_document(path, fix=f"Write {path.name} in this language.")
    scores = sorted({anchor.score for scale in scales for anchor in scale.anchors})
    return TEMPLATES.from_string(page).render(
        _=language, scales=scales, scores=scores, aspects=aspects, sheet=tool == "spreadsheet"
    )


def read_form(
    entries: Iterable[tuple[str, str]], task: KeyedTask, scales: tuple[Scale, ...],
    comment: str = "", seconds: float | None = None, at: str = "", source: str = "",
) -> tuple[Answer, ...]:  # fmt: skip
    """Answers of a filled-in form, from its controls with their choices: places become roles.
    Raises Objection unless every control is answered, once."""
    asked, chosen = questions(task.kind, scales, task.aspects), dict[str, str]()
    for name, choice in entries:
        if name not in asked:
            raise Objection("unknown_control", quoted(name))
        if choice not in asked[name].choices:
            raise Objection("unknown_choice", f"{name}: {quoted(choice)}")
        if name in chosen:
            raise Objection("duplicate_answer", name)
        chosen[name] = choice
    if missing := sorted(asked.keys() - chosen):
        raise Objection("missing_answer", ", ".join(missing[:4]))
    said: list[tuple[AnswerKind, str, str]] = []
    for control in asked:
        name, _, end = control.rpartition("_")
        label = task.sides.get(chosen[control], chosen[control])
        if task.kind == "preference":
            said.append(("preference", "", label))
        elif task.kind == "quality":
            said.append(("quality", f"{name} {task.sides[end.upper()]}", label))
        else:
            said.append(("support" if name == "support" else "delivery", str(int(end) + 1), label))
    if comment:
        said.append(("comment", "", comment))
    round = 0 if task.purpose == "repeat" else task.round
    return tuple(
        Answer(
            task=task.task, annotator=task.annotator, round=round, unit=task.unit, pair=task.pair,
            kind=kind, item=item, label=label, seconds=seconds, at=at, source=source,
        )
        for kind, item, label in said
    )  # fmt: skip


def nameless(comment: str) -> str:
    """A comment as a study keeps it: visible, short, fit for a file, without e-mail addresses."""
    words = re.split(r"(\s+)", visible(_LONE.sub("\ufffd", comment)).strip())
    return "".join("[e-mail]" if _AT.search(word) else word for word in words)[:LONGEST_COMMENT]


def quoted(text: str) -> str:
    """Quote another person's text in a detail: visible, and short."""
    return ascii(text if len(text) <= 40 else text[:40] + "…")
