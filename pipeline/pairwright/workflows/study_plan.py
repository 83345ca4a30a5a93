"""What a study of so many people takes, before its tasks are written."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from pydantic import JsonValue

from pairwright.construct.folder import RunFolder
from pairwright.options import AnnotatorCount, Overlap, RunPath, SampleSize
from pairwright.text import word_count
from pairwright.workflows.study import check_to_verify, run_units
from pairwright_human_eval.assign import make_tasks, planned
from pairwright_human_eval.records import KINDS, Data, Kind
from pairwright_human_eval.tasks import Task
from pairwright_human_eval.units import sample as draw

WORDS_A_MINUTE = 238
"""Silent reading of English non-fiction: Brysbaert (2019), J. Memory and Language 109, 104047."""
_TAG = re.compile(r"<[^>]+>")


@dataclass(frozen=True, slots=True)
class PlannedStudy:
    """Tasks, hours and units of a study."""

    units: int
    """Twins, placebos and single pairs that people are asked about: all that can be verified."""
    annotators: int
    votes: int
    """On each pair."""
    tasks: dict[Kind, int]
    hours: dict[Kind, float]
    """To read the tasks of a kind once, by all annotators together."""
    hours_each: float
    """Of the annotator who has most."""


def plan_study(
    run: RunPath,
    *,
    annotators: AnnotatorCount = 11,
    overlap: Overlap = 3,
    sample: SampleSize = None,
) -> PlannedStudy:
    """Count the tasks, hours and units of a study before anybody is asked.

    Hours are those of reading everything once, at 238 words a minute; answering comes on top.
    Repeats are counted; a second round is not.

    Raises InputError if the run holds no pair.

        >>> plan_study("runs/first", annotators=2).units
        72

    Examples::

        pairwright human plan runs/first
        pairwright human plan runs/first --annotators 2 --sample 30
    """
    folder = RunFolder(Path(run))
    check_to_verify(folder)
    config = folder.settings()
    units = draw(run_units(Path(run)), sample, config.seed)
    plan = planned(annotators, overlap, 0, config.human, config.planner, units)
    given, _ = make_tasks(units, plan)
    tasks = [task for own in given.values() for task in own]
    by_kind = {kind: [task for task in tasks if task.keyed.kind == kind] for kind in KINDS}
    return PlannedStudy(
        units=len(units),
        annotators=annotators,
        votes=plan.votes,
        tasks={kind: len(own) for kind, own in by_kind.items() if own},
        hours={kind: hours_of(own) for kind, own in by_kind.items() if own},
        hours_each=max(map(hours_of, given.values())),
    )


def hours_of(tasks: Sequence[Task]) -> float:
    """To read once what the tasks show."""
    return sum(words_shown(task.data) for task in tasks) / WORDS_A_MINUTE / 60


def words_shown(data: Data) -> int:
    """Words of the question, posts, responses and aspects; not those of the form."""
    return sum(_words(value) for name, value in data.items() if name != "task")


def _words(value: JsonValue) -> int:
    if isinstance(value, str):
        return word_count(unescape(_TAG.sub("", value)))
    if isinstance(value, dict):
        return sum(map(_words, value.values()))
    return sum(map(_words, value)) if isinstance(value, list) else 0
