"""What the choices of others say of a user's: the neighbour model of collaborative filtering.

A user's choice between two responses is foretold by how others took or refused them, each weighed
by how alike both chose elsewhere (Resnick et al. 1994, GroupLens, CSCW, 175-186, with a cosine of
choices less their mean). It sees what no text shows. So it says how far choices follow from
anything that is known of people, and text alone is not expected to get further.

Neither the user's choice of the two responses nor the partner's, which is known to be the reverse,
has a part in it.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

import numpy as np
from scipy.sparse import csc_array, csr_array

from pairwright.intervals import Floats
from pairwright.records import Item, Neighbours
from pairwright.sources import Chooser, SourceProblem, Voter
from pairwright.text import normalised

_LEAST = 1e-9
"""Sums of squares below it are rounding."""
_PLACES = 6
"""Decimal places that are kept."""


def with_neighbours(
    choosers: Iterable[Chooser | Voter | SourceProblem],
    make_items: Callable[
        [Iterator[Chooser | Voter | SourceProblem]], Iterator[Item | SourceProblem]
    ],
) -> Iterator[Item | SourceProblem]:
    """The items of natural twins that are made of the choosers, each with what the choices of all
    say of both users'. Making items must have read every chooser before the first."""
    votes = list[Voter]()

    def counted() -> Iterator[Chooser | Voter | SourceProblem]:
        for one in choosers:
            if not isinstance(one, SourceProblem):
                votes.append(one.votes if isinstance(one, Chooser) else one)
            yield one

    known: VoteTable | None = None
    for item in make_items(counted()):
        if isinstance(item, Item) and item.opposite:
            known = known or VoteTable(votes)
            choice = item.opposite
            both = (
                known.neighbours(item.user, choice.other, choice.chosen, choice.rejected),
                known.neighbours(choice.other, item.user, choice.rejected, choice.chosen),
            )
            opposite = choice.model_copy(update={"neighbours": both})
            yield item.model_copy(update={"opposite": opposite})
        else:
            yield item


class VoteTable:
    """Who took and who refused which response. Matrices have the shape (people, responses)."""

    def __init__(self, votes: Iterable[Voter]) -> None:
        """A response is known by its text. Of one that somebody took and refused, against others,
        the mean counts."""
        self._people: dict[str, int] = {}
        self._responses: dict[str, int] = {}
        cells: dict[tuple[int, int], list[int]] = {}
        for voter in votes:
            who = self._people.setdefault(voter.user, len(self._people))
            for side, texts in ((1, voter.taken), (-1, voter.refused)):
                for text in texts:
                    key = normalised(text)
                    what = self._responses.setdefault(key, len(self._responses))
                    cells.setdefault((who, what), []).append(side)
        places = np.array(list(cells), np.intp).reshape(-1, 2).T
        shape = (len(self._people), len(self._responses))
        values = np.array([np.mean(sides) for sides in cells.values()])
        self._votes = csc_array((values, tuple(places)), shape=shape)
        said = csc_array((np.ones(len(values)), tuple(places)), shape=shape)
        means = self._votes.sum(0) / np.maximum(said.sum(0), 1)
        leanings = (values - means[places[1]], tuple(places))
        self._said = said
        self._leanings = csr_array(leanings, shape=shape)
        self._by_response = csc_array(leanings, shape=shape)
        self._squares = csr_array((leanings[0] ** 2, leanings[1]), shape=shape)
        self._likeness = lru_cache(maxsize=64)(self._compare)

    def neighbours(self, user: str, partner: str, chosen: str, rejected: str) -> Neighbours:
        """How those who choose like the user lean to both responses."""
        me, other = self._people[user], self._people[partner]
        about = [self._responses[normalised(text)] for text in (chosen, rejected)]
        alike = self._alike_elsewhere(me, about)
        alike[[me, other]] = 0
        sides, counted = list[float](), np.zeros(len(alike), bool)
        for response in about:
            voted, said = (_column(table, response) for table in (self._votes, self._said))
            voted[[me, other]] = said[[me, other]] = 0
            counted |= (said > 0) & (alike != 0)
            weight = float(said @ np.abs(alike))
            mean = voted.sum() / max(said.sum(), 1)
            lean = float((voted - mean * said) @ alike) / weight if weight > _LEAST else 0.0
            sides.append(round(lean, _PLACES) + 0.0)
        return Neighbours(chosen=sides[0], rejected=sides[1], others=int(counted.sum()))

    def _alike_elsewhere(self, me: int, about: list[int]) -> Floats:
        """The cosine of everybody's choices and the user's, of all responses but these two, over
        those that the user took or refused. Shape (people,)."""
        own, said, dots, squares = self._likeness(me)
        dots, squares, length = dots.copy(), squares.copy(), float(own @ own)
        for response in about:
            theirs = _column(self._by_response, response)
            dots -= theirs * own[response]
            squares -= theirs**2 * said[response]
            length -= own[response] ** 2
        lengths = np.sqrt(np.maximum(squares, 0) * max(length, 0.0))
        alike: Floats = np.where(lengths > _LEAST, dots / np.maximum(lengths, _LEAST), 0.0)
        return alike

    def _compare(self, me: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Of one user: the own choices less their mean, and 1 where there are any, of shape
        (responses,); products with everybody's, and everybody's squares, of shape (people,)."""
        own = np.zeros(self._leanings.shape[1])
        said = np.zeros(self._leanings.shape[1])
        start, end = self._leanings.indptr[me : me + 2]
        own[self._leanings.indices[start:end]] = self._leanings.data[start:end]
        said[self._leanings.indices[start:end]] = 1
        return own, said, self._leanings @ own, self._squares @ said


def _column(table: csc_array, at: int) -> Floats:
    """One response's column, of shape (people,)."""
    values = np.zeros(table.shape[0])
    start, end = table.indptr[at : at + 2]
    values[table.indices[start:end]] = table.data[start:end]
    return values
