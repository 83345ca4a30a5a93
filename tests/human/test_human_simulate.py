"""Simulated annotators: what they are told to be is what is found in their verdicts."""

import shutil
from collections import Counter
from pathlib import Path
from statistics import mean

import pytest

from annotated import EXPORTS, KEY, STUDY
from pairwright.errors import InputError
from pairwright.estimate import share
from pairwright.settings.rules import PlanRules
from pairwright_human_eval.acceptance import Acceptance, derive
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.raw_files import import_files
from pairwright_human_eval.records import (
    CANNOT_TELL,
    KeyedTask,
    PreferenceAnswer,
    QualityAnswers,
    RubricAnswers,
    Verdict,
    response_id,
)
from pairwright_human_eval.simulation import SimulationResult, Traits, simulate
from pairwright_human_eval.study_files import write_study
from pairwright_human_eval.subjects import subjects_of
from pairwright_human_eval.tasks import (
    Task,
    page_of,
    preference_task,
    quality_task,
    repeated,
    rubric_task,
)
from small_studies import FILE, violate

SUBJECTS = {one.id: one for one in subjects_of((violate(n) for n in range(60)), FILE)}
WHO = STUDY.annotators


def tasks_for(who: str) -> list[Task]:
    policy, found = PlanRules(), []
    for n, subject in enumerate(SUBJECTS.values()):
        page, asked = page_of(subject, 0, bool(n % 2)), subject.asked
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

    def answer(self, key: dict[str, KeyedTask], **traits: float) -> SimulationResult:
        return simulate(self.folder, key, STUDY, Traits.model_validate(traits))

    def accepted(self) -> Acceptance:
        return derive(self.folder, self.key)

    def run(self, **traits: float) -> Acceptance:
        """Everything is answered by people who are such."""
        self.clear()
        self.answer(self.key, **traits)
        return self.accepted()

    def truth(self, verdict: Verdict) -> str | None:
        return {"A": verdict.a, "B": verdict.b, None: None}[self.key[verdict.task].expected]


@pytest.fixture(scope="module")
def simulation(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    return Simulation(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def usual(simulation: Simulation) -> Acceptance:
    """The answers of people as they are by default."""
    return simulation.run()


def votes(accepted: Acceptance, purpose: str = "vote") -> list[tuple[Verdict, str]]:
    return [
        (verdict, verdict.answers.choice)
        for verdict in accepted.verdicts
        if isinstance(verdict.answers, PreferenceAnswer) and verdict.purpose == purpose
    ]


def holds(k: int, n: int, expected: float) -> bool:
    """Whether a 99.9 % interval of k of n holds what is expected. The seeds are fixed."""
    found = share(k, n, z=3.29)
    return (found.low or 0) <= expected <= (found.high or 0)


def test_every_task_becomes_a_marked_verdict(simulation: Simulation, usual: Acceptance) -> None:
    assert not usual.set_aside
    assert {v.task for v in usual.verdicts} == set(simulation.key)
    assert all(v.simulated for v in usual.verdicts)


def test_aspects_are_supported_and_delivered_by_the_expected_side(simulation: Simulation) -> None:
    answers = [
        (answer, simulation.truth(v))
        for v in simulation.run(accuracy=0.8).verdicts
        if isinstance(v.answers, RubricAnswers)
        for answer in v.answers.aspects
    ]
    there = sum(a.support in ("clearly", "plausibly") for a, _ in answers)
    # Five of six aspects are there; who errs says one of the three other answers.
    assert holds(there, len(answers), 5 / 6 * (0.8 + 0.2 / 3) + 1 / 6 * 0.2 * 2 / 3)
    told = [a.delivered == truth for a, truth in answers if a.delivered != CANNOT_TELL]
    assert holds(sum(told), len(told), 0.8)


def test_people_err_and_guess_as_they_are_told_to(simulation: Simulation) -> None:
    accepted = simulation.run(accuracy=0.8, cannot_tell=0.2, first_bias=0.6)
    for purpose in ("vote", "repeat"):
        choices = [choice for _, choice in votes(accepted, purpose)]
        assert holds(choices.count(CANNOT_TELL), len(choices), 0.2)
        # Who is sure is right on either side.
        told = [(v, choice) for v, choice in votes(accepted, purpose) if choice != CANNOT_TELL]
        assert holds(sum(c == simulation.truth(v) for v, c in told), len(told), 0.8)
    surely = simulation.run(accuracy=1.0, cannot_tell=0.0)
    assert all(choice == simulation.truth(v) for v, choice in votes(surely))


def test_quality_is_four_on_either_side(usual: Acceptance) -> None:
    scores: dict[bool, list[int]] = {True: [], False: []}
    for verdict in usual.verdicts:
        if isinstance(verdict.answers, QualityAnswers):
            for response, scales in verdict.answers.scores.items():
                chosen = response == response_id(SUBJECTS[verdict.subject].first)
                scores[chosen] += [score for score in scales.values() if score is not None]
    assert mean(scores[True]) == pytest.approx(4, abs=0.1)
    assert mean(scores[True]) == pytest.approx(mean(scores[False]), abs=0.1)


def test_the_careless_tick_anything_and_are_quick(simulation: Simulation) -> None:
    simulation.clear()
    careless = simulation.answer(simulation.key, careless=0.5).careless
    accepted = simulation.accepted()
    assert len(careless) == len(WHO) / 2
    seconds = {
        who: mean(v.seconds or 0 for v in accepted.verdicts if v.annotator == who) for who in WHO
    }
    quick = max(seconds[who] for who in careless)
    assert quick < 20 < min(seconds[who] for who in WHO if who not in careless)
    assert len(Counter(c for v, c in votes(accepted) if v.annotator in careless)) > 4


def test_an_answer_depends_on_its_own_task_and_the_seed_alone(
    simulation: Simulation, usual: Acceptance
) -> None:
    simulation.clear()
    part = simulation.of(WHO[0])
    simulation.answer(part)
    found = {v.task: v.answers for v in simulation.accepted().verdicts}
    assert found.keys() == part.keys()
    assert found == {v.task: v.answers for v in usual.verdicts if v.task in part}
    simulation.clear()
    simulation.answer(part, seed=1)
    assert found != {v.task: v.answers for v in simulation.accepted().verdicts}


def test_what_has_an_answer_keeps_it(simulation: Simulation) -> None:
    """Whatever the second command asks for: only the tasks that were open are answered."""
    simulation.clear()
    early, both = simulation.of(WHO[0]), simulation.of(*WHO[:2])
    assert simulation.answer(early, accuracy=0.6).answered == len(early)
    before = {v.task: v for v in simulation.accepted().verdicts}
    done = simulation.answer(both, accuracy=1.0, careless=1.0)
    assert done.answered == len(both) - len(early)
    assert done.careless == (WHO[1],)
    after = {v.task: v for v in simulation.accepted().verdicts}
    assert before.items() <= after.items()
    assert after.keys() == both.keys()
    files = sorted(simulation.folder.raw.iterdir())
    assert simulation.answer(both, seed=9).answered == 0
    assert sorted(simulation.folder.raw.iterdir()) == files


def test_what_cannot_be_simulated_is_said(simulation: Simulation, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--accuracy"):
        simulation.run(accuracy=0.4)
    folder = HumanFolder(tmp_path)
    import_files([EXPORTS / "preference.json"], folder, KEY, STUDY)
    with pytest.raises(InputError, match="real answers are here"):
        simulate(folder, KEY, STUDY, Traits())
