"""Who voted on a twin or pair in the first round does not decide it in the second."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pairwright_human_eval.annotation import Export
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.exports import clean_task
from pairwright_human_eval.raw_files import store, store_pulled
from pairwright_human_eval.records import KeyedTask
from pairwright_human_eval.study_files import read_key, read_study
from pairwright_human_eval.subjects import Subject
from released import exported_task, right, run_of, violated
from study import Done, pairwright

PAIRS = [violated(n) for n in range(8)]
DISPUTED = {pair.id for pair in PAIRS[:4]}
OUTSIDE = 100
"""An account that took no part in the first round."""


@pytest.fixture(scope="module")
def disputed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four of eight pairs are disputed, and nobody has adjudicated yet. Not to be changed."""
    usual, asked = right(), Counter[str | None]()

    def answer(task: KeyedTask, subject: Subject | None) -> dict[str, str] | None:
        if task.kind != "preference" or task.pair not in DISPUTED or task.purpose != "vote":
            return usual(task, subject)
        asked[task.pair] += 1
        return {"preference": ("A", "B", "equal")[asked[task.pair] % 3]}

    return run_of(tmp_path_factory.mktemp("disputed") / "run", PAIRS, answer=answer)


@pytest.fixture
def run(disputed: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(disputed, tmp_path / "run"))


def human(command: str, run: Path, *arguments: object) -> Done:
    return pairwright("human", command, run, *arguments)


def second_round(run: Path) -> list[KeyedTask]:
    return list(read_key(HumanFolder(run).adjudication_key))


def voters(run: Path, subject: str) -> set[str]:
    """Who was asked about a subject in the first round."""
    key = read_study(HumanFolder(run)).key.values()
    return {keyed.annotator for keyed in key if keyed.round == 1 and keyed.subject == subject}


def account_of(annotator: str) -> int:
    """The account that gave an annotator's answers."""
    return int(annotator.removeprefix("annotator-"))


def tasks_of(run: Path, adjudicator: str) -> list[dict[str, Any]]:
    path = HumanFolder(run).tasks(adjudicator, "preference", 2)
    found: list[dict[str, Any]] = json.loads(path.read_bytes())
    return found


def adjudicated(run: Path, account: int, *subjects: str, by: str = "adjudicator-01") -> Export:
    """An account's answers to an adjudicator's tasks on these subjects: always for the chosen."""
    key = {keyed.task: keyed for keyed in second_round(run)}
    done = [
        exported_task(task["data"], {"preference": keyed.expected or "A"}, account, n)
        for n, task in enumerate(tasks_of(run, by))
        if (keyed := key[task["data"]["task"]]).subject in subjects
    ]
    assert len(done) == len(subjects)
    return Export(file="", tasks=tuple(map(clean_task, done)))


def elsewhere(export: Export) -> Export:
    """The same as a pull from a server."""
    return export.model_copy(update={"file": "0a0a0a0a-1.json", "source": "0a0a0a0a"})


def states(run: Path) -> dict[str, str]:
    done = human("report", run)
    assert done.code == 0, done.said
    lines = HumanFolder(run).decisions.read_text(encoding="utf-8").splitlines()
    return {line["subject"]: line["state"] for line in map(json.loads, lines)}


def set_aside(run: Path) -> list[dict[str, Any]]:
    lines = HumanFolder(run).set_aside.read_text(encoding="utf-8").splitlines()
    return [line for line in map(json.loads, lines) if line["reason"] == "voted_before"]


def test_the_answer_of_somebody_who_voted_on_it_closes_nothing(run: Path) -> None:
    assert human("adjudicate", run).code == 0
    folder = HumanFolder(run)
    one, *others = sorted(DISPUTED)
    voter = min(voters(run, one))
    own = [subject for subject in (one, *others) if voter in voters(run, subject)]
    store(adjudicated(run, account_of(voter), *sorted(DISPUTED)), folder)
    found = states(run)
    assert {subject for subject in DISPUTED if found[subject] == "disputed"} == set(own)
    lines = set_aside(run)
    assert len(lines) == len(own)
    report = json.loads((folder.path / "report.json").read_bytes())
    assert report["adjudication"]["voted_before"] == len(own)
    assert f"first round: {len(own)}." in (folder.path / "report.md").read_text(encoding="utf-8")


@pytest.mark.real
def test_somebody_else_may_then_answer_the_same_task(run: Path) -> None:
    assert human("adjudicate", run).code == 0
    one = min(DISPUTED)
    folder = HumanFolder(run)
    store(adjudicated(run, account_of(min(voters(run, one))), one), folder)
    assert states(run)[one] == "disputed"
    store(adjudicated(run, OUTSIDE, one), folder)
    assert states(run)[one] == "verified"
    assert len(set_aside(run)) == 1


def test_what_was_set_aside_is_given_to_another_adjudicator(run: Path) -> None:
    assert human("adjudicate", run).code == 0
    one = min(DISPUTED)
    folder = HumanFolder(run)
    store(adjudicated(run, account_of(min(voters(run, one))), one), folder)
    alone = human("adjudicate", run)
    assert alone.code == 1
    assert (
        f"Too few adjudicators, who did not answer in the first round, for: 1, such as {one}"
        in alone.out
    )
    assert human("adjudicate", run, "--adjudicators", 2).code == 0
    again = [keyed for keyed in second_round(run) if keyed.subject == one]
    assert [keyed.annotator for keyed in again] == ["adjudicator-01", "adjudicator-02"]
    once_more = human("adjudicate", run)
    assert once_more.code == 0, "the task is with the second adjudicator"
    assert "Nothing new to adjudicate" in once_more.out
    assert "Too few" not in once_more.out
    store(adjudicated(run, OUTSIDE, one, by="adjudicator-02"), folder)
    assert states(run)[one] == "verified"


@pytest.mark.real
def test_an_account_of_a_server_and_of_a_file_with_one_number_are_one_person(run: Path) -> None:
    assert human("adjudicate", run).code == 0
    one = min(DISPUTED)
    voter = account_of(min(voters(run, one)))
    store_pulled(elsewhere(adjudicated(run, voter, one)), HumanFolder(run))
    assert states(run)[one] == "disputed"
    # The study lead knows better: that server's account is somebody else.
    given = {"given": {f"0a0a0a0a:{voter}": ["adjudicator-01"]}}
    HumanFolder(run).people.write_text(json.dumps(given), encoding="utf-8")
    assert states(run)[one] == "verified"


@pytest.mark.real
def test_two_accounts_that_the_study_lead_gives_to_one_person_are_one(run: Path) -> None:
    assert human("adjudicate", run).code == 0
    one = min(DISPUTED)
    folder, voter = HumanFolder(run), min(voters(run, one))
    store_pulled(elsewhere(adjudicated(run, OUTSIDE, one)), folder)
    assert states(run)[one] == "verified"
    given = {"given": {f"0a0a0a0a:{OUTSIDE}": [voter, "adjudicator-01"]}}
    folder.people.write_text(json.dumps(given), encoding="utf-8")
    assert states(run)[one] == "disputed"


def test_annotators_adjudicate_what_others_were_asked(run: Path) -> None:
    names = ("annotator-01", "annotator-02", "annotator-03", "annotator-04")
    options = [part for name in names for part in ("--by", name)]
    done = human("adjudicate", run, *options)
    given = second_round(run)
    assert given
    for keyed in given:
        assert keyed.annotator in names
        assert keyed.annotator not in voters(run, keyed.subject)
    left = [subject for subject in DISPUTED if set(names) <= voters(run, subject)]
    assert {keyed.subject for keyed in given} == DISPUTED - set(left)
    assert done.code == bool(left)
    keyed = given[0]
    own = account_of(keyed.annotator)
    store(adjudicated(run, own, keyed.subject, by=keyed.annotator), HumanFolder(run))
    assert states(run)[keyed.subject] == "verified"


def test_where_everybody_named_voted_on_it_nothing_is_given(run: Path) -> None:
    one = min(DISPUTED)
    voter = min(voters(run, one))
    done = human("adjudicate", run, "--by", voter)
    assert done.code == 1
    assert "Too few adjudicators, who did not answer in the first round" in done.out
    path = HumanFolder(run).adjudication_key
    assert not path.exists() or one not in {keyed.subject for keyed in second_round(run)}


def test_an_adjudicator_who_is_nobody_is_named(run: Path) -> None:
    done = human("adjudicate", run, "--by", "ann")
    assert done.code == 2
    assert "'ann' is not an annotator of this study" in done.err
