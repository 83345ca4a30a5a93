"""A study by spreadsheet: out, filled in, in, and whatever else may be in such a file."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from live_study import LiveStudy, usual
from pairwright_human_eval.forms import QUESTIONS
from pairwright_human_eval.sheets import LONGEST, guarded, unguarded
from released import PAIRS, answered, run_of
from sheets import ANSWER, FIELD, TASK, TEXT, WHAT, Person, Rows, sheet_rows, write

FIRST = "annotator-01"
NAMES = [f"annotator-{n:02}" for n in range(1, 10)]


def with_answer(field: str, written: str) -> Person:
    """As usual, but for one field."""
    return lambda task: {**(usual(task) or {}), field: written}


def stored(study: LiveStudy, field: str) -> set[str]:
    """What came of a field of the preferences, or of response A: its labels, A and B as places."""
    key, found = study.key, set[str]()
    for one in study.answers:
        places = {role: place for place, role in key[one.task].sides.items()}
        if field == one.kind or one.item == f"{field[:-2]} {key[one.task].sides['A']}":
            found.add(places.get(one.label, one.label))
    return found


# Out


def test_a_sheet_shows_what_the_task_shows_and_names_no_side(exported_sheets: LiveStudy) -> None:
    path = exported_sheets.folder.sheet(FIRST)
    head, *rows = sheet_rows(path)
    assert head == ["task", "field", "what", "text", "choices", "answer"]
    assert all(row[ANSWER] == "" for row in rows)
    assert {row[TASK] for row in rows} - {""} == {k.task for k in exported_sheets.own(FIRST)}
    assert QUESTIONS["preference"]["question"] in path.read_text(encoding="utf-8")
    marks = {row[TASK].partition("-")[0] for row in rows} | {row[FIELD] for row in rows}
    assert not [mark for mark in marks if re.search("chosen|rejected|vote|attention", mark)]
    # Lines of a rubric are numbered as a person counts.
    lines = {row[FIELD]: row[WHAT] for row in rows if re.match("support|delivered", row[FIELD])}
    assert lines == {
        f"{of}_{n}": f"Line {n + 1}" for of in ("support", "delivered") for n in (0, 1)
    }
    passage = "Line 2: The passage given for this"
    assert {"Line 1: What this person may want", passage} <= {row[WHAT] for row in rows}


def test_no_cell_begins_as_a_formula_and_its_text_comes_back() -> None:
    texts = ["=1+1", "+4", "-2", "- a point", "@SUM(A1)", "\t=1", "\r=1", " =1", "'quoted", "＝1"]
    for text in (*texts, "plain", "", "'", "''=1", "\n=1"):
        cell = guarded(text)
        assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝")), text
        assert unguarded(cell) == text


def test_a_hostile_text_is_no_formula_and_a_long_one_goes_on_in_further_rows(
    tmp_path: Path,
) -> None:
    formula = '=HYPERLINK("http://x.example","free")'
    question = " ".join([formula, *map(str, range(20_000))])
    assert len(question) > 3 * LONGEST
    pairs = [pair.model_copy(update={"question": question}) for pair in PAIRS[:3]]
    study = LiveStudy(run_of(tmp_path / "run", pairs, study=False))
    study.do("export", "--tool", "spreadsheet", "--seed", 1, "--annotators", 9)
    rows = [row for path in study.folder.sheets.iterdir() for row in sheet_rows(path)]
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t"))]
    task = next(row[TASK] for row in rows if row[WHAT] == "The question")
    parts = [row[TEXT] for row in rows if (row[TASK], row[WHAT]) == (task, "The question")]
    assert "".join(parts) == f"'{question}"
    assert max(map(len, parts)) <= LONGEST + 1


# In


def test_the_same_answers_come_from_a_spreadsheet_and_from_label_studio(study: LiveStudy) -> None:
    study.do("import", *map(study.fill, NAMES))
    by_sheet = [(one.task, one.kind, one.item, one.label) for one in study.answers]
    shutil.rmtree(study.folder.raw)
    answered(study.run, usual)
    assert [(one.task, one.kind, one.item, one.label) for one in study.answers] == by_sheet


@pytest.mark.parametrize(
    "saved",
    [
        # As Excel saves "CSV UTF-8" where the comma is the decimal sign.
        lambda path, rows: write(path, [[*row, ""] for row in rows], ";", "utf-8-sig"),
        lambda path, rows: write(path, rows, ";", "cp1252"),
        lambda path, rows: write(path, rows, "\t", "utf-16"),
        lambda path, rows: write(path, rows, ",", "utf-8", "\n"),
        lambda path, rows: write(path, rows, ";", start="sep=;\r\n"),
        lambda path, rows: write(path, [rows[0], *sorted(rows[1:], reverse=True)]),
        lambda path, rows: write(path, [[row[TASK], row[ANSWER], row[FIELD]] for row in rows]),
    ],
    ids=["excel", "windows", "unicode", "unix", "separator", "sorted", "only answers"],
)
def test_a_sheet_is_read_as_any_program_saves_it(
    study: LiveStudy, tmp_path: Path, saved: Callable[[Path, Rows], Path]
) -> None:
    rows = sheet_rows(study.fill(FIRST))
    # The texts may hold letters that the code page has not, and are not read.
    rows = [[cell.encode("cp1252", "replace").decode("cp1252") for cell in row] for row in rows]
    study.do("import", saved(tmp_path / "back.csv", rows))
    assert study.answered == {keyed.task for keyed in study.own(FIRST)}


@pytest.mark.parametrize(
    ("field", "written", "label"),
    [
        ("preference", " response a ", "A"),
        ("preference", "no difference  for this person", "equal"),
        ("preference", "cannot_tell", "cannot_tell"),
        ("correctness_a", "2.0", "2"),
        ("correctness_a", "4: right, with at most a slip", "4"),
        ("correctness_a", "Cannot judge", "cannot_judge"),
    ],
)
def test_an_answer_is_read_as_it_is_meant(
    study: LiveStudy, field: str, written: str, label: str
) -> None:
    study.do("import", study.fill(FIRST, with_answer(field, written)))
    assert stored(study, field) == {label}


def test_what_is_empty_is_unfinished_and_a_skip_has_its_reason(study: LiveStudy) -> None:
    assert "holds no answer" in study.refused("import", study.folder.sheet(FIRST))
    tasks = {k.kind: k.task for k in study.own(FIRST)}
    said = {
        tasks["quality"]: {"correctness_a": "4"},
        tasks["preference"]: {"preference": "Skip", "comment": "known, write to me@example.com"},
    }
    study.do("import", study.fill(FIRST, lambda task: said.get(task.task)))
    assert not study.answers
    assert {(line["task"], line["reason"], line["detail"]) for line in study.set_aside} == {
        (tasks["quality"], "draft", "begun and not finished"),
        (tasks["preference"], "skipped", "known, write to [e-mail]"),
    }


def test_imports_say_what_is_new_and_status_what_is_later_than_the_report(study: LiveStudy) -> None:
    said = study.do("import", study.fill(FIRST))
    assert (
        f"Since the last import: {len(study.own(FIRST))} new answers, 0 changed, 0 removed." in said
    )
    assert "are open: pull or import again when they are done" in said
    study.do("report")
    assert "after the last report" not in study.do("status")
    study.do("import", study.fill(NAMES[1]))
    said = study.do("status")
    assert "Answers came in after the last report." in said
    assert "Decided by the last report: 16 waiting." in said


def test_of_two_files_the_later_one_counts_and_equal_answers_count_once(
    study: LiveStudy, tmp_path: Path
) -> None:
    for n, choice in enumerate("ABA", start=1):
        out = tmp_path / f"{n}.csv"
        study.do("import", study.fill(FIRST, with_answer("preference", choice), out=out))
    assert stored(study, "preference") == {"A"}
    assert {line["reason"] for line in study.set_aside} == {"superseded"}
    max(study.folder.raw.iterdir()).unlink()
    study.do("import")
    assert stored(study, "preference") == {"B"}


# Mistakes


def cell(column: int, text: str) -> Callable[[Rows, int], Rows]:
    """Another text in a row."""
    return lambda rows, n: [
        [text if (k, c) == (n, column) else old for c, old in enumerate(row)]
        for k, row in enumerate(rows)
    ]


NO_TASK = "task-0000000000000000"
CHOICES = "write one of Response A, Response B, No difference for this person, Cannot tell"


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (cell(ANSWER, "maybe A"), "{row}, preference: 'maybe A' is not an answer here; " + CHOICES),
        (cell(TASK, NO_TASK), f"row {{n}}: '{NO_TASK}' is not a task of this study"),
        (cell(FIELD, "preferense"), "{row}: there is no question 'preferense'"),
        (cell(FIELD, ""), "{row}: there is no question ''"),
        (lambda rows, n: [*rows, rows[n]], "{task}, preference is answered in row {n}, too"),
        (lambda rows, n: [row[:ANSWER] for row in rows], "the column 'answer' is missing"),
        (lambda rows, n: [rows[0], *([*row[:ANSWER], "x"] for row in rows[1:])], "more mistakes"),
    ],
)
def test_a_mistake_is_named_with_its_row_column_and_task(
    study: LiveStudy, edit: Callable[[Rows, int], Rows], said: str
) -> None:
    rows = sheet_rows(study.fill(FIRST))
    n, task = next((n, row[TASK]) for n, row in enumerate(rows) if row[FIELD] == "preference")
    why = study.refused("import", write(study.folder.sheet(FIRST), edit(rows, n)))
    assert said.format(n=n + 1, task=task, row=f"row {n + 1}: {task}") in why
    assert "annotator-01.csv" in why
    assert not list(study.folder.raw.glob("*"))


def test_a_file_of_two_people_is_refused(study: LiveStudy) -> None:
    first, second = study.fill(FIRST), study.fill("annotator-02")
    together = write(first, [*sheet_rows(first), *sheet_rows(second)[1:]])
    assert "a file is one person's" in study.refused("import", together)
