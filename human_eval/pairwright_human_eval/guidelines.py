"""The guidelines that annotators read, with the quality scales in the words of the judge."""

from collections.abc import Sequence

from pairwright import assets
from pairwright.errors import InputError
from pairwright.settings.domains import Scale
from pairwright_human_eval.language import ENGLISH, FOLDER, Language

TEMPLATE = assets.HUMAN_EVAL / "guidelines.md"
PLACE = "[[ scales ]]\n"
"""The line of the template in whose place the table of scales is put."""


def render_guidelines(scales: Sequence[Scale], language: Language = ENGLISH) -> str:
    """The whole page, in Markdown."""
    template = TEMPLATE if language.code == "en" else FOLDER / f"guidelines.{language.code}.md"
    try:
        text = template.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            str(error.strerror), where=template, fix="Write the guidelines of this language there."
        ) from None
    return text.replace(PLACE, scale_table(scales, language))


def consent_text(language: Language = ENGLISH) -> str:
    """What people agree to before they begin, in Markdown, for the study lead to fill in."""
    if language.code == "en":
        path = assets.HUMAN_EVAL / "consent.md"
    else:
        path = FOLDER / f"consent.{language.code}.md"
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            str(error.strerror), where=path, fix="Write the consent form of this language there."
        ) from None


def scale_table(scales: Sequence[Scale], language: Language = ENGLISH) -> str:
    """A column for each scale with its question above, and a row for each score."""
    anchors = [
        {anchor.score: language(anchor.text) for anchor in scale.anchors} for scale in scales
    ]
    scores = sorted({score for column in anchors for score in column})
    questions = [f"{n}. {language(scale.question)}" for n, scale in enumerate(scales, start=1)]
    rows = [
        ["", *questions],
        ["---"] * (len(scales) + 1),
        *([str(score), *(column.get(score, "") for column in anchors)] for score in scores),
    ]
    return "".join(_line(row) for row in rows)


def _line(cells: Sequence[str]) -> str:
    texts = (" ".join(cell.replace("|", "\\|").split()) for cell in cells)
    return "|" + "|".join(f" {text} " if text else " " for text in texts) + "|\n"
