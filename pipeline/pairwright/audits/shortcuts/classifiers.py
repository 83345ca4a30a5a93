"""What can be learnt from the two responses, and from them and the question, without the user."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import normalize

from pairwright import text
from pairwright.audits.shortcuts.response import (
    Numbers,
    StemFlags,
    Stems,
    flag_members,
    question_numbers,
    shared_with_question,
    style_numbers,
    text_stems,
)
from pairwright.dataset import Row
from pairwright.intervals import Floats, Places
from pairwright.threads import one_thread


class ResponseFeatures(NamedTuple):
    """One response in numbers."""

    style: Numbers
    shared: Numbers
    """What it shares with the question."""
    words: Stems
    in_question: StemFlags
    """Which of the words the question has."""


LearnablePair = tuple[Numbers, ResponseFeatures, ResponseFeatures]
"""A pair in numbers for the classifiers, its question, chosen and rejected response: nothing of its
user."""


def learnable_pair(row: Row) -> LearnablePair:
    """Measure a row's two responses, and what they share with its question."""
    return (
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


FOLDS = 5
LEAST_CLUSTERS = 10
"""Clusters below which nothing is learnt."""
_APART = 3
"""From one word's columns to the next one's. The first says that the word is there, the second that
the question has it too; column 2 of all counts those that the question has."""


def bags(drawn: Sequence[LearnablePair], *, with_question: bool) -> sparse.csr_array:
    """Shape (n, distinct words): 1 for a word of the chosen response alone, -1 for one of the
    rejected, each row of length 1. `with_question` marks the words that the question has."""
    cells: list[tuple[int, float, npt.NDArray[np.uint64]]] = []
    for place, (_, chosen, rejected) in enumerate(drawn):
        for sign, response in ((1.0, chosen), (-1.0, rejected)):
            words = response.words.astype(np.uint64) * _APART
            cells.append((place, sign, words))
            if with_question:
                own = words[response.in_question]
                cells.append((place, sign, own + 1))
                cells.append((place, sign * len(own), np.array([2], np.uint64)))
    lengths = [len(columns) for _, _, columns in cells]
    kinds, places = np.unique(
        np.concatenate([columns for _, _, columns in cells]), return_inverse=True
    )
    table = sparse.csr_array(
        (
            np.repeat([weight for _, weight, _ in cells], lengths),
            (np.repeat([place for place, _, _ in cells], lengths), places),
        ),
        shape=(len(drawn), len(kinds)),
    )
    table.eliminate_zeros()
    return normalize(table)


def styles(drawn: Sequence[LearnablePair], *, with_question: bool) -> sparse.csr_array:
    """Shape (n, features): style of the chosen response less that of the rejected, each feature
    over its root mean square. `with_question` adds what each response shares with the question, and
    all of it times the question's own numbers: what style is wanted can depend on it."""
    table = np.array([chosen.style - rejected.style for _, chosen, rejected in drawn], np.float64)
    if with_question:
        shared = [chosen.shared - rejected.shared for _, chosen, rejected in drawn]
        questions = np.array([question for question, _, _ in drawn], np.float64)
        questions -= questions.mean(axis=0)
        table = np.hstack([table, np.array(shared, np.float64)])
        table = np.hstack([table, *(table * own[:, None] for own in questions.T)])
    size = np.sqrt((table**2).mean(axis=0))
    return sparse.csr_array(table / np.where(size > 0, size, 1))


def _points(table: sparse.csr_array, clusters: Places, seed: int) -> Floats:
    """Points of a logistic model of the difference, cross-validated in folds of whole clusters.

    It has no intercept, so it favours neither side: a pair with swapped sides has the opposite
    score. Its loss is the same for a pair and for the swapped pair, so each pair is fitted with one
    of the two signs: every other pair is swapped.
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


CLASSIFIERS: dict[str, Callable[[Sequence[LearnablePair]], sparse.csr_array]] = {
    "bag_of_words": partial(bags, with_question=False),
    "style": partial(styles, with_question=False),
    "bag_of_words_with_question": partial(bags, with_question=True),
    "style_with_question": partial(styles, with_question=True),
}
"""By check, in the order of the report, what a pair's chosen response has, less what the rejected
one has, shape (n, features)."""


def classifier_points(
    drawn: Sequence[LearnablePair], clusters: Places, seed: int
) -> Iterator[tuple[str, Floats]]:
    """The points of each classifier, shape (n,). Every pair is judged by a model that was fitted
    without its cluster. The same pairs in the same order have the same points on every machine."""
    with one_thread():
        for name, table in CLASSIFIERS.items():
            yield name, _points(table(drawn), clusters, seed)
