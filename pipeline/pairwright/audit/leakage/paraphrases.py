"""Pairs that repeat another pair in nearly the same words, in any order."""

from array import array
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from pairwright import text
from pairwright.audit.leakage.sketch import Pairs, TextSketches, duplicate_groups, similar
from pairwright.audit.records import Check, CheckDefinition, Definitions
from pairwright.audit.row_check import TEXT, RowCheck, RowPlace
from pairwright.dataset import Row

ALIKE = 0.7
"""Share of content words (Jaccard, estimated) from which two pairs are near-duplicates. Sentences
in another order change none of them; with one content word in ten replaced .82 are shared, with
one in six .71, with one in four .6."""
LEAST_WORDS = 20
"""The least number of content words: pairs of fewer are alike by chance."""


NEAR_DUPLICATE_PAIRS = CheckDefinition(
    family="leakage",
    name="near_duplicate_pairs",
    title="A pair again in nearly the same words",
    why="A pair that was retold counts twice, and may be in a training and a test fold. "
    "Sentences in another order and a few words replaced are found; a free retelling is not, "
    "and pairs that were made from one template are alike without being retold.",
    todo="Read the pairs named, and keep one of each group.",
)


class NearDuplicatePairs:
    """`near_duplicate_pairs`: rows whose question and sides together have nearly the content words
    of an earlier row of another item. Both halves of a twin are one."""

    definitions: ClassVar[Definitions] = (NEAR_DUPLICATE_PAIRS,)

    def __init__(self) -> None:
        self._sketches = TextSketches(run=1)
        self._places: list[RowPlace] = []
        self._items = array("q")
        self._twins: set[int] = set()
        self._check = RowCheck(NEAR_DUPLICATE_PAIRS, limit=None, others=None)

    def add(self, row: Row) -> None:
        place = self._check.place(row)
        if row.twin_id is not None:
            twin = hash(row.twin_id)
            if twin in self._twins:
                return
            self._twins.add(twin)
        words = text.terms_of(
            (one[:TEXT] for one in (row.question, row.chosen, row.rejected)), row.language
        )
        if len(words) >= LEAST_WORDS:
            self._sketches.add(tuple(words))
            self._places.append(place)
            # Pairs of one item share its question on purpose.
            self._items.append(hash(row.item_id or row.id))

    def checks(self) -> Iterator[Check]:
        signatures = self._sketches.signatures()
        for first, later in _groups(
            self._across_items(similar(signatures, ALIKE)), len(signatures)
        ):
            detail = f"nearly the words of {self._places[first].row}"
            self._check.flag(self._places[later], detail)
        yield from self._check.checks(
            f"estimated overlap of content words at least {ALIKE}: another order of sentences is"
            " found, and one content word in seven replaced; a free retelling is not"
        )

    def _across_items(self, pairs: Pairs) -> Pairs:
        items = np.array(self._items, np.int64)
        across: Pairs = pairs[items[pairs[:, 0]] != items[pairs[:, 1]]]
        return across


def _groups(pairs: Pairs, n: int) -> Iterator[tuple[int, int]]:
    """The first of each group of near-duplicates, with every other one."""
    firsts: dict[int, int] = {}
    for number, own in enumerate(duplicate_groups(pairs, n).tolist()):
        earlier = firsts.setdefault(own, number)
        if earlier != number:
            yield earlier, number
