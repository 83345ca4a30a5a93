"""Simulated annotators, who take what is true from the private key. Their answers go the way of
people's: a raw file as Label Studio would export it, whose name marks them as simulated."""

import json
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from pairwright.options import RunPath
from pairwright.records import content_id
from pairwright.settings.domains import Scale
from pairwright_human_eval import records
from pairwright_human_eval.answers import ImportedAnswers, check_unmixed, store_raw, write_answers
from pairwright_human_eval.folder import open_study, read_tasks
from pairwright_human_eval.forms import questions
from pairwright_human_eval.records import KeyedTask, Kind

_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_SECONDS: dict[Kind, float] = {"quality": 60, "preference": 40, "rubric": 75}
_SUPPORTED = ("clearly", "clearly", "clearly", "plausibly", "plausibly", "no")
CANNOT_TELL_SHARE = 0.01
"""Share of "cannot tell" among the answers that may say so."""


@dataclass(frozen=True, slots=True)
class SimulatedAnswers:
    """Answers to the tasks that were open."""

    tasks: int
    answers: ImportedAnswers


def simulate_answers(
    run: RunPath,
    *,
    accuracy: Annotated[
        float, Option(help="Share of right answers, 0.5 to 1.", min=0.5, max=1)
    ] = 0.98,
    seed: Annotated[int, Option(help="Seed of the answers.", metavar="N")] = 0,
) -> SimulatedAnswers:
    """Answer every open task with simulated annotators, by the same import as people's answers.

    For trying out, and for checking the statistics against a known truth. Everything that results
    is marked as simulated and verifies nothing. A study with people's answers refuses it.

    A task that has an answer keeps it: after `human adjudicate` only the second round is answered.
    To answer again with other options, move RUN/human/private/raw/simulated-*.json away first.
    An answer depends on seed, annotator and task alone.

    Raises InputError if there is no study, or people have answered in it.

    Examples::

        pairwright human simulate runs/first
        pairwright human simulate runs/first --accuracy 0.7
    """
    with open_study(Path(run)) as study:
        check_unmixed(study, simulated=True)
        done = write_answers(study).tasks | study.closed
        key = [task for task in study.key.values() if task.task not in done]
        key.sort(key=lambda task: records.KINDS.index(task.kind))
        people, shown = {task.annotator for task in key}, read_tasks(study.folder, key)
        for who in sorted(people):
            now, exported = _START, []
            for task in (task for task in key if task.annotator == who):
                now += timedelta(seconds=_SECONDS[task.kind])
                done_by = _annotation(task, study.fixed.scales, accuracy, seed, now)
                exported.append({"data": shown[task.task], "annotations": [done_by]})
            before = len([*study.folder.raw.glob(f"{records.SIMULATED}{who}-*")])
            name = f"{records.SIMULATED}{who}-{before + 1}"
            store_raw(study, name, json.dumps(exported).encode())
        answers = write_answers(study)
        return SimulatedAnswers(len(shown), answers)


def _annotation(
    task: KeyedTask, scales: tuple[Scale, ...], odds: float, seed: int, at: datetime
) -> dict[str, Any]:
    """A filled-in form as Label Studio exports it, with these `odds` of a right answer."""
    chance = _chance(seed, "answer", task.annotator, task.task)
    by_name = {scale.name: scale for scale in scales}

    def choice(control: str) -> str:
        """The truth, or with probability 1 - `odds` another choice."""
        name, _, number = control.rpartition("_")
        unsure, right = chance.random() < CANNOT_TELL_SHARE, chance.random() < odds
        if scale := by_name.get(name):
            # Both responses of a unit have one true score, 4 of 5 for most.
            true = _chance(seed, "score", task.unit, name).choice((-1, 0, 0, 0, 1))
            score = scale.high - 1 + true + (0 if right else chance.choice((-1, 1)))
            known = str(min(scale.high, max(scale.low, score)))
            return records.CANNOT_JUDGE if unsure and scale.cannot_judge else known
        if name == "support":
            # Every aspect has its own truth: most are supported.
            said = _chance(seed, name, task.pair, number).choice(_SUPPORTED)
            return said if right else chance.choice(sorted({*records.SUPPORT} - {said}))
        truth = records.EQUAL if task.label == records.EQUAL else task.expected
        wrong = chance.choice("AB") if truth == records.EQUAL else "B" if truth == "A" else "A"
        return records.CANNOT_TELL if unsure else truth if right and truth else wrong

    result = [
        {"from_name": name, "type": "choices", "value": {"choices": [choice(name)]}}
        for name in questions(task.kind, scales, task.aspects)
    ]
    times = dict.fromkeys(("created_at", "updated_at"), at.isoformat())
    name = f"{chance.getrandbits(128):032x}"
    about = {"id": 1, "unique_id": name, "was_cancelled": False, "lead_time": _SECONDS[task.kind]}
    return {**about, **times, "result": result}


def _chance(seed: int, *about: str) -> random.Random:
    return random.Random(content_id("simulated", str(seed), *about))
