"""The language that annotators read: of the forms, the guidelines, and what stands around them.

English is written where it is used. Every other language is one file of `human_eval/languages/`,
with its words by the English ones, and its guidelines beside it.
"""

import re
from collections.abc import Sequence

from pydantic import Field

from pairwright import assets
from pairwright.errors import InputError
from pairwright.records import Record
from pairwright.settings import read_toml, validated
from pairwright.settings.domains import Scale

FOLDER = assets.HUMAN_EVAL / "languages"


class Language(Record):
    """The words of one language. Called with a text in English, it gives it in this language."""

    code: str
    """Such as `de`."""
    separator: str = ","
    """Of cells in CSV, as spreadsheets of the language's country expect it."""
    words: dict[str, str] = Field(default_factory=dict)
    """By the English text."""

    def __call__(self, text: str) -> str:
        """A text that the language's file lacks stays in English."""
        return self.words.get(text, text)


ENGLISH = Language(code="en")


def load_language(code: str) -> Language:
    """The language of a code; raises InputError where there is no file for it."""
    if code == "en":
        return ENGLISH
    languages = ("en", *sorted(path.stem for path in FOLDER.glob("*.toml")))
    if code not in languages:
        raise InputError(
            f"{code!r} is not a language that forms are written in",
            where="--language",
            fix=f"Take one of {', '.join(languages)}, or add its file to {FOLDER}.",
        )
    path, shipped = FOLDER / f"{code}.toml", FOLDER / "de.toml"
    tables = {"code": code, **read_toml(path, "Compare with de.toml as it ships.", InputError)}
    return validated(Language, tables, path, docs=shipped, error=InputError)


PLACE = "[[ scales ]]\n"
"""The line of the guidelines in whose place the table of scales is put."""
_OF_ASPECTS = re.compile(r"\[\[ aspects \]\]\n(.*?)\[\[ end \]\]\n", re.DOTALL)
"""The parts of the guidelines that are for those who are asked about aspects."""


def render_guidelines(
    scales: Sequence[Scale], language: Language = ENGLISH, *, aspects: bool = True
) -> str:
    """The whole page, in Markdown, with the quality scales in the words of the judge. `aspects`:
    whether anybody is asked about these. Raises InputError where the language has no guidelines."""
    path = FOLDER / f"guidelines.{language.code}.md"
    if language.code == "en":
        path = assets.HUMAN_EVAL / "guidelines.md"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            str(error.strerror), where=path, fix=f"Write {path.name} in this language."
        ) from None
    text = text.replace(PLACE, _scale_table(scales, language))
    return _OF_ASPECTS.sub(r"\1" if aspects else "", text)


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
