"""What is kept of a pair that the classifiers and the informed baselines are tried on."""

import zlib
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairwright import text
from pairwright.audit.shortcuts.style import Numbers, against, asked, style
from pairwright.dataset import Row

MOST = 1000
"""Distinct words kept of one response."""


class Said(NamedTuple):
    """One response in numbers."""

    style: Numbers
    against: Numbers
    """What it shares with the question."""
    words: npt.NDArray[np.uint32]
    """Distinct stems by their hash, ascending."""
    of_question: npt.NDArray[np.bool_]
    """Which of them the question has."""
    of_profile: npt.NDArray[np.bool_]
    """Which of them the profile has, function words left out."""
    overlap: tuple[int, int, int]
    """Content words shared with the profile, with the aspects, and with the profile when those of
    the question and the aspects are left out."""


class Drawn(NamedTuple):
    """A pair in numbers."""

    asked: Numbers
    chosen: Said
    rejected: Said
    has_profile: bool
    has_aspects: bool


def drawn(row: Row) -> Drawn:
    """Measure a row's two responses against its question, profile and aspects."""
    profile = _known(tuple(post.text for post in row.profile))
    aspects = _known(tuple(aspect.aspect for aspect in row.rubric_aspects))
    chosen, rejected = (
        _said(row.question, given, profile, aspects) for given in (row.chosen, row.rejected)
    )
    return Drawn(asked(row.question), chosen, rejected, bool(row.profile), bool(aspects))


def _said(question: str, given: str, profile: frozenset[str], aspects: frozenset[str]) -> Said:
    stems = list(dict.fromkeys(map(text.stem, text.words(given))))[:MOST]
    hashes = np.fromiter(map(_hash, stems), np.uint32, len(stems))
    order = np.argsort(hashes)
    asked, own = text.terms(question), text.terms(given)
    shared = own & profile
    return Said(
        style=style(given),
        against=against(question, given),
        words=hashes[order],
        of_question=_among(stems, asked)[order],
        of_profile=_among(stems, shared)[order],
        overlap=(len(shared), len(own & aspects), len(shared - asked - aspects)),
    )


def _among(stems: list[str], known: frozenset[str]) -> npt.NDArray[np.bool_]:
    return np.fromiter(map(known.__contains__, stems), np.bool_, len(stems))


@lru_cache(maxsize=256)
def _known(texts: tuple[str, ...]) -> frozenset[str]:
    """The content words of several texts; a user's posts come back with every pair of theirs."""
    return frozenset().union(*map(text.terms, texts))


@lru_cache(maxsize=65536)
def _hash(word: str) -> int:
    """The same on every machine, as `hash` is not."""
    return zlib.crc32(word.encode(errors="replace"))
