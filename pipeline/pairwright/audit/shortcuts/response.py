"""What a scorer that sees one question and one response can count, and the checks that do."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from pairwright import text
from pairwright.audit.records import CheckDefinition
from pairwright.gates.phrases import PERSONA, REFUSAL, first_phrase
from pairwright.manner import BOLD, HEADING, LIST

NO_HISTORY = (
    "It needs no history of a user, so it does not measure how well a response fits a user."
)
WINDOW = 50
"""The number of words in which diversity is counted: in whole texts it falls with their length."""


class TextForm(NamedTuple):
    """Counts of markdown, and how rich the words are."""

    lists: int
    """Items of lists."""
    headings: int
    bold: int
    diversity: float
    """Distinct words over words."""


# Both halves of a twin hold the same two responses.
@lru_cache(maxsize=1024)
def text_form(response: str) -> TextForm:
    """Count the form of one text."""
    return TextForm(
        lists=len(LIST.findall(response)),
        headings=len(HEADING.findall(response)) if "#" in response else 0,
        bold=len(BOLD.findall(response)) if "**" in response or "__" in response else 0,
        diversity=diversity(text.words(response)),
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


class ResponseCounts(NamedTuple):
    """Counts of one response to one question."""

    length: int
    """Words, as `word_count` counts them."""
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
def response_counts(question: str, response: str, language: str | None = "en") -> ResponseCounts:
    """Count one response to one question."""
    form = text_form(response)
    return ResponseCounts(
        length=text.word_count(response),
        lists=form.lists,
        headings=form.headings,
        bold=form.bold,
        question_overlap=len(text.terms(response, language) & text.terms(question, language)),
        lexical_diversity=form.diversity,
        persona=first_phrase(PERSONA, response, question),
        refusal=first_phrase(REFUSAL, response, question),
    )


class CountCheck(NamedTuple):
    """A blind check that needs no fitting: it picks the response that has more of something."""

    definition: CheckDefinition
    score: Callable[[ResponseCounts], float]


def _count_check(
    name: str, score: Callable[[ResponseCounts], float], *, title: str, why: str, todo: str
) -> CountCheck:
    definition = CheckDefinition(
        family="shortcuts", name=name, title=title, why=why, todo=todo, by_estimate=True
    )
    return CountCheck(definition, score)


COUNT_CHECKS = (
    _count_check(
        "length",
        lambda counts: counts.length,
        title="Picks the longer response",
        why="A scorer that counts words between white space does this; a tie counts one half. "
        f"{NO_HISTORY}",
        todo="Hold both sides to the same number of words, and gate on their ratio.",
    ),
    _count_check(
        "lists",
        lambda counts: counts.lists,
        title="Picks the response with more list items",
        why=f"Judges and reward models are known to reward lists. {NO_HISTORY}",
        todo="Ask both sides for the same form, and gate on it.",
    ),
    _count_check(
        "headings",
        lambda counts: counts.headings,
        title="Picks the response with more headings",
        why=f"Judges and reward models are known to reward structure. {NO_HISTORY}",
        todo="Ask both sides for the same form, and gate on it.",
    ),
    _count_check(
        "bold",
        lambda counts: counts.bold,
        title="Picks the response with more bold text",
        why=f"Judges and reward models are known to reward emphasis. {NO_HISTORY}",
        todo="Ask both sides for the same form, and gate on it.",
    ),
    _count_check(
        "question_overlap",
        lambda counts: counts.question_overlap,
        title="Picks the response with more of the question's words",
        why=f"It rewards the answer that is more to the point for anyone. {NO_HISTORY}",
        todo="See that the rejected response answers the whole question.",
    ),
    _count_check(
        "lexical_diversity",
        lambda counts: counts.lexical_diversity,
        title="Picks the response with the richer vocabulary",
        why=f"It distinguishes two writers, or two prompts. {NO_HISTORY}",
        todo="Draw again until both sides are alike in it, or drop pairs from the larger group.",
    ),
    _count_check(
        "persona_words",
        lambda counts: counts.persona is not None,
        title="Picks the response that speaks about its reader",
        why='Phrases such as "as someone who" and "given your" are rewarded by judges though they '
        "say nothing, and give the side away.",
        todo="Tell the writer not to mention the reader, and gate on it.",
    ),
    _count_check(
        "refusal_words",
        lambda counts: counts.refusal is not None,
        title="Picks the response that refuses",
        why="A side that declines to answer is recognized without any history; an "
        "accuracy far below one half says that the rejected ones refuse.",
        todo="Drop refusals, and draw again.",
    ),
)
"""The checks, in the order of the report."""
