"""What is kept of a pair that classifiers and informed baselines are tried on."""

import zlib
from functools import cache, lru_cache
from itertools import repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairwright import text
from pairwright.audit.shortcuts.response import (
    Numbers,
    question_numbers,
    shared_with_question,
    style_numbers,
)
from pairwright.dataset import Row
from pairwright.manner import MannerScores, manner_scores

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
    return zlib.crc32(stem.encode(errors="replace"))


_hashes = text.WordCache(stem_hash)


@cache
def _numbers(language: str | None) -> text.WordCache[int]:
    """By word the hash of its stem."""
    stem = text.stemmer(language)
    return text.WordCache(lambda word: stem_hash(stem(word)))


class ResponseFeatures(NamedTuple):
    """One response in numbers."""

    style: Numbers
    shared: Numbers
    """What it shares with the question."""
    words: Stems
    in_question: StemFlags
    """Which of the words the question has."""


class LearnablePair(NamedTuple):
    """A pair in numbers for the classifiers: nothing of its user."""

    question: Numbers
    chosen: ResponseFeatures
    rejected: ResponseFeatures


def learnable_pair(row: Row) -> LearnablePair:
    """Measure a row's two responses, and what they share with its question."""
    return LearnablePair(
        question_numbers(row.question),
        _features(row.question, row.chosen, row.language),
        _features(row.question, row.rejected, row.language),
    )


def _features(question: str, response: str, language: str | None) -> ResponseFeatures:
    words = text_stems(response, language)
    return ResponseFeatures(
        style=style_numbers(response),
        shared=shared_with_question(question, response, language),
        words=words,
        in_question=flag_members(words, text.terms(question, language)),
    )


class ResponseOverlap(NamedTuple):
    """What one response shares with its user."""

    words: Stems
    in_profile: StemFlags
    """Which of the words the profile has, function words left out."""
    overlap: tuple[int, int]
    """Content words shared with the profile, and with the aspects."""
    manner: MannerScores
    """How well its manner suits what the user took so far; 0 without an earlier choice."""


class PairOverlap(NamedTuple):
    """What a pair shares with its user, for the informed baselines."""

    chosen: ResponseOverlap
    rejected: ResponseOverlap
    has_profile: bool
    has_aspects: bool
    has_choices: bool


def pair_overlap(row: Row, profile: frozenset[str]) -> PairOverlap:
    """Compare a row's two responses with the words of its profile, and with its aspects."""
    aspects = text.terms_of((aspect.aspect for aspect in row.rubric_aspects), row.language)
    responses = row.chosen, row.rejected
    manners = manner_scores((post.text for post in row.profile), responses)
    scores = manners or repeat(MannerScores(0, 0), 2)
    chosen, rejected = (
        _overlap(response, profile, aspects, row.language, manner)
        for response, manner in zip(responses, scores, strict=True)
    )
    return PairOverlap(chosen, rejected, bool(row.profile), bool(aspects), manners is not None)


def _overlap(
    response: str,
    profile: frozenset[str],
    aspects: frozenset[str],
    language: str | None,
    manner: MannerScores,
) -> ResponseOverlap:
    words, own = text_stems(response, language), text.terms(response, language)
    shared = own & profile
    counts = len(shared), len(own & aspects)
    return ResponseOverlap(words, flag_members(words, shared), counts, manner)
