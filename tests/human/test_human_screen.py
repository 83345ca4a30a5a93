"""Texts are looked through before people are asked to read them."""

import json
import shutil
from pathlib import Path

import pytest

from live_study import LiveStudy
from released import PAIRS, run_of

PERSONAL, SENSITIVE = PAIRS[0], PAIRS[3]


@pytest.fixture
def study(tmp_path: Path) -> LiveStudy:
    """Eight questions: the first holds a telephone number, the second is about an illness."""
    marks = {
        PERSONAL.question: "Call me on +44 20 7946 0958 or write to jane.doe@mail.test.org.",
        SENSITIVE.question: "My diabetes needs insulin and other medication.",
    }
    pairs = [
        pair.model_copy(update={"question": f"{pair.question} {marks.get(pair.question, '')}"})
        for pair in PAIRS
    ]
    return LiveStudy(run_of(tmp_path / "run", pairs, study=False))


def subjects(study: LiveStudy) -> set[str]:
    return {keyed.subject for keyed in study.key.values() if keyed.purpose == "vote"}


def test_what_is_found_is_counted_listed_masked_and_left_out(study: LiveStudy) -> None:
    said = study.do("export", "--seed", 1)
    assert "email 2, health 2, phone 2. Left out: 0" in " ".join(said.split())
    text = study.folder.screened.read_text("utf-8")
    assert "jane.doe" not in text
    assert "7946" not in text
    assert len(subjects(study)) == 16
    for what, kind in (("personal", "phone"), ("sensitive", "health")):
        shutil.rmtree(study.folder.path)
        study.do("export", "--seed", 1, "--leave-out", what)
        lines = map(json.loads, study.folder.screened.read_text("utf-8").splitlines())
        flagged = {line["subject"] for line in lines if line["kind"].startswith(kind)}
        assert len(flagged) == 2
        assert not subjects(study) & flagged
        assert len(subjects(study)) == 14
        tasks = (content for name, content in study.files().items() if name.startswith("tasks"))
        assert (b"jane.doe" in b"".join(tasks)) == (what != "personal")


def test_a_word_that_means_nothing_is_refused(study: LiveStudy) -> None:
    study.refused("export", "--leave-out", "everything")
    assert not study.folder.path.exists()
