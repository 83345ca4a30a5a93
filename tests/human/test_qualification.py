"""`pairwright human qualify`: people are tried on attention checks before they take part."""

import csv
from pathlib import Path

import pytest

from live_study import LiveStudy
from pairwright_human_eval.attention import nonreader_pass
from pairwright_human_eval.records import KeyedTask
from pairwright_human_eval.study_files import read_tasks
from released import PAIRS, Answers, run_of


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> LiveStudy:
    return LiveStudy(run_of(tmp_path_factory.mktemp("qualify") / "run", PAIRS[:3], study=False))


@pytest.fixture
def tried(run: LiveStudy, tmp_path: Path) -> LiveStudy:
    """A qualification of three people by spreadsheet."""
    out = tmp_path / "people"
    options = ("--people", 3, "--seed", 1, "--tool", "spreadsheet")
    said = run.do("qualify", "--out", out, *options)
    assert "3 people, 9 tasks each" in said
    assert "70 % right passes: 9.0 % of those who do not read do" in said
    assert f"Next:\n  pairwright human start {out}\n  pairwright human people {out}\n" in said
    assert said.splitlines()[-1].strip() == f"pairwright human export {run.run}"
    return LiveStudy(out)


def test_it_has_checks_alone_and_each_once(tried: LiveStudy) -> None:
    assert {(k.kind, k.purpose) for k in tried.key.values()} == {("preference", "attention")}
    for who in ("annotator-01", "annotator-02", "annotator-03"):
        shown = read_tasks(tried.folder, tried.own(who)).values()
        assert len(shown) == len({str(data["question"]) for data in shown}) == 9
    assert nonreader_pass(9, 0.7) <= 0.1


def test_who_reads_passes_who_does_not_fails_and_who_tried_can_withdraw(tried: LiveStudy) -> None:
    def wrong(task: KeyedTask) -> Answers | None:
        return {"preference": "B" if task.expected == "A" else "A"}

    said = tried.do("import", tried.fill("annotator-01"), tried.fill("annotator-02", wrong))
    assert said.endswith(f"Next:\n  pairwright human people {tried.run}\n")
    assert "9 of 9" in tried.do("people", "--join", "worker-7")
    columns = ("annotator", "state", "checks_right", "checks", "passed", "participant")
    with tried.folder.payout.open(encoding="utf-8", newline="") as lines:
        listed = [tuple(row[column] for column in columns) for row in csv.DictReader(lines)]
    assert listed == [
        ("annotator-01", "finished", "9", "9", "yes", "worker-7"),
        ("annotator-02", "finished", "0", "9", "no", ""),
        ("annotator-03", "open", "0", "0", "", ""),
    ]
    # Nothing can be decided by it.
    said = tried.refused("report")
    assert "is a qualification: it has no pairs to decide on" in said
    tried.do("withdraw", "annotator-01")
    assert {verdict.annotator for verdict in tried.verdicts} == {"annotator-02"}


def test_a_run_is_not_overwritten(run: LiveStudy) -> None:
    assert "is a run of its own" in run.refused("qualify", "--out", run.run)
