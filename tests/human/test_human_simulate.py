"""Simulated annotators: what they are told to be is what is found in their answers."""

import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import pytest

from annotated import EXPORTS, FIXED, STUDY
from pairwright.errors import InputError
from pairwright.settings.rules import PlanRules
from pairwright.stats import share
from pairwright_human_eval.answers import Answered, import_raw, write_answers
from pairwright_human_eval.folder import FixedStudy, HumanFolder, write_study
from pairwright_human_eval.records import CANNOT_TELL, SIMULATED, Answer, KeyedTask
from pairwright_human_eval.simulation import SimulatedAnswers, Traits, simulate
from pairwright_human_eval.tasks import (
    BlindUnit,
    Task,
    preference_task,
    quality_task,
    repeated,
    rubric_task,
)
from pairwright_human_eval.units import units_of
from small_studies import FILE, violate

UNITS = units_of((violate(n) for n in range(60)), FILE)
WHO = STUDY.annotators


def tasks_for(who: str) -> list[Task]:
    policy, found = PlanRules(), []
    for n, unit in enumerate(UNITS):
        page, asked = BlindUnit(0, unit, bool(n % 2)), unit.asked
        found += [quality_task(page, who), rubric_task(page, asked, who, policy)]
        found.append(preference_task(page, asked, who, policy))
        if n < 30:
            found.append(repeated(found[-1], 0))
    return found


class Simulation:
    """One study, answered again and again."""

    def __init__(self, run: Path) -> None:
        self.folder = HumanFolder(run)
        tasks = {who: tasks_for(who) for who in WHO}
        write_study(self.folder, STUDY, tasks)
        self.key = {task.keyed.task: task.keyed for given in tasks.values() for task in given}

    def clear(self) -> None:
        shutil.rmtree(self.folder.raw, ignore_errors=True)

    def of(self, *annotators: str) -> dict[str, KeyedTask]:
        """What these people were asked."""
        return {name: task for name, task in self.key.items() if task.annotator in annotators}

    def answer(self, key: dict[str, KeyedTask], **traits: float) -> SimulatedAnswers:
        return simulate(self.folder, FixedStudy(STUDY, key), Traits.model_validate(traits))

    def answered(self) -> Answered:
        return write_answers(self.folder, FixedStudy(STUDY, self.key))

    def run(self, **traits: float) -> Answered:
        """Everything is answered by people who are such."""
        self.clear()
        self.answer(self.key, **traits)
        return self.answered()


@pytest.fixture(scope="module")
def simulation(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    return Simulation(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def usual(simulation: Simulation) -> Answered:
    """The answers of people as they are by default."""
    return simulation.run()


def labels(answered: Answered, kind: str, round: int = 1) -> list[str]:
    return [one.label for one in answered.answers if (one.kind, one.round) == (kind, round)]


def holds(k: int, n: int, expected: float) -> bool:
    """Whether a 99.9 % interval of k of n holds what is expected. The seeds are fixed."""
    found = share(k, n, z=3.29)
    return (found.low or 0) <= expected <= (found.high or 0)


def test_every_task_is_answered_and_marked(simulation: Simulation, usual: Answered) -> None:
    assert not usual.set_aside
    assert usual.tasks == set(simulation.key)
    assert usual.simulated
    assert all(one.source.startswith(SIMULATED) for one in usual.answers)


def test_aspects_are_supported_and_delivered_by_the_chosen_side(simulation: Simulation) -> None:
    found = simulation.run(accuracy=0.8)
    support = labels(found, "support")
    there = sum(label in ("clearly", "plausibly") for label in support)
    # Five of six aspects are there; who errs says one of the three other answers.
    assert holds(there, len(support), 5 / 6 * (0.8 + 0.2 / 3) + 1 / 6 * 0.2 * 2 / 3)
    told = [label for label in labels(found, "delivery") if label != CANNOT_TELL]
    assert holds(told.count("chosen"), len(told), 0.8)


def test_people_err_and_guess_as_they_are_told_to(simulation: Simulation) -> None:
    found = simulation.run(accuracy=0.8, cannot_tell=0.2)
    for round in (1, 0):
        choices = labels(found, "preference", round)
        assert holds(choices.count(CANNOT_TELL), len(choices), 0.2)
        # Who is sure is right on either side.
        told = [choice for choice in choices if choice != CANNOT_TELL]
        assert holds(told.count("chosen"), len(told), 0.8)
    surely = simulation.run(accuracy=1.0, cannot_tell=0.0)
    assert set(labels(surely, "preference")) == {"chosen"}


def test_quality_is_four_on_either_side(usual: Answered) -> None:
    scores: dict[str, list[int]] = {"first": [], "second": []}
    for one in usual.answers:
        if one.kind == "quality" and one.label.isdigit():
            scores[one.item.split()[1]].append(int(one.label))
    assert mean(scores["first"]) == pytest.approx(4, abs=0.1)
    assert mean(scores["first"]) == pytest.approx(mean(scores["second"]), abs=0.1)


def test_the_careless_tick_anything_and_are_quick(simulation: Simulation) -> None:
    simulation.clear()
    careless = simulation.answer(simulation.key, careless=0.5).careless
    answers = simulation.answered().answers
    assert len(careless) == len(WHO) / 2
    seconds = {
        who: mean(one.seconds or 0 for one in answers if one.annotator == who) for who in WHO
    }
    quick = max(seconds[who] for who in careless)
    assert quick < 20 < min(seconds[who] for who in WHO if who not in careless)
    said = [one for one in answers if one.annotator in careless and one.kind == "preference"]
    assert len(Counter(one.label for one in said)) == 4


def given(answers: Iterable[Answer]) -> dict[tuple[str, str, str], str]:
    return {(one.task, one.kind, one.item): one.label for one in answers}


def test_an_answer_depends_on_its_own_task_and_the_seed_alone(
    simulation: Simulation, usual: Answered
) -> None:
    simulation.clear()
    part = simulation.of(WHO[0])
    simulation.answer(part)
    found = given(simulation.answered().answers)
    assert found == given(one for one in usual.answers if one.task in part)
    simulation.clear()
    simulation.answer(part, seed=1)
    assert found != given(simulation.answered().answers)


def test_what_has_an_answer_keeps_it(simulation: Simulation) -> None:
    """Whatever the second command asks for: only the tasks that were open are answered."""
    simulation.clear()
    early, both = simulation.of(WHO[0]), simulation.of(*WHO[:2])
    assert simulation.answer(early, accuracy=0.6).tasks == len(early)
    before = given(simulation.answered().answers)
    done = simulation.answer(both, accuracy=1.0, careless=1.0)
    assert done.tasks == len(both) - len(early)
    assert done.careless == (WHO[1],)
    assert before.items() <= given(simulation.answered().answers).items()
    assert simulation.answered().tasks == both.keys()
    files = sorted(simulation.folder.raw.iterdir())
    assert simulation.answer(both, seed=9).tasks == 0
    assert sorted(simulation.folder.raw.iterdir()) == files


def test_what_cannot_be_simulated_is_said(simulation: Simulation, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"greater than or equal to 0\.5"):
        simulation.run(accuracy=0.4)
    folder = HumanFolder(tmp_path)
    import_raw([EXPORTS / "preference.json"], folder, FIXED)
    with pytest.raises(InputError, match="real answers are here"):
        simulate(folder, FIXED, Traits())
