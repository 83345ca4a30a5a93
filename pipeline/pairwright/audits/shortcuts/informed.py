"""What a response shares with its user.

Overlap with the posts and the aspects, and the manner that the user took so far, are a floor for
scorers that read the user, and no shortcut.

Private words are words of a response that its writer can know only from the posts. A writer sees
the question and the aspects, and never a post. So a word that one user's posts hold and nobody
else's, and that is neither in the question nor in a rubric of the pair, comes into a response by
chance: as often into the rejected as into the chosen one. Where it is more often in the chosen one,
posts were copied.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pairwright import text
from pairwright.audits.records import Flag
from pairwright.audits.shortcuts.response import (
    StemFlags,
    Stems,
    flag_members,
    stem_hash,
    stem_hashes,
    text_stems,
)
from pairwright.dataset import Row
from pairwright.intervals import AccuracyLimits, Floats
from pairwright.manner import manner_scores
from pairwright.modes import is_twin

BASELINES = {
    "profile_overlap": "profile",
    "aspects_overlap": "aspects",
    "profile_tfidf": "profile",
    "length_taken": "earlier choices",
    "markup_taken": "earlier choices",
}
"""The checks by what the responses share with the user, and what a pair must have. Each picks the
response that shares more."""


class PairOverlap(NamedTuple):
    """What the two responses of a pair share with its user."""

    words: tuple[tuple[Stems, StemFlags], tuple[Stems, StemFlags]]
    """Of the chosen and of the rejected response, and which of them the profile has, function words
    left out."""
    differences: Mapping[str, float]
    """By baseline, how much more the chosen one shares: content words with the profile or the
    aspects, and how well its manner suits what the user took so far; NaN where the pair has not
    what that needs."""


def pair_overlap(row: Row, profile: frozenset[str]) -> PairOverlap:
    """Compare a row's two responses with the words of its profile, and with its aspects."""
    language = row.language
    aspects = text.terms_of((aspect.aspect for aspect in row.rubric_aspects), language)
    a, b = text.terms(row.chosen, language), text.terms(row.rejected, language)
    differences: dict[str, float] = dict.fromkeys(BASELINES, math.nan)
    if row.profile:
        differences["profile_overlap"] = len(a & profile) - len(b & profile)
    if aspects:
        differences["aspects_overlap"] = len(a & aspects) - len(b & aspects)
    posts = (post.text for post in row.profile)
    if manners := manner_scores(posts, (row.chosen, row.rejected)):
        chosen, rejected = manners
        differences["length_taken"] = chosen["length"] - rejected["length"]
        differences["markup_taken"] = chosen["markup"] - rejected["markup"]
    own, other = text_stems(row.chosen, language), text_stems(row.rejected, language)
    words = (own, flag_members(own, a & profile)), (other, flag_members(other, b & profile))
    return PairOverlap(words, differences)


def word_leads(row: Row, difference: float) -> tuple[float, float] | None:
    """By how many content words more the chosen response shares with the profile, stemmed in the
    language of the row, which is that of `difference`, and in English, in which a build counts
    where posts of two languages leave it open. None where the responses do not tell a language: a
    build may know it by the domain's file, which no row holds."""
    if row.language is None:
        return None
    if row.language == "en":
        return difference, difference
    profile = text.terms_of(post.text for post in row.profile)
    chosen, rejected = (len(text.terms(one) & profile) for one in (row.chosen, row.rejected))
    return difference, chosen - rejected


def baseline_points(drawn: Sequence[PairOverlap]) -> Iterator[tuple[str, Floats]]:
    """The points of each baseline, shape (n,); NaN for pairs without what it needs. Baselines of
    manner are left out where no history holds a choice."""
    for name, needs in BASELINES.items():
        if name == "profile_tfidf":
            profile = [pair.differences["profile_overlap"] for pair in drawn]
            differences = np.where(np.isnan(profile), np.nan, _tfidf(drawn))
        else:
            differences = np.array([pair.differences[name] for pair in drawn], np.float64)
        if needs != "earlier choices" or not np.isnan(differences).all():
            yield name, (np.sign(differences) + 1) / 2


def _tfidf(drawn: Sequence[PairOverlap]) -> Floats:
    """Shape (n,): how much more alike the profile the chosen response is than the rejected one.

    The part of a response's length, as a vector of its distinct words weighted by how rare they
    are among all responses, that its profile's words cover. The profile's own length is the same
    for both sides of a pair.
    """
    sides = [side for pair in drawn for side in pair.words]
    if not sides:
        return np.empty(0)
    lengths = [len(words) for words, _ in sides]
    responses = np.repeat(np.arange(len(sides)), lengths)
    _, words, counts = np.unique(
        np.concatenate([words for words, _ in sides]), return_inverse=True, return_counts=True
    )
    squares = np.log((1 + len(sides)) / (1 + counts))[words] ** 2
    shared = squares * np.concatenate([in_profile for _, in_profile in sides])
    whole = np.bincount(responses, squares, minlength=len(sides))
    part = np.bincount(responses, shared, minlength=len(sides))
    similar = (part / np.sqrt(np.where(whole > 0, whole, 1))).reshape(-1, 2)
    difference: Floats = np.round(similar[:, 0] - similar[:, 1], 9)
    return difference


LEAK_LIMITS = AccuracyLimits(fails_above=0.5, passes_below=0.525)
"""Without leaks the accuracy is one half; with leaks into 5 of 100 pairs it is 0.525."""
MOST_WORDS = 6
"""Words of a response that a flag shows."""


class WordHolders:
    """By word, who holds it: nobody yet, one, or several, in a table of fixed size.

    Two words at one place of the table count as one. That makes a private word pass for a common
    one, which loses a leak and invents none.
    """

    PLACES = 1 << 21
    """A power of two."""
    _SEVERAL = -1
    _AT_ONCE = 100_000
    """Words that are entered together."""

    def __init__(self) -> None:
        self._table = np.zeros(self.PLACES, np.int32)
        self._numbers: dict[str, int] = {}
        self._waiting: list[Stems] = []
        self._whose: list[int] = []
        self._words = 0

    def add(self, words: Stems, holder: str) -> None:
        """Record that a holder has these words; they wait until there are many, or for `settle`."""
        self._waiting.append(words)
        self._whose.append(self._numbers.setdefault(holder, len(self._numbers) + 1))
        self._words += len(words)
        if self._words >= self._AT_ONCE:
            self.settle()

    def settle(self) -> None:
        """Enter the words that wait."""
        if not self._waiting:
            return
        numbers = np.repeat(np.array(self._whose, np.int32), list(map(len, self._waiting)))
        places = np.concatenate(self._waiting) & (self.PLACES - 1)
        free = self._table[places] == 0
        # Of several holders of one place one is entered, and differs from the others.
        self._table[places[free]] = numbers[free]
        self._table[places[self._table[places] != numbers]] = self._SEVERAL
        self._waiting, self._whose, self._words = [], [], 0

    def several(self, word: str) -> bool:
        """Whether more than one holds a word, of those that are entered."""
        return bool(self._table[stem_hash(word) & (self.PLACES - 1)] == self._SEVERAL)


class AuditWords:
    """The words of all users' posts and of all responses of an audit, by user."""

    def __init__(self) -> None:
        self._posts, self._responses = WordHolders(), WordHolders()
        self._profiles: set[int] = set()

    def add(self, row: Row, profile: frozenset[str], sides: tuple[Stems, Stems]) -> None:
        """Note a row's words. A response is its user's: of a twin, that of the user who chose it;
        the other half has the other."""
        texts = hash(tuple(post.text for post in row.profile))
        whose = row.user or str(texts)
        if (known := hash((whose, texts))) not in self._profiles:
            self._profiles.add(known)
            self._posts.add(stem_hashes(profile), whose)
        for words in sides[: 1 if is_twin(row.mode) else 2]:
            self._responses.add(words, whose)

    def settle(self) -> None:
        """Enter the words of the last rows, too."""
        self._posts.settle()
        self._responses.settle()

    def private(self, word: str) -> bool:
        """Whether one user's posts and one user's responses hold it, and no others."""
        return not self._posts.several(word) and not self._responses.several(word)


class PostWords(NamedTuple):
    """What the two responses of one pair share with its posts, but not with question and rubric."""

    row: str
    subject: str
    halves: int
    """How many rows of the subject there must be: 2 of a twin."""
    has_profile: bool
    chosen: tuple[str, ...]
    """Words of the chosen response alone, ascending, without those that were known to be several
    users' when the pair was read."""
    rejected: tuple[str, ...]
    rubric: str
    """Its aspects, their reasons and their evidence; empty where it has none."""
    language: str | None


def post_words(row: Row, profile: frozenset[str], audit: AuditWords) -> PostWords:
    """Compare a row's responses with the words of its posts."""
    parts = (part for a in row.rubric_aspects for part in (a.aspect, a.reason, a.evidence))
    chosen, rejected, question = (
        text.terms(one, row.language) for one in (row.chosen, row.rejected, row.question)
    )
    return PostWords(
        row=row.id,
        subject=row.subject,
        halves=2 if is_twin(row.mode) else 1,
        has_profile=bool(row.profile),
        chosen=tuple(sorted(filter(audit.private, ((chosen - rejected) & profile) - question))),
        rejected=tuple(sorted(filter(audit.private, ((rejected - chosen) & profile) - question))),
        rubric="\n".join(parts),
        language=row.language,
    )


def private_word_points(
    drawn: Sequence[PostWords], audit: AuditWords
) -> tuple[Floats, dict[int, Flag], str]:
    """Count the private words of each pair: of a twin, the words of both rubrics are left out.

    Gives the points, shape (n,): 1 where the chosen response has more of them, 0 where the rejected
    one has, or one half; NaN where the posts, a rubric of the pair or twin, or half a twin is
    missing. Then the rows whose chosen response has more, with the words, by their place among the
    n; and in a sentence what pairs lack that are without a point.
    """
    rubrics: dict[str, list[str]] = {}
    for pair in drawn:
        rubrics.setdefault(pair.subject, []).append(pair.rubric)
    audit.settle()
    points, lacks = np.full(len(drawn), np.nan), Counter[str]()
    flags: dict[int, Flag] = {}
    for place, pair in enumerate(drawn):
        known = rubrics[pair.subject]
        if not pair.has_profile:
            lacks["a profile"] += 1
            continue
        if not all(known) or len(known) < pair.halves:
            lacks["the other half" if all(known) else "a rubric"] += 1
            continue
        sides = [list(filter(audit.private, side)) for side in (pair.chosen, pair.rejected)]
        # Rubrics are long, and most pairs have no such word.
        both = text.terms("\n".join(known), pair.language) if any(sides) else frozenset[str]()
        chosen, rejected = ([word for word in side if word not in both] for side in sides)
        points[place] = (np.sign(len(chosen) - len(rejected)) + 1) / 2
        if len(chosen) > len(rejected):
            flags[place] = Flag(row=pair.row, detail=f"chosen: {', '.join(chosen[:MOST_WORDS])}")
    missing = ", ".join(
        f"{text.number_of(n, 'pair')} without {lack}" for lack, n in sorted(lacks.items())
    )
    if lacks.total() == len(drawn) and lacks:
        missing = f"Not applicable: {missing}"
    return points, flags, f"{missing}." if missing else ""
