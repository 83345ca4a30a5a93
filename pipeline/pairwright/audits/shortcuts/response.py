"""One response in numbers: what a scorer that sees no user can count, the checks that count it, and
the style of it for a classifier, how it is said and not what."""

import math
import re
import string
import zlib
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairwright import text
from pairwright.gates.phrases import PERSONA, REFUSAL, first_phrase
from pairwright.manner import BOLD, HEADING, LIST

WINDOW = 50
"""The number of words in which diversity is counted: in whole texts it falls with their length."""


# Both halves of a twin hold the same two responses.
@lru_cache(maxsize=1024)
def markdown_counts(response: str) -> tuple[int, int, int]:
    """Items of lists, headings and bold passages."""
    return (
        len(LIST.findall(response)),
        len(HEADING.findall(response)) if "#" in response else 0,
        len(BOLD.findall(response)) if "**" in response or "__" in response else 0,
    )


@lru_cache(maxsize=1024)
def text_diversity(response: str) -> float:
    """The `diversity` of a text's words."""
    return diversity(text.words(response))


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
    """What blind checks count in one response to one question, in the order of the report."""

    length: int
    """Words, as `word_count` counts them."""
    lists: int
    headings: int
    bold: int
    question_overlap: int
    """Distinct content words of the question."""
    lexical_diversity: float
    persona_words: str | None
    """The first phrase that speaks about its reader."""
    refusal_words: str | None

    @property
    def scores(self) -> tuple[float, ...]:
        """A number for each check: it picks the response that has more."""
        return (*self[:6], self.persona_words is not None, self.refusal_words is not None)


COUNT_CHECKS = ResponseCounts._fields
"""The names of the blind checks that need no fitting."""


# Both halves of a twin hold the same two responses.
@lru_cache(maxsize=1024)
def response_counts(question: str, response: str, language: str | None = "en") -> ResponseCounts:
    """Count one response to one question."""
    lists, headings, bold = markdown_counts(response)
    return ResponseCounts(
        length=text.word_count(response),
        lists=lists,
        headings=headings,
        bold=bold,
        question_overlap=len(text.terms(response, language) & text.terms(question, language)),
        lexical_diversity=text_diversity(response),
        persona_words=first_phrase(PERSONA, response, question),
        refusal_words=first_phrase(REFUSAL, response, question),
    )


_DOUBLED = re.compile(r"(?<=\S)  +(?=\S)")
_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)
_LOWER = re.compile(r"(?:^|[.!?]\s+)[\"'\u201c\u2018(*_]*[^\W\d_A-Z]", re.MULTILINE)
_SPACED = re.compile(r"\w [,.;:!?](?:\s|$)")
_SPACED_MARKS = (" ,", " .", " ;", " :", " !", " ?")
_CURLY = "\u2018\u2019\u201c\u201d\u2026"
_END = (".", "!", "?", ":", "\u2026", ")", "\u3002")


def habits(response: str) -> tuple[int, ...]:
    """Double spaces, spaces at the end of lines, white space around it all, tabs, a small letter
    first of all and first in sentences, spaces before marks, curly marks, hidden characters, and no
    mark at its end."""
    bare = response.strip()
    return (
        len(_DOUBLED.findall(response)) if "  " in response else 0,
        len(_TRAILING.findall(response)) if _may_trail(response) else 0,
        len(response) - len(bare),
        response.count("\t"),
        bare[:1].islower(),
        sum(match[-1].islower() for match in _LOWER.findall(response)),
        len(_SPACED.findall(response)) if any(map(response.__contains__, _SPACED_MARKS)) else 0,
        sum(map(response.count, _CURLY)),
        0 if response.isascii() else sum(1 for _ in text.find_hidden(response)),
        not bare.endswith(_END),
    )


def _may_trail(response: str) -> bool:
    """Whether a line ends with a space or a tab: much cheaper to see than to count."""
    return " \n" in response or "\t\n" in response or response.endswith((" ", "\t"))


Numbers = npt.NDArray[np.float32]
# Each begins with a mark alone, which is found in a fourth of the time of one of several.
_SENTENCE = re.compile(r"[.!?][.!?]*(?=\s|$)")
_WIDE_SENTENCE = re.compile("[\u3002\uff01\uff1f][\u3002\uff01\uff1f]*")
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
def style_numbers(response: str) -> Numbers:
    """Lengths on a log scale, the rest as shares of words or characters."""
    words, characters = text.words(response), max(len(response), 1)
    lengths = list(map(len, words))
    many, ends = max(len(words), 1), len(_SENTENCE.findall(response))
    if not response.isascii():
        ends += len(_WIDE_SENTENCE.findall(response))
    sentences = max(ends, 1)
    counts = (
        *markdown_counts(response),
        len(_LINK.findall(response)) if "](" in response or "://" in response else 0,
        response.count("\n\n"),
        response.count("```"),
    )
    there = frozenset(words)
    shares = (
        *(sum(map(words.count, kind & there)) for kind in _KINDS),
        sum(map(text.STOPWORDS.__contains__, words)),
        sum(map(str.isdigit, words)),
        sum(map((7).__lt__, lengths)),
    )
    plain = response.encode("ascii", "ignore")
    marks = (
        *(len(plain) - len(plain.translate(None, kind)) for kind in (_UPPER, _DIGITS)),
        len(response) - len(plain),
        *map(response.count, _MARKS),
    )
    return np.array(
        [
            math.log1p(len(words)),
            math.log1p(characters),
            math.log1p(sentences),
            len(words) / sentences,
            sum(lengths) / many,
            text_diversity(response),
            *map(math.log1p, counts),
            *map(math.log1p, habits(response)),
            *(share / many for share in shares),
            *(mark / characters for mark in marks),
        ],
        np.float32,
    )


def question_numbers(question: str) -> Numbers:
    """Shape (2,): the question's length, and whether it asks how or why. What style is wanted can
    depend on either."""
    words = text.words(question)
    return np.array([math.log1p(len(words)), any(word in _ASKS_WHY for word in words)], np.float32)


def shared_with_question(question: str, response: str, language: str | None = "en") -> Numbers:
    """Shape (4,): what a response shares with its question: count, share of the question's content
    words, share of its own, and whether it begins with them."""
    own, wanted = text.terms(response, language), text.terms(question, language)
    shared = len(own & wanted)
    opening = text.terms(text.opening(response, 20), language)
    return np.array(
        [shared, shared / max(len(wanted), 1), shared / max(len(own), 1), len(opening & wanted)],
        np.float32,
    )


MOST_STEMS = 1000
"""Distinct words kept of one response."""
Stems = npt.NDArray[np.uint32]
StemFlags = npt.NDArray[np.bool_]


# Both halves of a twin hold the same two responses.
@lru_cache(maxsize=1024)
def text_stems(response: str, language: str | None = "en") -> Stems:
    """The stems of a text by their hash, ascending, each once."""
    numbers = _numbers(language)
    words = text.words_of(response, language)
    distinct = list(dict.fromkeys(map(numbers.__getitem__, words)))[:MOST_STEMS]
    stems = np.fromiter(distinct, np.uint32, len(distinct))
    stems.sort()
    return stems


def flag_members(own: Stems, others: frozenset[str]) -> StemFlags:
    """Which of a text's stems are among others."""
    numbers = frozenset(map(_hashes.__getitem__, others))
    return np.fromiter(map(numbers.__contains__, own.tolist()), np.bool_, len(own))


def stem_hashes(stems: frozenset[str]) -> Stems:
    """The hashes of stems, in no order."""
    return np.fromiter(map(_hashes.__getitem__, stems), np.uint32, len(stems))


def stem_hash(stem: str) -> int:
    """The hash of one stem."""
    return _hashes[stem]


_hashes = text.WordCache(lambda stem: zlib.crc32(stem.encode(errors="replace")))


@cache
def _numbers(language: str | None) -> text.WordCache[int]:
    """By word the hash of its stem."""
    stem = text.stemmer(language)
    return text.WordCache(lambda word: stem_hash(stem(word)))
