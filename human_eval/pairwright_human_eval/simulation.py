"""Simulated annotators with a given accuracy and carelessness.

Their answers take the same way as people's: a raw file, as Label Studio would export it. Its name
marks them as simulated. What is true they take from the private key.
"""

import json
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, NamedTuple

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


@dataclass(frozen=True, slots=True)
class SimulatedAnswers:
    """Who answered what."""

    tasks: int
    """Those that were open."""
    careless: tuple[str, ...]
    """Annotators who ticked anything."""
    answers: ImportedAnswers


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
    An answer depends on seed, annotator and task alone.

    Raises InputError if there is no study, or people have answered in it.

    Examples::

        pairwright human simulate runs/first
        pairwright human simulate runs/first --accuracy 0.7 --careless 0.2
    """
    with open_study(Path(run)) as study:
        check_unmixed(study, simulated=True)
        done = write_answers(study).tasks
        by_person: dict[str, list[KeyedTask]] = {}
        for task in study.key.values():
            if task.task not in done and task.annotator not in study.away:
                by_person.setdefault(task.annotator, []).append(task)
        shown = read_tasks(study.folder, [task for own in by_person.values() for task in own])
        order = sorted(by_person, key=lambda who: content_id("careless", str(seed), who))
        random_people = frozenset(order[: round(careless * len(order))])
        for who, tasks in by_person.items():
            now, exported = _START, []
            for task in sorted(tasks, key=lambda task: records.KINDS.index(task.kind)):
                odds = 0.0 if who in random_people else accuracy
                person = _Person(task, study.fixed.scales, odds, cannot_tell, seed)
                now += timedelta(seconds=person.seconds)
                exported.append({"data": shown[task.task], "annotations": [person.annotation(now)]})
            before = len([*study.folder.raw.glob(f"{records.SIMULATED}{who}-*")])
            store_raw(
                study, f"{records.SIMULATED}{who}-{before + 1}", json.dumps(exported).encode()
            )
        answers = write_answers(study)
        return SimulatedAnswers(len(shown), tuple(sorted(random_people)), answers)


class _Person(NamedTuple):
    """Somebody in front of a task."""

    task: KeyedTask
    scales: tuple[Scale, ...]
    accuracy: float
    """Share of right answers among A and B: who is not sure guesses. In a placebo that of "no
    difference". 0: ticks anything, quickly."""
    cannot_tell: float
    seed: int

    @property
    def seconds(self) -> float:
        return round(_SECONDS[self.task.kind] / (1 if self.accuracy else 8), 3)

    def chance(self, *about: str) -> random.Random:
        return random.Random(content_id("simulated", str(self.seed), *about))

    def annotation(self, now: datetime) -> dict[str, Any]:
        """The filled-in form, as Label Studio exports it."""
        chance = self.chance("answer", self.task.annotator, self.task.task)
        chosen = {
            name: self.choice(name, chance) if self.accuracy else chance.choice(sorted(one.choices))
            for name, one in questions(self.task.kind, self.scales, self.task.aspects).items()
        }
        return {
            "id": 1,
            "unique_id": f"{chance.getrandbits(128):032x}",
            "was_cancelled": False,
            "created_at": now.isoformat(),
            "updated_at": now.isoformat(),
            "lead_time": self.seconds,
            "result": [
                {"from_name": name, "type": "choices", "value": {"choices": [choice]}}
                for name, choice in chosen.items()
            ],
        }

    def choice(self, control: str, chance: random.Random) -> str:
        name, _, number = control.rpartition("_")
        scale = next((scale for scale in self.scales if scale.name == name), None)
        unsure, right = chance.random() < self.cannot_tell, chance.random() < self.accuracy
        if scale:
            # Both responses of a unit have one true score, 4 of 5 for most.
            true = self.chance("score", self.task.unit, name).choice((-1, 0, 0, 0, 1))
            score = scale.high - 1 + true + (0 if right else chance.choice((-1, 1)))
            known = str(min(scale.high, max(scale.low, score)))
            return records.CANNOT_JUDGE if unsure and scale.cannot_judge else known
        if name == "support":
            # Every aspect has its own truth: most are supported.
            said = self.chance(name, self.task.pair, number).choice(_SUPPORTED)
            return said if right else chance.choice(sorted({*records.SUPPORT} - {said}))
        truth = records.EQUAL if self.task.label == records.EQUAL else self.task.expected
        wrong = chance.choice("AB") if truth == records.EQUAL else "B" if truth == "A" else "A"
        return records.CANNOT_TELL if unsure else truth if right and truth else wrong
