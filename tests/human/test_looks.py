"""Looks at a study before its end: their bounds, and the rule that is fixed at export."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from live_study import LiveStudy
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.looks import Looks, error_spent, look_bounds, take_look
from pairwright_human_eval.records import StoppingRule, Verdict
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import outlines_of
from small_studies import mixed, study_of, votes
from study import VERIFIED, Study

# As published for this spending function, two-sided at 5 %, looks at equal steps.
KNOWN = {
    1: [1.960],
    2: [2.963, 1.969],
    3: [3.710, 2.511, 1.993],
    4: [4.333, 2.963, 2.359, 2.014],
    5: [4.877, 3.357, 2.680, 2.290, 2.031],
}


@pytest.mark.parametrize("looks", KNOWN)
def test_bounds_are_those_that_are_published(looks: int) -> None:
    shares = [(n + 1) / looks for n in range(looks)]
    assert look_bounds(shares, 0.05) == pytest.approx(KNOWN[looks], abs=0.001)


def test_looks_at_any_time_err_together_as_often_as_one() -> None:
    shares = [0.15, 0.4, 0.45, 0.9, 1.0]
    chance = np.random.default_rng(0)
    steps = np.diff([0.0, *shares])
    paths = np.cumsum(chance.standard_normal((100_000, 5)) * np.sqrt(steps), axis=1)
    scores = np.abs(paths / np.sqrt(shares))
    assert (scores > look_bounds(shares, 0.05)).any(axis=1).mean() == pytest.approx(0.05, abs=0.002)
    # Which a fixed 1.96 at each look does not.
    assert (scores > 1.96).any(axis=1).mean() > 0.1
    assert error_spent(1, 0.05) == pytest.approx(0.05)


MADE = study_of(mixed(0, 60), wrong_profile=0, narrative=0, repeats=0)
KEY = {task.task: task for task in MADE.keyed()}
OUTLINES = outlines_of(MADE.subjects, KEY)


def answered(n: int, *, against: bool = False) -> list[Verdict]:
    """The first `n` votes that the study asks for, all for the chosen response or against it."""
    pairs = {pair.id: pair for subject in MADE.subjects for pair in subject.pairs}
    given = []
    for task in MADE.keyed("vote", kind="preference")[:n]:
        named = {"task": task.task, "annotator": task.annotator}
        given += votes(pairs[task.pair or ""], "-" if against else "+", **named)
    return given


def fixed_by(looks: int) -> FixedStudy:
    return FixedStudy(MADE.study(stopping=StoppingRule(looks=looks, floor=0.5)), KEY)


def look(run: Path, looks: int, votes: list[Verdict], *excluded: str) -> Looks:
    """Look at these votes of a study whose rule allows so many looks."""
    folder = HumanFolder(run)
    folder.private.mkdir(parents=True, exist_ok=True)
    return take_look(folder, fixed_by(looks), OUTLINES, votes, frozenset(excluded))


def test_a_look_is_kept_once_and_counted_against_the_rule(tmp_path: Path) -> None:
    assert look(tmp_path, 2, []).looks == ()
    first = look(tmp_path, 2, answered(90))
    assert first == look(tmp_path, 2, answered(90))
    (seen,) = first.looks
    assert (seen.votes, seen.information, seen.share, seen.outcome) == (90, 0.5, 1.0, "above")
    second = look(tmp_path, 2, answered(180))
    assert [one.information for one in second.looks] == [0.5, 1.0]
    assert [one.bound for one in second.looks] == pytest.approx(KNOWN[2], abs=0.001)
    assert not second.too_many
    taken_back = look(tmp_path, 2, answered(120))
    assert second == taken_back, "nothing new was seen"


def test_as_many_other_votes_are_another_look(tmp_path: Path) -> None:
    first = look(tmp_path, 1, answered(90))
    others = answered(91)[1:]
    other = look(tmp_path, 1, others)
    assert other.looks[0] == first.looks[0]
    assert [one.votes for one in other.looks] == [90, 90]
    assert other.looks[1].bound == first.looks[0].bound
    assert other.too_many
    # Another annotator is excluded: other votes count.
    third = look(tmp_path, 1, others, others[-1].annotator)
    assert len(third.looks) == 3
    assert look(tmp_path, 1, answered(180)).looks[:3] == third.looks


def test_votes_against_the_chosen_response_are_below_the_floor(tmp_path: Path) -> None:
    found = [look(tmp_path, 1, answered(n, against=True)) for n in (100, 150)]
    assert [one.looks[-1].outcome for one in found] == ["below", "below"]
    assert found[-1].too_many


@pytest.mark.real
def test_the_rule_is_fixed_at_export_and_reported(tmp_path: Path) -> None:
    built = Study.make(tmp_path / "study", limit=8, **VERIFIED)
    assert built.build().code == 0
    study = LiveStudy(built.run)
    study.do("export", "--looks", 2, "--floor", "60%")
    said = study.refused("export", "--looks", 3, "--floor", "60%")
    assert "another study was exported here" in said
    study.do("simulate")
    assert "Fixed at export: 2 in all, and a floor of 60 %" in study.do("report")
    files = study.files()
    (seen,) = json.loads(files["report.json"])["looks"]["looks"]
    assert seen["information"] == 1.0
    assert "Looks at the answers: 1." in files["report.md"].decode()
    shutil.copy(study.folder.key, study.folder.private / "looks.jsonl")
    assert "looks.jsonl" in study.refused("report")
