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
        order = sorted(
            self._study.annotators,
            key=lambda who: (self._loads[who, "quality"], chance.random()),
        )
        raters = order[: self._people("quality")]
        self._loads.update((who, "quality") for who in raters)
        return raters

    def seated(self, page: BlindUnit) -> list[tuple[str, Pair | None]]:
        """Who is asked for the preference on which pair of a unit, or, without a pair, for the
        aspects of all of them. Nobody is named twice."""
        study, unit = self._study, page.unit
        seats: list[Pair | None] = [
            pair for pair in unit.pairs for _ in range(self._people("preference"))
        ]
        if unit.has_aspects:
            seats += [None] * self._people("rubric")
        chance = random.Random(content_id("assign", str(study.seed), unit.id))
        cost = [
            [self._cost(who, pair, page) + chance.random() for pair in seats]
            for who in study.annotators
        ]
        found = [
            (study.annotators[row], seats[n])
            for row, n in zip(*linear_sum_assignment(np.array(cost)), strict=True)
        ]
        for who, pair in found:
            kind = _kind(pair)
            self._loads[who, kind] += 1
            self._lean[who, unit.domain] += _sign(page, pair)
            self._met |= {(who, kind, unit.asked.item_id, user) for user in _users(unit, pair)}
        return found

    def _people(self, kind: Kind) -> int:
        return people_for(kind, self._study.overlap, self._study.policy)

    def _cost(self, who: str, pair: Pair | None, page: BlindUnit) -> float:
        # A task too many weighs as much as one step out of balance. No load outweighs telling
        # somebody the aspects of a user whose preference they are asked for.
        unit, other = page.unit, _kind(None if pair else page.unit.asked)
        question = unit.asked.item_id
        told = sum((who, other, question, user) in self._met for user in _users(unit, pair))
        balance = _sign(page, pair) * self._lean[who, unit.domain]
        return 1e6 * told + 4 * self._loads[who, _kind(pair)] + 4 * balance


def _kind(pair: Pair | None) -> Kind:
    return "preference" if pair else "rubric"


def _users(unit: Unit, pair: Pair | None) -> Iterable[str]:
    """Whose preference or aspects it is about."""
    return [one.user for one in ([pair] if pair else unit.pairs)]


def _sign(page: BlindUnit, pair: Pair | None) -> int:
    """1 where the chosen response is shown as A, -1 where it is B; 0 if none is to be preferred."""
    if pair is None or page.unit.label == "equal":
        return 0
    return 1 if page.role(pair) == "chosen" else -1


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
