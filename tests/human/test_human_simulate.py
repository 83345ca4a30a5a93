"""Simulated annotators: what they are told to be is what is found in their answers."""

from collections import Counter
from pathlib import Path
from statistics import mean

import pytest

from annotated import EXPORTS, imported_files
from live_study import LiveStudy
from pairwright.errors import InputError
from pairwright.stats import share
from pairwright_human_eval.answers import ImportedAnswers
from pairwright_human_eval.records import CANNOT_TELL, SIMULATED
from pairwright_human_eval.simulation import CANNOT_TELL_SHARE, simulate_answers


def labels(found: ImportedAnswers, kind: str) -> list[str]:
    return [one.label for one in found.answers if one.kind == kind]


def holds(k: int, n: int, expected: float) -> bool:
    """Whether a 99.9 % interval of k of n holds what is expected. The seeds are fixed."""
    found = share(k, n, z=3.29)
    return (found.low or 0) <= expected <= (found.high or 0)


def test_people_err_and_guess_as_they_are_told_to(study: LiveStudy) -> None:
    found = simulate_answers(study.run, accuracy=0.8).answers
    assert (found.open_tasks, found.set_aside, found.simulated) == (0, (), True)
    assert all(one.source.startswith(SIMULATED) for one in found.answers)
    for kind in ("preference", "delivery"):
        choices = labels(found, kind)
        assert holds(choices.count(CANNOT_TELL), len(choices), CANNOT_TELL_SHARE)
        # Who is sure is right on either side.
        told = [choice for choice in choices if choice != CANNOT_TELL]
        assert holds(told.count("chosen"), len(told), 0.8)
    support = labels(found, "support")
    there = sum(label in ("clearly", "plausibly") for label in support)
    # Five of six aspects are there; who errs says one of the three other answers.
    assert holds(there, len(support), 5 / 6 * (0.8 + 0.2 / 3) + 1 / 6 * 0.2 * 2 / 3)
    for role in ("first", "second"):
        own = [int(one.label) for one in found.answers if one.item.endswith(role)
               and one.label.isdigit()]  # fmt: skip
        assert mean(own) == pytest.approx(4, abs=0.3)


def test_the_careless_tick_anything_and_are_quick(study: LiveStudy) -> None:
    made = simulate_answers(study.run, careless=0.45)
    assert len(made.careless) == 4
    seconds: dict[bool, list[float]] = {True: [], False: []}
    said = Counter[str]()
    for one in made.answers.answers:
        seconds[one.annotator in made.careless].append(one.seconds or 0)
        said[one.label] += one.annotator in made.careless and one.kind == "preference"
    assert max(seconds[True]) < 20 < min(seconds[False])
    assert len(+said) == 4


def test_what_has_an_answer_keeps_it_and_the_seed_decides_the_rest(study: LiveStudy) -> None:
    first = simulate_answers(study.run, accuracy=0.6).answers.answers
    before = study.files()
    assert simulate_answers(study.run, seed=9, accuracy=1.0).tasks == 0
    assert study.files() == before
    for seed in (0, 1):
        (path,) = study.folder.raw.glob(f"{SIMULATED}annotator-01-*")
        path.unlink()
        again = simulate_answers(study.run, accuracy=0.6, seed=seed)
        assert again.tasks == len(study.own("annotator-01"))
        assert (again.answers.answers == first) == (seed == 0)


def test_people_s_answers_are_not_mixed_with_simulated_ones(tmp_path: Path) -> None:
    imported_files(tmp_path, EXPORTS / "preference.json")
    with pytest.raises(InputError, match="real answers are here"):
        simulate_answers(tmp_path)
