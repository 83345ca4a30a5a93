"""The style of one response as numbers, for a classifier: how it is said, not what."""

import math
import re
import string
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pairwright import text
from pairwright.audit.shortcuts.form import form
from pairwright.audit.shortcuts.typography import habits

Numbers = npt.NDArray[np.float32]
_SENTENCE = re.compile(r"[.!?]+(?=\s|$)")
_LINK = re.compile(r"https?://|\]\(")
_MARKS = ",;:!?()\"'`-—*"
_UPPER, _DIGITS = string.ascii_uppercase.encode(), string.digits.encode()
_HEDGES = frozenset(
    "may might could perhaps possibly probably likely seems usually often generally".split()
)
_FIRM = frozenset("must always never certainly clearly definitely ensure essential key".split())
_SELF = frozenset("i i'm i've i'd i'll me my mine we our us".split())
_READER = frozenset("you you're you've you'll your yours".split())
_KINDS = (_HEDGES, _FIRM, _SELF, _READER)
_ASKS_WHY = frozenset("how why explain describe".split())


@lru_cache(maxsize=1024)
def style(given: str) -> Numbers:
    """Lengths on a log scale, the rest as shares of words or characters."""
    words, characters = text.words(given), max(len(given), 1)
    lengths = list(map(len, words))
    many, sentences = max(len(words), 1), max(len(_SENTENCE.findall(given)), 1)
    of = form(given)
    counts = (
        of.lists,
        of.headings,
        of.bold,
        len(_LINK.findall(given)) if "](" in given or "://" in given else 0,
        given.count("\n\n"),
        given.count("```"),
    )
    shares = (*_kinds(words), sum(map(str.isdigit, words)), sum(map((7).__lt__, lengths)))
    return np.array(
        [
            math.log1p(len(words)),
            math.log1p(characters),
            math.log1p(sentences),
            len(words) / sentences,
            sum(lengths) / many,
            of.diversity,
            *map(math.log1p, counts),
            *map(math.log1p, habits(given)),
            *(share / many for share in shares),
            *(mark / characters for mark in _marks(given)),
        ],
        np.float32,
    )


def _kinds(words: Sequence[str]) -> list[int]:
    """How many words are of each kind, and how many are function words."""
    there = frozenset(words)
    kinds = [sum(map(words.count, kind & there)) for kind in _KINDS]
    return [*kinds, sum(map(text.STOPWORDS.__contains__, words))]


def _marks(given: str) -> list[int]:
    """Capitals, digits, characters that are not ASCII, and each mark of punctuation."""
    plain = given.encode("ascii", "ignore")
    kinds = (len(plain) - len(plain.translate(None, kind)) for kind in (_UPPER, _DIGITS))
    return [*kinds, len(given) - len(plain), *map(given.count, _MARKS)]


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
