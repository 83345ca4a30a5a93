"""What a scorer that sees one question and one response can count."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from pairwright import text
from pairwright.gates.phrases import PERSONA, REFUSAL, first_phrase

LIST = re.compile(r"^[ \t]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+\S", re.MULTILINE)
HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+\S", re.MULTILINE)
BOLD = re.compile(r"(\*\*|__)(?=\S)[^\n]{1,200}?\1")
WINDOW = 50
"""Words over which diversity is taken: over whole texts it falls with their length."""


class Response(NamedTuple):
    """Counts of one response. Every field but `persona` and `refusal` is a blind check of its
    name; of these two, whether there is such a phrase is one."""

    length: int
    """Words between white space."""
    lists: int
    """Items of markdown lists."""
    headings: int
    bold: int
    question_overlap: int
    """Distinct content words of the question."""
    lexical_diversity: float
    """Distinct words over words."""
    persona: str | None
    """The first phrase that speaks about its reader."""
    refusal: str | None


# Both halves of a twin hold the same two responses.
@lru_cache(maxsize=1024)
def response(question: str, given: str) -> Response:
    """Count one response to one question."""
    return Response(
        length=text.word_count(given),
        lists=len(LIST.findall(given)),
        headings=len(HEADING.findall(given)),
        bold=len(BOLD.findall(given)),
        question_overlap=len(text.terms(given) & text.terms(question)),
        lexical_diversity=diversity(text.words(given)),
        persona=first_phrase(PERSONA, given, question),
        refusal=first_phrase(REFUSAL, given, question),
    )


def diversity(words: Sequence[str]) -> float:
    """Mean share of distinct words in windows of `WINDOW` words that overlap by half (after the
    moving average of Covington and McFall 2010, J. Quant. Linguistics 17, 94-100); of all words
    where they are fewer; 0 for none."""
    starts = range(0, max(1, len(words) - WINDOW + 1), WINDOW // 2)
    windows = [words[start : start + WINDOW] for start in starts]
    shares = [len(set(window)) / max(len(window), 1) for window in windows]
    # Equal means must compare equal, however many windows they are of.
    return round(sum(shares) / len(shares), 9)
