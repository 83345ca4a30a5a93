"""Simulated annotators with a given accuracy and carelessness.

Their answers take the same way as people's: a raw file, as Label Studio would export it. Its name
marks them as simulated. What is true they take from the private key.
"""

import json
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field
from typer import Option

from pairwright.options import RunPath
from pairwright.records import Record, content_id
from pairwright.settings.domains import Scale
from pairwright_human_eval.answers import (
    Answered,
    check_unmixed,
    make_answers,
    store_raw,
    write_answers,
)
from pairwright_human_eval.folder import FixedStudy, HumanFolder, read_tasks, withdrawn_people
from pairwright_human_eval.forms import questions
from pairwright_human_eval.records import (
    CANNOT_JUDGE,
    CANNOT_TELL,
    EQUAL,
    KINDS,
    SIMULATED,
    SUPPORT,
    KeyedTask,
    Kind,
)
from pairwright_human_eval.study import open_study

_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_SECONDS: dict[Kind, float] = {"quality": 60, "preference": 40, "rubric": 75}
_SUPPORTED = ("clearly", "clearly", "clearly", "plausibly", "plausibly", "no")


class Traits(Record):
    """What simulated annotators are like."""

    accuracy: float = Field(0.98, ge=0.5, le=1)
    """Share of right answers among A and B: who is not sure guesses. In a placebo that of "no
    difference"."""
    careless: float = 0.0
    """Share of annotators who tick anything."""
    cannot_tell: float = 0.01
    """Share of `cannot tell` and `cannot judge`."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SimulatedAnswers:
    """Who answered what."""

    tasks: int
    """Those that were open."""
    careless: tuple[str, ...]
    """Annotators who ticked anything."""
    answers: Answered


def simulate_answers(
    run: RunPath,
    *,
    accuracy: Annotated[
        float, Option(help="Share of right answers, 0.5 to 1.", min=0.5, max=1)
    ] = 0.98,
    careless: Annotated[float, Option(help="Share of random annotators.", min=0, max=1)] = 0.0,
    cannot_tell: Annotated[float, Option(help="Share of `cannot tell`.", min=0, max=1)] = 0.01,
    seed: Annotated[int, Option(help="Another seed, other answers.", metavar="N")] = 0,
) -> SimulatedAnswers:
    """Answer every open task with simulated annotators, by the same import as people's answers.

    For trying out, and for checking the statistics against a known truth. Everything that results
    is marked as simulated and verifies nothing. A study with people's answers refuses it.

    A task that has an answer keeps it: after `human adjudicate` only the second round is answered.
    To answer again with other options, move RUN/human/private/raw/simulated-*.json away first.

    Raises InputError if there is no study, or people have answered in it.

    Examples::

        pairwright human simulate runs/first
        pairwright human simulate runs/first --accuracy 0.7 --careless 0.2
    """
    traits = Traits(accuracy=accuracy, careless=careless, cannot_tell=cannot_tell, seed=seed)
    with open_study(Path(run)) as study:
        return simulate(study.folder, study.fixed, traits)


def simulate(folder: HumanFolder, fixed: FixedStudy, traits: Traits) -> SimulatedAnswers:
    """Answer the tasks that are open, but those of people who have withdrawn.

    An answer depends on seed, annotator and task alone. Raises InputError if real answers are here.
    """
    check_unmixed(folder, simulated=True)
    done = make_answers(folder, fixed).tasks
    away = withdrawn_people(folder)
    by_person: dict[str, list[KeyedTask]] = {}
    for task in fixed.key.values():
        if task.task not in done and task.annotator not in away:
            by_person.setdefault(task.annotator, []).append(task)
    shown = read_tasks(folder, [task for own in by_person.values() for task in own])
    order = sorted(by_person, key=lambda who: content_id("careless", str(traits.seed), who))
    careless = frozenset(order[: round(traits.careless * len(order))])
    for who, tasks in by_person.items():
        now, exported = _START, []
        for task in sorted(tasks, key=lambda task: KINDS.index(task.kind)):
            person = _Person(task, fixed.study.scales, traits, who in careless)
            now += timedelta(seconds=person.seconds)
            exported.append({"data": shown[task.task], "annotations": [person.annotation(now)]})
        before = len([*folder.raw.glob(f"{SIMULATED}{who}-*")])
        store_raw(folder, f"{SIMULATED}{who}-{before + 1}", json.dumps(exported).encode())
    return SimulatedAnswers(len(shown), tuple(sorted(careless)), write_answers(folder, fixed))


class _Person:
    """Somebody in front of a task."""

    def __init__(
        self, task: KeyedTask, scales: tuple[Scale, ...], traits: Traits, careless: bool
    ) -> None:
        self.task, self.scales, self.traits, self.careless = task, scales, traits, careless
        self.chance = self._chance("answer", task.annotator, task.task)
        self.seconds = round(_SECONDS[task.kind] / (8 if careless else 1), 3)

    def _chance(self, *about: str) -> random.Random:
        return random.Random(content_id("simulated", str(self.traits.seed), *about))

    def annotation(self, now: datetime) -> dict[str, Any]:
        """The filled-in form, as Label Studio exports it."""
        form = questions(self.task.kind, self.scales, self.task.aspects)
        chosen = {
            name: self.chance.choice(sorted(one.choices)) if self.careless else self._choice(name)
            for name, one in form.items()
        }
        return {
            "id": 1,
            "unique_id": f"{self.chance.getrandbits(128):032x}",
            "was_cancelled": False,
            "created_at": now.isoformat(),
            "updated_at": now.isoformat(),
            "lead_time": self.seconds,
            "result": [
                {"from_name": name, "type": "choices", "value": {"choices": [choice]}}
                for name, choice in chosen.items()
            ],
        }

    def _choice(self, control: str) -> str:
        name, _, number = control.rpartition("_")
        scale = next((scale for scale in self.scales if scale.name == name), None)
        unsure = self.chance.random() < self.traits.cannot_tell
        right = self.chance.random() < self.traits.accuracy
        if scale:
            # Both responses of a unit have one true score, 4 of 5 for most.
            true = self._chance("score", self.task.unit, name).choice((-1, 0, 0, 0, 1))
            score = scale.high - 1 + true + (0 if right else self.chance.choice((-1, 1)))
            known = str(min(scale.high, max(scale.low, score)))
            return CANNOT_JUDGE if unsure and scale.cannot_judge else known
        if name == "support":
            # Every aspect has its own truth: most are supported.
            said = self._chance(name, self.task.pair, number).choice(_SUPPORTED)
            return said if right else self.chance.choice(sorted({*SUPPORT} - {said}))
        truth = EQUAL if self.task.label == EQUAL else self.task.expected
        wrong = self.chance.choice("AB") if truth == EQUAL else "B" if truth == "A" else "A"
        return CANNOT_TELL if unsure else truth if right and truth else wrong
