"""`pairwright human qualify`: people are tried on attention checks before they take part."""

import csv
from pathlib import Path

import pytest

from pairwright import assets
from pairwright_human_eval.attention import load_checks, nonreader_pass
from pairwright_human_eval.check_tasks import QUALIFYING, qualifying_checks
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import KeyedTask
from pairwright_human_eval.study_files import read_study, read_tasks
from released import PAIRS, Answers, right, run_of
from sheets import fill
from study import Done, pairwright

USUAL = right()
CHECKS = load_checks(assets.HUMAN_EVAL / "checks.toml")


def human(command: str, run: Path, *arguments: object) -> Done:
    return pairwright("human", command, run, *arguments)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_of(tmp_path_factory.mktemp("qualify") / "run", PAIRS, study=False)


@pytest.fixture
def tried(run: Path, tmp_path: Path) -> Path:
    """A qualification of three people by spreadsheet."""
    out = tmp_path / "people"
    done = human("qualify", run, "--out", out, "--people", 3, "--seed", 1, "--tool", "spreadsheet")
    assert done.code == 0, done.said
    assert "3 people, 7 tasks each" in done.out
    assert "75 % right passes: 6.2 % of those who do not read do" in done.out
    assert f"Next:\n  pairwright human start {out}\n  pairwright human people {out}\n" in done.out
    return out


def keyed(run: Path) -> dict[str, KeyedTask]:
    return read_study(HumanFolder(run)).key


def wrong(task: KeyedTask) -> Answers | None:
    return {"preference": "B" if task.expected == "A" else "A"}


def reading(task: KeyedTask) -> Answers | None:
    return USUAL(task, None)


def test_it_has_checks_alone_and_each_once(tried: Path) -> None:
    key = keyed(tried)
    assert {(one.kind, one.purpose) for one in key.values()} == {("preference", "attention")}
    shown = read_tasks(HumanFolder(tried), key.values())
    for who in ("annotator-01", "annotator-02", "annotator-03"):
        own = [shown[one.task]["question"] for one in key.values() if one.annotator == who]
        assert len(own) == len(set(own)) == 7
    assert nonreader_pass(7, 0.75) <= 0.1


def test_who_reads_passes_and_who_does_not_fails(tried: Path) -> None:
    folder, key = HumanFolder(tried), keyed(tried)
    for n, answer in ((1, reading), (2, wrong)):
        fill(folder.sheet(f"annotator-{n:02}"), answer, key)
        done = human("import", tried, folder.sheet(f"annotator-{n:02}"))
        assert done.code == 0, done.said
    done = human("people", tried, "--join", "worker-7")
    assert done.code == 0, done.said
    with folder.payout.open(encoding="utf-8", newline="") as lines:
        listed = {row["annotator"]: row for row in csv.DictReader(lines)}
    found = {
        name: (row["state"], row["checks_right"], row["checks"], row["passed"])
        for name, row in listed.items()
    }
    assert found == {
        "annotator-01": ("finished", "7", "7", "yes"),
        "annotator-02": ("finished", "0", "7", "no"),
        "annotator-03": ("open", "0", "0", ""),
    }
    assert listed["annotator-01"]["participant"] == "worker-7"
    assert "7 of 7" in done.out


def test_a_study_of_qualified_people_has_other_checks(run: Path, tried: Path) -> None:
    done = human("export", run, "--qualified", "--seed", 2)
    assert done.code == 0, done.said
    questions = {
        wording for one in qualifying_checks(CHECKS) for wording in (one.question, *one.questions)
    }

    def asked(folder: Path) -> set[str]:
        key = keyed(folder)
        checks = [one for one in key.values() if one.purpose == "attention"]
        return {str(d["question"]) for d in read_tasks(HumanFolder(folder), checks).values()}

    assert len(qualifying_checks(CHECKS)) == QUALIFYING
    assert asked(tried) <= questions
    assert asked(run)
    assert not asked(run) & questions


def test_who_tried_can_withdraw(tried: Path) -> None:
    folder, key = HumanFolder(tried), keyed(tried)
    sheet = fill(folder.sheet("annotator-01"), reading, key)
    assert human("import", tried, sheet).code == 0
    done = human("withdraw", tried, "annotator-01")
    assert done.code == 0, done.said
    assert not folder.verdicts.read_text(encoding="utf-8")


def test_nothing_can_be_decided_by_it(tried: Path) -> None:
    done = human("report", tried)
    assert done.code == 2
    assert "is a qualification: it has no pairs to decide on" in done.err


def test_a_run_is_not_overwritten(run: Path) -> None:
    done = human("qualify", run, "--out", run)
    assert done.code == 2
    assert "is a run of its own" in done.err
