"""What the form of one text is, in counts."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from pairwright import text

LIST = re.compile(r"^[ \t]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+\S", re.MULTILINE)
HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+\S", re.MULTILINE)
BOLD = re.compile(r"(\*\*|__)(?=\S)[^\n]{1,200}?\1")
WINDOW = 50
"""Words over which diversity is taken: over whole texts it falls with their length."""


class Form(NamedTuple):
    """Counts of markdown, and how rich the words are."""

    lists: int
    """Items of lists."""
    headings: int
    bold: int
    diversity: float
    """Distinct words over words."""


# Both halves of a twin hold the same two responses.
@lru_cache(maxsize=1024)
def form(given: str) -> Form:
    """Count one text."""
    return Form(
        lists=len(LIST.findall(given)),
        headings=len(HEADING.findall(given)) if "#" in given else 0,
        bold=len(BOLD.findall(given)) if "**" in given or "__" in given else 0,
        diversity=diversity(text.words(given)),
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
