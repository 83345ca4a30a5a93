"""Who answers what: a study's blind tasks by annotator and kind.

An annotator with a preference task of a unit has no other preference or rubric task of it. As
far as there are enough annotators, somebody who is asked about a user's aspects for a question is
not asked for that user's preference on it in another unit. Under these rules the loads are kept
even, and so is, for each annotator and domain, how often the chosen response is shown as A.
"""

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from pairwright.records import Pair, content_id
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright_human_eval.records import KINDS, Kind, Study
from pairwright_human_eval.tasks import (
    BlindUnit,
    Task,
    preference_task,
    quality_task,
    repeated,
    rubric_task,
)
from pairwright_human_eval.units import Unit, swapped_units

REPEAT_AFTER = 15
"""A repeat comes so many tasks after what it repeats, or later."""
LATEST_MEAN = 0.55
"""The mean place of repeats in the list, at most: they cannot come first, and would otherwise be
known by coming last."""


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


def people_for(kind: Kind, overlap: int, rules: HumanRules) -> int:
    """How many people answer each question of a kind."""
    asked = {
        "quality": rules.quality_votes,
        "preference": rules.votes,
        "rubric": rules.rubric_votes,
    }
    return max(overlap, asked[kind])


def possible_overlap(units: Iterable[Unit], people: int, overlap: int, rules: HumanRules) -> int:
    """The overlap, or as much of it as the people allow. Those who vote on a unit's pairs, and
    those who are asked about its aspects, are others."""
    shapes = {(len(unit.pairs), unit.has_aspects) for unit in units}

    def needed(n: int) -> int:
        quality, votes, rubric = (people_for(kind, n, rules) for kind in KINDS)
        return max(quality, *(votes * pairs + rubric * aspects for pairs, aspects in shapes))

    return next(n for n in range(overlap, -1, -1) if not n or needed(n) <= people)


def make_tasks(units: Sequence[Unit], study: Study, planner: PlanRules) -> dict[str, list[Task]]:
    """Every annotator's tasks in the order they are to be done."""
    swapped, dealer = swapped_units(units, study.seed), Dealer(study)
    given: dict[str, list[Task]] = {who: [] for who in study.annotators}
    for unit in sorted(units, key=lambda one: content_id("order", str(study.seed), one.id)):
        page = BlindUnit(study.seed, unit, unit.id in swapped)
        for who in dealer.raters(unit):
            given[who].append(quality_task(page, who))
        for who, pair in dealer.seated(page):
            if pair:
                given[who].append(preference_task(page, pair, who, planner))
            else:
                given[who] += [rubric_task(page, one, who, planner) for one in unit.pairs]
    return {who: _ordered(who, tasks, study) for who, tasks in given.items()}


class Seat(NamedTuple):
    """Work on one unit for one annotator, who has no other seat at it."""

    pair: Pair | None
    """Whose preference is asked; without it, the aspects of all pairs are."""
    users: frozenset[str]
    """Whom it is about."""
    sign: int
    """1 where the chosen response is shown as A, -1 where it is B; 0 if none is to be preferred."""

    @property
    def kind(self) -> Kind:
        return "preference" if self.pair else "rubric"


class Dealer:
    """Deals the work on one unit after the other out to annotators, and keeps it even."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._loads: Counter[tuple[str, Kind]] = Counter()
        self._lean: Counter[tuple[str, str]] = Counter()
        """Chosen as A less chosen as B, by annotator and domain."""
        self._met: set[tuple[str, Kind, str, str]] = set()
        """Annotator, kind, question and the user it was about."""

    def raters(self, unit: Unit) -> list[str]:
        """Who rates the quality of a unit: those who have rated fewest."""
        chance = random.Random(content_id("quality", str(self._study.seed), unit.id))
        everybody = self._study.annotators
        loads = {who: (self._loads[who, "quality"], chance.random()) for who in everybody}
        raters = sorted(everybody, key=loads.__getitem__)[: self._people("quality")]
        self._loads.update((who, "quality") for who in raters)
        return raters

    def seated(self, page: BlindUnit) -> list[tuple[str, Pair | None]]:
        """Who is asked for the preference on which pair of a unit, or, without a pair, for the
        aspects of all of them. Nobody is named twice."""
        unit, seats = page.unit, list[Seat]()
        for pair in unit.pairs:
            sign = 0 if unit.label == "equal" else 1 if page.role(pair) == "chosen" else -1
            seats += [Seat(pair, frozenset({pair.user}), sign)] * self._people("preference")
        if unit.has_aspects:
            everybody = frozenset(pair.user for pair in unit.pairs)
            seats += [Seat(None, everybody, 0)] * self._people("rubric")
        chance = random.Random(content_id("assign", str(self._study.seed), unit.id))
        cost = [
            [self._cost(who, seat, unit) + chance.random() for seat in seats]
            for who in self._study.annotators
        ]
        found = []
        for row, n in zip(*linear_sum_assignment(np.array(cost)), strict=True):
            who, seat = self._study.annotators[row], seats[n]
            self._loads[who, seat.kind] += 1
            self._lean[who, unit.domain] += seat.sign
            self._met |= {(who, seat.kind, unit.asked.item_id, user) for user in seat.users}
            found.append((who, seat.pair))
        return found

    def _people(self, kind: Kind) -> int:
        return people_for(kind, self._study.overlap, self._study.policy)

    def _cost(self, who: str, seat: Seat, unit: Unit) -> float:
        # A task too many weighs as much as one step out of balance. No load outweighs telling
        # somebody the aspects of a user whose preference they are asked for.
        other: Kind = "rubric" if seat.pair else "preference"
        told = sum((who, other, unit.asked.item_id, user) in self._met for user in seat.users)
        balance = seat.sign * self._lean[who, unit.domain]
        return 1e6 * told + 4 * self._loads[who, seat.kind] + 4 * balance


def _ordered(who: str, tasks: list[Task], study: Study) -> list[Task]:
    """An annotator's tasks in a seeded order, the preferences last and some of them repeated.

    Where few tasks are left for a repeat, its place would tell it, and there is none.
    """
    chance = random.Random(content_id("tasks", str(study.seed), who))
    chance.shuffle(tasks)
    asked = [task for task in tasks if task.keyed.kind == "preference"]
    again: set[str] = set()
    for _ in range(math.ceil(study.policy.repeats * len(asked))):
        left = [
            (at, task)
            for at, task in enumerate(asked)
            if task.keyed.purpose == "vote" and task.keyed.task not in again
        ]
        n = len(asked) + 1
        latest = min(n - 1, round(2 * LATEST_MEAN * n) - REPEAT_AFTER)
        earliest = REPEAT_AFTER + (left[0][0] if left else n)
        if latest < earliest:
            break
        place = chance.randint(earliest, latest)
        task = chance.choice([task for at, task in left if at <= place - REPEAT_AFTER])
        again.add(task.keyed.task)
        asked.insert(place, repeated(task, study.seed))
    return [*(task for task in tasks if task.keyed.kind != "preference"), *asked]
