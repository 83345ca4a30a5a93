"""Simulated annotators with a given accuracy and carelessness.

Their answers take the same way as people's: a raw file, as Label Studio would export it. Its name
marks them as simulated. What is true they take from the private key.
"""

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, NamedTuple

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
"""Median time of a task."""


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
    for name, task in fixed.key.items():
        if name not in done and task.annotator not in away:
            by_person.setdefault(task.annotator, []).append(task)
    shown = read_tasks(folder, [task for own in by_person.values() for task in own])
    order = sorted(by_person, key=lambda who: content_id("careless", str(traits.seed), who))
    careless = frozenset(order[: round(traits.careless * len(order))])
    for who, tasks in sorted(by_person.items()):
        person = _Annotator(who, who in careless, fixed.study.scales, traits)
        tasks.sort(key=lambda task: KINDS.index(task.kind))
        exported = [
            {"data": shown[task.task], "annotations": [annotation]}
            for task, annotation in zip(tasks, person.annotations(tasks), strict=True)
        ]
        before = len([*folder.raw.glob(f"{SIMULATED}{who}-*")])
        store_raw(folder, f"{SIMULATED}{who}-{before + 1}", json.dumps(exported).encode())
    return SimulatedAnswers(len(shown), tuple(sorted(careless)), write_answers(folder, fixed))


class _Annotator(NamedTuple):
    name: str
    careless: bool
    scales: tuple[Scale, ...]
    traits: Traits

    def annotations(self, tasks: Iterable[KeyedTask]) -> Iterator[dict[str, Any]]:
        """The tasks, done one after the other."""
        now = _START
        for number, task in enumerate(tasks, start=1):
            chance = random.Random(
                content_id("simulated", str(self.traits.seed), self.name, task.task)
            )
            usual = _SECONDS[task.kind] / (8 if self.careless else 1)
            seconds = round(usual * chance.lognormvariate(0, 0.5), 3)
            now += timedelta(seconds=seconds)
            identity = f"{chance.getrandbits(128):032x}"
            yield {
                "id": number,
                "unique_id": identity,
                "was_cancelled": False,
                "created_at": now.isoformat(),
                "updated_at": now.isoformat(),
                "lead_time": seconds,
                "result": [
                    {"from_name": name, "type": "choices", "value": {"choices": [choice]}}
                    for name, choice in self._form(task, chance).items()
                ],
            }

    def _form(self, task: KeyedTask, chance: random.Random) -> dict[str, str]:
        if self.careless:
            form = questions(task.kind, self.scales, task.aspects)
            return {name: chance.choice(sorted(one.choices)) for name, one in form.items()}
        if task.kind == "preference":
            return {"preference": self._place(task.expected or EQUAL, chance)}
        if task.kind == "quality":
            return {
                f"{scale.name}_{side}": self._score(scale, task.unit, chance)
                for scale in self.scales
                for side in "ab"
            }
        rows = {}
        for n in range(task.aspects):
            rows[f"support_{n}"] = self._support(f"{task.pair} {n}", chance)
            rows[f"delivered_{n}"] = self._place(task.expected, chance)
        return rows

    def _place(self, truth: str | None, chance: random.Random) -> str:
        """Who is sure is right; who is not guesses, and half of the guesses are right. So
        2 x accuracy - 1 are sure, and with nothing to know (no truth) nobody is."""
        if chance.random() < self.traits.cannot_tell:
            return CANNOT_TELL
        sure = chance.random() < (
            self.traits.accuracy if truth == EQUAL else 2 * self.traits.accuracy - 1
        )
        guess = "A" if chance.random() < 0.5 else "B"
        return truth if truth and sure else guess

    def _support(self, aspect: str, chance: random.Random) -> str:
        """Every aspect has its own truth, which most posts of most aspects bear out."""
        true: str = random.Random(content_id("true support", str(self.traits.seed), aspect)).choice(
            ("clearly", "clearly", "clearly", "plausibly", "plausibly", "no")
        )
        right = chance.random() < self.traits.accuracy
        return true if right else chance.choice(sorted({*SUPPORT} - {true}))

    def _score(self, scale: Scale, unit: str, chance: random.Random) -> str:
        """Both responses of a unit have one true score, 4 of 5 for most, as in pairs that pass
        the gate on parity; who misses it is off by one."""
        if scale.cannot_judge and chance.random() < self.traits.cannot_tell:
            return CANNOT_JUDGE
        truth = random.Random(
            content_id("true score", str(self.traits.seed), unit, scale.name)
        ).choice((-1, 0, 0, 0, 1))
        off = 0 if chance.random() < self.traits.accuracy else chance.choice((-1, 1))
        return str(min(scale.high, max(scale.low, scale.high - 1 + truth + off)))
