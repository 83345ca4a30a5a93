"""What is kept of a pair that the classifiers are tried on: nothing of its user."""

from typing import NamedTuple

from pairwright import text
from pairwright.audit.shortcuts.stems import Flags, Stems, among, stems
from pairwright.audit.shortcuts.style import Numbers, against, asked, style
from pairwright.dataset import Row


class Said(NamedTuple):
    """One response in numbers."""

    style: Numbers
    against: Numbers
    """What it shares with the question."""
    words: Stems
    of_question: Flags
    """Which of them the question has."""


class Learnable(NamedTuple):
    """A pair in numbers."""

    asked: Numbers
    chosen: Said
    rejected: Said


def learnable(row: Row) -> Learnable:
    """Measure a row's two responses against its question."""
    return Learnable(
        asked(row.question), _said(row.question, row.chosen), _said(row.question, row.rejected)
    )


def _said(question: str, given: str) -> Said:
    words = stems(given)
    return Said(
        style=style(given),
        against=against(question, given),
        words=words,
        of_question=among(words, text.terms(question)),
    )
