"""The second round: only disputes go to an adjudicator, on the sides and with the answers of the
first, and what the adjudicator says closes them."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from pairwright.errors import StoreError
from pairwright.records import Pair
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.files import form_path
from pairwright_human_eval.records import Verdict, digest, pseudonyms, response_id
from pairwright_human_eval.second_round import add_adjudication, adjudication_tasks, given_parts
from pairwright_human_eval.study_files import read_study, write_study
from pairwright_human_eval.subjects import Subject
from pairwright_human_eval.tasks import Task
from small_studies import (
    OF_THREE,
    SECRETS,
    Made,
    decided,
    quality,
    study_of,
    twin,
    violate,
    votes,
    well,
)

ASKED, PARTNER = twin(1)
PAIRS = [ASKED, PARTNER, *twin(2), *(violate(n) for n in range(3, 9))]
MADE = study_of(PAIRS, wrong_profile=0, narrative=0)
TWIN, AGREED, *SINGLE = MADE.subjects
Answers = dict[str, list[Verdict]]


def placed(made: Made, subject: Subject) -> dict[str, str]:
    """Where the responses stood in the first round, for verdicts."""
    keyed = next(k for k in made.keyed("vote") if k.subject == subject.id)
    return {"a": keyed.a, "b": keyed.b}


def answered(pair: Pair, choices: str, **changes: Any) -> list[Verdict]:
    """Votes that name the sides as the tasks of the study do."""
    subject = MADE.by_id[pair.twin_id or pair.id]
    return votes(pair, choices, **{**placed(MADE, subject), **changes})


def answers(**changes: str) -> Answers:
    """Everybody agrees, but for `asked` and `partner`, the halves of a twin, and `s0`, `s1`..."""
    said = {"asked": "+++", "partner": "+++", **changes}
    found: Answers = {TWIN.id: [*well(TWIN), *answered(ASKED, said["asked"])]}
    found[TWIN.id] += answered(PARTNER, said["partner"])
    found[AGREED.id] = well(AGREED)
    for pair in AGREED.pairs:
        found[AGREED.id] += answered(pair, "+++")
    for n, subject in enumerate(SINGLE):
        choices = said.get(f"s{n}", "+++")
        found[subject.id] = [*well(subject), *answered(subject.asked, choices)]
    return found


def decisions_on(given: Answers, **rule: Any) -> dict[str, Decision]:
    return {s.id: decided(s, given[s.id], **rule) for s in MADE.subjects}


def second_round(
    given: Answers, adjudicators: int = 1, excluded: frozenset[str] = frozenset(), **rule: Any
) -> dict[str, list[Task]]:
    tasks, _ = adjudication_tasks(
        MADE.subjects, decisions_on(given, **rule), given, MADE.study(), PlanRules(),
        HumanRules(**OF_THREE | rule), pseudonyms(adjudicators, "adjudicator"), excluded,
    )  # fmt: skip
    return tasks


def tasks_of(given: Answers) -> list[Task]:
    return second_round(given)["adjudicator-01"]


def earlier(task: Task) -> list[str]:
    found = task.data["earlier"]
    assert isinstance(found, list)
    return [row["text"] for row in found if isinstance(row, dict) and isinstance(row["text"], str)]


# What is asked again


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
    changed = {"task", "earlier"}
    assert {k: v for k, v in task.data.items() if k not in changed} == {
        k: v for k, v in first.data.items() if k != "task"
    }
    assert list(task.data) == [*first.data, "earlier"]
    assert (task.keyed.a, task.keyed.b) == (first.keyed.a, first.keyed.b)
    assert task.keyed.expected == first.keyed.expected
    assert (task.keyed.round, task.keyed.purpose) == (2, "vote")
    assert task.keyed.annotator == "adjudicator-01"
    assert task.keyed.task == task.data["task"] not in {t.keyed.task for t in MADE.all()}
    assert task.keyed.data_hash == digest(task.data)


# What is shown of the first round


def test_earlier_answers_are_told_by_side_and_without_names() -> None:
    for subject in SINGLE:
        at = {"+": "A", "-": "B"}
        if placed(MADE, subject)["a"] != response_id(subject.first):
            at = {"+": "B", "-": "A"}
        given = answers(**{f"s{SINGLE.index(subject)}": "+-=?"})
        (task,) = tasks_of(given)
        lines = earlier(task)
        assert sorted(line.split(": ")[0] for line in lines) == [f"Person {n}" for n in range(1, 5)]
        said = {line.split(": ", 1)[1] for line in lines}
        assert said == {at["+"], at["-"], "no difference", "cannot tell"}
        assert not [v.annotator for v in given[subject.id] if v.annotator in json.dumps(task.data)]


def test_the_two_halves_of_a_twin_tell_their_own_votes() -> None:
    asked, partner = tasks_of(answers(asked="+-==", partner="+-?"))
    assert (len(earlier(asked)), len(earlier(partner))) == (4, 3)


def test_only_votes_of_people_who_count_are_shown() -> None:
    given = answers(s0="+-=")
    before = tasks_of(given)
    for purpose in ("repeat", "wrong_profile", "narrative"):
        given[SINGLE[0].id] += answered(SINGLE[0].asked, "++", purpose=purpose)
    assert tasks_of(given) == before
    given[SINGLE[0].id] += answered(SINGLE[0].asked, "++--", annotator="bad")
    shown = second_round(given, excluded=frozenset({"bad"}))["adjudicator-01"]
    assert shown == before


def test_comments_are_shown_as_visible_text() -> None:
    given = answers()
    pair = SINGLE[0].asked
    given[SINGLE[0].id] = [
        *well(SINGLE[0]),
        *answered(pair, "+-"),
        *answered(pair, "=", comment="Both \u202eare <b>fine</b>\u200b."),
    ]
    (task,) = tasks_of(given)
    told = [line.split(": ", 1)[1] for line in earlier(task) if "difference" in line]
    assert told == ["no difference. Both are <b>fine</b>."]


def test_nothing_in_a_task_tells_which_response_is_which_or_who_answered() -> None:
    given = answers(asked="+-=", partner="+-?", s0="+-=", s1="+-=")
    for task in tasks_of(given):
        text = json.dumps(task.data).lower()
        subject = MADE.by_id[task.keyed.subject]
        secrets = {*SECRETS.values(), subject.id, *(pair.id for pair in subject.pairs)}
        secrets |= {response_id(subject.first), response_id(subject.second)}
        secrets |= {"chosen", "rejected", "violate", "twin", "annotator", "somebody", "@"}
        assert not [secret for secret in secrets if secret in text]


def test_the_order_of_answers_does_not_matter() -> None:
    given = answers(asked="+-=", partner="+-?", s0="+-=", s1="+-=?")
    before = second_round(given, 2)
    for verdicts in given.values():
        random.Random(0).shuffle(verdicts)
    assert second_round(given, 2) == before


# Quality


def rated(given: Answers, subject: Subject, score: int | None) -> None:
    """Give the subject other scores: nobody could judge how correct the first response is."""
    unsure: dict[str, int | None] = {"correctness": None, "helpfulness": score}
    other = [verdict for verdict in given[subject.id] if verdict.kind != "quality"]
    scores = [v.model_copy(update=placed(MADE, subject)) for v in quality(subject, unsure, 5)]
    given[subject.id] = [*other, *scores]


@pytest.mark.parametrize("score", [4, 0])
def test_a_quality_that_nobody_could_judge_is_asked_again(score: int) -> None:
    given, subject = answers(), SINGLE[0]
    rated(given, subject, score)
    (task,) = second_round(given, quality_floor=0, quality_gap=5)["adjudicator-01"]
    assert (task.keyed.kind, task.keyed.pair, task.keyed.round) == ("quality", None, 2)
    assert list(task.data) == ["task", "question", "response_a", "response_b", "earlier"]
    scores = {
        response_id(subject.first): f"correctness cannot judge, helpfulness {score}",
        response_id(subject.second): "correctness 5, helpfulness 5",
    }
    at = placed(MADE, subject)
    told = f"A: {scores[at['a']]}; B: {scores[at['b']]}"
    assert earlier(task) == [f"Person 1: {told}", f"Person 2: {told}"]


def test_quality_and_preferences_of_a_twin_go_to_different_people_where_there_are_enough() -> None:
    given = answers(asked="+-=", partner="+-=")
    rated(given, TWIN, 4)
    for people, loads in ((1, [3]), (2, [1, 2]), (3, [1, 1, 1])):
        tasks = second_round(given, people)
        assert sorted(len(found) for found in tasks.values()) == loads
        assert len({task.keyed.task for found in tasks.values() for task in found}) == 3


FOUR: dict[str, Any] = {"votes": 4, "rule": "unanimity", "further": 6}


def test_further_votes_are_as_many_as_the_rule_asks_for_and_see_no_earlier_answer() -> None:
    given = answers(asked="+++-", partner="++++", **{f"s{n}": "++++" for n in range(6)})
    tasks = second_round(given, 8, **FOUR)
    found = [task for own in tasks.values() for task in own]
    assert [len(own) for own in tasks.values()] == [1] * 6 + [0, 0]
    assert {(task.keyed.pair, task.keyed.kind) for task in found} == {(ASKED.id, "preference")}
    assert [task.data["earlier"] for task in found] == [[]] * 6


def test_what_further_people_have_is_not_given_again_and_who_is_missing_is_named(
    tmp_path: Path,
) -> None:
    given = answers(asked="+++-", partner="++++", **{f"s{n}": "++++" for n in range(6)})
    folder = exported(tmp_path)
    decisions = decisions_on(given, **FOUR)

    def added(people: int, voted: dict[str, set[str]]) -> tuple[int, list[str]]:
        tasks, short = adjudication_tasks(
            MADE.subjects, decisions, given, MADE.study(), PlanRules(), HumanRules(**FOUR),
            pseudonyms(people, "adjudicator"), frozenset(), voted, given_parts(folder, voted),
        )  # fmt: skip
        return add_adjudication(folder, MADE.study(), tasks), short

    assert added(4, {}) == (4, [TWIN.id])
    assert added(6, {}) == (2, [])
    assert added(9, {}) == (0, [])
    assert added(6, {"adjudicator-02": {TWIN.id}}) == (0, [TWIN.id])
    assert added(7, {"adjudicator-02": {TWIN.id}}) == (1, [])


# Who, and closing


def test_disputes_are_dealt_out_evenly() -> None:
    given = answers(**{f"s{n}": "+-=" for n in range(6)}, asked="+-=")
    tasks = second_round(given, 3)
    assert list(tasks) == ["adjudicator-01", "adjudicator-02", "adjudicator-03"]
    assert sorted(len(found) for found in tasks.values()) == [2, 2, 3]
    subjects = [task.keyed.subject for found in tasks.values() for task in found]
    assert sorted(subjects) == sorted([TWIN.id, *(s.id for s in SINGLE)])


# Adding the second round to a study


def exported(run: Path) -> HumanFolder:
    folder = HumanFolder(run)
    write_study(folder, MADE.study(), MADE.tasks)
    return folder


def listed(folder: HumanFolder, who: str = "adjudicator-01") -> list[str]:
    text = folder.tasks(who, "preference", 2).read_bytes()
    return [task["data"]["task"] for task in json.loads(text)]


def test_a_second_round_is_added_once(tmp_path: Path) -> None:
    folder = exported(tmp_path)
    tasks = second_round(answers(s0="+-=", s1="+-="))
    assert add_adjudication(folder, MADE.study(), tasks) == 2
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert add_adjudication(folder, MADE.study(), tasks) == 0
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    key = read_study(folder).key
    again = {task.keyed.task: task.keyed for task in tasks["adjudicator-01"]}
    assert key == {t.keyed.task: t.keyed for t in MADE.all()} | again
    assert listed(folder) == list(again)
    assert "earlier" in form_path(folder, "preference", 2).read_text(encoding="utf-8")


def test_what_is_disputed_later_is_added_and_the_rest_stays(tmp_path: Path) -> None:
    folder = exported(tmp_path)
    first = second_round(answers(s0="+-="))
    add_adjudication(folder, MADE.study(), first)
    before = listed(folder)
    # The vote that comes late changes what would be shown; the task that is there stays.
    more = second_round(answers(s0="+-==", s1="+-="))
    assert add_adjudication(folder, MADE.study(), more) == 1
    assert listed(folder)[:1] == before
    assert len(listed(folder)) == 2
    data = json.loads(folder.tasks("adjudicator-01", "preference", 2).read_bytes())
    assert len(data[0]["data"]["earlier"]) == 3


def cut_short(
    folder: HumanFolder, monkeypatch: pytest.MonkeyPatch, tasks: dict[str, list[Task]]
) -> None:
    replace = Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if Path(target) == folder.adjudication_key:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", refuse)
        with pytest.raises(StoreError, match="No space left"):
            add_adjudication(folder, MADE.study(), tasks)


def test_a_second_round_cut_short_is_made_whole_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = exported(tmp_path)
    cut_short(folder, monkeypatch, second_round(answers(s0="+-=", s1="+-="), 2))
    later = second_round(answers(s0="+-=="))
    assert add_adjudication(folder, MADE.study(), later) == 1
    assert listed(folder) == [task.keyed.task for task in later["adjudicator-01"]]
    data = json.loads(folder.tasks("adjudicator-01", "preference", 2).read_bytes())
    assert data[0]["data"] == later["adjudicator-01"][0].data
    # No task is left that is in no key.
    key = read_study(folder).key
    for path in (folder.path / "adjudication").rglob("*.json"):
        assert all(task["data"]["task"] in key for task in json.loads(path.read_bytes()))
