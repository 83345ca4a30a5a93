"""What can be learnt from the two responses, and from them and the question, without the user."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from pairwright.audit.shortcuts.learnable import Learnable, Said
from pairwright.intervals import Floats, Places

CLASSIFIERS = ("bag_of_words", "style", "bag_of_words_with_question", "style_with_question")
FOLDS = 5
FEWEST = 10
"""Clusters below which nothing is learnt."""
_APART = 3
"""From one word's columns to the next one's. The first says that the word is there, the second that
the question has it too; column 2 of all counts those that the question has."""


def learnt(drawn: Sequence[Learnable], clusters: Places, seed: int) -> dict[str, Floats]:
    """By classifier the points, shape (n,), every pair judged by a model that was fitted without
    its cluster; the same on every machine for the same pairs in the same order."""
    # More threads would sum in another order.
    with threadpool_limits(limits=1):
        return {
            "bag_of_words": _tried(bags(drawn, asked=False), clusters, seed),
            "style": _tried(styles(drawn, asked=False), clusters, seed),
            "bag_of_words_with_question": _tried(bags(drawn, asked=True), clusters, seed),
            "style_with_question": _tried(styles(drawn, asked=True), clusters, seed),
        }


def bags(drawn: Sequence[Learnable], *, asked: bool) -> sparse.csr_array:
    """Shape (n, distinct words): 1 for a word of the chosen response alone, -1 for one of the
    rejected, each row of length 1. `asked` tells words that the question has from others."""
    rows = [
        (place, sign * weight, column)
        for place, pair in enumerate(drawn)
        for sign, said in ((1.0, pair.chosen), (-1.0, pair.rejected))
        for weight, column in _columns(said, asked)
    ]
    lengths = [len(column) for _, _, column in rows]
    columns = np.concatenate([column for _, _, column in rows])
    found, places = np.unique(columns, return_inverse=True)
    table = sparse.csr_array(
        (
            np.repeat([weight for _, weight, _ in rows], lengths),
            (np.repeat([place for place, _, _ in rows], lengths), places),
        ),
        shape=(len(drawn), len(found)),
    )
    table.eliminate_zeros()
    return normalize(table)


def _columns(said: Said, asked: bool) -> Iterator[tuple[float, npt.NDArray[np.uint64]]]:
    words = said.words.astype(np.uint64) * _APART
    yield 1.0, words
    if asked:
        own = words[said.of_question]
        yield 1.0, own + 1
        yield float(len(own)), np.array([2], np.uint64)


def styles(drawn: Sequence[Learnable], *, asked: bool) -> sparse.csr_array:
    """Shape (n, features): style of the chosen response less that of the rejected, each feature
    over its root mean square. `asked` adds what each response shares with the question, and all of
    it times the question's own numbers: what style is wanted can depend on it."""
    table = np.array([pair.chosen.style - pair.rejected.style for pair in drawn], np.float64)
    if asked:
        shared = [pair.chosen.against - pair.rejected.against for pair in drawn]
        of = np.array([pair.asked for pair in drawn], np.float64)
        table = np.hstack([table, np.array(shared, np.float64)])
        table = np.hstack([table, *(table * own[:, None] for own in (of - of.mean(axis=0)).T)])
    size = np.sqrt((table**2).mean(axis=0))
    return sparse.csr_array(table / np.where(size > 0, size, 1))


def _tried(table: sparse.csr_array, clusters: Places, seed: int) -> Floats:
    """Points of a logistic model of the difference, cross-validated in folds of whole clusters.

    It has no intercept, so it leans to no side: a pair turned about has the opposite score. Its
    loss is the same for a pair and for the pair turned about, so of the two signs each pair is
    given with one: every other pair is turned.
    """
    points = np.full(table.shape[0], 0.5)
    signs = np.where(np.arange(table.shape[0]) % 2, -1.0, 1.0)
    turned = sparse.csr_array(sparse.diags_array(signs) @ table)
    folds = GroupKFold(FOLDS, shuffle=True, random_state=seed)
    for train, test in folds.split(table, groups=clusters):
        model = LogisticRegression(fit_intercept=False, max_iter=500, tol=1e-3)
        model.fit(turned[train], signs[train])
        scores = table[test] @ model.coef_[0]
        # What rounding leaves of no difference is a tie.
        points[test] = (np.sign(np.round(scores, 9)) + 1) / 2
    return points
