"""Who takes part: ids from outside, dropouts, time and pay, and people who withdraw."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from live_study import LiveStudy, split_votes, usual
from pairwright.workflows.participants import list_participants
from pairwright_human_eval.records import KeyedTask
from released import Answers, answered, exports_of, released
from stand_in import KEY, StandIn
from study import pairwright

LEFT, NEW = "annotator-04", "annotator-10"
NAMES = [f"annotator-{n:02}" for n in range(1, 10)]


def payout(study: LiveStudy, *options: object) -> dict[str, dict[str, str]]:
    """payout.csv by annotator, as `human people` writes it."""
    study.do("people", *options)
    with study.folder.payout.open(encoding="utf-8", newline="") as lines:
        return {row["annotator"]: row for row in csv.DictReader(lines)}


def joined(*ids: str) -> list[str]:
    return [part for one in ids for part in ("--join", one)]


def start_pages(study: LiveStudy) -> dict[str, Path]:
    """By annotator: the pages that `human start` writes."""
    study.do("start")
    return {page.name[: len(LEFT)]: page for page in sorted(study.folder.start.iterdir())}


def works(study: LiveStudy, *names: str) -> set[str]:
    """These people answer everything; the states of what the study decides."""
    study.do("import", *map(study.fill, names))
    return set(study.states().values())


def most_votes(study: LiveStudy) -> int:
    """How often one question was answered at most."""
    asked = [(v.kind, v.subject, v.pair) for v in study.verdicts if v.purpose == "vote"]
    return max(map(asked.count, asked))


def text(study: LiveStudy) -> str:
    return "\n".join(content.decode("utf-8", "replace") for content in study.files().values())


def wrong(task: KeyedTask, _: object = None) -> Answers | None:
    other = {"A": "B", "B": "A"}
    return {name: other.get(choice, choice) for name, choice in (usual(task) or {}).items()}


@pytest.fixture
def dropped(study: LiveStudy) -> LiveStudy:
    """Everybody has answered everything, but for one who left after six tasks."""
    done = 0

    def answer(task: KeyedTask, _: object) -> Answers | None:
        nonlocal done
        done += task.annotator == LEFT
        return None if task.annotator == LEFT and done > 6 else usual(task)

    answered(study.run, answer)
    return study


def test_a_newcomer_gets_what_is_undone_and_nothing_is_done_twice(dropped: LiveStudy) -> None:
    before, late = dropped.own(LEFT), dropped.fill(LEFT)
    assert "waiting" in dropped.states().values()
    assert "nothing undone" in dropped.refused("replace", "annotator-01", "--by", "New-1")
    assert "Answers of annotator-04 that stay: 6." in dropped.do("replace", LEFT, "--by", "New-1")
    left, new = dropped.own(LEFT), dropped.own(NEW)
    assert len(left) == 6

    def votes(tasks: list[KeyedTask]) -> list[tuple[Any, ...]]:
        return sorted(
            (k.kind, k.purpose, k.subject, str(k.pair), k.a, k.b)
            for k in tasks
            if k.purpose != "repeat"
        )

    assert votes(left + new) == votes(before)
    assert not {k.task for k in new} & {k.task for k in before}
    # Only repeats of votes of their own.
    asked = {(k.subject, k.pair) for k in new if k.purpose == "vote" and k.kind == "preference"}
    assert all((k.subject, k.pair) in asked for k in new if k.purpose == "repeat")

    # An answer to a task that was handed over comes too late.
    tasks = {v.task for v in dropped.verdicts}
    dropped.do("import", late)
    assert {v.task for v in dropped.verdicts} == tasks
    assert "handed_over" in {line["reason"] for line in dropped.set_aside}
    assert works(dropped, NEW) == {"verified"}
    assert most_votes(dropped) == 3
    # A refused replacement gave its newcomer no seat.
    assert payout(dropped)[NEW]["participant"] == "New-1"
    assert "was replaced before" in dropped.refused("replace", LEFT)
    assert "nobody in this study" in dropped.refused("replace", "annotator-44")


def test_files_of_people_who_have_left_do_not_come_back(dropped: LiveStudy) -> None:
    assert LEFT in start_pages(dropped)
    dropped.do("replace", LEFT)
    pages = start_pages(dropped)
    assert LEFT not in pages
    assert NEW in pages
    before = dropped.files()
    dropped.do("export", "--seed", 5, "--annotators", 9)
    assert dropped.files() == before
    dropped.do("withdraw", "annotator-03")
    dropped.do("export", "--tool", "spreadsheet", "--seed", 5, "--annotators", 9)
    assert not dropped.sheet("annotator-03").exists()


@pytest.mark.real
def test_a_newcomer_who_fails_the_checks_is_excluded_and_replaced_by_another(
    dropped: LiveStudy,
) -> None:
    # A newcomer with fewer than four votes on twins could not be told by them.
    dropped.do("withdraw", LEFT)
    dropped.do("replace", LEFT)
    dropped.do("import", dropped.fill(NEW, wrong))
    assert "waiting" in dropped.states().values()
    assert "annotator-11 takes over" in dropped.do("replace", NEW)
    assert len(dropped.own("annotator-11")) == len(dropped.own(NEW))
    assert works(dropped, "annotator-11") == {"verified"}


def test_who_failed_is_said_once_others_can_change_it_no_more(study: LiveStudy) -> None:
    failing = "annotator-01"
    others = [name for name in NAMES if name not in (failing, LEFT)]
    study.do("import", study.fill(failing, wrong), *map(study.fill, others))
    row = payout(study)[failing]
    assert (row["state"], row["passed"]) == ("finished", "")
    assert int(row["checks"]) >= 4
    said = study.do("replace", failing)
    asked = len(study.own(failing))
    assert f"none of the {asked} answers of {failing} counts now" in " ".join(said.split())
    works(study, LEFT, NEW)
    rows = payout(study)
    assert (rows[failing]["state"], rows[failing]["passed"]) == ("replaced", "no")
    # A newcomer's votes are checks, too.
    assert (rows[NEW]["passed"], rows[NEW]["checks_right"]) == ("yes", rows[NEW]["checks"])


def test_nobody_passed_by_fewer_checks_than_exclude(study: LiveStudy) -> None:
    twins = sorted({k.subject for k in study.key.values() if k.subject.startswith("twin")})

    def mostly_equal(task: KeyedTask, _: object) -> Answers | None:
        if task.kind != "preference" or task.subject in twins[:2]:
            return usual(task)
        return {"preference": "equal"}

    answered(study.run, mostly_equal)
    rows = payout(study).values()
    assert {(row["state"], row["passed"]) for row in rows} == {("finished", "")}
    assert {int(row["checks"]) for row in rows} & {1, 2}


@pytest.mark.real
def test_people_join_under_their_own_ids_and_no_id_leaves_the_private_part(
    dropped: LiveStudy, tmp_path: Path
) -> None:
    ids = [f"worker{n}x" for n in range(9)]
    payout(dropped, *joined(*ids))
    rows = payout(dropped, *joined(ids[0]))
    assert [rows[name]["participant"] for name in NAMES] == ids
    assert "0 seats are free" in dropped.refused("people", "--join", "one-too-many")
    dropped.do("replace", ids[3], "--by", "worker9x")
    assert payout(dropped)[NEW]["participant"] == "worker9x"
    assert "in the study already" in dropped.refused("replace", ids[4], "--by", ids[5])
    works(dropped, NEW)
    dropped.do("report")
    root = released(dropped.run, tmp_path / "release").root
    assert pairwright("verify", root).code == 0
    shown = {name: c for name, c in dropped.files().items() if not name.startswith("private/")}
    shown |= {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert not [name for name, content in shown.items() if re.search(rb"worker\dx", content)]


def test_time_and_pay_are_counted_and_who_has_finished_gets_a_code(dropped: LiveStudy) -> None:
    rows = payout(dropped, "--hourly", "12")
    for name, row in rows.items():
        n = 6 if name == LEFT else len(dropped.own(name))
        assert int(row["answered"]) == n
        # Every answer of the fixture took 30 seconds.
        assert float(row["hours"]) == pytest.approx(n * 30 / 3600, abs=0.001)
        assert float(row["pay"]) == pytest.approx(n * 30 / 3600 * 12, abs=0.01)
        assert row["state"] == ("open" if name == LEFT else "finished")
        assert bool(row["code"]) == (name != LEFT)
    codes = [row["code"] for row in rows.values() if row["code"]]
    assert len(set(codes)) == len(codes) == 8
    assert all(re.fullmatch("[0-9A-F]{10}", code) for code in codes)
    # In lines of their own: a table cuts them off at the width of the terminal.
    said = dropped.do("people")
    assert re.findall(r"(?m)^  annotator-\d\d  ([0-9A-F]{10})$", said) == codes
    row = payout(dropped, "--longest", "0.1", "--join", "=1+1")["annotator-01"]
    assert float(row["hours"]) == pytest.approx(int(row["answered"]) * 6 / 3600, abs=0.001)
    assert row["participant"] == "'=1+1"  # No formula.


def test_the_minutes_of_spreadsheets_are_the_time_of_both_rounds_and_none_are_invented(
    study: LiveStudy,
) -> None:
    answer = split_votes()
    votes = {name: answer(keyed) for name, keyed in study.key.items()}
    first, *others = NAMES
    sheets = [study.fill(name, lambda task: votes[task.task], minutes="90") for name in others]
    study.do("import", study.fill(first, lambda task: votes[task.task]), *sheets)
    rows = payout(study, "--hourly", "10")
    assert {row["state"] for row in rows.values()} == {"finished"}
    assert (rows[LEFT]["hours"], rows[LEFT]["pay"]) == ("1.500", "15.00")
    assert (rows[first]["hours"], rows[first]["pay"]) == ("", "")
    # Some tasks are left: all have voted on them.
    study.command(
        "adjudicate", "--tool", "spreadsheet", *(part for name in others for part in ("--by", name))
    )
    again = sorted({keyed.annotator for keyed in study.second_round()})
    study.do("import", *(study.fill(name, round=2, minutes="30") for name in again))
    assert payout(study)[again[0]]["hours"] == "2.000"


@pytest.mark.parametrize("name", ["", "  ", "annotator-02"])
def test_an_id_is_neither_empty_nor_a_pseudonym(exported_sheets: LiveStudy, name: str) -> None:
    for command in (("people", "--join", name), ("replace", LEFT, "--by", name)):
        assert "cannot be the id of a person" in exported_sheets.refused(*command)


@pytest.mark.parametrize("account", ["hand:abc", "7", "hand:"])
def test_an_account_that_has_no_number_is_named(study: LiveStudy, account: str) -> None:
    given = {"given": {account: ["annotator-01"]}}
    study.folder.people.write_text(json.dumps(given), encoding="utf-8")
    assert "is not an account" in study.refused("withdraw", "annotator-01")


def remarked(tasks: list[dict[str, Any]], **fields: object) -> list[dict[str, Any]]:
    """A person's exported tasks with a remark on each."""
    for task in tasks:
        remark = {"from_name": "comment", "type": "textarea", "value": {"text": ["zebra"]}}
        task["annotations"][0]["result"].append(remark)
        task["annotations"][0] |= fields
    return tasks


@pytest.mark.real
def test_what_a_person_answered_leaves_everything_and_does_not_come_back(
    study: LiveStudy, tmp_path: Path
) -> None:
    study.do("people", *joined("w1", "w2", "w3", "Quentin-77"))
    paths = []
    for n, (who, tasks) in enumerate(exports_of(study.run, usual).items(), start=1):
        path = tmp_path / f"{'quentin' if who == LEFT else n}.json"
        path.write_text(json.dumps(remarked(tasks) if who == LEFT else tasks), encoding="utf-8")
        paths.append(path)
    study.do("import", *paths)
    for command in ("report", "preview"):
        study.do(command)
    assert "zebra" in text(study)
    others = [v.task for v in study.verdicts if v.annotator != LEFT]
    said = study.do("withdraw", "Quentin-77")
    assert "annotator-04 has withdrawn" in said
    assert "Releases that were made before keep the answers" in said
    assert [v.task for v in study.verdicts] == others
    report = json.loads(study.files()["report.json"])
    assert LEFT not in [row["annotator"] for row in report["annotators"] if row["answered"]]
    # The record of it names nobody.
    (line,) = study.folder.withdrawn.read_text("utf-8").splitlines()
    record = json.loads(line)
    assert record["annotator"] == LEFT
    assert all(re.fullmatch("account-[0-9a-f]{16}", account) for account in record["accounts"])
    assert "nobody in this study" in study.refused("withdraw", "Quentin-77")
    assert "waiting" in study.states().values()
    layout = released(study.run, tmp_path / "release", "1.0.0")
    assert f'"{LEFT}"' not in layout.verdicts.read_text("utf-8")
    assert pairwright("verify", layout.root).code == 0
    said = study.refused("import", tmp_path / "quentin.json")
    assert "holds only answers of a person who has withdrawn" in said
    works(study, "annotator-05")
    assert [v.task for v in study.verdicts] == others
    assert not [word for word in ("zebra", "Quentin", "quentin") if word in text(study)]
    # Somebody else does what the person had.
    study.do("replace", LEFT)
    assert works(study, NEW) == {"verified"}


def test_late_answers_of_a_replaced_person_who_withdrew_are_not_kept(
    dropped: LiveStudy, tmp_path: Path
) -> None:
    tasks = remarked(exports_of(dropped.run, usual)[LEFT], completed_by=777)
    late = tmp_path / "late.json"
    late.write_text(json.dumps(tasks), encoding="utf-8")
    dropped.do("replace", LEFT)
    dropped.do("withdraw", LEFT)
    assert "has withdrawn" in dropped.refused("import", late)
    assert "zebra" not in text(dropped)


@pytest.mark.real
def test_what_a_replaced_person_had_answered_is_done_again_once_they_withdraw(
    dropped: LiveStudy,
) -> None:
    dropped.do("replace", LEFT)
    assert works(dropped, NEW) == {"verified"}
    dropped.do("withdraw", LEFT)
    assert "waiting" in dropped.states().values()
    assert "annotator-11 takes over" in dropped.do("replace", LEFT)
    assert works(dropped, "annotator-11") == {"verified"}
    assert most_votes(dropped) == 3
    assert dropped.refused("replace", LEFT)


@pytest.fixture
def disputed(study: LiveStudy) -> LiveStudy:
    """Everything is disputed, and the tasks of a second round are out."""
    answered(study.run, split_votes())
    study.do("adjudicate", "--tool", "spreadsheet")
    return study


def test_the_second_round_loses_what_shows_the_answers(disputed: LiveStudy) -> None:
    disputed.do("preview")
    sheet, before = disputed.fill("adjudicator-01", round=2), disputed.second_round()
    met = {v.subject for v in disputed.verdicts if v.annotator == LEFT}
    said = disputed.do("withdraw", LEFT)
    left = disputed.second_round()
    assert {keyed.subject for keyed in before} & met
    assert left == [keyed for keyed in before if keyed.subject not in met] != []
    assert f"removed: {len(before) - len(left)}." in said
    shown = [c for name, c in disputed.files().items() if re.match("spreadsheets|preview", name)]
    there = b"".join(shown).decode()
    assert not [keyed.task for keyed in before if keyed not in left and keyed.task in there]
    disputed.do("import", sheet)
    assert {v.task for v in disputed.verdicts if v.round == 2} == {keyed.task for keyed in left}
    assert "has withdrawn" in disputed.refused("adjudicate", "--by", LEFT)


def test_a_second_round_is_dealt_out_anew_where_an_adjudicator_withdraws(
    disputed: LiveStudy,
) -> None:
    def asked() -> set[tuple[str, str, str | None]]:
        return {(keyed.kind, keyed.subject, keyed.pair) for keyed in disputed.second_round()}

    before = asked()
    said = disputed.do("withdraw", "adjudicator-01")
    assert "human adjudicate" in said
    assert "human replace" not in said
    assert not disputed.second_round()
    assert "adjudicator-01" not in disputed.do("status")
    disputed.do("adjudicate", "--tool", "spreadsheet")
    assert asked() == before
    assert {keyed.annotator for keyed in disputed.second_round()} == {"adjudicator-02"}
    disputed.do("import", disputed.fill("adjudicator-02", round=2))
    assert "disputed" not in disputed.states().values()


def test_tasks_of_who_withdrew_go_to_no_server_again(
    study: LiveStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", KEY)
    with StandIn() as server:
        study.do("push", "--url", server.url)
        study.do("withdraw", LEFT)
        # As the study lead is told to.
        gone = [n for n, project in server.projects.items() if LEFT in project["title"]]
        for number in gone:
            del server.projects[number]
        study.do("replace", LEFT)
        said = study.do("push", "--url", server.url)
        titles = [project["title"] for project in server.projects.values()]
    assert gone
    assert LEFT not in said
    assert not [title for title in titles if LEFT in title]
    assert [title for title in titles if NEW in title]


def test_a_person_begins_from_one_page_that_asks_for_consent_first(study: LiveStudy) -> None:
    assert "brackets" in study.do("start")
    pages = start_pages(study)
    assert list(pages) == NAMES
    assert all(re.search("-[0-9a-f]{16}[.]html$", page.name) for page in pages.values())
    page = pages["annotator-01"].read_text(encoding="utf-8")
    order = (
        "Taking part in this study", 'id="agree"', "annotator-01.csv", "Guidelines for annotators",
    )  # fmt: skip
    assert sorted(order, key=page.index) == list(order)
    assert "<script" not in page
    study.folder.consent.write_text("# Ours\n\n<b>bold</b>", encoding="utf-8")
    assert "brackets" not in study.do("start")
    assert "&lt;b&gt;bold" in pages["annotator-01"].read_text(encoding="utf-8")


def test_a_page_shows_the_completion_code_once_its_person_has_finished(
    study: LiveStudy, tmp_path: Path
) -> None:
    pages = list(start_pages(study).values())
    tasks = exports_of(study.run, usual)["annotator-01"]
    path = tmp_path / "first.json"
    path.write_text(json.dumps(tasks[:-1]), encoding="utf-8")
    study.do("import", path)
    assert "completion code of" not in study.do("start")
    before = pages[0].read_text(encoding="utf-8")
    assert "open it again then" in before
    path.write_text(json.dumps(tasks), encoding="utf-8")
    study.do("import", path)
    assert "finished: 1." in study.do("start")
    (code,) = (one.code for one in list_participants(study.run) if one.code)
    assert code not in " ".join(study.files()).upper()
    shown, *others = (page.read_text(encoding="utf-8") for page in pages)
    assert code in shown
    assert "open it again then" not in shown
    assert not [page for page in (before, *others) if code in page]


def test_answers_without_consent_are_not_taken_in(study: LiveStudy) -> None:
    path = study.fill("annotator-01", consent="")
    said = study.refused("import", path)
    assert re.search(r"row \d+, column answer: the person has not agreed to take part", said)
    assert not list(study.folder.raw.glob("*"))
