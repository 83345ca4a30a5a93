"""ROUGE-1 and ROUGE-L: the words that two texts have in common.

Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries", sections 2 and 3.1, as
F-measures without stemming. Of texts in ASCII they are those of the package rouge-score 0.1.2,
which drops every other letter; here letters of all scripts count. (It was last released in 2022,
and asks for NLTK for a stemmer that is off by default.)
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_WORD = re.compile(r"[^\W_]+")


class Rouge(NamedTuple):
    """Both, from 0 to 1."""

    one: float
    longest: float


def rouge(written: str, truth: str) -> Rouge:
    """Of a text and what was really written; 0 where either has no word."""
    a, b = (_WORD.findall(text.lower()) for text in (written, truth))
    shared = (Counter(a) & Counter(b)).total()
    return Rouge(_f(shared, len(a), len(b)), _f(common_subsequence(a, b), len(a), len(b)))


def common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence.

    All of a row of the table at once, a bit a word: Hyyrö 2004, "Bit-parallel LCS-length
    computation revisited".
    """
    places: dict[str, int] = {}
    for place, word in enumerate(a):
        places[word] = places.get(word, 0) | 1 << place
    whole = (1 << len(a)) - 1
    row = whole
    for word in b:
        matched = row & places.get(word, 0)
        row = (row + matched | row - matched) & whole
    return len(a) - row.bit_count()


def _f(shared: int, written: int, truth: int) -> float:
    """The harmonic mean of precision and recall, 2 shared / (written + truth)."""
    return 2 * shared / (written + truth) if shared else 0.0
