"""What a response shares with its user: a floor for scorers that read the user, and no shortcut.

Overlap with the posts and the aspects, and the same weighed by how rare the words are.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pairwright import text
from pairwright.audits.blind import stems
from pairwright.pairs import Row
from pairwright.stats import Floats

BASELINES = {
    "profile_overlap": "profile",
    "aspects_overlap": "aspects",
    "profile_tfidf": "profile",
}
"""The checks by what the responses share with the user, and what a pair must have. Each picks the
response that shares more."""


def baseline_points(rows: Sequence[Row]) -> tuple[dict[str, Floats], Floats]:
    """The points of each baseline, shape (n,), NaN for pairs without what it needs; and how many
    more content words of the posts each chosen response has than the rejected one."""
    differences: dict[str, Floats] = {name: np.full(len(rows), math.nan) for name in BASELINES}
    sides: list[tuple[list[str], frozenset[str]]] = []
    for n, row in enumerate(rows):
        profile = text.terms_of((post.text for post in row.profile), row.language)
        for name, difference in _differences(row, profile).items():
            differences[name][n] = difference
        for response in (row.chosen, row.rejected):
            own = text.terms(response, row.language) & profile
            words = stems(response, row.language)
            sides.append((words, own.intersection(words)))
    alike = _tfidf(sides).reshape(-1, 2)
    there = ~np.isnan(differences["profile_overlap"])
    differences["profile_tfidf"] = np.where(there, np.round(alike[:, 0] - alike[:, 1], 9), math.nan)
    points = {name: (np.sign(found) + 1) / 2 for name, found in differences.items()}
    return points, differences["profile_overlap"]


def _differences(row: Row, profile: frozenset[str]) -> Mapping[str, float]:
    """By baseline, how much more the chosen response shares; without those that the pair has not
    what they need for."""
    found: dict[str, float] = {}
    aspects = text.terms_of((aspect.aspect for aspect in row.rubric_aspects), row.language)
    a, b = text.terms(row.chosen, row.language), text.terms(row.rejected, row.language)
    if row.profile:
        found["profile_overlap"] = len(a & profile) - len(b & profile)
    if aspects:
        found["aspects_overlap"] = len(a & aspects) - len(b & aspects)
    return found


def _tfidf(sides: Sequence[tuple[list[str], frozenset[str]]]) -> Floats:
    """Of each response, the part of its length, as a vector of its distinct words weighted by how
    rare they are among all responses, that its profile's words cover. The profile's own length is
    the same for both sides of a pair."""
    held = Counter(word for words, _ in sides for word in words)
    squares = {word: math.log((1 + len(sides)) / (1 + n)) ** 2 for word, n in held.items()}

    def total(words: Iterable[str]) -> float:
        return math.fsum(squares[word] for word in words)

    return np.array(
        [total(own) / math.sqrt(total(words) or 1.0) for words, own in sides], np.float64
    )
