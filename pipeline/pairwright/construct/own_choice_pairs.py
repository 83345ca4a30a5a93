"""The pairs of people's own choices, and what the choices of others say of them. No model is asked:
an item has all that its pairs hold.

The neighbour model of collaborative filtering: a user's choice between two responses is predicted
from how others took or refused them, each weighted by how alike both chose elsewhere (Resnick et
al. 1994, GroupLens, CSCW, 175-186, with a cosine of choices less their mean). It uses what no text
shows, so it says how well choices can be predicted from what is known of people; text alone is not
expected to do better. Neither the user's choice of the two responses nor the partner's, which is
known to be the reverse, has a part in it.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

import numpy as np
from scipy.sparse import csc_array, csr_array

from pairwright.construct.drafts import pair_of
from pairwright.intervals import Floats
from pairwright.records import (
    Draft,
    Item,
    Neighbours,
    Pair,
    Twin,
    content_id,
    pseudonym,
)
from pairwright.sources import Chooser, SourceProblem, Voter
from pairwright.sources.choosers import choice_key

_ROUNDING_ERROR = 1e-9
"""Sums of squares below it are rounding."""
_DECIMALS = 6
"""Decimal places that are kept."""


def add_neighbours(
    choosers: Iterable[Chooser | Voter | SourceProblem],
    make_items: Callable[
        [Iterator[Chooser | Voter | SourceProblem]], Iterator[Item | SourceProblem]
    ],
) -> Iterator[Item | SourceProblem]:
    """The items of natural twins, each with what the choices of all people say of both users'.

    `make_items` has to read every chooser before it gives its first item."""
    votes = list[Voter]()

    def record_votes() -> Iterator[Chooser | Voter | SourceProblem]:
        for one in choosers:
            if not isinstance(one, SourceProblem):
                votes.append(one.votes if isinstance(one, Chooser) else one)
            yield one

    table: VoteTable | None = None
    for item in make_items(record_votes()):
        if isinstance(item, Item) and item.opposite:
            table = table or VoteTable(votes)
            choice = item.opposite
            responses = choice.chosen, choice.rejected
            both = (
                table.neighbours(item.question, item.user, choice.other, *responses),
                table.neighbours(item.question, choice.other, item.user, *responses[::-1]),
            )
            opposite = choice.model_copy(update={"neighbours": both})
            yield item.model_copy(update={"opposite": opposite})
        else:
            yield item


class VoteTable:
    """Who took and who refused which response. Matrices have the shape (people, responses)."""

    def __init__(self, votes: Iterable[Voter]) -> None:
        """`votes` may name a person several times. A response is known by the
        keys of its question and its text (`choice_key`). A
        person who took a response against one and refused it against another counts with the
        mean of 1 and -1."""
        self._people: dict[str, int] = {}
        self._responses: dict[tuple[str, str], int] = {}
        cells: dict[tuple[int, int], list[int]] = {}
        for voter in votes:
            question = choice_key(voter.question)
            person = self._people.setdefault(voter.user, len(self._people))
            for side, texts in ((1, voter.taken), (-1, voter.refused)):
                for text in texts:
                    key = question, choice_key(text)
                    response = self._responses.setdefault(key, len(self._responses))
                    cells.setdefault((person, response), []).append(side)
        places = np.array(list(cells), np.intp).reshape(-1, 2).T
        shape = (len(self._people), len(self._responses))
        values = np.array([np.mean(sides) for sides in cells.values()])
        self._votes = csc_array((values, tuple(places)), shape=shape)
        indicators = csc_array((np.ones(len(values)), tuple(places)), shape=shape)
        means = self._votes.sum(0) / np.maximum(indicators.sum(0), 1)
        leanings = (values - means[places[1]], tuple(places))
        self._indicators = indicators
        self._leanings = csr_array(leanings, shape=shape)
        self._by_response = csc_array(leanings, shape=shape)
        self._squares = csr_array((leanings[0] ** 2, leanings[1]), shape=shape)
        self._likeness = lru_cache(maxsize=64)(self._compare)

    def neighbours(
        self, question: str, user: str, partner: str, chosen: str, rejected: str
    ) -> Neighbours:
        """How those who choose like the user lean to both responses: the weighted mean of their
        votes (1 or -1) less the mean vote on the response, so from -2 to 2.

        Neither the user nor the partner counts. Raises KeyError for a person or a response without
        a vote.
        """
        user_row, partner_row = self._people[user], self._people[partner]
        about = [
            self._responses[choice_key(question), choice_key(text)] for text in (chosen, rejected)
        ]
        similarity = self._similarity_elsewhere(user_row, about)
        similarity[[user_row, partner_row]] = 0
        sides, counted = list[float](), np.zeros(len(similarity), bool)
        for response in about:
            column_votes, indicators = (
                _column(table, response) for table in (self._votes, self._indicators)
            )
            column_votes[[user_row, partner_row]] = indicators[[user_row, partner_row]] = 0
            counted |= (indicators > 0) & (similarity != 0)
            weight = float(indicators @ np.abs(similarity))
            mean = column_votes.sum() / max(indicators.sum(), 1)
            lean = (
                float((column_votes - mean * indicators) @ similarity) / weight
                if weight > _ROUNDING_ERROR
                else 0.0
            )
            sides.append(round(lean, _DECIMALS) + 0.0)
        return Neighbours(chosen=sides[0], rejected=sides[1], others=int(counted.sum()))

    def _similarity_elsewhere(self, user_row: int, about: list[int]) -> Floats:
        """The cosine of everybody's choices and the user's, of all responses but these two, over
        those that the user took or refused. Shape (people,)."""
        own, indicators, dots, squares = self._likeness(user_row)
        dots, squares, length = dots.copy(), squares.copy(), float(own @ own)
        for response in about:
            theirs = _column(self._by_response, response)
            dots -= theirs * own[response]
            squares -= theirs**2 * indicators[response]
            length -= own[response] ** 2
        lengths = np.sqrt(np.maximum(squares, 0) * max(length, 0.0))
        similarity: Floats = np.where(
            lengths > _ROUNDING_ERROR, dots / np.maximum(lengths, _ROUNDING_ERROR), 0.0
        )
        return similarity

    def _compare(self, user_row: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Of one user: the own choices less their mean, and 1 where there are any, of shape
        (responses,); products with everybody's, and everybody's squares, of shape (people,)."""
        own = np.zeros(self._leanings.shape[1])
        indicators = np.zeros(self._leanings.shape[1])
        start, end = self._leanings.indptr[user_row : user_row + 2]
        own[self._leanings.indices[start:end]] = self._leanings.data[start:end]
        indicators[self._leanings.indices[start:end]] = 1
        return own, indicators, self._leanings @ own, self._squares @ indicators


def _column(table: csc_array, position: int) -> Floats:
    """One response's column, of shape (people,)."""
    values = np.zeros(table.shape[0])
    start, end = table.indptr[position : position + 2]
    values[table.indices[start:end]] = table.data[start:end]
    return values


def build_natural(item: Item) -> Twin:
    """The twin of an item's choice and the opposite one."""
    choice = item.opposite
    assert choice, "made by `natural_items`"
    users = map(pseudonym, (item.user, choice.other))
    twin_id = content_id("twin", item.id, *users, choice.chosen, choice.rejected)
    draft = Draft(draw=0, strategy="", generator="", first=choice.chosen, second=choice.rejected)
    opposite = {
        "user": choice.other, "profile": choice.profile, "narrative": choice.reason,
        "created": choice.created, "source_url": choice.source_url,
    }  # fmt: skip

    def half(whose: Item, *, asked: bool) -> Pair:
        own = {
            "twin_id": twin_id,
            "neighbours": choice.neighbours and choice.neighbours[0 if asked else 1],
        }
        return pair_of(whose, "natural", draft, asked=asked).model_copy(update=own)

    halves = half(item, asked=True), half(item.model_copy(update=opposite), asked=False)
    return Twin(id=twin_id, halves=halves)
