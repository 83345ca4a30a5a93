"""The style of one response as numbers, for a classifier: how it is said, not what."""

import math
import re
from functools import lru_cache
from string import ascii_uppercase, digits

import numpy as np
import numpy.typing as npt

from pairwright import text
from pairwright.audit.shortcuts.response import BOLD, HEADING, LIST, diversity

Numbers = npt.NDArray[np.float32]
_SENTENCE = re.compile(r"[.!?]+(?=\s|$)")
_LINK = re.compile(r"https?://|\]\(")
_MARKS = ",;:!?()\"'`-—*"
_HEDGES = frozenset(
    "may might could perhaps possibly probably likely seems usually often generally".split()
)
_FIRM = frozenset("must always never certainly clearly definitely ensure essential key".split())
_SELF = frozenset("i i'm i've i'd i'll me my mine we our us".split())
_READER = frozenset("you you're you've you'll your yours".split())
_KINDS = (_HEDGES, _FIRM, _SELF, _READER, text.STOPWORDS)
_ASKS_WHY = frozenset("how why explain describe".split())


@lru_cache(maxsize=1024)
def style(given: str) -> Numbers:
    """Lengths on a log scale, the rest as shares of words or characters."""
    words, characters = text.words(given), max(len(given), 1)
    many, sentences = max(len(words), 1), max(len(_SENTENCE.findall(given)), 1)
    counts = (
        len(LIST.findall(given)),
        len(HEADING.findall(given)),
        len(BOLD.findall(given)),
        len(_LINK.findall(given)),
        given.count("\n\n"),
        given.count("```"),
    )
    shares = (
        *(sum(map(kind.__contains__, words)) for kind in _KINDS),
        sum(map(str.isdigit, words)),
        sum(len(word) > 7 for word in words),
    )
    marks = (
        sum(map(given.count, ascii_uppercase)),
        sum(map(given.count, digits)),
        0 if given.isascii() else characters - len(given.encode("ascii", "ignore")),
        *map(given.count, _MARKS),
    )
    return np.array(
        [
            math.log1p(len(words)),
            math.log1p(characters),
            math.log1p(sentences),
            len(words) / sentences,
            sum(map(len, words)) / many,
            diversity(words),
            *map(math.log1p, counts),
            *(share / many for share in shares),
            *(mark / characters for mark in marks),
        ],
        np.float32,
    )


def asked(question: str) -> Numbers:
    """Shape (2,): the question's length, and whether it asks how or why. What style is wanted can
    depend on either."""
    words = text.words(question)
    return np.array([math.log1p(len(words)), any(word in _ASKS_WHY for word in words)], np.float32)


def against(question: str, given: str) -> Numbers:
    """Shape (4,): what a response shares with its question: count, share of the question's content
    words, share of its own, and whether it begins with them."""
    own, of = text.terms(given), text.terms(question)
    shared = len(own & of)
    opening = text.terms(" ".join(given.split(None, 20)[:20]))
    return np.array(
        [shared, shared / max(len(of), 1), shared / max(len(own), 1), len(opening & of)], np.float32
    )
