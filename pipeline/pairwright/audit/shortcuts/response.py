"""What a scorer that sees one question and one response can count."""

from functools import lru_cache
from typing import NamedTuple

from pairwright import text
from pairwright.audit.shortcuts.form import form
from pairwright.gates.phrases import PERSONA, REFUSAL, first_phrase


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
    of = form(given)
    return Response(
        length=text.word_count(given),
        lists=of.lists,
        headings=of.headings,
        bold=of.bold,
        question_overlap=len(text.terms(given) & text.terms(question)),
        lexical_diversity=of.diversity,
        persona=first_phrase(PERSONA, given, question),
        refusal=first_phrase(REFUSAL, given, question),
    )
