"""The second round: only disputes go to adjudicators, on the sides of the first and without its
answers, and what they say closes them."""

import json
from pathlib import Path
from typing import Any

import pytest

from live_study import files_of
from pairwright.errors import InputError, StoreError
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright_human_eval.folder import HumanFolder, OpenStudy, read_study, write_study
from pairwright_human_eval.records import Answer, KeyedTask, Task, digest, pseudonyms
from pairwright_human_eval.second_round import Part, add_adjudication, deal, open_parts
from pairwright_human_eval.tasks import BlindUnit, blind_task
from pairwright_human_eval.units import swapped_units
from small_studies import (
    OF_THREE,
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
MADE = study_of([ASKED, PARTNER, *twin(2), *(violate(n) for n in range(3, 9))])
SEED = MADE.study().seed
SWAPPED = swapped_units(MADE.units, SEED)
TWIN, AGREED, *SINGLE = MADE.units
UNSURE: dict[str, int | None] = {"correctness": None, "helpfulness": 4}


def answers(**said: str) -> list[Answer]:
    """Everybody agrees, but for `asked` and `partner`, the halves of a twin, and `s0`, `s1`..."""
    names = {ASKED.id: "asked", PARTNER.id: "partner"}
    names |= {unit.id: f"s{n}" for n, unit in enumerate(SINGLE)}
    found: list[Answer] = []
    for unit in MADE.units:
        found += well(unit)
        for pair in unit.pairs:
            found += votes(pair, said.get(names.get(pair.id, ""), "+++"))
    return found


def second_round(
    found: list[Answer], people: int = 1, key: tuple[KeyedTask, ...] = (), **rule: Any
) -> tuple[list[Task], dict[str, int]]:
    """The tasks of so many adjudicators, and the units that have too few people."""
    rules = HumanRules(**OF_THREE | rule)
    parts: list[Part] = []
    for unit in MADE.units:
        own = [answer for answer in found if answer.unit == unit.id]
        parts += open_parts(unit, decided(unit, own, **rule))
    needed = {part: rules.closing_votes if part[1] else 1 for part in parts}
    dealt, short = deal(needed, pseudonyms(people, "adjudicator"), key)
    halves = {pair.id: pair for unit in MADE.units for pair in unit.pairs}
    tasks = [
        blind_task(
            BlindUnit(SEED, MADE.by_id[unit], unit in SWAPPED),
            "preference" if pair else "quality",
            halves.get(pair), who, PlanRules(), round=2,
        )
        for (unit, pair), who in dealt
    ]  # fmt: skip
    return tasks, short


def tasks_of(found: list[Answer], people: int = 1, **rule: Any) -> list[Task]:
    return second_round(found, people, **rule)[0]


def loads(tasks: list[Task]) -> list[int]:
    """How many tasks each person has, the fewest first."""
    names = [task.keyed.annotator for task in tasks]
    return sorted(map(names.count, set(names)))


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
    found = answers(asked="+-=", partner="+-=") + votes(ASKED, "+", round=2)
    assert [task.keyed.pair for task in tasks_of(found)] == [PARTNER.id]
    assert tasks_of(found + votes(PARTNER, "-", round=2)) == []


def test_the_task_is_that_of_the_first_round_under_another_name_and_shows_no_answer() -> None:
    few, more = answers(s0="+-="), answers(s0="+-=-+=")
    (task,) = tasks_of(few)
    assert tasks_of([*more, *given(SINGLE[0].asked, [("comment", "", "Fine.")])]) == [task]
    first = next(t for t in MADE.of("vote") if t.keyed.pair == SINGLE[0].asked.id)
    assert task.data == first.data | {"task": task.data["task"]}
    assert task.keyed.sides == first.keyed.sides
    assert (task.keyed.round, task.keyed.purpose) == (2, "vote")
    assert task.keyed.task == task.data["task"] not in {t.keyed.task for t in MADE.all()}
    assert task.keyed.data_hash == digest(task.data)


def test_a_quality_that_nobody_could_judge_goes_to_somebody_else_if_there_are_enough() -> None:
    found = [one for one in answers() if (one.unit, one.kind) != (TWIN.id, "quality")]
    (task,) = tasks_of([*found, *quality(TWIN, UNSURE, 5)])
    assert (task.keyed.kind, task.keyed.pair, task.keyed.round) == ("quality", "", 2)
    found = [one for one in answers(asked="+-=", partner="+-=") if one.kind != "quality"]
    found += [a for unit in MADE.units for a in quality(unit, UNSURE if unit is TWIN else 4, 4)]
    for people, expected in ((1, [3]), (2, [1, 2]), (3, [1, 1, 1])):
        assert loads(tasks_of(found, people)) == expected


def test_disputes_are_dealt_out_evenly_and_nobody_gets_a_unit_that_they_had() -> None:
    tasks = tasks_of(answers(**{f"s{n}": "+-=" for n in range(6)}, asked="+-="), 3)
    assert loads(tasks) == [2, 2, 3]
    assert {task.keyed.unit for task in tasks} == {TWIN.id, *(unit.id for unit in SINGLE)}
    keyed = [next(k for k in MADE.keyed("vote") if k.unit == unit.id) for unit in (TWIN, AGREED)]
    one, two = (
        KeyedTask(**dict(task) | {"annotator": who})
        for task, who in zip(keyed, ("a", "b"), strict=True)
    )
    part, other = (TWIN.id, ASKED.id), (AGREED.id, "x")
    assert deal({part: 2, other: 1}, ("a", "b"), (one, two)) == (
        [(part, "b"), (other, "a")], {TWIN.id: 1},
    )  # fmt: skip


# Written


@pytest.fixture
def study(tmp_path: Path) -> OpenStudy:
    write_study(HumanFolder(tmp_path), MADE.study(), MADE.all())
    return read_study(tmp_path)


def written(study: OpenStudy) -> list[dict[str, Any]]:
    """What the first adjudicator's task file holds of each task."""
    text = study.folder.tasks("adjudicator-01", "preference", 2).read_bytes()
    return [task["data"] for task in json.loads(text)]


def test_further_people_get_what_is_missing_once_and_who_is_missing_is_named(
    study: OpenStudy,
) -> None:
    """With four votes a pair, one twin takes six further votes."""
    one_against = answers(asked="+++-", partner="++++", **{f"s{n}": "++++" for n in range(6)})
    rule: dict[str, Any] = {"votes": 4, "rule": "unanimity", "further": 6}
    for people, n, short in ((4, 4, {TWIN.id: 2}), (6, 2, {}), (9, 0, {})):
        key = tuple(k for k in read_study(study.folder.run).key.values() if k.round == 2)
        tasks, missing = second_round(one_against, people, key, **rule)
        assert (add_adjudication(study, tasks)[0], missing) == (n, short)
        assert {(task.keyed.pair, task.keyed.kind) for task in tasks} <= {(ASKED.id, "preference")}


def test_what_is_disputed_later_is_added_to_tasks_and_sheets_or_to_none(study: OpenStudy) -> None:
    """A sheet that nobody filled in grows; one that somebody did stops everything."""
    first = tasks_of(answers(s0="+-="))
    sheet = study.folder.sheet("adjudicator-01", 2)
    assert add_adjudication(study, first, in_sheets=True) == (1, (sheet,))
    before = files_of(study.folder.run)
    assert add_adjudication(study, first, in_sheets=True) == (0, ())
    assert files_of(study.folder.run) == before
    more = tasks_of(answers(s0="+-=", s1="+-="))
    assert add_adjudication(study, more, in_sheets=True) == (1, (sheet,))
    key = read_study(study.folder.run).key
    assert key == {t.keyed.task: t.keyed for t in (*MADE.all(), *more)}
    assert [data["task"] for data in written(study)] == [task.keyed.task for task in more]
    assert all(task.keyed.task in sheet.read_text(encoding="utf-8") for task in more)
    sheet.write_bytes(sheet.read_bytes() + b" ")
    files = files_of(study.folder.run)
    late = tasks_of(answers(s0="+-=", s1="+-=", s2="+-=", s3="+-="), 2)
    with pytest.raises(InputError, match="was filled in or changed"):
        add_adjudication(study, late, in_sheets=True)
    assert files_of(study.folder.run) == files
    # Who gets nothing new keeps what they filled in.
    new = [task for task in late if task.keyed.annotator == "adjudicator-02"][-1:]
    sheets = add_adjudication(study, [*more, *new], in_sheets=True)[1]
    assert sheets == (study.folder.sheet("adjudicator-02", 2),)


def test_a_second_round_cut_short_is_made_whole_by_the_next(study: OpenStudy) -> None:
    cut = tasks_of(answers(s0="+-=", s1="+-="), 2)
    name = study.folder.adjudication_key.name
    with full_disk(name), pytest.raises(StoreError, match="No space left"):
        add_adjudication(study, cut)
    later = tasks_of(answers(s0="+-=="))
    assert add_adjudication(study, later)[0] == 1
    assert written(study) == [task.data for task in later]
    # No task is left that is in no key.
    key = read_study(study.folder.run).key
    for path in (study.folder.path / "adjudication").rglob("*.json"):
        assert all(task["data"]["task"] in key for task in json.loads(path.read_bytes()))
