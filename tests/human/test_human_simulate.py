"""Simulated annotators: what they are told to be is what is found in their answers."""

import shutil
from collections import Counter
from pathlib import Path
from statistics import mean

import pytest

from annotated import EXPORTS, STUDY, imported_files
from pairwright.errors import InputError
from pairwright.settings.rules import PlanRules
from pairwright.stats import share
from pairwright_human_eval.answers import ImportedAnswers
from pairwright_human_eval.folder import HumanFolder, write_study
from pairwright_human_eval.records import CANNOT_TELL, SIMULATED, Task
from pairwright_human_eval.simulation import CANNOT_TELL_SHARE, simulate_answers
from pairwright_human_eval.tasks import BlindUnit, blind_task, repeated
from pairwright_human_eval.units import units_of
from small_studies import FILE, violate

UNITS = units_of((violate(n) for n in range(60)), FILE)
WHO = STUDY.annotators


def tasks_for(who: str) -> list[Task]:
    rules, found = PlanRules(), list[Task]()
    for n, unit in enumerate(UNITS):
        page, asked = BlindUnit(0, unit, bool(n % 2)), unit.asked
        found += [blind_task(page, "quality", None, who, rules)]
        found += [blind_task(page, "rubric", asked, who, rules)]
        found += [blind_task(page, "preference", asked, who, rules)]
        if n < 30:
            found.append(repeated(found[-1], 0))
    return found


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study whose tasks nobody has answered. Not to be changed."""
    run = tmp_path_factory.mktemp("run")
    write_study(HumanFolder(run), STUDY, [task for who in WHO for task in tasks_for(who)])
    return run


@pytest.fixture
def run(exported: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(exported, tmp_path / "run"))


def labels(found: ImportedAnswers, kind: str, round: int = 1) -> list[str]:
    return [one.label for one in found.answers if (one.kind, one.round) == (kind, round)]


def holds(k: int, n: int, expected: float) -> bool:
    """Whether a 99.9 % interval of k of n holds what is expected. The seeds are fixed."""
    found = share(k, n, z=3.29)
    return (found.low or 0) <= expected <= (found.high or 0)


def test_people_err_and_guess_as_they_are_told_to(run: Path) -> None:
    found = simulate_answers(run, accuracy=0.8).answers
    assert (found.open_tasks, found.set_aside, found.simulated) == (0, (), True)
    assert all(one.source.startswith(SIMULATED) for one in found.answers)
    for round in (1, 0):
        choices = labels(found, "preference", round)
        assert holds(choices.count(CANNOT_TELL), len(choices), CANNOT_TELL_SHARE)
        # Who is sure is right on either side.
        told = [choice for choice in choices if choice != CANNOT_TELL]
        assert holds(told.count("chosen"), len(told), 0.8)
    support = labels(found, "support")
    there = sum(label in ("clearly", "plausibly") for label in support)
    # Five of six aspects are there; who errs says one of the three other answers.
    assert holds(there, len(support), 5 / 6 * (0.8 + 0.2 / 3) + 1 / 6 * 0.2 * 2 / 3)
    told = [label for label in labels(found, "delivery") if label != CANNOT_TELL]
    assert holds(told.count("chosen"), len(told), 0.8)
    scores: dict[str, list[int]] = {"first": [], "second": []}
    for one in found.answers:
        if one.kind == "quality" and one.label.isdigit():
            scores[one.item.split()[1]].append(int(one.label))
    assert [mean(own) for own in scores.values()] == [pytest.approx(4, abs=0.1)] * 2


def test_the_careless_tick_anything_and_are_quick(run: Path) -> None:
    made = simulate_answers(run, careless=0.5)
    answers = made.answers.answers
    assert len(made.careless) == len(WHO) / 2
    seconds = {
        who: mean(one.seconds or 0 for one in answers if one.annotator == who) for who in WHO
    }
    quick = max(seconds[who] for who in made.careless)
    assert quick < 20 < min(seconds[who] for who in WHO if who not in made.careless)
    said = [one for one in answers if one.annotator in made.careless and one.kind == "preference"]
    assert len(Counter(one.label for one in said)) == 4


def test_what_has_an_answer_keeps_it_and_the_seed_decides_the_rest(run: Path) -> None:
    first = simulate_answers(run, accuracy=0.6).answers.answers
    files = sorted((run / "human/private/raw").iterdir())
    assert simulate_answers(run, seed=9, accuracy=1.0).tasks == 0
    assert sorted((run / "human/private/raw").iterdir()) == files
    files[0].unlink()
    again = simulate_answers(run, accuracy=0.6)
    assert again.tasks == len(tasks_for(WHO[0]))
    assert again.answers.answers == first
    files[0].unlink()
    other = simulate_answers(run, accuracy=0.6, seed=1).answers.answers
    own = [[one.label for one in each if one.annotator == WHO[0]] for each in (first, other)]
    assert own[0] != own[1]


def test_people_s_answers_are_not_mixed_with_simulated_ones(tmp_path: Path) -> None:
    imported_files(tmp_path, EXPORTS / "preference.json")
    with pytest.raises(InputError, match="real answers are here"):
        simulate_answers(tmp_path)
