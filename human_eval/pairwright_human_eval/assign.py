"""Who answers what: a study's blind tasks by annotator and kind.

An annotator with a preference task of a unit has no other preference or rubric task of it. As
far as there are enough annotators, somebody who is asked about a user's aspects for a question is
not asked for that user's preference on it in another unit. Under these rules the loads are kept
even, and so is, for each annotator and domain, how often the chosen response is shown as A.
"""

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from pairwright.records import content_id
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright_human_eval.records import Place, pseudonyms
from pairwright_human_eval.tasks import (
    BlindUnit,
    Task,
    expected_of,
    page_of,
    preference_task,
    quality_task,
    repeated,
    rubric_task,
)
from pairwright_human_eval.units import Unit, salts, swapped

REPEAT_AFTER = 15
"""A repeat comes so many tasks after what it repeats, or later."""
LATEST_MEAN = 0.55
"""The mean place of repeats in the list, at most: they cannot come first, and would otherwise be
known by coming last."""


@dataclass(frozen=True)
class StudyPlan:
    """How a study is laid out."""

    annotators: tuple[str, ...]
    overlap: int
    """People who answer each question, or as many as the rule asks for if these are more."""
    seed: int
    human: HumanRules
    planner: PlanRules

    @property
    def votes(self) -> int:
        """People who are asked the preference for each pair."""
        return max(self.overlap, self.human.votes)

    @property
    def quality_answers(self) -> int:
        """People who rate the quality of each unit."""
        return max(self.overlap, self.human.quality_votes)

    @property
    def rubric_answers(self) -> int:
        """People who are asked about the aspects of each unit."""
        return max(self.overlap, self.human.rubric_votes)

    def needed(self, unit: Unit) -> int:
        """The fewest people for a unit: those who vote on each of its pairs, and others for the
        aspects, if it has any."""
        others = self.rubric_answers * unit.has_aspects
        return max(self.votes * len(unit.pairs) + others, self.quality_answers)


def fitting(rules: HumanRules, people: int, halves: int) -> HumanRules:
    """The rule as so many people can carry it out: nobody who votes on a half of a twin sees its
    other half or its aspects. `halves` is 2 if there are twins or placebos."""
    votes = min(rules.votes, max(1, people // halves))
    fewer = {
        "votes": votes,
        "quality_votes": min(rules.quality_votes, people),
        "rubric_votes": min(rules.rubric_votes, max(0, people - halves * votes)),
    }
    return HumanRules(**dict(rules) | fewer)


def planned(
    people: int,
    overlap: int,
    seed: int,
    rules: HumanRules,
    planner: PlanRules,
    units: Iterable[Unit],
) -> StudyPlan:
    """The plan of a study of these units, with as much overlap as its people allow."""
    units = list(units)
    halves = max(len(unit.pairs) for unit in units)
    plan = StudyPlan(pseudonyms(people), overlap, seed, fitting(rules, people, halves), planner)
    while plan.overlap and max(map(plan.needed, units)) > people:
        plan = replace(plan, overlap=plan.overlap - 1)
    return plan


class Seat(NamedTuple):
    """Work on one unit for one annotator, who has no other seat at it."""

    preference: int | None
    """Which of the unit's pairs a preference is asked of; none: the aspects of all of them."""
    expected: Place | None
    """Where that pair's chosen response is shown; none of a placebo, whose label is drawn."""

    @property
    def work(self) -> str:
        return "rubric" if self.preference is None else "preference"

    @property
    def sign(self) -> int:
        """1 where the chosen response is A, -1 where it is B."""
        return {"A": 1, "B": -1, None: 0}[self.expected]

    def users(self, unit: Unit) -> tuple[str, ...]:
        """Whose preference or aspects it is about."""
        if self.preference is None:
            return tuple(pair.user for pair in unit.pairs)
        return (unit.pairs[self.preference].user,)


class Assigner:
    """Hands out the seats of one unit after the other."""

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

    def seats(self, unit: Unit, seats: list[Seat]) -> list[tuple[str, Seat]]:
        """An annotator for each seat. There must be at least as many annotators as seats."""
        chance = random.Random(content_id("assign", str(self._seed), unit.id))
        cost = np.array(
            [
                [self._cost(who, seat, unit) + chance.random() for seat in seats]
                for who in range(len(self._annotators))
            ]
        )
        given = []
        for row, n in zip(*linear_sum_assignment(cost), strict=True):
            who, seat, question = int(row), seats[n], unit.asked.item_id
            self._loads[who, seat.work] += 1
            self._first[who, unit.domain] += seat.sign
            self._questions[seat.work].add((who, question))
            self._given |= {(who, seat.work, question, user) for user in seat.users(unit)}
            given.append((self._annotators[who], seat))
        return given

    def quality(self, unit: str) -> list[str]:
        """Annotators of the unit's quality tasks: those who have fewest."""
        chance = random.Random(content_id("quality", str(self._seed), unit))
        order = sorted(
            range(len(self._annotators)),
            key=lambda who: (self._loads[who, "quality"], chance.random()),
        )
        for who in order[: self._raters]:
            self._loads[who, "quality"] += 1
        return [self._annotators[who] for who in order[: self._raters]]

    def _cost(self, who: int, seat: Seat, unit: Unit) -> float:
        # A task too many weighs as much as one step out of balance. No load outweighs telling
        # somebody the aspects of a user whose preference they are asked for, and little does those
        # of the other user of the same question.
        other = "preference" if seat.work == "rubric" else "rubric"
        question = unit.asked.item_id
        revealed = sum((who, other, question, user) in self._given for user in seat.users(unit))
        near = (who, question) in self._questions[other]
        balance = seat.sign * self._first[who, unit.domain]
        return 1e6 * revealed + 1e3 * near + 4 * self._loads[who, seat.work] + 4 * balance


def make_tasks(units: list[Unit], plan: StudyPlan) -> tuple[dict[str, list[Task]], dict[str, int]]:
    """Every annotator's tasks in the order they are to be done, and the salts of the sides."""
    salted = salts(units, plan.seed)
    assigner = Assigner(plan.annotators, plan.quality_answers, plan.seed)
    by_annotator: dict[str, list[Task]] = {who: [] for who in plan.annotators}
    for unit in sorted(units, key=lambda s: content_id("order", str(plan.seed), s.id)):
        page = page_of(unit, plan.seed, swapped(plan.seed, salted[unit.domain], unit.id))
        for task in _tasks_of(unit, page, assigner, plan):
            by_annotator[task.keyed.annotator].append(task)
    ordered = {who: _ordered(who, tasks, plan) for who, tasks in by_annotator.items()}
    return ordered, salted


def _tasks_of(unit: Unit, page: BlindUnit, assigner: Assigner, plan: StudyPlan) -> Iterator[Task]:
    for who in assigner.quality(unit.id):
        yield quality_task(page, who)
    seats = [
        Seat(n, expected_of(pair, page))
        for n, pair in enumerate(unit.pairs)
        for _ in range(plan.votes)
    ]
    if unit.has_aspects:
        seats += [Seat(None, None)] * plan.rubric_answers
    for who, seat in assigner.seats(unit, seats):
        if seat.preference is None:
            for pair in unit.pairs:
                yield rubric_task(page, pair, who, plan.planner)
        else:
            yield preference_task(page, unit.pairs[seat.preference], who, plan.planner)


def _ordered(who: str, tasks: list[Task], plan: StudyPlan) -> list[Task]:
    """An annotator's tasks in a seeded order, with repeats where their place does not tell them."""
    chance = random.Random(content_id("tasks", str(plan.seed), who))
    chance.shuffle(tasks)
    rest = [task for task in tasks if task.keyed.kind != "preference"]
    asked = [task for task in tasks if task.keyed.kind == "preference"]
    votes = sum(task.keyed.purpose == "vote" for task in asked)
    _add_repeats(asked, math.ceil(plan.human.repeats * votes), plan.seed, chance)
    return [*rest, *asked]


def _add_repeats(asked: list[Task], wanted: int, seed: int, chance: random.Random) -> None:
    """Put repeats of votes among the preference tasks. Where few tasks are left for them, their
    place would tell them, and there are none."""
    again: set[str] = set()
    for _ in range(wanted):
        left = [
            (n, task)
            for n, task in enumerate(asked)
            if task.keyed.purpose == "vote" and task.keyed.task not in again
        ]
        n = len(asked) + 1
        latest = min(n - 1, round(2 * LATEST_MEAN * n) - REPEAT_AFTER)
        earliest = REPEAT_AFTER + (left[0][0] if left else n)
        if latest < earliest:
            return
        place = chance.randint(earliest, latest)
        task = chance.choice([task for at, task in left if at <= place - REPEAT_AFTER])
        again.add(task.keyed.task)
        asked.insert(place, repeated(task, seed))
