"""The language that annotators read: of the forms, the guidelines, and what stands around them.

English is written where it is used. Every other language is one file of `human_eval/languages/`,
with its words by the English ones, and its guidelines beside it. The guidelines show the quality
scales in the words of the judge.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from pairwright import assets
from pairwright.errors import InputError
from pairwright.records import Record
from pairwright.settings.domains import Scale
from pairwright.settings.toml_files import read_toml, validated

FOLDER = assets.HUMAN_EVAL / "languages"


class Language(Record):
    """The words of one language. Called with a text in English, it gives it in this language."""

    code: str
    """Such as `de`."""
    separator: str = ","
    """Of cells in CSV, as spreadsheets of the language's country expect it."""
    words: dict[str, str] = Field(default_factory=dict)
    """By the English text."""
    earlier: dict[str, str] = Field(default_factory=dict)
    """What earlier versions had for some of these texts, by the English text."""

    def __call__(self, text: str) -> str:
        """Raises InputError where the language's file lacks the text."""
        if self.code == "en":
            return self.words.get(text, text)
        if text not in self.words:
            raise InputError(
                f"has no words for {text!r}",
                where=path_of(self.code),
                fix="Add a line for it to [words], with the English text before the = sign.",
            )
        return self.words[text]

    @property
    def before(self) -> "Language":
        """The language as earlier versions wrote it, to read what was exported with them."""
        return self.model_copy(update={"words": self.words | self.earlier})


ENGLISH = Language(code="en", earlier={"No difference for this person": "About equal"})


def languages() -> tuple[str, ...]:
    """The codes of the languages that there are."""
    return ("en", *sorted(path.stem for path in FOLDER.glob("*.toml")))


def load_language(code: str) -> Language:
    """The language of a code; raises InputError where there is no file for it."""
    if code == "en":
        return ENGLISH
    if code not in languages():
        raise InputError(
            f"{code!r} is not a language that forms are written in",
            where="--language",
            fix=f"Take one of {', '.join(languages())}, or add its file to {FOLDER}.",
        )
    path = path_of(code)
    tables = {"code": code, **read_toml(path, "Compare with de.toml as it ships.", InputError)}
    return validated(Language, tables, path, docs=path_of("de"), error=InputError)


def path_of(code: str) -> Path:
    """The file of a language's words."""
    return FOLDER / f"{code}.toml"


PLACE = "[[ scales ]]\n"
"""The line of the guidelines in whose place the table of scales is put."""
_OF_ASPECTS = re.compile(r"\[\[ aspects \]\]\n(.*?)\[\[ end \]\]\n", re.DOTALL)
"""The parts of the guidelines that are for those who are asked about aspects."""


def render_guidelines(
    scales: Sequence[Scale], language: Language = ENGLISH, *, aspects: bool = True
) -> str:
    """The whole page, in Markdown. `aspects`: whether anybody is asked about these."""
    text = page_text("guidelines", language).replace(PLACE, _scale_table(scales, language))
    return _OF_ASPECTS.sub(r"\1" if aspects else "", text)


def page_text(name: str, language: Language = ENGLISH) -> str:
    """A page for people as it ships, in Markdown: `guidelines`, and the `consent` that they give
    before they begin; `own_guidelines` and `own_consent` of people who judge pairs of their own
    posts. Raises InputError where the language has none."""
    path = FOLDER / f"{name}.{language.code}.md"
    if language.code == "en":
        path = assets.HUMAN_EVAL / f"{name}.md"
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            str(error.strerror), where=path, fix=f"Write {path.name} in this language."
        ) from None


def _scale_table(scales: Sequence[Scale], language: Language) -> str:
    """A column for each scale with its question above, and a row for each score."""
    anchors = [
        {anchor.score: language(anchor.text) for anchor in scale.anchors} for scale in scales
    ]
    questions = [f"{n}. {language(scale.question)}" for n, scale in enumerate(scales, start=1)]
    rows = [["", *questions], ["---"] * (len(scales) + 1)]
    for score in sorted({score for column in anchors for score in column}):
        rows.append([str(score), *(column.get(score, "") for column in anchors)])
    table = ""
    for row in rows:
        cells = (" ".join(cell.replace("|", "\\|").split()) for cell in row)
        table += "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|\n"
    return table
