"""The second round: only disputes go to an adjudicator, on the sides and with the answers of the
first, and what the adjudicator says closes them."""

import json
from pathlib import Path
from typing import Any

import pytest

from live_study import files_of
from pairwright.errors import StoreError
from pairwright.records import Pair
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import Verdict, digest, pseudonyms, response_id
from pairwright_human_eval.second_round import add_adjudication, adjudication_tasks, given_parts
from pairwright_human_eval.study_files import read_study, write_study
from pairwright_human_eval.subjects import Subject
from pairwright_human_eval.tasks import Task
from small_studies import (
    OF_THREE,
    SECRETS,
    decided,
    full_disk,
    quality,
    study_of,
    twin,
    violate,
    votes,
    well,
)

ASKED, PARTNER = twin(1)
PAIRS = [ASKED, PARTNER, *twin(2), *(violate(n) for n in range(3, 9))]
MADE = study_of(PAIRS)
STUDY = MADE.study()
TWIN, AGREED, *SINGLE = MADE.subjects
Answers = dict[str, list[Verdict]]


def placed(subject: Subject) -> dict[str, Any]:
    """Where the responses stood in the first round, for verdicts."""
    keyed = next(k for k in MADE.keyed("vote") if k.subject == subject.id)
    return {"a": keyed.a, "b": keyed.b}


def answered(pair: Pair, choices: str, **changes: Any) -> list[Verdict]:
    """Votes that name the sides as the tasks of the study do."""
    return votes(pair, choices, **{**placed(MADE.by_id[pair.twin_id or pair.id]), **changes})


def answers(**said: str) -> Answers:
    """Everybody agrees, but for `asked` and `partner`, the halves of a twin, and `s0`, `s1`..."""
    names = {ASKED.id: "asked", PARTNER.id: "partner"}
    names |= {subject.id: f"s{n}" for n, subject in enumerate(SINGLE)}
    found = {subject.id: well(subject) for subject in MADE.subjects}
    for subject in MADE.subjects:
        for pair in subject.pairs:
            found[subject.id] += answered(pair, said.get(names.get(pair.id, ""), "+++"))
    return found


def decisions_on(given: Answers, **rule: Any) -> dict[str, Decision]:
    return {s.id: decided(s, given[s.id], **rule) for s in MADE.subjects}


def second_round(
    given: Answers, adjudicators: int = 1, excluded: frozenset[str] = frozenset(), **rule: Any
) -> dict[str, list[Task]]:
    tasks, _ = adjudication_tasks(
        MADE.subjects, decisions_on(given, **rule), given, STUDY, PlanRules(),
        HumanRules(**OF_THREE | rule), pseudonyms(adjudicators, "adjudicator"), excluded,
    )  # fmt: skip
    return tasks


def tasks_of(given: Answers, **options: Any) -> list[Task]:
    return second_round(given, **options)["adjudicator-01"]


def earlier(task: Task) -> list[str]:
    found = task.data["earlier"]
    assert isinstance(found, list)
    return [row["text"] for row in found if isinstance(row, dict) and isinstance(row["text"], str)]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ({}, []),
        ({"s0": "---", "s1": "++", "s2": "???", "partner": "==="}, []),
        ({"partner": "+-="}, [PARTNER.id]),
        ({"asked": "+-?", "partner": "+-="}, [ASKED.id, PARTNER.id]),
        # A twin that is refused or waits.
        ({"asked": "+-=", "partner": "---"}, []),
        ({"asked": "+-=", "partner": "++"}, []),
    ],
)
def test_only_what_is_disputed_is_asked_again(said: dict[str, str], asked: list[str]) -> None:
    found = [(task.keyed.subject, task.keyed.pair) for task in tasks_of(answers(**said))]
    assert found == [(TWIN.id, pair) for pair in asked]


def test_what_an_adjudicator_closed_is_not_asked_again() -> None:
    given = answers(asked="+-=", partner="+-=")
    given[TWIN.id] += answered(ASKED, "+", round=2)
    assert [task.keyed.pair for task in tasks_of(given)] == [PARTNER.id]
    given[TWIN.id] += answered(PARTNER, "-", round=2)
    assert tasks_of(given) == []


def test_the_task_is_that_of_the_first_round_with_the_earlier_answers() -> None:
    (task,) = tasks_of(answers(s0="+-="))
    first = next(t for t in MADE.of("vote") if t.keyed.pair == SINGLE[0].asked.id)
    own = {"task": task.data["task"], "earlier": task.data["earlier"]}
    assert task.data == first.data | own
    assert list(task.data) == [*first.data, "earlier"]
    assert (task.keyed.a, task.keyed.b) == (first.keyed.a, first.keyed.b)
    assert task.keyed.expected == first.keyed.expected
    assert (task.keyed.round, task.keyed.purpose) == (2, "vote")
    assert task.keyed.annotator == "adjudicator-01"
    assert task.keyed.task == task.data["task"] not in {t.keyed.task for t in MADE.all()}
    assert task.keyed.data_hash == digest(task.data)


def test_earlier_answers_are_told_by_side_and_without_names() -> None:
    for n, subject in enumerate(SINGLE):
        sides = ("A", "B") if placed(subject)["a"] == response_id(subject.first) else ("B", "A")
        given = answers(**{f"s{n}": "+-=?"})
        (task,) = tasks_of(given)
        names, said = zip(*(line.split(": ", 1) for line in earlier(task)), strict=True)
        assert sorted(names) == [f"Person {n}" for n in range(1, 5)]
        assert {*said} == {*sides, "no difference", "cannot tell"}
        assert not [v.annotator for v in given[subject.id] if v.annotator in json.dumps(task.data)]
    asked, partner = tasks_of(answers(asked="+-==", partner="+-?"))
    assert (len(earlier(asked)), len(earlier(partner))) == (4, 3)


def test_only_votes_of_people_who_count_are_shown() -> None:
    given = answers(s0="+-=")
    before = tasks_of(given)
    for purpose in ("repeat",):
        given[SINGLE[0].id] += answered(SINGLE[0].asked, "++", purpose=purpose)
    assert tasks_of(given) == before
    given[SINGLE[0].id] += answered(SINGLE[0].asked, "++--", annotator="bad")
    assert tasks_of(given, excluded=frozenset({"bad"})) == before


def test_comments_are_shown_as_visible_text() -> None:
    given, pair = answers(s0="+-"), SINGLE[0].asked
    comment = "Both \u202eare <b>fine</b>\u200b."
    given[SINGLE[0].id] += answered(pair, "=", comment=comment)
    (task,) = tasks_of(given)
    told = [line.split(": ", 1)[1] for line in earlier(task) if "difference" in line]
    assert told == ["no difference. Both are <b>fine</b>."]


def test_nothing_in_a_task_tells_which_response_is_which_or_who_answered() -> None:
    for task in tasks_of(answers(asked="+-=", partner="+-?", s0="+-=", s1="+-=")):
        text = json.dumps(task.data).lower()
        subject = MADE.by_id[task.keyed.subject]
        secrets = {*SECRETS.values(), subject.id, *(pair.id for pair in subject.pairs)}
        secrets |= {response_id(subject.first), response_id(subject.second)}
        secrets |= {"chosen", "rejected", "violate", "twin", "annotator", "somebody", "@"}
        assert not [secret for secret in secrets if secret in text]


def rated(given: Answers, subject: Subject, score: int | None) -> None:
    """Give the subject other scores: nobody could judge how correct the first response is."""
    unsure: dict[str, int | None] = {"correctness": None, "helpfulness": score}
    other = [verdict for verdict in given[subject.id] if verdict.kind != "quality"]
    given[subject.id] = [*other, *quality(subject, unsure, 5, **placed(subject))]


@pytest.mark.parametrize("score", [4, 0])
def test_a_quality_that_nobody_could_judge_is_asked_again(score: int) -> None:
    given, subject = answers(), SINGLE[0]
    rated(given, subject, score)
    (task,) = tasks_of(given, quality_floor=0, quality_gap=5)
    assert (task.keyed.kind, task.keyed.pair, task.keyed.round) == ("quality", None, 2)
    assert list(task.data) == ["task", "question", "response_a", "response_b", "earlier"]
    scores = {
        response_id(subject.first): f"correctness cannot judge, helpfulness {score}",
        response_id(subject.second): "correctness 5, helpfulness 5",
    }
    at = placed(subject)
    told = f"A: {scores[at['a']]}; B: {scores[at['b']]}"
    assert earlier(task) == [f"Person 1: {told}", f"Person 2: {told}"]


def test_quality_and_preferences_of_a_twin_go_to_different_people_where_there_are_enough() -> None:
    given = answers(asked="+-=", partner="+-=")
    rated(given, TWIN, 4)
    for people, loads in ((1, [3]), (2, [1, 2]), (3, [1, 1, 1])):
        tasks = second_round(given, people)
        assert sorted(len(found) for found in tasks.values()) == loads
        assert len({task.keyed.task for found in tasks.values() for task in found}) == 3


def test_disputes_are_dealt_out_evenly() -> None:
    tasks = second_round(answers(**{f"s{n}": "+-=" for n in range(6)}, asked="+-="), 3)
    assert list(tasks) == ["adjudicator-01", "adjudicator-02", "adjudicator-03"]
    assert sorted(len(found) for found in tasks.values()) == [2, 2, 3]
    subjects = [task.keyed.subject for found in tasks.values() for task in found]
    assert sorted(subjects) == sorted([TWIN.id, *(s.id for s in SINGLE)])


FOUR: dict[str, Any] = {"votes": 4, "rule": "unanimity", "further": 6}
ONE_AGAINST = answers(asked="+++-", partner="++++", **{f"s{n}": "++++" for n in range(6)})
"""With four votes a pair, one twin takes six further votes."""


def test_further_votes_are_as_many_as_the_rule_asks_for_and_see_no_earlier_answer() -> None:
    tasks = second_round(ONE_AGAINST, 8, **FOUR)
    found = [task for own in tasks.values() for task in own]
    assert [len(own) for own in tasks.values()] == [1] * 6 + [0, 0]
    assert {(task.keyed.pair, task.keyed.kind) for task in found} == {(ASKED.id, "preference")}
    assert [task.data["earlier"] for task in found] == [[]] * 6


def test_what_further_people_have_is_not_given_again_and_who_is_missing_is_named(
    folder: HumanFolder,
) -> None:
    decisions = decisions_on(ONE_AGAINST, **FOUR)

    def added(people: int) -> tuple[int, list[str]]:
        tasks, short = adjudication_tasks(
            MADE.subjects, decisions, ONE_AGAINST, STUDY, PlanRules(), HumanRules(**FOUR),
            pseudonyms(people, "adjudicator"), frozenset(), {}, given_parts(folder),
        )  # fmt: skip
        return add_adjudication(folder, STUDY, tasks), short

    assert added(4) == (4, [TWIN.id])
    assert added(6) == (2, [])
    assert added(9) == (0, [])


@pytest.fixture
def folder(tmp_path: Path) -> HumanFolder:
    folder = HumanFolder(tmp_path)
    write_study(folder, STUDY, MADE.tasks)
    return folder


def written(folder: HumanFolder) -> list[dict[str, Any]]:
    """What the first adjudicator's task file holds of each task."""
    text = folder.tasks("adjudicator-01", "preference", 2).read_bytes()
    return [task["data"] for task in json.loads(text)]


def test_a_second_round_is_added_once(folder: HumanFolder) -> None:
    tasks = second_round(answers(s0="+-=", s1="+-="))
    assert add_adjudication(folder, STUDY, tasks) == 2
    before = files_of(folder.run)
    assert add_adjudication(folder, STUDY, tasks) == 0
    assert files_of(folder.run) == before
    again = {task.keyed.task: task.keyed for task in tasks["adjudicator-01"]}
    assert read_study(folder).key == {t.keyed.task: t.keyed for t in MADE.all()} | again
    assert [data["task"] for data in written(folder)] == list(again)
    assert "earlier" in folder.form("preference", 2).read_text(encoding="utf-8")


def test_what_is_disputed_later_is_added_and_the_rest_stays(folder: HumanFolder) -> None:
    add_adjudication(folder, STUDY, second_round(answers(s0="+-=")))
    before = written(folder)
    # The vote that comes late changes what would be shown; the task that is there stays.
    more = second_round(answers(s0="+-==", s1="+-="))
    assert add_adjudication(folder, STUDY, more) == 1
    assert written(folder)[:1] == before
    assert len(written(folder)) == 2


def test_a_second_round_cut_short_is_made_whole_by_the_next(folder: HumanFolder) -> None:
    cut = second_round(answers(s0="+-=", s1="+-="), 2)
    with full_disk(folder.adjudication_key.name), pytest.raises(StoreError, match="No space left"):
        add_adjudication(folder, STUDY, cut)
    later = second_round(answers(s0="+-=="))
    assert add_adjudication(folder, STUDY, later) == 1
    assert written(folder) == [task.data for task in later["adjudicator-01"]]
    # No task is left that is in no key.
    key = read_study(folder).key
    for path in (folder.path / "adjudication").rglob("*.json"):
        assert all(task["data"]["task"] in key for task in json.loads(path.read_bytes()))
