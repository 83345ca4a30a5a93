"""What a study of some size asks of people, before it is exported: its tasks, and their hours.

The tasks are made as an export makes them, so that checks, repeats and controls are counted as they
will be. A study of more subjects than the run has takes those of the run again, as other people's:
their texts are as long.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pairwright_human_eval.attention import MirroredCheck
from pairwright_human_eval.reading_time import ReadingRate, reading_rate, readings
from pairwright_human_eval.records import KINDS, Kind, pseudonyms
from pairwright_human_eval.study_tasks import StudyPlan, make_tasks
from pairwright_human_eval.subjects import Subject
from pairwright_human_eval.wrong_profile import control_power, control_subjects

ADJUDICATION = 0.16
"""The time of a second round as a share of the first, where no pilot had one: people who are right
in 95 % of their votes leave 17 % of the pairs undecided by the default rule, and each takes six
more votes."""
BRIEFING = 1.0
"""Hours of each person for the guidelines and questions."""


class KindLoad(NamedTuple):
    """The tasks of one kind."""

    kind: Kind
    tasks: int
    words: float
    """Those that the median task shows."""
    seconds: float
    """The mean time of a task as it is paid, or what the median one takes to be read once."""
    hours: float
    """For all tasks."""


class StudyLoad(NamedTuple):
    """What a study of some size asks of people."""

    subjects: int
    controls: int
    """Subjects of them that nobody is asked the aspects of: they are not verified."""
    strangers: int
    """Those of them that are shown with a stranger's posts."""
    stranger_power: float
    """The probability that this control shows what it is for (`control_power`)."""
    kinds: tuple[KindLoad, ...]
    people: int
    most: float
    """Hours of the person who is given most, with the briefing."""
    second_round: float
    """Its time as a share of the first."""

    @property
    def hours(self) -> float:
        """All hours to be paid: tasks, a second round, and everybody's briefing."""
        return self.hours_at({})

    def hours_at(self, seconds: Mapping[Kind, float]) -> float:
        """The same if tasks of these kinds take so long."""
        tasks = sum(
            kind.tasks * seconds[kind.kind] / 3600 if kind.kind in seconds else kind.hours
            for kind in self.kinds
        )
        return tasks * (1 + self.second_round) + self.people * BRIEFING


def study_load(
    subjects: Sequence[Subject],
    n: int,
    plan: StudyPlan,
    checks: tuple[MirroredCheck, ...],
    seconds: Mapping[Kind, float],
    hours_each: float,
    second_round: float = ADJUDICATION,
) -> StudyLoad:
    """The load of a study of `n` subjects like these, with as many people as work `hours_each` at
    most; those of `plan` are the fewest. `seconds` are means of tasks; a kind without one takes
    as long as reading it once.

    Raises InputError where the assignment cannot be made.
    """
    sized, rate = repeated_subjects(subjects, n), reading_rate(subjects)
    for _ in range(3):
        load = _load(sized, plan, checks, seconds, rate, second_round)
        needed = len(plan.annotators)
        if load.most > hours_each > BRIEFING:
            work = needed * (load.most - BRIEFING)
            needed = max(needed + 1, math.ceil(work / (hours_each - BRIEFING)))
        if needed == len(plan.annotators):
            break
        plan = replace(plan, annotators=pseudonyms(needed))
    return load


def _load(
    subjects: list[Subject],
    plan: StudyPlan,
    checks: tuple[MirroredCheck, ...],
    seconds: Mapping[Kind, float],
    rate: ReadingRate,
    second_round: float,
) -> StudyLoad:
    given, _ = make_tasks(subjects, plan, checks)
    tasks = [task for own in given.values() for task in own]
    kinds = []
    for reading in readings(tasks, rate):
        whole = reading.minutes / 60
        if reading.kind in seconds:
            whole = reading.tasks * seconds[reading.kind] / 3600
        usual = seconds.get(reading.kind, reading.seconds)
        kinds.append(KindLoad(reading.kind, reading.tasks, reading.words, usual, whole))
    strangers, choices = control_subjects(task.keyed for task in tasks)
    with_aspects = {task.keyed.subject for task in tasks if task.keyed.kind == "rubric"}
    each = {kind.kind: kind.hours / kind.tasks for kind in kinds}
    most = max(sum(each[task.keyed.kind] for task in own) for own in given.values())
    return StudyLoad(
        subjects=len(subjects),
        controls=len(subjects) - len(with_aspects),
        strangers=strangers,
        stranger_power=control_power(choices),
        kinds=tuple(sorted(kinds, key=lambda kind: KINDS.index(kind.kind))),
        people=len(plan.annotators),
        most=most + BRIEFING,
        second_round=second_round,
    )


def repeated_subjects(subjects: Sequence[Subject], n: int) -> list[Subject]:
    """`n` subjects: those given, again and again, each time under other names."""
    return [_renamed(subjects[k % len(subjects)], k // len(subjects)) for k in range(n)]


def _renamed(subject: Subject, turn: int) -> Subject:
    if not turn:
        return subject
    pairs = tuple(
        pair.model_copy(
            update={
                "id": f"{pair.id}-{turn}",
                "item_id": f"{pair.item_id}-{turn}",
                "user": f"{pair.user}-{turn}",
                "twin_id": pair.twin_id and f"{pair.twin_id}-{turn}",
            }
        )
        for pair in subject.pairs
    )
    return Subject(f"{subject.id}-{turn}", pairs)
