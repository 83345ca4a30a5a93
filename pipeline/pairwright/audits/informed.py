"""What a response shares with its user's posts: a floor for scorers that read the user, and no
shortcut. Words count alike, or are weighed by how rare they are.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from pairwright import text
from pairwright.audits.blind import stems
from pairwright.pairs import Row
from pairwright.stats import Floats


def baseline_points(rows: Sequence[Row]) -> tuple[dict[str, Floats], Floats]:
    """The points of each baseline, shape (n,), which picks the response that shares more, NaN for
    pairs without posts; and how many more content words of the posts each chosen response has than
    the rejected one."""
    more = np.full(len(rows), math.nan)
    sides: list[tuple[list[str], frozenset[str]]] = []
    for n, row in enumerate(rows):
        profile = text.terms_of((post.text for post in row.profile), row.language)
        shared = []
        for response in (row.chosen, row.rejected):
            own = text.terms(response, row.language) & profile
            words = stems(response, row.language)
            shared.append(len(own))
            sides.append((words, own.intersection(words)))
        if row.profile:
            more[n] = shared[0] - shared[1]
    weights = _tfidf(sides).reshape(-1, 2)
    weighed = np.where(np.isnan(more), math.nan, np.round(weights[:, 0] - weights[:, 1], 9))
    both = {"profile_overlap": more, "profile_tfidf": weighed}
    return {name: (np.sign(found) + 1) / 2 for name, found in both.items()}, more


def _tfidf(sides: Sequence[tuple[list[str], frozenset[str]]]) -> Floats:
    """For each response, the part of its length, as a vector of its distinct words weighted by how
    rare they are among all responses, that its profile's words cover. The profile's own length is
    the same for both sides of a pair."""
    held = Counter(word for words, _ in sides for word in words)
    squares = {word: math.log((1 + len(sides)) / (1 + n)) ** 2 for word, n in held.items()}

    def total(words: Iterable[str]) -> float:
        return math.fsum(squares[word] for word in words)

    return np.array(
        [total(own) / math.sqrt(total(words) or 1.0) for words, own in sides], np.float64
    )
