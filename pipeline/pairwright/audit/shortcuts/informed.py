"""What overlap with the user's posts and aspects alone can tell: a floor, not a shortcut."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from pairwright.audit.shortcuts.shared import Shared
from pairwright.intervals import Floats

BASELINES = {
    "profile_overlap": "profile",
    "aspects_overlap": "aspects",
    "profile_residual": "profile",
    "profile_tfidf": "profile",
}
"""By name, what each needs a pair to have."""


def overlaps(drawn: Sequence[Shared]) -> Iterator[tuple[str, Floats]]:
    """Each baseline's name and the points of the response that shares more, shape (n,); NaN for
    pairs without the profile or the aspects it needs."""
    profile = np.array([pair.has_profile for pair in drawn], np.bool_)
    aspects = np.array([pair.has_aspects for pair in drawn], np.bool_)
    counts = np.array(
        [np.subtract(pair.chosen.overlap, pair.rejected.overlap) for pair in drawn], np.float64
    ).reshape(-1, 3)
    yield "profile_overlap", _points(counts[:, 0], profile)
    yield "aspects_overlap", _points(counts[:, 1], aspects)
    yield "profile_residual", _points(counts[:, 2], profile)
    yield "profile_tfidf", _points(_tfidf(drawn), profile)


def _tfidf(drawn: Sequence[Shared]) -> Floats:
    """Shape (n,): how much more alike the profile the chosen response is than the rejected one.

    The part of a response's length, as a vector of its distinct words weighted by how rare they
    are among all responses, that its profile's words cover. The profile's own length is the same
    for both sides of a pair.
    """
    said = [side for pair in drawn for side in (pair.chosen, pair.rejected)]
    if not said:
        return np.empty(0)
    lengths = [len(of.words) for of in said]
    responses = np.repeat(np.arange(len(said)), lengths)
    _, words, counts = np.unique(
        np.concatenate([of.words for of in said]), return_inverse=True, return_counts=True
    )
    squares = np.log((1 + len(said)) / (1 + counts))[words] ** 2
    shared = squares * np.concatenate([of.of_profile for of in said])
    whole = np.bincount(responses, squares, minlength=len(said))
    part = np.bincount(responses, shared, minlength=len(said))
    similar = (part / np.sqrt(np.where(whole > 0, whole, 1))).reshape(-1, 2)
    difference: Floats = np.round(similar[:, 0] - similar[:, 1], 9)
    return difference


def _points(differences: Floats, there: npt.NDArray[np.bool_]) -> Floats:
    return np.where(there, (np.sign(differences) + 1) / 2, np.nan)
