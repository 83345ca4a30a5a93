"""Making a study of a run's pairs: blind tasks by annotator and kind, and the private key."""

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pairwright.records import content_id
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright_human_eval.assign import (
    Assigner,
    Seat,
)
from pairwright_human_eval.records import pseudonyms
from pairwright_human_eval.subjects import Subject, salts, swapped
from pairwright_human_eval.tasks import (
    BlindSubject,
    Task,
    expected_of,
    page_of,
    preference_task,
    quality_task,
    repeated,
    rubric_task,
)

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
    """People who answer each question, or as many as the rule asks for where these are more."""
    seed: int
    human: HumanRules
    planner: PlanRules

    @property
    def votes(self) -> int:
        """People who are asked the preference for each pair."""
        return max(self.overlap, self.human.votes)

    @property
    def quality_answers(self) -> int:
        """People who rate the quality of each subject."""
        return max(self.overlap, self.human.quality_votes)

    @property
    def rubric_answers(self) -> int:
        """People who are asked about the aspects of each subject."""
        return max(self.overlap, self.human.rubric_votes)

    def needed(self, subject: Subject) -> int:
        """The fewest people for a subject: those who vote on each of its pairs, and others for the
        aspects, if it has any."""
        others = self.rubric_answers * subject.has_aspects
        return max(self.votes * len(subject.pairs) + others, self.quality_answers)


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
    subjects: Iterable[Subject],
) -> StudyPlan:
    """The plan of a study of these subjects, with as much overlap as its people allow."""
    # People are needed by the pairs and aspects of a subject alone: one of each kind will do.
    kinds = {(len(subject.pairs), subject.has_aspects): subject for subject in subjects}
    halves = max(halves for halves, _ in kinds)
    plan = StudyPlan(pseudonyms(people), overlap, seed, fitting(rules, people, halves), planner)
    while plan.overlap and max(map(plan.needed, kinds.values())) > people:
        plan = replace(plan, overlap=plan.overlap - 1)
    return plan


def make_tasks(
    subjects: list[Subject], plan: StudyPlan
) -> tuple[dict[str, list[Task]], dict[str, int]]:
    """Every annotator's tasks in the order they are to be done, and the salts of the sides."""
    salted = salts(subjects, plan.seed)
    assigner = Assigner(plan.annotators, plan.quality_answers, plan.seed)
    by_annotator: dict[str, list[Task]] = {who: [] for who in plan.annotators}
    for subject in sorted(subjects, key=lambda s: content_id("order", str(plan.seed), s.id)):
        page = page_of(subject, plan.seed, swapped(plan.seed, salted[subject.domain], subject.id))
        for task in _tasks_of(subject, page, assigner, plan):
            by_annotator[task.keyed.annotator].append(task)
    ordered = {who: _ordered(who, tasks, plan) for who, tasks in by_annotator.items()}
    return ordered, salted


def _tasks_of(
    subject: Subject, page: BlindSubject, assigner: Assigner, plan: StudyPlan
) -> Iterator[Task]:
    for who in assigner.quality(subject.id):
        yield quality_task(page, who)
    seats = [
        Seat(n, expected_of(pair, page))
        for n, pair in enumerate(subject.pairs)
        for _ in range(plan.votes)
    ]
    if subject.has_aspects:
        seats += [Seat(None, None)] * plan.rubric_answers
    for who, seat in assigner.seats(subject, seats):
        if seat.preference is None:
            for pair in subject.pairs:
                yield rubric_task(page, pair, who, plan.planner)
        else:
            yield preference_task(page, subject.pairs[seat.preference], who, plan.planner)


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
