"""Who voted on a twin or pair in the first round does not decide it in the second."""

import json
from pathlib import Path
from typing import Any

import pytest

from live_study import LiveStudy, split_votes, usual
from pairwright_human_eval.annotation import Export
from pairwright_human_eval.label_studio.exports import clean_task
from pairwright_human_eval.raw_files import store, store_pulled
from pairwright_human_eval.records import KeyedTask
from released import Answers, exported_task, run_of, violated

PAIRS = [violated(n) for n in range(8)]
DISPUTED = {pair.id for pair in PAIRS[:4]}
ONE = min(DISPUTED)
OUTSIDE = 100
"""An account that took no part in the first round."""


@pytest.fixture(scope="module")
def disputed(tmp_path_factory: pytest.TempPathFactory) -> LiveStudy:
    """Four of eight pairs are disputed, and nobody has adjudicated yet. Not to be changed."""
    split = split_votes()

    def answer(task: KeyedTask, _: object) -> Answers | None:
        return (split if task.pair in DISPUTED else usual)(task)

    run = run_of(tmp_path_factory.mktemp("disputed") / "run", PAIRS, answer=answer)
    return LiveStudy(run)


@pytest.fixture
def study(disputed: LiveStudy, tmp_path: Path) -> LiveStudy:
    """The same, to be changed."""
    return disputed.copy(tmp_path / "run")


@pytest.fixture
def second(study: LiveStudy) -> LiveStudy:
    """With tasks of a second round."""
    study.do("adjudicate")
    return study


def voters(study: LiveStudy, subject: str = ONE) -> set[str]:
    """Who was asked about a subject in the first round."""
    key = study.key.values()
    return {keyed.annotator for keyed in key if keyed.round == 1 and keyed.subject == subject}


def account_of(annotator: str) -> int:
    """The account that gave an annotator's answers."""
    return int(annotator.removeprefix("annotator-"))


def adjudicated(
    study: LiveStudy, account: int, *subjects: str, by: str = "adjudicator-01"
) -> Export:
    """An account's answers to an adjudicator's tasks on these subjects: always for the chosen."""
    tasks: list[dict[str, Any]] = json.loads(study.folder.tasks(by, "preference", 2).read_bytes())
    key = study.key
    done = [
        exported_task(task["data"], {"preference": keyed.expected or "A"}, account, n)
        for n, task in enumerate(tasks)
        if (keyed := key[task["data"]["task"]]).subject in subjects
    ]
    assert len(done) == len(subjects)
    return Export(file="", tasks=tuple(map(clean_task, done)))


def elsewhere(export: Export) -> Export:
    """The same as a pull from a server."""
    return export.model_copy(update={"file": "0a0a0a0a-1.json", "source": "0a0a0a0a"})


def name_people(study: LiveStudy, account: int, *names: str) -> None:
    given = {"given": {f"0a0a0a0a:{account}": names}}
    study.folder.people.write_text(json.dumps(given), encoding="utf-8")


def voted_before(study: LiveStudy) -> int:
    return sum(line["reason"] == "voted_before" for line in study.set_aside)


def test_the_answer_of_somebody_who_voted_on_it_closes_nothing(second: LiveStudy) -> None:
    voter = min(voters(second))
    own = {subject for subject in DISPUTED if voter in voters(second, subject)}
    store(adjudicated(second, account_of(voter), *sorted(DISPUTED)), second.folder)
    found = second.states()
    assert {subject for subject in DISPUTED if found[subject] == "disputed"} == own
    assert voted_before(second) == len(own)


def test_what_was_set_aside_is_given_to_another_adjudicator(second: LiveStudy) -> None:
    store(adjudicated(second, account_of(min(voters(second))), ONE), second.folder)
    alone = second.command("adjudicate")
    assert alone.code == 1
    few = "Too few adjudicators, who did not answer in the first round"
    assert f"{few}, for: 1, such as {ONE}" in alone.out
    second.do("adjudicate", "--adjudicators", 2)
    again = [keyed.annotator for keyed in second.second_round() if keyed.subject == ONE]
    assert again == ["adjudicator-01", "adjudicator-02"]
    once_more = second.do("adjudicate")  # The task is with the second adjudicator.
    assert "Nothing new to adjudicate" in once_more
    assert "Too few" not in once_more
    store(adjudicated(second, OUTSIDE, ONE, by="adjudicator-02"), second.folder)
    assert second.states()[ONE] == "verified"
    assert voted_before(second) == 1


@pytest.mark.real
def test_an_account_of_a_server_and_of_a_file_with_one_number_are_one_person(
    second: LiveStudy,
) -> None:
    voter = account_of(min(voters(second)))
    store_pulled(elsewhere(adjudicated(second, voter, ONE)), second.folder)
    assert second.states()[ONE] == "disputed"
    # The study lead knows better: that server's account is somebody else.
    name_people(second, voter, "adjudicator-01")
    assert second.states()[ONE] == "verified"


@pytest.mark.real
def test_two_accounts_that_the_study_lead_gives_to_one_person_are_one(second: LiveStudy) -> None:
    store_pulled(elsewhere(adjudicated(second, OUTSIDE, ONE)), second.folder)
    assert second.states()[ONE] == "verified"
    name_people(second, OUTSIDE, min(voters(second)), "adjudicator-01")
    assert second.states()[ONE] == "disputed"


def test_annotators_adjudicate_what_others_were_asked(study: LiveStudy) -> None:
    names = ("annotator-01", "annotator-02", "annotator-03", "annotator-04")
    done = study.command("adjudicate", *(part for name in names for part in ("--by", name)))
    given = study.second_round()
    assert given
    for keyed in given:
        assert keyed.annotator in names
        assert keyed.annotator not in voters(study, keyed.subject)
    left = [subject for subject in DISPUTED if set(names) <= voters(study, subject)]
    assert {keyed.subject for keyed in given} == DISPUTED - set(left)
    assert done.code == bool(left)
    own, subject = account_of(given[0].annotator), given[0].subject
    store(adjudicated(study, own, subject, by=given[0].annotator), study.folder)
    assert study.states()[subject] == "verified"


def test_where_everybody_named_voted_on_it_nothing_is_given(study: LiveStudy) -> None:
    assert "'ann' is not an annotator of this study" in study.refused("adjudicate", "--by", "ann")
    done = study.command("adjudicate", "--by", min(voters(study)))
    assert done.code == 1
    assert "Too few adjudicators, who did not answer in the first round" in done.out
    assert ONE not in {keyed.subject for keyed in study.second_round()}
