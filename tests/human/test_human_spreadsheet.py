"""A study by spreadsheet: out, filled in, in, and whatever else may be in such a file."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.form import QUESTIONS
from pairwright_human_eval.records import KeyedTask, Verdict
from pairwright_human_eval.sheet_answers import control_of, guarded, pieces, unguarded
from pairwright_human_eval.study_files import read_study
from released import PAIRS, Answers, answered, released, right, rows, run_of
from sheets import ANSWER, FIELD, TASK, WHAT, Rows, fill, sheet_rows, write
from study import Done, pairwright

USUAL = right()


def usual(task: KeyedTask) -> Answers | None:
    return USUAL(task, None)


def human(command: str, run: Path, *arguments: object) -> Done:
    return pairwright("human", command, run, *arguments)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a study by spreadsheet that nobody has answered. Not to be changed."""
    run = run_of(tmp_path_factory.mktemp("sheets") / "run", PAIRS, study=False)
    done = human("export", run, "--tool", "spreadsheet", "--seed", 5, "--annotators", 9)
    assert done.code == 0, done.said
    return run


@pytest.fixture
def run(exported: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(exported, tmp_path / "run"))


def key_of(run: Path) -> dict[str, KeyedTask]:
    return read_study(HumanFolder(run)).key


def sheet(run: Path, n: int = 1) -> Path:
    return HumanFolder(run).sheet(f"annotator-{n:02}")


def verdicts(run: Path) -> dict[str, Verdict]:
    lines = HumanFolder(run).verdicts.read_text(encoding="utf-8").splitlines()
    return {verdict.task: verdict for verdict in map(Verdict.model_validate_json, lines)}


def set_aside(run: Path) -> dict[str, str]:
    lines = HumanFolder(run).set_aside.read_text(encoding="utf-8").splitlines()
    return {line["task"]: line["reason"] for line in map(json.loads, lines)}


def refused(run: Path, path: Path) -> str:
    done = human("import", run, path)
    assert done.code == 2, done.said
    assert path.name in done.err
    assert not list(HumanFolder(run).raw.glob("*"))
    return done.err


# A whole study


@pytest.mark.real
def test_a_study_by_spreadsheet_is_decided_reported_and_released(run: Path, tmp_path: Path) -> None:
    folder, key = HumanFolder(run), key_of(run)
    sheets = sorted((folder.path / "spreadsheets").iterdir())
    assert [path.name for path in sheets] == [f"annotator-{n:02}.csv" for n in range(1, 10)]
    filled = [fill(path, usual, key, tmp_path / path.name) for path in sheets]
    done = human("import", run, *filled)
    assert done.code == 0, done.said
    assert set(verdicts(run)) == set(key)
    assert not set_aside(run)
    assert all(not verdict.simulated for verdict in verdicts(run).values())
    done = human("report", run)
    assert done.code == 0, done.said
    assert not (folder.path / "report.html").read_text(encoding="utf-8").count("simulated")
    states = [json.loads(line)["state"] for line in folder.decisions.read_text().splitlines()]
    assert states == ["verified"] * 16
    layout = released(run, tmp_path / "release")
    assert len(rows(layout)) == 24


def test_the_same_answers_come_from_a_spreadsheet_and_from_label_studio(
    run: Path, tmp_path: Path
) -> None:
    filled = [fill(sheet(run, n), usual, key_of(run), tmp_path / f"{n}.csv") for n in range(1, 10)]
    assert human("import", run, *filled).code == 0
    by_sheet = verdicts(run)
    shutil.rmtree(HumanFolder(run).raw)
    answered(run, USUAL)
    assert human("status", run).code == 0
    by_server = verdicts(run)
    assert by_sheet.keys() == by_server.keys()
    assert all(by_sheet[task].answers == by_server[task].answers for task in by_sheet)


def test_a_second_round_goes_by_spreadsheet(run: Path, tmp_path: Path) -> None:
    seen: dict[str | None, int] = {}

    def split(task: KeyedTask) -> Answers | None:
        if task.kind == "preference" and task.purpose == "vote":
            seen[task.pair] = seen.get(task.pair, -1) + 1
            return {"preference": ("A", "B", "equal")[seen[task.pair] % 3]}
        return usual(task)

    filled = [fill(sheet(run, n), split, key_of(run), tmp_path / f"{n}.csv") for n in range(1, 10)]
    assert human("import", run, *filled).code == 0
    done = human("adjudicate", run, "--tool", "spreadsheet")
    assert done.code == 0, done.said
    second = HumanFolder(run).sheet("adjudicator-01", 2)
    assert "What others answered" in second.read_text(encoding="utf-8")
    fill(second, usual, key_of(run))
    assert human("import", run, second).code == 0
    assert human("report", run).code == 0
    states = [
        json.loads(line)["state"]
        for line in HumanFolder(run).decisions.read_text(encoding="utf-8").splitlines()
    ]
    assert set(states) == {"verified"}


# What a sheet holds


def test_a_sheet_shows_what_the_task_shows_and_names_no_side(run: Path) -> None:
    rows = sheet_rows(sheet(run))
    assert rows[0] == ["task", "field", "what", "text", "choices", "answer"]
    assert all(row[ANSWER] == "" for row in rows[1:])
    text = sheet(run).read_text(encoding="utf-8")
    own = [k for k in key_of(run).values() if k.annotator == "annotator-01"]
    assert {row[TASK] for row in rows[1:]} - {""} == {keyed.task for keyed in own}
    assert QUESTIONS["preference"] in text
    marks = {row[TASK].partition("-")[0] for row in rows[1:]} | {row[FIELD] for row in rows[1:]}
    assert not [mark for mark in marks if re.search("chosen|rejected|vote|attention", mark)]


def test_lines_of_a_rubric_are_numbered_as_a_person_counts(run: Path) -> None:
    rows = [row for row in sheet_rows(sheet(run)) if "_line_" in row[FIELD]]
    assert {"support_line_1", "delivered_line_1", "support_line_2"} <= {row[FIELD] for row in rows}
    assert all(row[WHAT] == f"Line {row[FIELD].rpartition('_')[2]}" for row in rows)
    headings = [row[WHAT] for row in sheet_rows(sheet(run)) if not row[FIELD]]
    assert "Line 1: What this person may want" in headings
    assert "Line 2: The passage given for this" in headings


def test_a_sheet_of_an_older_version_is_read_with_lines_from_nought(
    run: Path, tmp_path: Path
) -> None:
    rows = sheet_rows(fill(sheet(run), usual, key_of(run)))
    before = [[*row[:FIELD], control_of(row[FIELD]), *row[FIELD + 1 :]] for row in rows]
    assert any(row[FIELD] == "support_0" for row in before)
    assert human("import", run, write(tmp_path / "old.csv", before)).code == 0
    own = {k.task for k in key_of(run).values() if k.annotator == "annotator-01"}
    assert set(verdicts(run)) == own


def test_exporting_again_leaves_a_sheet_that_was_filled_in(run: Path) -> None:
    before = fill(sheet(run), usual, key_of(run)).read_bytes()
    done = human("export", run, "--tool", "spreadsheet", "--seed", 5, "--annotators", 9)
    assert done.code == 2
    assert "annotator-01.csv" in done.err
    assert sheet(run).read_bytes() == before


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+4", "-2", "- a point", "@SUM(A1)", "\t=1", "\r=1", " =1", "'quoted", "＝1", "plain",
     "", "'", "''=1", "\n=1"],
)  # fmt: skip
def test_no_cell_begins_as_a_formula_and_its_text_comes_back(text: str) -> None:
    cell = guarded(text)
    assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))
    assert unguarded(cell) == text


def test_hostile_texts_are_in_no_formula(tmp_path: Path) -> None:
    formula = '=HYPERLINK("http://x.example","free")'
    pairs = [pair.model_copy(update={"question": formula}) for pair in PAIRS[:3]]
    run = run_of(tmp_path / "run", pairs, study=False)
    assert human("export", run, "--tool", "spreadsheet", "--seed", 1).code == 0
    cells = [
        cell
        for path in (HumanFolder(run).path / "spreadsheets").iterdir()
        for row in sheet_rows(path)
        for cell in row
    ]
    assert f"'{formula}" in cells
    assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for cell in cells)


def test_a_long_text_is_in_several_cells() -> None:
    text = "long " * 20_000
    assert "".join(pieces(text)) == text
    assert max(map(len, pieces(text))) < 32_767


# What comes back


def excel(path: Path, rows: Rows) -> Path:
    """As Excel saves "CSV UTF-8" where the comma is the decimal sign."""
    return write(path, [[*row, ""] for row in rows], ";", "utf-8-sig")


def windows(path: Path, rows: Rows) -> Path:
    return write(path, rows, ";", "cp1252")


def unicode_text(path: Path, rows: Rows) -> Path:
    return write(path, rows, "\t", "utf-16")


def unix(path: Path, rows: Rows) -> Path:
    return write(path, rows, ",", "utf-8", "\n")


def sorted_rows(path: Path, rows: Rows) -> Path:
    return write(path, [rows[0], *sorted(rows[1:], reverse=True)])


def only_answers(path: Path, rows: Rows) -> Path:
    return write(path, [[row[TASK], row[ANSWER], row[FIELD]] for row in rows])


def with_separator(path: Path, rows: Rows) -> Path:
    write(path, rows, ";")
    path.write_bytes(b"sep=;\r\n" + path.read_bytes())
    return path


@pytest.mark.parametrize(
    "save", [excel, windows, unicode_text, unix, sorted_rows, only_answers, with_separator]
)
def test_a_sheet_is_read_as_any_program_saves_it(
    run: Path, tmp_path: Path, save: Callable[[Path, Rows], Path]
) -> None:
    rows = sheet_rows(fill(sheet(run), usual, key_of(run)))
    # The texts may hold letters that the code page has not, and are not read.
    rows = [[cell.encode("cp1252", "replace").decode("cp1252") for cell in row] for row in rows]
    assert human("import", run, save(tmp_path / "back.csv", rows)).code == 0
    own = {k.task for k in key_of(run).values() if k.annotator == "annotator-01"}
    assert set(verdicts(run)) == own


@pytest.mark.parametrize(
    ("written", "stored"),
    [("A", "A"), (" response a ", "A"), ("RESPONSE B", "B"), ("about  equal", "equal"),
     ("cannot_tell", "cannot_tell")],
)  # fmt: skip
def test_an_answer_is_read_as_it_is_meant(
    run: Path, tmp_path: Path, written: str, stored: str
) -> None:
    def one(task: KeyedTask) -> Answers | None:
        return {"preference": written} if task.kind == "preference" else None

    assert human("import", run, fill(sheet(run), one, key_of(run))).code == 0
    for verdict in verdicts(run).values():
        assert verdict.answers.kind == "preference"
        names = {verdict.a: "A", verdict.b: "B"}
        assert names.get(verdict.answers.choice, verdict.answers.choice) == stored


@pytest.mark.parametrize("score", ["4", "4.0", "4,0", "4: right, with at most a slip"])
def test_a_score_is_read_as_a_spreadsheet_writes_it(run: Path, score: str) -> None:
    def quality(task: KeyedTask) -> Answers | None:
        if task.kind != "quality":
            return None
        asked = {f"{name}_{side}": "4" for name in ("relevance", "helpfulness") for side in "ab"}
        return {**asked, "correctness_a": score, "correctness_b": "cannot judge"}

    assert human("import", run, fill(sheet(run), quality, key_of(run))).code == 0
    for verdict in verdicts(run).values():
        assert verdict.answers.kind == "quality"
        scores = verdict.answers.scores
        assert (scores[verdict.a]["correctness"], scores[verdict.b]["correctness"]) == (4, None)


def test_what_is_empty_is_unfinished_and_never_an_answer(run: Path) -> None:
    part = next(k for k in key_of(run).values() if k.kind == "rubric")

    def begun(task: KeyedTask) -> Answers | None:
        return {"support_0": "clearly"} if task.task == part.task else None

    path = fill(HumanFolder(run).sheet(part.annotator), begun, key_of(run))
    assert human("import", run, path).code == 0
    assert not verdicts(run)
    assert set_aside(run) == {part.task: "draft"}


def test_a_task_is_skipped_with_its_reason(run: Path) -> None:
    part = next(k for k in key_of(run).values() if k.kind == "preference")

    def skip(task: KeyedTask) -> Answers | None:
        if task.task != part.task:
            return None
        return {"preference": "Skip", "comment": "known, write to me@example.com"}

    path = fill(HumanFolder(run).sheet(part.annotator), skip, key_of(run))
    assert human("import", run, path).code == 0
    (line,) = map(json.loads, HumanFolder(run).set_aside.read_text("utf-8").splitlines())
    assert (line["reason"], line["detail"]) == ("skipped", "known, write to [e-mail]")
    assert "example.com" not in "".join(p.read_text() for p in HumanFolder(run).raw.iterdir())


def test_of_two_files_the_later_one_counts_and_equal_answers_count_once(
    run: Path, tmp_path: Path
) -> None:
    def always(choice: str) -> Callable[[KeyedTask], Answers | None]:
        return lambda task: {"preference": choice} if task.kind == "preference" else None

    key = key_of(run)
    for n, choice in enumerate(("A", "B", "A"), start=1):
        # A file that holds the very same is the file of before.
        path = fill(sheet(run), always(choice), key, tmp_path / f"{n}.csv")
        rows = sheet_rows(path)
        rows[-1][ANSWER] = str(n)
        assert human("import", run, write(path, rows)).code == 0
    found = verdicts(run)
    assert found
    for verdict in found.values():
        assert verdict.answers.kind == "preference"
        assert verdict.answers.choice == verdict.a
    assert set(set_aside(run).values()) == {"superseded"}
    assert human("import", run, "--undo").code == 0
    for verdict in verdicts(run).values():
        assert verdict.answers.kind == "preference"
        assert verdict.answers.choice == verdict.b


# What cannot be meant


def place(rows: Rows, field: str) -> int:
    """The number of the first row of a field, as a spreadsheet counts."""
    return next(n for n, row in enumerate(rows, start=1) if row[FIELD] == field)


def test_a_choice_that_there_is_not_is_named_with_its_row_column_and_task(run: Path) -> None:
    rows = sheet_rows(fill(sheet(run), usual, key_of(run)))
    n = place(rows, "preference")
    rows[n - 1][ANSWER] = "maybe A"
    said = refused(run, write(sheet(run), rows))
    assert f"row {n}, column answer: task {rows[n - 1][TASK]}, preference: 'maybe A' is" in said
    assert "Response A, Response B, About equal, Cannot tell" in said


def test_a_task_of_no_study_is_named(run: Path) -> None:
    rows = sheet_rows(fill(sheet(run), usual, key_of(run)))
    n = place(rows, "preference")
    rows[n - 1][TASK] = "task-0000000000000000"
    said = refused(run, write(sheet(run), rows))
    assert f"row {n}, column task: 'task-0000000000000000' is not a task of this study" in said


def test_an_answer_in_the_wrong_row_or_without_a_task_is_named(run: Path) -> None:
    rows = sheet_rows(sheet(run))
    shown = next(n for n, row in enumerate(rows) if row[TASK] and not row[FIELD])
    rows[shown][ANSWER] = "A"
    rows[1][ANSWER] = "B"
    said = refused(run, write(sheet(run), rows))
    assert (
        f"row {shown + 1}, column field: task {rows[shown][TASK]}: an answer where nothing" in said
    )
    assert "row 2, column task: an answer to no task" in said


def test_two_answers_to_one_question_are_named(run: Path) -> None:
    rows = sheet_rows(fill(sheet(run), usual, key_of(run)))
    n = place(rows, "preference")
    rows.append(rows[n - 1])
    said = refused(run, write(sheet(run), rows))
    assert f"row {len(rows)}, column answer" in said
    assert f"is answered in row {n}, too" in said


def test_a_column_that_is_missing_is_named(run: Path) -> None:
    rows = [row[:ANSWER] for row in sheet_rows(sheet(run))]
    assert "the column 'answer' is missing" in refused(run, write(sheet(run), rows))


def test_many_mistakes_are_counted(run: Path) -> None:
    rows = sheet_rows(sheet(run))
    fields = [row for row in rows[1:] if row[FIELD] == "preference"]
    for row in fields:
        row[ANSWER] = "x"
    rows[place(rows, "consent") - 1][ANSWER] = "yes"
    assert len(fields) > 5
    said = refused(run, write(sheet(run), rows))
    assert f"and {len(fields) - 5} more mistakes" in said


def test_a_sheet_that_nobody_filled_in_adds_no_answer(run: Path) -> None:
    assert human("import", run, sheet(run)).code == 0
    assert not verdicts(run)
    assert not set_aside(run)


def test_a_file_with_the_answers_of_two_people_is_refused(run: Path) -> None:
    first, second = (fill(sheet(run, n), usual, key_of(run)) for n in (1, 2))
    together = write(first, [*sheet_rows(first), *sheet_rows(second)[1:]])
    assert "a file is one person's" in refused(run, together)


def test_a_workbook_is_to_be_saved_as_cells(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "annotator-01.xlsx"
    path.write_bytes(b"PK\x03\x04")
    assert "Save its sheet as CSV" in refused(run, path)
