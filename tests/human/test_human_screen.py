"""Texts are looked through before people are asked to read them."""

import json
import shutil
from pathlib import Path

import pytest

from pairwright.workflows.study import open_study
from pairwright_human_eval.folder import HumanFolder
from released import PAIRS, run_of
from study import Done, pairwright

PERSONAL, SENSITIVE = PAIRS[0], PAIRS[3]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Eight questions: the first holds a telephone number, the second is about an illness."""
    marks = {
        PERSONAL.question: "Call me on +44 20 7946 0958 or write to jane.doe@mail.test.org.",
        SENSITIVE.question: "My diabetes needs insulin and other medication.",
    }
    pairs = [
        pair.model_copy(update={"question": f"{pair.question} {marks.get(pair.question, '')}"})
        for pair in PAIRS
    ]
    return run_of(tmp_path / "run", pairs, study=False)


def export(run: Path, *options: object) -> Done:
    return pairwright("human", "export", run, "--seed", 1, *options)


def subjects(run: Path) -> set[str]:
    lines = HumanFolder(run).key.read_text("utf-8").splitlines()
    return {row["subject"] for row in map(json.loads, lines) if row["purpose"] == "vote"}


def screened(run: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in HumanFolder(run).screened.read_text("utf-8").splitlines():
        row = json.loads(line)
        found.setdefault(row["kind"], set()).add(row["subject"])
    return found


def test_what_is_found_is_counted_listed_and_masked(run: Path) -> None:
    done = export(run)
    assert done.code == 0, done.said
    assert "email 2, health 2, phone 2. Left out: 0" in " ".join(done.out.split())
    text = HumanFolder(run).screened.read_text("utf-8")
    assert "jane.doe" not in text
    assert "7946" not in text
    assert len(subjects(run)) == 16


@pytest.mark.parametrize(("what", "kind"), [("personal", "phone"), ("sensitive", "health")])
def test_what_is_to_be_left_out_is_in_no_task(run: Path, what: str, kind: str) -> None:
    done = export(run, "--leave-out", what)
    assert done.code == 0, done.said
    flagged = next(own for name, own in screened(run).items() if name.startswith(kind))
    assert len(flagged) == 2
    assert not subjects(run) & flagged
    assert len(subjects(run)) == 14
    text = "".join(p.read_text("utf-8") for p in (HumanFolder(run).path / "tasks").rglob("*.json"))
    assert ("jane.doe" in text) == (what != "personal")


def test_a_word_that_means_nothing_is_refused(run: Path) -> None:
    done = export(run, "--leave-out", "everything")
    assert done.code == 2
    assert not HumanFolder(run).path.exists()


def test_what_was_left_out_is_not_taken_for_what_was_not_drawn(run: Path) -> None:
    for options, rest in ((("--sample", 4), 12), (("--leave-out", "personal"), 0)):
        shutil.rmtree(HumanFolder(run).path, ignore_errors=True)
        done = export(run, *options)
        assert done.code == 0, done.said
        with open_study(run) as study:
            assert len(study.not_sampled()) == rest
