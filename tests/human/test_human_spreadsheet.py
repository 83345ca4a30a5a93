"""A study by spreadsheet: out, filled in, in, and whatever else may be in such a file."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from live_study import LiveStudy, usual
from pairwright_human_eval.forms import QUESTIONS
from pairwright_human_eval.records import KeyedTask
from pairwright_human_eval.sheets import LONGEST, guarded, unguarded
from released import PAIRS, Answers, answered, run_of
from sheets import ANSWER, FIELD, TASK, TEXT, WHAT, Rows, sheet_rows, write

FIRST = "annotator-01"
NAMES = [f"annotator-{n:02}" for n in range(1, 10)]
Answer = Callable[[KeyedTask], Answers | None]


def only(kind: str, ticks: Answers) -> Answer:
    """These answers to all tasks of a kind, and none to others."""
    return lambda task: ticks if task.kind == kind else None


def preferring(choice: str, **ticks: str) -> Answer:
    return only("preference", {"preference": choice, **ticks})


def own_tasks(study: LiveStudy, annotator: str = FIRST) -> set[str]:
    return {keyed.task for keyed in study.own(annotator)}


def chosen(study: LiveStudy) -> set[str]:
    """What was preferred, as A, B or in words."""
    found = set()
    for answer in study.answers:
        places = {role: place for place, role in study.key[answer.task].sides.items()}
        found.add(places.get(answer.label, answer.label))
    return found


def test_the_same_answers_come_from_a_spreadsheet_and_from_label_studio(study: LiveStudy) -> None:
    study.do("import", *map(study.fill, NAMES))
    by_sheet = [(one.task, one.kind, one.item, one.label) for one in study.answers]
    shutil.rmtree(study.folder.raw)
    answered(study.run, usual)
    assert [(one.task, one.kind, one.item, one.label) for one in study.answers] == by_sheet


def test_take_ins_say_what_is_new_and_status_what_is_later_than_the_report(
    study: LiveStudy,
) -> None:
    vote = next(keyed for keyed in study.own(FIRST) if keyed.kind == "preference")
    skip = {vote.task: {"preference": "Skip"}}
    said = study.do("import", study.fill(FIRST, lambda task: skip.get(task.task) or usual(task)))
    assert f"{len(study.own(FIRST)) - 1} new, 0 changed, 0 gone." in said
    assert "(1 skipped)" in said
    assert "open: pull or import again when they are" in said
    study.do("report")
    assert "after the last report" not in study.do("status")
    study.do("import", study.fill(NAMES[1]))
    assert "Answers came in after the last report." in study.do("status")
    assert "Decided by the last report: 16 waiting." in study.do("status")


def test_a_sheet_shows_what_the_task_shows_and_names_no_side(exported_sheets: LiveStudy) -> None:
    path = exported_sheets.folder.sheet(FIRST)
    head, *rows = sheet_rows(path)
    assert head == ["task", "field", "what", "text", "choices", "answer"]
    assert all(row[ANSWER] == "" for row in rows)
    assert {row[TASK] for row in rows} - {""} == own_tasks(exported_sheets)
    assert QUESTIONS["preference"]["question"] in path.read_text(encoding="utf-8")
    marks = {row[TASK].partition("-")[0] for row in rows} | {row[FIELD] for row in rows}
    assert not [mark for mark in marks if re.search("chosen|rejected|vote|attention", mark)]
    # Lines of a rubric are numbered as a person counts.
    lines = {row[FIELD]: row[WHAT] for row in rows if re.match("support|delivered", row[FIELD])}
    assert {"support_0", "delivered_0", "support_1"} <= lines.keys()
    assert all(what == f"Line {int(field[-1]) + 1}" for field, what in lines.items())
    headings = {row[WHAT] for row in rows if not row[FIELD]}
    passage = "Line 2: The passage given for this"
    assert {"Line 1: What this person may want", passage} <= headings


def test_no_cell_begins_as_a_formula_and_its_text_comes_back() -> None:
    texts = ["=1+1", "+4", "-2", "- a point", "@SUM(A1)", "\t=1", "\r=1", " =1", "'quoted", "＝1"]
    for text in (*texts, "plain", "", "'", "''=1", "\n=1"):
        cell = guarded(text)
        assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝")), text
        assert unguarded(cell) == text


def test_hostile_texts_are_in_no_formula(tmp_path: Path) -> None:
    formula = '=HYPERLINK("http://x.example","free")'
    pairs = [pair.model_copy(update={"question": formula}) for pair in PAIRS[:3]]
    study = LiveStudy(run_of(tmp_path / "run", pairs, study=False))
    study.do("export", "--tool", "spreadsheet", "--seed", 1)
    paths = (study.folder.path / "spreadsheets").iterdir()
    cells = [cell for path in paths for row in sheet_rows(path) for cell in row]
    assert f"'{formula}" in cells
    assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for cell in cells)


def test_a_text_that_no_cell_can_hold_goes_on_in_further_rows(tmp_path: Path) -> None:
    question = " ".join(map(str, range(20_000)))
    assert len(question) > 3 * LONGEST
    pairs = [pair.model_copy(update={"question": question}) for pair in PAIRS[:2]]
    study = LiveStudy(run_of(tmp_path / "run", pairs, study=False))
    study.do("export", "--tool", "spreadsheet", "--seed", 1, "--annotators", 9)
    rows = sheet_rows(study.folder.sheet(FIRST))
    task = next(row[TASK] for row in rows if row[WHAT] == "The question")
    parts = [row[TEXT] for row in rows if (row[TASK], row[WHAT]) == (task, "The question")]
    assert "".join(parts) == question
    assert max(map(len, parts)) == LONGEST


def with_separator_line(path: Path, rows: Rows) -> Path:
    write(path, rows, ";")
    path.write_bytes(b"sep=;\r\n" + path.read_bytes())
    return path


SAVED: dict[str, Callable[[Path, Rows], Path]] = {
    # As Excel saves "CSV UTF-8" where the comma is the decimal sign.
    "excel": lambda path, rows: write(path, [[*row, ""] for row in rows], ";", "utf-8-sig"),
    "windows": lambda path, rows: write(path, rows, ";", "cp1252"),
    "unicode": lambda path, rows: write(path, rows, "\t", "utf-16"),
    "unix": lambda path, rows: write(path, rows, ",", "utf-8", "\n"),
    "sorted": lambda path, rows: write(path, [rows[0], *sorted(rows[1:], reverse=True)]),
    "only answers": lambda path, rows: write(
        path, [[row[TASK], row[ANSWER], row[FIELD]] for row in rows]
    ),
    "separator": with_separator_line,
}


@pytest.mark.parametrize("program", SAVED)
def test_a_sheet_is_read_as_any_program_saves_it(
    study: LiveStudy, tmp_path: Path, program: str
) -> None:
    rows = sheet_rows(study.fill(FIRST))
    # The texts may hold letters that the code page has not, and are not read.
    rows = [[cell.encode("cp1252", "replace").decode("cp1252") for cell in row] for row in rows]
    study.do("import", SAVED[program](tmp_path / "back.csv", rows))
    assert study.answered == own_tasks(study)


@pytest.mark.parametrize(
    ("written", "stored"),
    [("A", "A"), (" response a ", "A"), ("RESPONSE B", "B"),
     ("no difference  for this person", "equal"),
     ("cannot_tell", "cannot_tell")],
)  # fmt: skip
def test_an_answer_is_read_as_it_is_meant(study: LiveStudy, written: str, stored: str) -> None:
    study.do("import", study.fill(FIRST, preferring(written)))
    assert chosen(study) == {stored}


@pytest.mark.parametrize("score", ["4", "4.0", "4,0", "4: right, with at most a slip"])
def test_a_score_is_read_as_a_spreadsheet_writes_it(study: LiveStudy, score: str) -> None:
    asked = {f"{name}_{side}": "4" for name in ("relevance", "helpfulness") for side in "ab"}
    ticks = {**asked, "correctness_a": score, "correctness_b": "cannot judge"}
    study.do("import", study.fill(FIRST, only("quality", ticks)))
    assert study.answers
    for answer in study.answers:
        scale, _, role = answer.item.partition(" ")
        at_b = role == study.key[answer.task].sides["B"]
        unsure = scale == "correctness" and at_b
        assert answer.label == ("cannot_judge" if unsure else "4")


def test_what_is_empty_is_unfinished_and_never_an_answer(study: LiveStudy) -> None:
    assert "holds no answer" in study.refused("import", study.folder.sheet(FIRST))
    part = next(k for k in study.key.values() if k.kind == "rubric")
    begun = {part.task: {"support_0": "clearly"}}
    study.do("import", study.fill(part.annotator, lambda task: begun.get(task.task)))
    assert not study.answers
    assert [(line["task"], line["reason"]) for line in study.set_aside] == [(part.task, "draft")]


def test_a_task_is_skipped_with_its_reason(study: LiveStudy) -> None:
    part = next(k for k in study.key.values() if k.kind == "preference")
    skip = {part.task: {"preference": "Skip", "comment": "known, write to me@example.com"}}
    study.do("import", study.fill(part.annotator, lambda task: skip.get(task.task)))
    (line,) = study.set_aside
    assert (line["reason"], line["detail"]) == ("skipped", "known, write to [e-mail]")


def test_of_two_files_the_later_one_counts_and_equal_answers_count_once(
    study: LiveStudy, tmp_path: Path
) -> None:
    for n, choice in enumerate("ABA", start=1):
        out = tmp_path / f"{n}.csv"
        study.do("import", study.fill(FIRST, preferring(choice), out=out))
    assert chosen(study) == {"A"}
    assert {line["reason"] for line in study.set_aside} == {"superseded"}
    max(study.folder.raw.iterdir()).unlink()
    study.do("import")
    assert chosen(study) == {"B"}


NO_TASK = "task-0000000000000000"
CHOICES = "Response A, Response B, No difference for this person, Cannot tell"
UNKNOWN = f"'{NO_TASK}' is not a task of this study"


@pytest.mark.parametrize(
    ("column", "text", "said"),
    [
        (ANSWER, "maybe A", "row {n}: {task}, preference: 'maybe A' is not an answer here; write"),
        (ANSWER, "maybe A", CHOICES),
        (TASK, NO_TASK, f"row {{n}}: {UNKNOWN}"),
        (FIELD, "preferense", "row {n}: {task}: there is no question 'preferense'"),
        (FIELD, "", "row {n}: {task}: there is no question ''"),
    ],
)
def test_a_mistake_is_named_with_its_row_column_and_task(
    study: LiveStudy, column: int, text: str, said: str
) -> None:
    rows = sheet_rows(study.fill(FIRST))
    n, row = next((n, row) for n, row in enumerate(rows, 1) if row[FIELD] == "preference")
    expected = said.format(n=n, task=row[TASK])
    row[column] = text
    why = study.refused("import", write(study.folder.sheet(FIRST), rows))
    assert expected in why
    assert "annotator-01.csv" in why
    assert not list(study.folder.raw.glob("*"))


def test_many_mistakes_two_answers_and_a_missing_column_are_named(study: LiveStudy) -> None:
    rows, sheet = sheet_rows(study.fill(FIRST)), study.folder.sheet(FIRST)
    asked = [(n, row) for n, row in enumerate(rows, 1) if row[FIELD] == "preference"]
    n, first = asked[0]
    why = study.refused("import", write(sheet, [*rows, first]))
    assert f"row {len(rows) + 1}: {first[TASK]}, preference is answered in row {n}, too" in why
    why = study.refused("import", write(sheet, [row[:ANSWER] for row in rows]))
    assert "the column 'answer' is missing" in why
    for _, row in asked:
        row[ANSWER] = "x"
    why = study.refused("import", write(sheet, rows))
    assert f"and {len(asked) - 5} more mistakes" in why


def test_a_file_of_two_people_or_in_another_format_is_refused(
    study: LiveStudy, tmp_path: Path
) -> None:
    first, second = study.fill(FIRST), study.fill("annotator-02")
    together = write(first, [*sheet_rows(first), *sheet_rows(second)[1:]])
    assert "a file is one person's" in study.refused("import", together)
    workbook = tmp_path / "annotator-01.xlsx"
    workbook.write_bytes(b"PK\x03\x04")
    assert "save it as CSV" in study.refused("import", workbook)
    assert not list(study.folder.raw.glob("*"))
