"""How near planned aspects come to gold ones, without a judge.

Precision is the mean over planned aspects of the similarity to the nearest gold one, recall the
mean over gold aspects of the similarity to the nearest planned one: the greedy matching of
BERTScore (Zhang et al. 2020, section 3), of aspects where that has tokens. No threshold has to be
chosen; but two aspects that have nothing to do with each other are not at 0, so such numbers are
read beside those against somebody else's gold aspects.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pairwright import text
from pairwright.records import Record
from pairwright.retrieve import dense

Similarity = Callable[[Sequence[str], Sequence[str]], NDArray[np.float64]]
"""Of each of m aspects to each of n: an array of shape (m, n), each 0 to 1."""
DIGITS = 6
"""Beyond them lies how texts were batched."""


class Agreement(Record):
    """One plan against one list of gold aspects."""

    precision: float | None
    """None where nothing was planned."""
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean; 0 where nothing was planned, or nothing agrees."""
        if not self.precision or not self.recall:
            return 0.0
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def agreement(planned: Sequence[str], gold: Sequence[str], similarity: Similarity) -> Agreement:
    """Of a plan, which may be empty, with gold aspects, which are not."""
    if not planned:
        return Agreement(precision=None, recall=0.0)
    near = similarity(planned, gold)
    return Agreement(
        precision=round(float(near.max(axis=1).mean()), DIGITS),
        recall=round(float(near.max(axis=0).mean()), DIGITS),
    )


def by_words(first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
    """Shared content words over all."""
    return np.array([[text.jaccard(text.terms(a), text.terms(b)) for b in second] for a in first])


def by_embedding(model: str, where: str) -> Similarity:
    """Cosine of the aspects' embeddings, below 0 taken as 0. `where` names the model's key in
    errors."""

    def similarity(first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
        own = dense.directions(tuple(first), model, where)
        other = dense.directions(tuple(second), model, where)
        return np.asarray(np.clip(own @ other.T, 0.0, 1.0))

    return similarity
