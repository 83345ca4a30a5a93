"""The second round: only disputes go to adjudicators, on the sides of the first and without its
answers, and what they say closes them. And people who withdraw."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from live_study import LiveStudy, files_of, split_votes
from pairwright.errors import StoreError
from pairwright.lines import write_lines
from pairwright_human_eval.folder import read_tasks
from pairwright_human_eval.records import Answer, KeyedTask, digest
from pairwright_human_eval.study import export_adjudication
from pairwright_human_eval.units import units_of
from released import PAIRS, run_of
from small_studies import FILE, full_disk, votes, well

ASKED, PARTNER, *_ = PAIRS
UNITS = units_of(PAIRS, FILE)
TWIN = UNITS[0]
SINGLE = [unit for unit in UNITS if len(unit.pairs) == 1]
NAMES = [f"annotator-{n:02}" for n in range(1, 10)]


def answers(agreed: str = "+++", unsure: bool = False, **said: str) -> list[Answer]:
    """Everybody agrees, but for `asked` and `partner`, the sides of a twin, and `s0`, `s1`...; and
    nobody can judge the twin's correctness, if `unsure`."""
    names = {unit.id: f"s{n}" for n, unit in enumerate(SINGLE)}
    names |= {ASKED.id: "asked", PARTNER.id: "partner"}
    found: list[Answer] = []
    for unit in UNITS:
        found += well(unit, "?4/44" if unsure and unit is TWIN else "44/44")
        for pair in unit.pairs:
            found += votes(pair, said.get(names.get(pair.id, ""), agreed))
    return found


def second_round(
    study: LiveStudy, found: Iterable[Answer], people: int | None = None
) -> list[KeyedTask]:
    """All tasks of the second round, which must be in its files and in the key."""
    write_lines(study.folder.answers, found)
    export_adjudication(study.run, adjudicators=people)
    paths = (study.folder.path / "adjudication").rglob("*.json")
    shown = {task["data"]["task"] for path in paths for task in json.loads(path.read_bytes())}
    key = [keyed for keyed in study.key.values() if keyed.round == 2]
    assert shown == {keyed.task for keyed in key}
    return key


BOTH = answers(asked="+-=", partner="+-=")
CLOSED = [*BOTH, *votes(ASKED, "+", round=2)]
EVERY: Any = {"asked": "+-=", **{f"s{n}": "+-=" for n in range(6)}}


@pytest.mark.parametrize(
    ("found", "people", "asked", "loads"),
    [
        (answers(), None, [], []),
        (answers(s0="---", s1="++", s2="???", partner="==="), None, [], []),
        (answers(partner="+-="), None, [PARTNER.id], [1]),
        (BOTH, None, [ASKED.id, PARTNER.id], [2]),
        (answers(asked="+-=", partner="---"), None, [], []),  # the twin is refused
        (answers(asked="+-=", partner="++"), None, [], []),  # the twin waits
        (CLOSED, None, [PARTNER.id], [1]),
        ([*CLOSED, *votes(PARTNER, "-", round=2)], None, [], []),
        # Evenly, and of one unit to different people if there are enough; "" is its quality.
        (answers(**EVERY), 3, [ASKED.id, *(unit.id for unit in SINGLE[:6])], [2, 2, 3]),
        *(
            (answers(unsure=True, asked="+-=", partner="+-="), n, ["", ASKED.id, PARTNER.id], loads)
            for n, loads in ((1, [3]), (2, [1, 2]), (3, [1, 1, 1]))
        ),
    ],
)
def test_only_what_is_disputed_is_asked_again_and_dealt_out_evenly(
    study: LiveStudy, found: list[Answer], people: int | None, asked: list[str], loads: list[int]
) -> None:
    tasks = second_round(study, found, people)
    assert sorted(task.pair for task in tasks) == sorted(asked)
    assert sorted(Counter(task.annotator for task in tasks).values()) == loads
    assert all((task.kind == "preference") == bool(task.pair) for task in tasks)


def test_the_task_is_that_of_the_first_round_under_another_name_and_shows_no_answer(
    study: LiveStudy,
) -> None:
    (task,) = second_round(study, answers(s0="+-="))
    pair = SINGLE[0].asked.id
    first = next(k for k in study.key.values() if (k.pair, k.kind) == (pair, "preference"))
    data = read_tasks(study.folder, [first, task])
    assert data[task.task] == data[first.task] | {"task": task.task}
    assert task.sides == first.sides
    assert (task.round, task.purpose) == (2, "vote")
    assert task.data_hash == digest(data[task.task])


def test_further_people_get_what_is_missing_once(tmp_path: Path) -> None:
    """With four votes a pair, one against them takes six further votes."""
    rule: dict[str, Any] = {"votes": 4, "rule": "unanimity", "further": 6}
    study = LiveStudy(run_of(tmp_path / "run", answer=lambda *_: None, **rule))
    found = answers(agreed="++++", asked="+++-")
    tasks = second_round(study, found)
    assert [(task.pair, task.kind) for task in tasks] == [(ASKED.id, "preference")] * 6
    assert second_round(study, found, 9) == tasks
    said = study.refused("adjudicate", "--adjudicators", 5)
    assert "5 people cannot close a dispute, which takes 6 votes" in said


def test_a_second_round_cut_short_is_made_whole_by_the_next(study: LiveStudy) -> None:
    name = study.folder.adjudication_key.name
    with full_disk(name), pytest.raises(StoreError, match="No space left"):
        second_round(study, answers(s0="+-=", s1="+-="))
    assert [k.pair for k in second_round(study, answers(s0="+-=="))] == [SINGLE[0].asked.id]


def test_what_is_disputed_later_has_a_sheet_of_its_own(study: LiveStudy) -> None:
    """Whatever somebody is filling in stays as it is."""
    first, later = (unit.asked.id for unit in SINGLE[:2])
    found = answers(s0="+-=", s1="")
    assert [task.pair for task in second_round(study, found)] == [first]
    sheet = study.folder.sheet("adjudicator-01", 2)
    sheet.write_bytes(sheet.read_bytes() + b" ")
    before = files_of(study.folder.sheets)
    found += votes(SINGLE[1].asked, "+-=")
    (more,) = [keyed for keyed in second_round(study, found) if keyed.pair == later]
    second = study.folder.sheet("adjudicator-01", 2, 2)
    assert files_of(study.folder.sheets) == before | {second.name: second.read_bytes()}
    assert more.task in second.read_text(encoding="utf-8")


def test_a_second_round_goes_by_spreadsheet_and_from_one_who_withdraws_to_the_next(
    study: LiveStudy,
) -> None:
    split = split_votes()
    study.do("import", *(study.fill(name, split) for name in NAMES))
    assert "only their own file of" in study.do("adjudicate")
    assert "Nothing new" in study.do("adjudicate")
    before = {(keyed.unit, keyed.pair) for keyed in study.own("adjudicator-01", round=2)}
    assert "human adjudicate" in study.do("withdraw", "adjudicator-01", "--yes")
    assert not study.folder.sheet("adjudicator-01", 2).exists()
    assert not study.own("adjudicator-01", round=2)
    study.do("adjudicate")
    assert {(keyed.unit, keyed.pair) for keyed in study.own("adjudicator-02", round=2)} == before
    study.do("import", study.fill("adjudicator-02", round=2))
    assert set(study.states().values()) == {"verified"}


def test_what_a_person_answered_goes_and_does_not_come_back(
    study: LiveStudy, tmp_path: Path
) -> None:
    sheets = [study.fill(name, out=tmp_path / f"{name}.csv") for name in NAMES[:3]]
    # As Excel saves "Unicode text".
    sheets[0].write_bytes(sheets[0].read_text(encoding="utf-8-sig").encode("utf-16"))
    study.do("import", *sheets)
    study.do("report")
    own, first = {keyed.task for keyed in study.own(NAMES[0])}, NAMES[0]
    before = study.files()
    assert f"{len(own)} annotated tasks and the sheet" in study.refused("withdraw", first)
    assert study.files() == before
    decided = study.folder.report.read_bytes()
    said = study.do("withdraw", first, "--yes")
    assert f"{first} has withdrawn: {len(own)} annotated tasks removed." in said
    assert study.folder.report.read_bytes() != decided
    kept = [path.read_bytes() for path in study.folder.raw.iterdir()]
    text = b"".join(kept).replace(b"\0", b"").decode(errors="replace")
    assert not [task for task in own if task in text]
    assert len(kept) == 2
    why = study.refused("import", sheets[0])
    assert "a person who has withdrawn" in why
    assert "nothing to do but to delete the file" in why
    assert f"{first}, withdrawn" in study.do("status")
    assert first not in {answer.annotator for answer in study.answers}
    assert not study.folder.sheet(first).exists()
    assert "annotator-77" in study.refused("withdraw", "annotator-77")
