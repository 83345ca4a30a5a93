"""Who takes part: ids from outside, dropouts, time and pay, and people who withdraw."""

import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pairwright.workflows.participants import list_participants
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import KeyedTask, Verdict
from pairwright_human_eval.study_files import read_study
from released import PAIRS, Answers, answered, exports_of, released, right, run_of
from sheets import ANSWER, FIELD, fill, sheet_rows, write
from study import Done, pairwright

USUAL = right()
LEFT, NEW = "annotator-04", "annotator-10"


def human(command: str, run: Path, *arguments: object) -> Done:
    done = pairwright("human", command, run, *arguments)
    assert done.code == 0, done.said
    return done


def refused(command: str, run: Path, *arguments: object) -> str:
    done = pairwright("human", command, run, *arguments)
    assert done.code == 2, done.said
    return done.err


def usual(task: KeyedTask) -> Answers | None:
    return USUAL(task, None)


def key_of(run: Path) -> dict[str, KeyedTask]:
    return read_study(HumanFolder(run)).key


def own(run: Path, annotator: str) -> list[KeyedTask]:
    return [keyed for keyed in key_of(run).values() if keyed.annotator == annotator]


def verdicts(run: Path) -> list[Verdict]:
    lines = HumanFolder(run).verdicts.read_text(encoding="utf-8").splitlines()
    return [Verdict.model_validate_json(line) for line in lines]


def states(run: Path) -> dict[str, str]:
    human("report", run)
    lines = map(json.loads, HumanFolder(run).decisions.read_text(encoding="utf-8").splitlines())
    return {line["subject"]: line["state"] for line in lines}


def payout(run: Path) -> dict[str, dict[str, str]]:
    with HumanFolder(run).payout.open(encoding="utf-8", newline="") as lines:
        return {row["annotator"]: row for row in csv.DictReader(lines)}


def but_for(annotator: str, done: int) -> Callable[[KeyedTask, object], Answers | None]:
    """All answers, but of this person only the first so many."""
    count = 0

    def answer(task: KeyedTask, _: object) -> Answers | None:
        nonlocal count
        if task.annotator == annotator:
            count += 1
            if count > done:
                return None
        return usual(task)

    return answer


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with spreadsheets that nobody has answered. Not to be changed."""
    run = run_of(tmp_path_factory.mktemp("people") / "run", PAIRS, study=False)
    human("export", run, "--tool", "spreadsheet", "--seed", 5, "--annotators", 9)
    return run


@pytest.fixture
def run(exported: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(exported, tmp_path / "run"))


@pytest.fixture
def dropped(run: Path) -> Path:
    """Everybody has answered everything, but for one who left after six tasks."""
    answered(run, but_for(LEFT, 6))
    return run


# Dropouts


def test_a_newcomer_gets_what_is_undone_and_nothing_is_done_twice(dropped: Path) -> None:
    before = own(dropped, LEFT)
    waiting = states(dropped)
    assert "waiting" in waiting.values()
    done = human("replace", dropped, LEFT)
    assert "Answers of annotator-04 that stay: 6." in done.out
    left, new = own(dropped, LEFT), own(dropped, NEW)
    assert len(left) == 6

    def votes(tasks: list[KeyedTask]) -> list[tuple[Any, ...]]:
        return sorted(
            (k.kind, k.purpose, k.subject, str(k.pair), k.a, k.b)
            for k in tasks
            if k.purpose not in ("attention", "repeat")
        )

    assert votes(left + new) == votes(before)
    assert not {k.task for k in new} & {k.task for k in before}
    human("import", dropped, fill(HumanFolder(dropped).sheet(NEW), usual, key_of(dropped)))
    assert set(states(dropped).values()) == {"verified"}
    pairs = [(v.kind, v.subject, v.pair) for v in verdicts(dropped) if v.purpose == "vote"]
    assert max(map(pairs.count, pairs)) == 3


def test_a_newcomer_has_all_checks_and_only_repeats_of_votes_of_their_own(dropped: Path) -> None:
    before = own(dropped, LEFT)
    human("replace", dropped, LEFT)
    new = own(dropped, NEW)
    checks = [k.subject for k in before if k.purpose == "attention"]
    assert [k.subject for k in new if k.purpose == "attention"] == checks
    asked = {(k.subject, k.pair) for k in new if k.purpose == "vote" and k.kind == "preference"}
    assert all((k.subject, k.pair) in asked for k in new if k.purpose == "repeat")


@pytest.mark.real
def test_a_newcomer_who_fails_the_checks_is_excluded_and_replaced_by_another(
    dropped: Path,
) -> None:
    human("replace", dropped, LEFT)

    def wrong(task: KeyedTask) -> Answers | None:
        other = {"A": "B", "B": "A"}
        return {name: other.get(choice, choice) for name, choice in (usual(task) or {}).items()}

    human("import", dropped, fill(HumanFolder(dropped).sheet(NEW), wrong, key_of(dropped)))
    assert "waiting" in states(dropped).values()
    done = human("replace", dropped, NEW)
    assert "annotator-11 takes over" in done.out
    assert len(own(dropped, "annotator-11")) == len(own(dropped, NEW))
    # The checks that were open when the first newcomer took over are among theirs.
    checks = [keyed for keyed in own(dropped, "annotator-11") if keyed.purpose == "attention"]
    assert len(checks) == sum(k.purpose == "attention" for k in own(dropped, NEW)) >= 7
    sheet = HumanFolder(dropped).sheet("annotator-11")
    human("import", dropped, fill(sheet, usual, key_of(dropped)))
    assert set(states(dropped).values()) == {"verified"}


def test_an_answer_to_a_task_that_was_handed_over_comes_too_late(dropped: Path) -> None:
    late = fill(HumanFolder(dropped).sheet(LEFT), usual, key_of(dropped))
    human("replace", dropped, LEFT)
    before = verdicts(dropped)
    human("import", dropped, late)
    assert {v.task for v in verdicts(dropped)} == {v.task for v in before}
    lines = map(json.loads, HumanFolder(dropped).set_aside.read_text("utf-8").splitlines())
    assert {line["reason"] for line in lines} >= {"handed_over"}


def test_who_has_finished_or_was_replaced_is_not_replaced(dropped: Path) -> None:
    assert "nothing undone" in refused("replace", dropped, "annotator-01")
    human("replace", dropped, LEFT)
    assert "was replaced before" in refused("replace", dropped, LEFT)
    assert "nobody in this study" in refused("replace", dropped, "annotator-44")


def test_exporting_again_changes_nothing_after_a_replacement(dropped: Path) -> None:
    human("replace", dropped, LEFT)
    tasks = HumanFolder(dropped).path / "tasks"
    before = {path: path.read_bytes() for path in tasks.rglob("*.json")}
    human("export", dropped, "--seed", 5, "--annotators", 9)
    assert {path: path.read_bytes() for path in tasks.rglob("*.json")} == before


@pytest.mark.real
def test_a_study_with_a_replacement_is_released_and_verified(dropped: Path, tmp_path: Path) -> None:
    human("replace", dropped, LEFT)
    human("import", dropped, fill(HumanFolder(dropped).sheet(NEW), usual, key_of(dropped)))
    human("report", dropped)
    layout = released(dropped, tmp_path / "release")
    done = pairwright("verify", layout.root)
    assert done.code == 0, done.said


# Ids from outside, time, pay and codes


@pytest.mark.real
def test_people_join_under_their_own_ids_and_no_id_leaves_the_private_part(
    dropped: Path, tmp_path: Path
) -> None:
    ids = [f"worker{n}x" for n in range(9)]
    human("people", dropped, *(part for one in ids for part in ("--join", one)))
    human("people", dropped, "--join", ids[0])
    rows = payout(dropped)
    assert [rows[f"annotator-{n:02}"]["participant"] for n in range(1, 10)] == ids
    assert "0 seats are free" in refused("people", dropped, "--join", "one-too-many")
    human("replace", dropped, ids[3], "--by", "worker9x")
    human("people", dropped)
    assert payout(dropped)[NEW]["participant"] == "worker9x"
    assert "in the study already" in refused("replace", dropped, ids[4], "--by", ids[5])
    human("import", dropped, fill(HumanFolder(dropped).sheet(NEW), usual, key_of(dropped)))
    human("report", dropped)
    root = released(dropped, tmp_path / "release").root
    public = [p for p in HumanFolder(dropped).path.rglob("*") if p.is_file()]
    public = [p for p in public if HumanFolder(dropped).private not in p.parents]
    for path in (*public, *(p for p in root.rglob("*") if p.is_file())):
        assert not re.search(rb"worker\dx", path.read_bytes()), path


def test_time_and_pay_are_counted_and_who_has_finished_gets_a_code(dropped: Path) -> None:
    human("people", dropped, "--hourly", "12")
    rows = payout(dropped)
    for name, row in rows.items():
        n = int(row["answered"])
        assert n == (6 if name == LEFT else len(own(dropped, name)))
        # Every answer of the fixture took 30 seconds.
        assert float(row["hours"]) == pytest.approx(n * 30 / 3600, abs=0.001)
        assert float(row["pay"]) == pytest.approx(n * 30 / 3600 * 12, abs=0.01)
        assert row["state"] == ("open" if name == LEFT else "finished")
        assert bool(row["code"]) == (name != LEFT)
    codes = [row["code"] for row in rows.values() if row["code"]]
    assert len(set(codes)) == len(codes) == 8
    assert all(re.fullmatch("[0-9A-F]{10}", code) for code in codes)
    # In lines of their own: a table cuts them off at the width of the terminal.
    said = human("people", dropped).out
    assert re.findall(r"(?m)^  annotator-\d\d  ([0-9A-F]{10})$", said) == codes
    human("people", dropped, "--hourly", "12", "--longest", "0.1")
    row = payout(dropped)["annotator-01"]
    assert float(row["hours"]) == pytest.approx(int(row["answered"]) * 6 / 3600, abs=0.001)


def test_the_minutes_of_a_spreadsheet_are_its_time_and_none_are_invented(run: Path) -> None:
    path = fill(HumanFolder(run).sheet("annotator-01"), usual, key_of(run))
    rows = sheet_rows(path)
    minutes = next(row for row in rows if row[FIELD] == "minutes")
    minutes[ANSWER] = "90"
    human("import", run, write(path, rows))
    human("import", run, fill(HumanFolder(run).sheet("annotator-02"), usual, key_of(run)))
    human("people", run, "--hourly", "10")
    found = payout(run)
    assert (found["annotator-01"]["hours"], found["annotator-01"]["pay"]) == ("1.500", "15.00")
    assert (found["annotator-02"]["hours"], found["annotator-02"]["pay"]) == ("", "")
    assert found["annotator-02"]["state"] == "finished"


def test_an_id_is_no_formula_in_the_payout(run: Path) -> None:
    human("people", run, "--join", "=1+1")
    assert payout(run)["annotator-01"]["participant"] == "'=1+1"


# Withdrawal


def everything(folder: Path) -> str:
    """All texts of a folder's files."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files)


@pytest.fixture
def commented(run: Path, tmp_path: Path) -> Path:
    """Everybody has answered, by file; one person has an id and has left remarks."""
    human("people", run, "--join", "w1", "--join", "w2", "--join", "w3", "--join", "Quentin-77")
    for n, (who, tasks) in enumerate(exports_of(run, USUAL).items(), start=1):
        for task in tasks:
            if who == LEFT:
                remark = {"from_name": "comment", "type": "textarea", "value": {"text": ["zebra"]}}
                task["annotations"][0]["result"].append(remark)
        path = tmp_path / f"{'quentin' if who == LEFT else n}.json"
        path.write_text(json.dumps(tasks), encoding="utf-8")
        human("import", run, path)
    human("report", run)
    assert "zebra" in everything(HumanFolder(run).path)
    return run


@pytest.mark.real
def test_what_a_person_answered_leaves_everything(commented: Path, tmp_path: Path) -> None:
    others = {v.task for v in verdicts(commented) if v.annotator != LEFT}
    human("preview", commented)
    done = human("withdraw", commented, "Quentin-77")
    assert "annotator-04 has withdrawn" in done.out
    assert "Releases that were made before keep the answers" in done.out
    folder = HumanFolder(commented)
    text = everything(folder.path)
    for word in ("zebra", "Quentin", "quentin"):
        assert word not in text
    assert {v.task for v in verdicts(commented)} == others
    assert not [v for v in verdicts(commented) if v.annotator == LEFT]
    report = json.loads((folder.path / "report.json").read_bytes())
    assert LEFT not in [row["annotator"] for row in report["annotators"] if row["answered"]]
    assert "waiting" in states(commented).values()
    layout = released(commented, tmp_path / "release", "1.0.0")
    assert f'"{LEFT}"' not in layout.verdicts.read_text("utf-8")
    assert pairwright("verify", layout.root).code == 0


@pytest.mark.real
def test_answers_of_a_person_who_withdrew_do_not_come_back(commented: Path, tmp_path: Path) -> None:
    human("withdraw", commented, LEFT)
    before = [v.task for v in verdicts(commented)]
    said = refused("import", commented, tmp_path / "quentin.json")
    assert "holds only answers of a person who has withdrawn" in said
    filled = fill(HumanFolder(commented).sheet("annotator-05"), usual, key_of(commented))
    human("import", commented, filled)
    assert [v.task for v in verdicts(commented)] == before
    assert "zebra" not in everything(HumanFolder(commented).path)


@pytest.mark.real
def test_the_record_of_a_withdrawal_names_nobody(commented: Path) -> None:
    human("withdraw", commented, "Quentin-77")
    (line,) = HumanFolder(commented).withdrawn.read_text("utf-8").splitlines()
    record = json.loads(line)
    assert record["annotator"] == LEFT
    assert all(re.fullmatch("account-[0-9a-f]{16}", account) for account in record["accounts"])
    assert "Quentin" not in line
    assert "nobody in this study" in refused("withdraw", commented, "Quentin-77")


@pytest.mark.real
def test_somebody_else_does_what_a_person_who_withdrew_had(commented: Path) -> None:
    human("withdraw", commented, LEFT)
    human("replace", commented, LEFT)
    human("import", commented, fill(HumanFolder(commented).sheet(NEW), usual, key_of(commented)))
    assert set(states(commented).values()) == {"verified"}


def test_the_second_round_loses_what_shows_the_answers(run: Path) -> None:
    seen: dict[str | None, int] = {}

    def split(task: KeyedTask, _: object) -> Answers | None:
        if task.kind == "preference" and task.purpose == "vote":
            seen[task.pair] = seen.get(task.pair, -1) + 1
            return {"preference": ("A", "B", "equal")[seen[task.pair] % 3]}
        return usual(task)

    answered(run, split)
    human("adjudicate", run)
    before = [k for k in key_of(run).values() if k.round == 2]
    met = {v.subject for v in verdicts(run) if v.annotator == LEFT}
    done = human("withdraw", run, LEFT)
    after = [k for k in key_of(run).values() if k.round == 2]
    assert {k.subject for k in before} & met
    assert after == [k for k in before if k.subject not in met]
    assert f"removed: {len(before) - len(after)}." in done.out


# Consent, and one page to begin from


def test_a_person_begins_from_one_page_that_asks_for_consent_first(run: Path) -> None:
    done = human("start", run)
    assert "brackets" in done.out
    pages = sorted(HumanFolder(run).start.iterdir())
    assert [re.sub("-[0-9a-f]{16}", "", page.name) for page in pages] == [
        f"annotator-{n:02}.html" for n in range(1, 10)
    ]
    page = pages[0].read_text(encoding="utf-8")
    assert page.index("Taking part in this study") < page.index('id="agree"')
    assert page.index('id="agree"') < page.index("annotator-01.csv")
    assert page.index("annotator-01.csv") < page.index("Guidelines for annotators")
    assert "<script" not in page
    HumanFolder(run).consent.write_text("# Ours\n\n<b>bold</b>", encoding="utf-8")
    assert "brackets" not in human("start", run).out
    assert "&lt;b&gt;bold" in pages[0].read_text(encoding="utf-8")


def test_a_page_shows_the_completion_code_once_its_person_has_finished(
    run: Path, tmp_path: Path
) -> None:
    human("start", run)
    pages = sorted(HumanFolder(run).start.iterdir())
    first, *others = exports_of(run, USUAL).items()
    path = tmp_path / "first.json"
    path.write_text(json.dumps(first[1][:-1]), encoding="utf-8")
    human("import", run, path)
    assert "completion code of" not in human("start", run).out
    before = pages[0].read_text(encoding="utf-8")
    assert "open it again then" in before
    path.write_text(json.dumps(first[1]), encoding="utf-8")
    human("import", run, path)
    assert "finished: 1." in human("start", run).out
    (code,) = (one.code for one in list_participants(run).people if one.code)
    known = " ".join(str(path) for path in HumanFolder(run).path.rglob("*")).upper()
    assert code not in known
    shown = pages[0].read_text(encoding="utf-8")
    assert code in shown
    assert code not in before
    assert "open it again then" not in shown
    assert len(others) == 8
    assert not [page for page in pages[1:] if code in page.read_text(encoding="utf-8")]


def test_a_person_who_has_left_has_no_page(dropped: Path) -> None:
    human("replace", dropped, LEFT)
    human("start", dropped)
    names = {page.name[:12] for page in HumanFolder(dropped).start.iterdir()}
    assert LEFT not in names
    assert NEW in names


def test_answers_without_consent_are_not_taken_in(run: Path) -> None:
    path = fill(HumanFolder(run).sheet("annotator-01"), usual, key_of(run))
    rows = sheet_rows(path)
    n = next(n for n, row in enumerate(rows) if row[FIELD] == "consent")
    rows[n][ANSWER] = ""
    said = refused("import", run, write(path, rows))
    assert f"row {n + 1}, column answer: the person has not agreed to take part" in said
    assert not list(HumanFolder(run).raw.glob("*"))


# What goes wrong in an unlucky order


def test_a_refused_replacement_gives_the_newcomer_no_seat(dropped: Path) -> None:
    refused("replace", dropped, "annotator-01", "--by", "New-1")
    human("replace", dropped, LEFT, "--by", "New-1")
    human("people", dropped)
    assert payout(dropped)[NEW]["participant"] == "New-1"


@pytest.mark.parametrize("name", ["", "  ", "annotator-02"])
def test_an_id_is_neither_empty_nor_a_pseudonym(run: Path, name: str) -> None:
    assert "cannot be the id of a person" in refused("people", run, "--join", name)
    assert "cannot be the id of a person" in refused("replace", run, LEFT, "--by", name)


def test_late_answers_of_a_replaced_person_who_withdrew_are_not_kept(
    dropped: Path, tmp_path: Path
) -> None:
    tasks = exports_of(dropped, USUAL)[LEFT]
    for task in tasks:
        task["annotations"][0]["completed_by"] = 777
        remark = {"from_name": "comment", "type": "textarea", "value": {"text": ["zebra"]}}
        task["annotations"][0]["result"].append(remark)
    late = tmp_path / "late.json"
    late.write_text(json.dumps(tasks), encoding="utf-8")
    human("replace", dropped, LEFT)
    human("withdraw", dropped, LEFT)
    assert "has withdrawn" in refused("import", dropped, late)
    assert "zebra" not in everything(HumanFolder(dropped).path)


@pytest.mark.real
def test_what_a_replaced_person_had_answered_is_done_again_once_they_withdraw(
    dropped: Path,
) -> None:
    human("replace", dropped, LEFT)
    human("import", dropped, fill(HumanFolder(dropped).sheet(NEW), usual, key_of(dropped)))
    assert set(states(dropped).values()) == {"verified"}
    human("withdraw", dropped, LEFT)
    assert "waiting" in states(dropped).values()
    assert "annotator-11 takes over" in human("replace", dropped, LEFT).out
    sheet = HumanFolder(dropped).sheet("annotator-11")
    human("import", dropped, fill(sheet, usual, key_of(dropped)))
    assert set(states(dropped).values()) == {"verified"}
    pairs = [(v.kind, v.subject, v.pair) for v in verdicts(dropped) if v.purpose == "vote"]
    assert max(map(pairs.count, pairs)) == 3
    assert refused("replace", dropped, LEFT)


def test_sheets_of_people_who_have_left_do_not_come_back(dropped: Path) -> None:
    human("replace", dropped, LEFT)
    human("withdraw", dropped, "annotator-03")
    human("export", dropped, "--tool", "spreadsheet", "--seed", 5, "--annotators", 9)
    assert not HumanFolder(dropped).sheet("annotator-03").exists()


def split_votes() -> Callable[[KeyedTask, object], Answers | None]:
    """Answers that have no majority on any pair."""
    seen: dict[str | None, int] = {}

    def split(task: KeyedTask, _: object) -> Answers | None:
        if task.kind == "preference" and task.purpose == "vote":
            seen[task.pair] = seen.get(task.pair, -1) + 1
            return {"preference": ("A", "B", "equal")[seen[task.pair] % 3]}
        return usual(task)

    return split


def test_sheets_and_previews_of_the_second_round_lose_what_shows_the_answers(run: Path) -> None:
    answered(run, split_votes())
    human("adjudicate", run, "--tool", "spreadsheet")
    human("preview", run)
    folder, key = HumanFolder(run), key_of(run)
    sheet = fill(folder.sheet("adjudicator-01", 2), usual, key)
    human("withdraw", run, LEFT)
    left = {keyed.task for keyed in key_of(run).values() if keyed.round == 2}
    gone = {keyed.task for keyed in key.values() if keyed.round == 2} - left
    assert left
    assert gone
    text = everything(folder.path / "spreadsheets") + everything(folder.preview)
    assert not [task for task in gone if task in text]
    human("import", run, sheet)
    assert {v.task for v in verdicts(run) if v.round == 2} == left


def test_the_minutes_of_both_rounds_are_paid(run: Path) -> None:
    answer, key = split_votes(), key_of(run)
    votes = {name: answer(keyed, None) for name, keyed in key.items()}
    sheets = [HumanFolder(run).sheet(f"annotator-{n:02}") for n in range(1, 10)]

    def noted(path: Path, minutes: str, choose: Callable[[KeyedTask], Answers | None]) -> Path:
        rows = sheet_rows(fill(path, choose, key_of(run)))
        next(row for row in rows if row[FIELD] == "minutes")[ANSWER] = minutes
        return write(path, rows)

    human("import", run, *(noted(path, "90", lambda task: votes[task.task]) for path in sheets))
    by = [part for n in range(1, 10) for part in ("--by", f"annotator-{n:02}")]
    pairwright("human", "adjudicate", run, "--tool", "spreadsheet", *by)  # Some are left.
    second = sorted((HumanFolder(run).path / "spreadsheets").glob("*-adjudication.csv"))
    human("import", run, *(noted(path, "30", usual) for path in second))
    human("people", run)
    name = second[0].name.removesuffix("-adjudication.csv")
    assert payout(run)[name]["hours"] == "2.000"


def test_a_page_that_a_person_had_before_they_left_goes(dropped: Path) -> None:
    human("start", dropped)
    human("replace", dropped, LEFT)
    human("start", dropped)
    names = {path.name[:12] for path in HumanFolder(dropped).start.iterdir()}
    assert LEFT not in names
    assert NEW in names


@pytest.mark.parametrize("account", ["hand:abc", "7", "hand:"])
def test_an_account_that_has_no_number_is_named(run: Path, account: str) -> None:
    given = {"given": {account: ["annotator-01"]}}
    HumanFolder(run).people.write_text(json.dumps(given), encoding="utf-8")
    assert "is not an account" in refused("withdraw", run, "annotator-01")
