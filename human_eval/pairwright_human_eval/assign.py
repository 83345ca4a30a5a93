"""Who answers what: every subject's tasks over the annotators, and which subjects are controls.

An annotator with a preference task of a subject has no other preference or rubric task of it. As
far as there are enough annotators, somebody who is asked about a user's aspects for a question is
not asked for that user's preference on it in another subject. Under these rules the loads are kept
even, and so is, for each annotator and domain, how often the chosen response is shown as A.

A control is also shown with a stranger's posts, or with the narrative. It takes the seats that ask
about aspects, so it gets no rubric answers and is not verified: that is what the controls cost.

Strangers' posts are a control of single pairs alone: in a twin whatever leaks favours one response,
which is chosen in the one half and rejected in the other, so that a stranger's posts give one half
whatever the leak. The control is held to an equivalence: strangers' posts tell nothing if the
one-sided 95 % bound of their share of choices for the chosen response is below one half plus
`MARGIN`.
"""

import random
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import binom

from pairwright.estimate import share
from pairwright.intervals import LEVEL, z_of
from pairwright.modes import has_rubric
from pairwright.records import Pair, Post, content_id, draw_id
from pairwright.times import is_older
from pairwright_human_eval.records import KeyedTask, Place, Purpose
from pairwright_human_eval.subjects import Subject

MARGIN = 0.15
LIMIT = 0.5 + MARGIN
"""The share for the chosen response that a stranger's posts must be shown to be below."""


def control_subjects(tasks: Iterable[KeyedTask]) -> tuple[int, int]:
    """How many subjects are shown with a stranger's posts, and in how many tasks."""
    shown = [task.subject for task in tasks if task.purpose == "wrong_profile"]
    return len(set(shown)), len(shown)


def one_sided(value: float, high: float, level: float = LEVEL) -> float:
    """The upper bound at a one-sided `level`, by the upper end of a two-sided 95 % interval: it is
    as much nearer to the estimate as a normal quantile is."""
    return min(1.0, value + (high - value) * z_of(2 * level) / z_of(LEVEL))


def control_power(choices: int) -> float:
    """The probability that so many independent choices, each for the chosen response with one half,
    show that strangers' posts tell nothing, by Wilson's bound."""
    return float(
        sum(
            binom.pmf(k, choices, 0.5)
            for k in range(choices + 1)
            if (share(k, choices, z_of(2 * LEVEL)).high or 1) < LIMIT
        )
    )


LOOKED_AT = 300
"""Pairs that a stranger is chosen from."""
ENOUGH_STRANGERS = 40
"""Single pairs of the wrong-profile control that show what it is for (`control_power`)."""
MOST_STRANGERS = 5
"""One of so many at most is such a control, unless the rule asks for a greater share."""

Controls = dict[str, Purpose]


def draw_controls(
    subjects: list[Subject], wrong_profile: float, narrative: float, seed: int
) -> Controls:
    """Subjects by id that are controls, drawn by content: `narrative` is a share of all, and
    `wrong_profile` of single pairs, or as many as it takes to show something."""
    order = sorted(subjects, key=lambda s: draw_id("control", str(seed), s.id))
    single = [subject for subject in order if len(subject.pairs) == 1]
    least = min(ENOUGH_STRANGERS, len(single) // MOST_STRANGERS)
    strangers = max(round(wrong_profile * len(single)), least) if wrong_profile else 0
    controls: Controls = {subject.id: "wrong_profile" for subject in single[:strangers]}
    narrated = [
        s for s in order if s.id not in controls and s.asked.narrative and has_rubric(s.mode)
    ]
    for subject in narrated[: round(narrative * len(order))]:
        controls[subject.id] = "narrative"
    return controls


def stranger(pair: Pair, others: list[Pair]) -> tuple[Post, ...]:
    """Another user's posts for a control: older than the question, and about as many.

    `others` are pairs of the same domain. Those of the pair's own category come first: a stranger
    who writes about other things would be known by that. Empty where none of those looked at fits.
    """
    for near in ([other for other in others if other.category == pair.category], others):
        chance = random.Random(content_id("stranger", pair.id))
        fitting = []
        for other in chance.sample(near, min(len(near), LOOKED_AT)):
            posts = tuple(post for post in other.profile if _older(post, pair))
            if other.user != pair.user and len(posts) >= min(2, len(pair.profile)):
                fitting.append(posts)
        if best := min(fitting, key=lambda own: abs(len(own) - len(pair.profile)), default=()):
            return best
    return ()


def _older(post: Post, pair: Pair) -> bool:
    if pair.question.lower() in post.text.lower():
        return False
    return pair.created is None or post.created is None or is_older(post.created, pair.created)


class Seat(NamedTuple):
    """Work on one subject for one annotator, who has no other seat at it."""

    purpose: Purpose
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
