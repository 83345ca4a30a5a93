"""Accuracy of overlap with the user's posts and aspects, and of the manner that the user took so
far: a floor, not a shortcut."""

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Literal, NamedTuple

import numpy as np

from pairwright import text
from pairwright.audit.shortcuts.response import StemFlags, Stems, flag_members, text_stems
from pairwright.dataset import Row
from pairwright.intervals import Floats
from pairwright.manner import Manner, MannerScores, manner_scores


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


def _shared_words(place: int) -> Callable[[Sequence[PairOverlap]], Floats]:
    """The difference of the words that the two responses share; `place` is one of `overlap`."""

    def differences(drawn: Sequence[PairOverlap]) -> Floats:
        return np.array(
            [pair.chosen.overlap[place] - pair.rejected.overlap[place] for pair in drawn],
            np.float64,
        )

    return differences


def _manner(manner: Manner) -> Callable[[Sequence[PairOverlap]], Floats]:
    """The difference of how well both responses suit what the user took so far."""

    def differences(drawn: Sequence[PairOverlap]) -> Floats:
        return np.array(
            [
                getattr(pair.chosen.manner, manner) - getattr(pair.rejected.manner, manner)
                for pair in drawn
            ],
            np.float64,
        )

    return differences


def _tfidf(drawn: Sequence[PairOverlap]) -> Floats:
    """Shape (n,): how much more alike the profile the chosen response is than the rejected one.

    The part of a response's length, as a vector of its distinct words weighted by how rare they
    are among all responses, that its profile's words cover. The profile's own length is the same
    for both sides of a pair.
    """
    sides = [side for pair in drawn for side in (pair.chosen, pair.rejected)]
    if not sides:
        return np.empty(0)
    lengths = [len(side.words) for side in sides]
    responses = np.repeat(np.arange(len(sides)), lengths)
    _, words, counts = np.unique(
        np.concatenate([side.words for side in sides]), return_inverse=True, return_counts=True
    )
    squares = np.log((1 + len(sides)) / (1 + counts))[words] ** 2
    shared = squares * np.concatenate([side.in_profile for side in sides])
    whole = np.bincount(responses, squares, minlength=len(sides))
    part = np.bincount(responses, shared, minlength=len(sides))
    similar = (part / np.sqrt(np.where(whole > 0, whole, 1))).reshape(-1, 2)
    difference: Floats = np.round(similar[:, 0] - similar[:, 1], 9)
    return difference


class BaselineCheck(NamedTuple):
    """A check by what the responses share with the user: it picks the one that shares more."""

    name: str
    needs: Literal["profile", "aspects", "earlier choices"]
    """What a pair must have."""
    differences: Callable[[Sequence[PairOverlap]], Floats]
    """Shape (n,): how much more the chosen response shares than the rejected one."""


BASELINES = (
    BaselineCheck("profile_overlap", "profile", _shared_words(0)),
    BaselineCheck("aspects_overlap", "aspects", _shared_words(1)),
    BaselineCheck("profile_tfidf", "profile", _tfidf),
    BaselineCheck("length_taken", "earlier choices", _manner("length")),
    BaselineCheck("markup_taken", "earlier choices", _manner("markup")),
)


def baseline_points(drawn: Sequence[PairOverlap]) -> Iterator[tuple[BaselineCheck, Floats]]:
    """The points of each baseline, shape (n,); NaN for pairs without the profile or the aspects
    that it needs. Baselines of manner are left out where no history holds a choice."""
    there = {
        "profile": np.array([pair.has_profile for pair in drawn], np.bool_),
        "aspects": np.array([pair.has_aspects for pair in drawn], np.bool_),
        "earlier choices": np.array([pair.has_choices for pair in drawn], np.bool_),
    }
    for baseline in BASELINES:
        if baseline.needs == "earlier choices" and not there[baseline.needs].any():
            continue
        points = (np.sign(baseline.differences(drawn)) + 1) / 2
        yield baseline, np.where(there[baseline.needs], points, np.nan)
