"""Who answers what: every subject's tasks over the annotators.

An annotator with a preference task of a subject has no other preference or rubric task of it. As
far as there are enough annotators, somebody who is asked about a user's aspects for a question is
not asked for that user's preference on it in another subject. Under these rules the loads are kept
even, and so is, for each annotator and domain, how often the chosen response is shown as A.
"""

import random
from collections import Counter
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from pairwright.records import content_id
from pairwright_human_eval.records import Place
from pairwright_human_eval.subjects import Subject


class Seat(NamedTuple):
    """Work on one subject for one annotator, who has no other seat at it."""

    preference: int | None
    """Which of the subject's pairs a preference is asked of; none: the aspects of all of them."""
    expected: Place | None
    """Where that pair's chosen response is shown; none of a placebo, whose label is drawn."""

    @property
    def work(self) -> str:
        return "rubric" if self.preference is None else "preference"

    @property
    def sign(self) -> int:
        """1 where the chosen response is A, -1 where it is B."""
        return {"A": 1, "B": -1, None: 0}[self.expected]

    def users(self, subject: Subject) -> tuple[str, ...]:
        """Whose preference or aspects it is about."""
        if self.preference is None:
            return tuple(pair.user for pair in subject.pairs)
        return (subject.pairs[self.preference].user,)


class Assigner:
    """Hands out the seats of one subject after the other."""

    def __init__(self, annotators: tuple[str, ...], raters: int, seed: int) -> None:
        self._annotators = annotators
        self._raters = raters
        self._seed = seed
        self._loads: Counter[tuple[int, str]] = Counter()
        self._first: Counter[tuple[int, str]] = Counter()
        """Chosen as A less chosen as B, by annotator and domain."""
        self._given: set[tuple[int, str, str, str]] = set()
        """Annotator, work, question and user."""
        self._questions: dict[str, set[tuple[int, str]]] = {"preference": set(), "rubric": set()}
        """By work: annotator and question, for any user."""

    def seats(self, subject: Subject, seats: list[Seat]) -> list[tuple[str, Seat]]:
        """An annotator for each seat. There must be at least as many annotators as seats."""
        chance = random.Random(content_id("assign", str(self._seed), subject.id))
        cost = np.array(
            [
                [self._cost(who, seat, subject) + chance.random() for seat in seats]
                for who in range(len(self._annotators))
            ]
        )
        given = []
        for row, n in zip(*linear_sum_assignment(cost), strict=True):
            who, seat, question = int(row), seats[n], subject.asked.item_id
            self._loads[who, seat.work] += 1
            self._first[who, subject.domain] += seat.sign
            self._questions[seat.work].add((who, question))
            self._given |= {(who, seat.work, question, user) for user in seat.users(subject)}
            given.append((self._annotators[who], seat))
        return given

    def quality(self, subject: str) -> list[str]:
        """Annotators of the subject's quality tasks: those who have fewest."""
        chance = random.Random(content_id("quality", str(self._seed), subject))
        order = sorted(
            range(len(self._annotators)),
            key=lambda who: (self._loads[who, "quality"], chance.random()),
        )
        for who in order[: self._raters]:
            self._loads[who, "quality"] += 1
        return [self._annotators[who] for who in order[: self._raters]]

    def _cost(self, who: int, seat: Seat, subject: Subject) -> float:
        # A task too many weighs as much as one step out of balance. No load outweighs telling
        # somebody the aspects of a user whose preference they are asked for, and little does those
        # of the other user of the same question.
        other = "preference" if seat.work == "rubric" else "rubric"
        question = subject.asked.item_id
        revealed = sum((who, other, question, user) in self._given for user in seat.users(subject))
        near = (who, question) in self._questions[other]
        balance = seat.sign * self._first[who, subject.domain]
        return 1e6 * revealed + 1e3 * near + 4 * self._loads[who, seat.work] + 4 * balance
