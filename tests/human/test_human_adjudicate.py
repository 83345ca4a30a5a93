"""The second round: only disputes go to adjudicators, on the sides of the first and without its
answers, and what they say closes them."""

import json
from pathlib import Path
from typing import Any

import pytest

from live_study import files_of
from pairwright.errors import InputError, StoreError
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.folder import HumanFolder, read_study, write_study
from pairwright_human_eval.records import Answer, digest, pseudonyms
from pairwright_human_eval.second_round import (
    Part,
    add_adjudication,
    deal,
    given_parts,
    open_parts,
    second_task,
)
from pairwright_human_eval.tasks import BlindUnit, Task
from pairwright_human_eval.units import Unit, swapped_units
from small_studies import (
    OF_THREE,
    SECRETS,
    decided,
    full_disk,
    given,
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
SWAPPED = swapped_units(MADE.units, STUDY.seed)
TWIN, AGREED, *SINGLE = MADE.units
Answers = dict[str, list[Answer]]


def answers(**said: str) -> Answers:
    """Everybody agrees, but for `asked` and `partner`, the halves of a twin, and `s0`, `s1`..."""
    names = {ASKED.id: "asked", PARTNER.id: "partner"}
    names |= {unit.id: f"s{n}" for n, unit in enumerate(SINGLE)}
    found = {unit.id: well(unit) for unit in MADE.units}
    for unit in MADE.units:
        for pair in unit.pairs:
            found[unit.id] += votes(pair, said.get(names.get(pair.id, ""), "+++"))
    return found


def decisions_on(found: Answers, **rule: Any) -> dict[str, Decision]:
    return {unit.id: decided(unit, found[unit.id], **rule) for unit in MADE.units}


Dealt = tuple[dict[str, list[Task]], dict[str, int]]


def dealt(
    found: Answers,
    adjudicators: int = 1,
    there: dict[Part, set[str]] | None = None,
    **rule: Any,
) -> Dealt:
    """The tasks of each adjudicator, and the units that have too few people."""
    names = pseudonyms(adjudicators, "adjudicator")
    rules = HumanRules(**OF_THREE | rule)
    decisions = decisions_on(found, **rule)
    parts = [part for unit in MADE.units for part in open_parts(unit, decisions[unit.id])]
    votes = {part: rules.closing_votes if part[1] else 1 for part in parts}
    given, short = deal(votes, names, {}, there or {})
    tasks: dict[str, list[Task]] = {who: [] for who in names}
    for (unit, pair), who in given:
        page = BlindUnit(STUDY.seed, MADE.by_id[unit], unit in SWAPPED)
        tasks[who].append(second_task(page, PlanRules(), pair, who))
    return tasks, short


def second_round(found: Answers, adjudicators: int = 1, **rule: Any) -> dict[str, list[Task]]:
    return dealt(found, adjudicators, **rule)[0]


def flat(tasks: dict[str, list[Task]]) -> list[Task]:
    return [task for own in tasks.values() for task in own]


def tasks_of(found: Answers, **rule: Any) -> list[Task]:
    return second_round(found, **rule)["adjudicator-01"]


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
    found = [(task.keyed.unit, task.keyed.pair) for task in tasks_of(answers(**said))]
    assert found == [(TWIN.id, pair) for pair in asked]


def test_what_an_adjudicator_closed_is_not_asked_again() -> None:
    found = answers(asked="+-=", partner="+-=")
    found[TWIN.id] += votes(ASKED, "+", round=2)
    assert [task.keyed.pair for task in tasks_of(found)] == [PARTNER.id]
    found[TWIN.id] += votes(PARTNER, "-", round=2)
    assert tasks_of(found) == []


def test_the_task_is_that_of_the_first_round_under_another_name() -> None:
    (task,) = tasks_of(answers(s0="+-="))
    first = next(t for t in MADE.of("vote") if t.keyed.pair == SINGLE[0].asked.id)
    shown = {name: value for name, value in task.data.items() if value != []}
    assert shown == first.data | {"task": task.data["task"]}
    assert task.keyed.sides == first.keyed.sides
    assert (task.keyed.round, task.keyed.purpose) == (2, "vote")
    assert task.keyed.annotator == "adjudicator-01"
    assert task.keyed.task == task.data["task"] not in {t.keyed.task for t in MADE.all()}
    assert task.keyed.data_hash == digest(task.data)


def test_no_earlier_answer_is_shown() -> None:
    few, more = answers(s0="+-="), answers(s0="+-=-+=")
    more[SINGLE[0].id] += given(SINGLE[0].asked, [("comment", "", "Both are fine.")])
    assert tasks_of(few) == tasks_of(more)


def test_nothing_in_a_task_tells_which_response_is_which_or_who_answered() -> None:
    for task in tasks_of(answers(asked="+-=", partner="+-?", s0="+-=", s1="+-=")):
        text = json.dumps(task.data).lower()
        unit = MADE.by_id[task.keyed.unit]
        secrets = {*SECRETS.values(), unit.id, *(pair.id for pair in unit.pairs)}
        secrets |= {"chosen", "rejected", "violate", "twin", "annotator", "somebody", "@"}
        assert not [secret for secret in secrets if secret in text]


def rated(found: Answers, unit: Unit, score: int | None) -> None:
    """Give the unit other scores: nobody could judge how correct the first response is."""
    unsure: dict[str, int | None] = {"correctness": None, "helpfulness": score}
    other = [answer for answer in found[unit.id] if answer.kind != "quality"]
    found[unit.id] = [*other, *quality(unit, unsure, 5)]


def test_a_quality_that_nobody_could_judge_is_asked_again() -> None:
    found, unit = answers(), SINGLE[0]
    rated(found, unit, 4)
    (task,) = tasks_of(found)
    assert (task.keyed.kind, task.keyed.pair, task.keyed.round) == ("quality", "", 2)
    shown = [name for name, value in task.data.items() if value != []]
    assert shown == ["task", "question", "response_a", "response_b"]


def test_quality_and_preferences_of_a_twin_go_to_different_people_where_there_are_enough() -> None:
    disputed = answers(asked="+-=", partner="+-=")
    rated(disputed, TWIN, 4)
    for people, loads in ((1, [3]), (2, [1, 2]), (3, [1, 1, 1])):
        tasks = second_round(disputed, people)
        assert sorted(len(found) for found in tasks.values()) == loads
        assert len({task.keyed.task for found in tasks.values() for task in found}) == 3


def test_disputes_are_dealt_out_evenly() -> None:
    tasks = second_round(answers(**{f"s{n}": "+-=" for n in range(6)}, asked="+-="), 3)
    assert list(tasks) == ["adjudicator-01", "adjudicator-02", "adjudicator-03"]
    assert sorted(len(found) for found in tasks.values()) == [2, 2, 3]
    units = [task.keyed.unit for found in tasks.values() for task in found]
    assert sorted(units) == sorted([TWIN.id, *(unit.id for unit in SINGLE)])


FOUR: dict[str, Any] = {"votes": 4, "rule": "unanimity", "further": 6}
ONE_AGAINST = answers(asked="+++-", partner="++++", **{f"s{n}": "++++" for n in range(6)})
"""With four votes a pair, one twin takes six further votes."""


def test_further_votes_are_as_many_as_the_rule_asks_for() -> None:
    tasks = second_round(ONE_AGAINST, 8, **FOUR)
    assert [len(own) for own in tasks.values()] == [1] * 6 + [0, 0]
    found = {(task.keyed.pair, task.keyed.kind) for task in flat(tasks)}
    assert found == {(ASKED.id, "preference")}


def test_nobody_gets_a_unit_that_they_were_asked_about() -> None:
    part, other = (TWIN.id, ASKED.id), ("twin-x", "x")
    asked = {"annotator-01": {TWIN.id}, "annotator-02": {"twin-x"}}
    found = deal({part: 2, other: 1}, ("annotator-01", "annotator-02"), asked, {})
    assert found == ([(part, "annotator-02"), (other, "annotator-01")], {TWIN.id: 1})


def test_what_further_people_have_is_not_given_again_and_who_is_missing_is_named(
    folder: HumanFolder,
) -> None:
    def added(people: int) -> tuple[int, dict[str, int]]:
        tasks, short = dealt(
            ONE_AGAINST, people, given_parts(read_study(folder).key.values()), **FOUR
        )
        return add_adjudication(folder, flat(tasks))[0], short

    assert added(4) == (4, {TWIN.id: 2})
    assert added(6) == (2, {})
    assert added(9) == (0, {})


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
    tasks = tasks_of(answers(s0="+-=", s1="+-="))
    assert add_adjudication(folder, tasks)[0] == 2
    before = files_of(folder.run)
    assert add_adjudication(folder, tasks) == (0, ())
    assert files_of(folder.run) == before
    again = {task.keyed.task: task.keyed for task in tasks}
    assert read_study(folder).key == {t.keyed.task: t.keyed for t in MADE.all()} | again
    assert [data["task"] for data in written(folder)] == list(again)


def test_what_is_disputed_later_is_added_to_tasks_and_sheets_or_to_none(
    folder: HumanFolder,
) -> None:
    """A sheet that nobody filled in grows; one that somebody did stops everything."""
    add_adjudication(folder, tasks_of(answers(s0="+-=")), STUDY)
    before, sheet = written(folder), folder.sheet("adjudicator-01", 2)
    more = tasks_of(answers(s0="+-=", s1="+-="))
    assert add_adjudication(folder, more, STUDY) == (1, (sheet,))
    assert written(folder)[:1] == before
    assert all(task.keyed.task in sheet.read_text(encoding="utf-8") for task in more)
    sheet.write_bytes(sheet.read_bytes() + b" ")
    files = files_of(folder.run)
    late = second_round(answers(s0="+-=", s1="+-=", s2="+-=", s3="+-="), 2)
    with pytest.raises(InputError, match="was filled in or changed"):
        add_adjudication(folder, flat(late), STUDY)
    assert files_of(folder.run) == files
    # Who gets nothing new keeps what they filled in.
    new = [task for task in late["adjudicator-02"] if task.keyed.unit == SINGLE[3].id]
    assert add_adjudication(folder, [*more, *new], STUDY)[1] == (folder.sheet("adjudicator-02", 2),)


def test_a_second_round_cut_short_is_made_whole_by_the_next(folder: HumanFolder) -> None:
    cut = flat(second_round(answers(s0="+-=", s1="+-="), 2))
    with full_disk(folder.adjudication_key.name), pytest.raises(StoreError, match="No space left"):
        add_adjudication(folder, cut)
    later = tasks_of(answers(s0="+-=="))
    assert add_adjudication(folder, later)[0] == 1
    assert written(folder) == [task.data for task in later]
    # No task is left that is in no key.
    key = read_study(folder).key
    for path in (folder.path / "adjudication").rglob("*.json"):
        assert all(task["data"]["task"] in key for task in json.loads(path.read_bytes()))
