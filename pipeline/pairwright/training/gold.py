"""Items with gold aspects, and how well the aspects of a plan agree with them."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pairwright import text
from pairwright.assets import DOCS
from pairwright.errors import SourceError
from pairwright.records import Record
from pairwright.retrieve import dense
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources import SourceItems, read_whole

NO_GOLD = "no_gold_aspects"


def read_gold(rules: SourceRules, domains: Domains, folder: Path, where: str) -> SourceItems:
    """The items of a source that have gold aspects. Raises SourceError for a source without one
    usable item."""
    source = read_whole(rules, domains, folder)
    items = tuple(item for item in source.items if item.rubric_aspects)
    n = len(source.items) - len(items)
    if not items:
        raise SourceError(
            f"not one of {n:,} items has gold aspects",
            where=f"{where} {rules.path}",
            fix=f"Give items a list `rubric_aspects`, as LaMP-QA's have: {DOCS / 'sources.md'}.",
        )
    refused = source.refused | ({NO_GOLD: n} if n else {})
    without = frozenset(item.id for item in source.items if not item.rubric_aspects)
    return SourceItems(items, dict(sorted(refused.items())), source.hash, without)


Similarity = Callable[[Sequence[str], Sequence[str]], NDArray[np.float64]]
"""Of each of m aspects to each of n: an array of shape (m, n), each 0 to 1."""
DIGITS = 6
"""Beyond them lies how texts were batched."""


class AspectAgreement(Record):
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


def aspect_agreement(
    planned: Sequence[str], gold: Sequence[str], similarity: Similarity
) -> AspectAgreement:
    """Of a plan, which may be empty, with gold aspects, which are not."""
    if not planned:
        return AspectAgreement(precision=None, recall=0.0)
    near = similarity(planned, gold)
    return AspectAgreement(
        precision=round(float(near.max(axis=1).mean()), DIGITS),
        recall=round(float(near.max(axis=0).mean()), DIGITS),
    )


def by_words(first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
    """Shared content words over all."""
    language = text.language_of(*second, *first)
    planned, gold = ([text.terms(one, language) for one in part] for part in (first, second))
    return np.array([[text.jaccard(a, b) for b in gold] for a in planned])


def by_embedding(model: str, where: str) -> Similarity:
    """Cosine of the aspects' embeddings, below 0 taken as 0. `where` names the model's key in
    errors."""

    def similarity(first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
        own = dense.directions(tuple(first), model, where)
        other = dense.directions(tuple(second), model, where)
        return np.asarray(np.clip(own @ other.T, 0.0, 1.0))

    return similarity
