"""The second round: only disputes go to adjudicators, on the sides of the first and without its
answers, and what they say closes them. And people who withdraw."""

import json
from pathlib import Path
from typing import Any

import pytest

from live_study import LiveStudy, files_of, split_votes
from pairwright.errors import StoreError
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright_human_eval.folder import HumanFolder, OpenStudy, read_study, write_study
from pairwright_human_eval.records import Answer, KeyedTask, Task, digest, pseudonyms
from pairwright_human_eval.study import Part, add_adjudication, deal, open_parts
from pairwright_human_eval.tasks import BlindUnit, blind_task
from pairwright_human_eval.units import swapped_units
from released import PAIRS, run_of
from small_studies import (
    OF_THREE,
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
MADE = study_of([ASKED, PARTNER, *twin(2), *(violate(n) for n in range(3, 9))])
SEED = MADE.study().seed
SWAPPED = swapped_units(MADE.units, SEED)
TWIN, AGREED, *SINGLE = MADE.units
UNSURE: dict[str, int | None] = {"correctness": None, "helpfulness": 4}
NAMES = [f"annotator-{n:02}" for n in range(1, 10)]


def answers(**said: str) -> list[Answer]:
    """Everybody agrees, but for `asked` and `partner`, the sides of a twin, and `s0`, `s1`..."""
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
) -> list[Task]:
    """The tasks of so many adjudicators."""
    rules = HumanRules(**OF_THREE | rule)
    parts: list[Part] = []
    for unit in MADE.units:
        own = [answer for answer in found if answer.unit == unit.id]
        parts += open_parts(decided(unit, own, **rule))
    needed = {part: rules.closing_votes if part[1] else 1 for part in parts}
    dealt = deal(needed, pseudonyms(people, "adjudicator"), key)
    pairs = {pair.id: pair for unit in MADE.units for pair in unit.pairs}
    return [
        blind_task(
            BlindUnit(SEED, MADE.by_id[unit], unit in SWAPPED),
            "preference" if pair else "quality",
            pairs.get(pair), who, PlanRules(), round=2,
        )
        for (unit, pair), who in dealt
    ]  # fmt: skip


def loads(tasks: list[Task]) -> list[int]:
    """How many tasks each person has, the fewest first."""
    names = [task.keyed.annotator for task in tasks]
    return sorted(map(names.count, set(names)))


BOTH = answers(asked="+-=", partner="+-=")
CLOSED = [*BOTH, *votes(ASKED, "+", round=2)]


@pytest.mark.parametrize(
    ("found", "asked"),
    [
        (answers(), []),
        (answers(s0="---", s1="++", s2="???", partner="==="), []),
        (answers(partner="+-="), [PARTNER.id]),
        (BOTH, [ASKED.id, PARTNER.id]),
        (answers(asked="+-=", partner="---"), []),  # the twin is refused
        (answers(asked="+-=", partner="++"), []),  # the twin waits
        (CLOSED, [PARTNER.id]),
        ([*CLOSED, *votes(PARTNER, "-", round=2)], []),
    ],
)
def test_only_what_is_disputed_is_asked_again(found: list[Answer], asked: list[str]) -> None:
    tasks = second_round(found)
    assert [(task.keyed.unit, task.keyed.pair) for task in tasks] == [(TWIN.id, of) for of in asked]


def test_the_task_is_that_of_the_first_round_under_another_name_and_shows_no_answer() -> None:
    (task,) = second_round(answers(s0="+-="))
    assert second_round(answers(s0="+-=-+=")) == [task]
    first = next(t for t in MADE.of("vote") if t.keyed.pair == SINGLE[0].asked.id)
    assert task.data == first.data | {"task": task.data["task"]}
    assert task.keyed.sides == first.keyed.sides
    assert (task.keyed.round, task.keyed.purpose) == (2, "vote")
    assert task.keyed.task == task.data["task"] not in {t.keyed.task for t in MADE.all()}
    assert task.keyed.data_hash == digest(task.data)


@pytest.mark.parametrize(("people", "expected"), [(1, [3]), (2, [1, 2]), (3, [1, 1, 1])])
def test_a_quality_that_nobody_could_judge_goes_to_somebody_else_if_there_are_enough(
    people: int, expected: list[int]
) -> None:
    found = [one for one in BOTH if one.kind != "quality"]
    found += [a for unit in MADE.units for a in quality(unit, UNSURE if unit is TWIN else 4, 4)]
    tasks = second_round(found, people)
    assert loads(tasks) == expected
    assert {(task.keyed.kind, task.keyed.pair) for task in tasks} == {
        ("quality", ""), ("preference", ASKED.id), ("preference", PARTNER.id)
    }  # fmt: skip


def test_disputes_are_dealt_out_evenly() -> None:
    tasks = second_round(answers(**{f"s{n}": "+-=" for n in range(6)}, asked="+-="), 3)
    assert loads(tasks) == [2, 2, 3]
    assert {task.keyed.unit for task in tasks} == {TWIN.id, *(unit.id for unit in SINGLE)}


# Written


@pytest.fixture
def made(tmp_path: Path) -> OpenStudy:
    write_study(HumanFolder(tmp_path), MADE.study(tool="spreadsheet"), MADE.all())
    return read_study(tmp_path)


def asked_twice(study: OpenStudy) -> set[str]:
    """Every task of the second round, which must be in its files and in the key."""
    key = {name for name, one in read_study(study.folder.run).key.items() if one.round == 2}
    paths = (study.folder.path / "adjudication").rglob("*.json")
    assert key == {task["data"]["task"] for path in paths for task in json.loads(path.read_bytes())}
    return key


def test_further_people_get_what_is_missing_once(made: OpenStudy) -> None:
    """With four votes a pair, one twin takes six further votes."""
    one_against = answers(asked="+++-", partner="++++", **{f"s{n}": "++++" for n in range(6)})
    rule: dict[str, Any] = {"votes": 4, "rule": "unanimity", "further": 6}
    for people, n in ((4, 4), (6, 6), (9, 6)):
        key = tuple(k for k in read_study(made.folder.run).key.values() if k.round == 2)
        tasks = second_round(one_against, people, key, **rule)
        add_adjudication(made, tasks)
        assert len(asked_twice(made)) == n
        assert {(task.keyed.pair, task.keyed.kind) for task in tasks} <= {(ASKED.id, "preference")}


def test_what_is_disputed_later_has_a_sheet_of_its_own(made: OpenStudy) -> None:
    """Whatever somebody is filling in stays as it is."""
    first = second_round(answers(s0="+-="))
    (sheet,) = add_adjudication(made, first)
    sheet.write_bytes(sheet.read_bytes() + b" ")
    before = files_of(made.folder.sheets)
    key = tuple(task.keyed for task in first)
    more = second_round(answers(s0="+-=", s1="+-="), key=key)
    (second,) = add_adjudication(made, more)
    assert second == made.folder.sheet("adjudicator-01", 2, 2)
    assert files_of(made.folder.sheets).items() > before.items()
    assert all(task.keyed.task in second.read_text(encoding="utf-8") for task in more)
    assert asked_twice(made) == {task.keyed.task for task in (*first, *more)}


def test_a_second_round_cut_short_is_made_whole_by_the_next(made: OpenStudy) -> None:
    cut = second_round(answers(s0="+-=", s1="+-="), 2)
    name = made.folder.adjudication_key.name
    with full_disk(name), pytest.raises(StoreError, match="No space left"):
        add_adjudication(made, cut)
    later = second_round(answers(s0="+-=="))
    add_adjudication(made, later)
    assert asked_twice(made) == {task.keyed.task for task in later}


# The commands


def test_a_second_round_goes_by_spreadsheet(study: LiveStudy) -> None:
    split = split_votes()
    study.do("import", *(study.fill(name, split) for name in NAMES))
    assert "only their own file of" in study.do("adjudicate")
    second = study.fill("adjudicator-01", round=2)
    assert "Nothing new" in study.do("adjudicate")
    study.do("import", second)
    assert set(study.states().values()) == {"verified"}


def test_too_few_people_for_a_second_round_are_refused(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", PAIRS[:3], votes=4, rule="unanimity", further=6)
    said = LiveStudy(run).refused("adjudicate", "--adjudicators", 5)
    assert "5 people cannot close a dispute, which takes 6 votes" in said


def test_what_a_person_answered_goes_and_does_not_come_back(
    study: LiveStudy, tmp_path: Path
) -> None:
    sheets = [study.fill(name, out=tmp_path / f"{name}.csv") for name in NAMES]
    # As Excel saves "Unicode text".
    sheets[0].write_bytes(sheets[0].read_text(encoding="utf-8-sig").encode("utf-16"))
    study.do("import", *sheets)
    study.do("report")
    own, first = {keyed.task for keyed in study.own(NAMES[0])}, NAMES[0]
    before = study.files()
    assert f"removes {len(own)} annotated tasks of {first}" in study.refused("withdraw", first)
    assert study.files() == before
    said = study.do("withdraw", first, "--yes")
    assert f"{first} has withdrawn: {len(own)} annotated tasks removed." in said
    decided = [json.loads(line) for line in study.folder.decisions.read_bytes().splitlines()]
    assert "waiting" in {one["state"] for one in decided}
    for path in study.folder.raw.iterdir():
        content = path.read_bytes()
        text = content.decode("utf-16" if content[:2] == b"\xff\xfe" else "utf-8")
        assert not [task for task in own if task in text]
    why = study.refused("import", sheets[0])
    assert "a person who has withdrawn" in why
    assert "nothing to do but to delete the file" in why
    assert f"{first}, withdrawn" in study.do("status")
    assert first not in {answer.annotator for answer in study.answers}
    assert not study.folder.sheet(first).exists()
    assert "annotator-77" in study.refused("withdraw", "annotator-77")


def test_what_an_adjudicator_had_goes_to_somebody_else(study: LiveStudy) -> None:
    split = split_votes()
    study.do("import", *(study.fill(name, split) for name in NAMES))
    study.do("adjudicate")
    before = {(keyed.unit, keyed.pair) for keyed in study.own("adjudicator-01", round=2)}
    assert before
    assert "human adjudicate" in study.do("withdraw", "adjudicator-01", "--yes")
    assert not study.folder.sheet("adjudicator-01", 2).exists()
    assert "adjudicator-01" not in {keyed.annotator for keyed in study.second_round()}
    study.do("adjudicate")
    assert before <= {(keyed.unit, keyed.pair) for keyed in study.second_round()}
