"""Reading spreadsheets that people filled in, also as Excel and LibreOffice save them.

A row is something to read, or something to answer. `task` and `field` name what is answered, so
rows may be sorted, filtered and left out. Cells may be in any order of rows and columns, between
commas, semicolons or tabs, in UTF-8, UTF-16 or the Windows code page of Western Europe. Anything
that cannot be meant is an error that says where, and nothing of such a file is kept: it can be
mended. An empty cell is never an answer.
"""

import codecs
import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright_human_eval.annotation import Export, ExportedTask, StoredAnnotation, clean_text
from pairwright_human_eval.form import controls, labels_of
from pairwright_human_eval.language import ENGLISH, Language
from pairwright_human_eval.records import KeyedTask, Study

TASK, FIELD, WHAT, TEXT, CHOICES, ANSWER = COLUMNS = (
    "task", "field", "what", "text", "choices", "answer",
)  # fmt: skip
"""The head of a sheet in English. The first two are the same in every language."""
COMMENT_FIELD, SKIP_WORD, MINUTES, CONSENT = "comment", "skip", "minutes", "consent"
YES = "yes"
"""Fields beside the controls of a form, the answer that skips a task, and the one that agrees."""
_CONTROL = re.compile(r"(support|delivered)_(\d{1,6})")
_FIELD = re.compile(r"(support|delivered)_line_([1-9]\d{0,5})")
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""What a spreadsheet may take for the start of a formula, or for the end of a cell."""
LONGEST = 30_000
"""Characters of a cell; Excel cuts off what is behind 32,767."""


def field_of(control: str) -> str:
    """The field of a form's control, with lines as a person counts them: `support_0` is
    `support_line_1`."""
    found = _CONTROL.fullmatch(control)
    return f"{found[1]}_line_{int(found[2]) + 1}" if found else control


def control_of(field: str) -> str:
    """The control that a field stands for. Sheets of older versions hold the control itself."""
    found = _FIELD.fullmatch(field)
    return f"{found[1]}_{int(found[2]) - 1}" if found else field


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula: with an apostrophe before it where one
    might."""
    begins = text.lstrip(" \u00a0")[:1]
    return f"'{text}" if (begins in _FORMULA and begins) or begins == "'" else text


def unguarded(cell: str) -> str:
    """The text that `guarded` made the cell of."""
    return cell[1:] if cell.startswith("'") and guarded(cell[1:]) == cell else cell


def pieces(text: str) -> list[str]:
    """A text in parts that each fit into a cell."""
    return [text[n : n + LONGEST] for n in range(0, len(text), LONGEST)] or [""]


def sheet_rows(path: Path) -> list[list[str]]:
    """All rows. Raises InputError for what is not a text of cells."""
    text, separator = _text(path)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise InputError(
            f"cannot be read as cells: {error}", where=path, fix="Save it as CSV (UTF-8) again."
        ) from None


def _text(path: Path) -> tuple[str, str]:
    """The text of a sheet, and what is between its cells."""
    text = _decoded(path)
    first, _, rest = text.partition("\n")
    if re.fullmatch(r"sep=.\s*", first):  # Excel writes and reads such a line.
        first, _, _ = rest.partition("\n")
        text = rest
    return text, max(",;\t", key=first.count)


def _decoded(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            str(error.strerror), where=path, fix="Name a file that is there."
        ) from None
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Identifiers and answers are ASCII; of a comment a few letters may be wrong.
        return content.decode("cp1252", errors="replace")


def drop_rows(path: Path, tasks: Set[str]) -> None:
    """Take the rows of these tasks out of a sheet, and leave all others as they are. A file that
    cannot be read as cells goes as a whole."""
    try:
        rows = sheet_rows(path)
    except InputError:
        path.unlink()
        return
    text = io.StringIO()
    writer = csv.writer(text, delimiter=_text(path)[1])
    writer.writerows(row for row in rows if not tasks & set(map(unguarded, row)))
    write_whole(path, codecs.BOM_UTF8 + text.getvalue().encode(errors="replace"))


SOURCE = "spreadsheet"
MOST_NAMED = 5
"""Mistakes of a file that its error quotes."""
_FIX = "Mend it, and import the file again: nothing of it was kept."


class _Cell(NamedTuple):
    """One row that is filled in."""

    row: int
    """As a spreadsheet counts them: the head is row 1."""
    task: str
    field: str
    answer: str


class _Mistake(NamedTuple):
    row: int
    column: str
    what: str


class _Form(NamedTuple):
    """What somebody wrote for one task."""

    choices: dict[str, str]
    comment: str
    skipped: bool


def is_sheet(path: Path) -> bool:
    """Whether a file has the columns of a sheet."""
    try:
        rows = sheet_rows(path)
    except InputError:
        return False
    return bool(rows) and {TASK, FIELD} <= {_plain(cell) for cell in rows[0]}


def read_sheet(
    path: Path, key: Mapping[str, KeyedTask], study: Study, language: Language = ENGLISH
) -> Export:
    """The answers of a file that a person filled in.

    A task that is answered in part is counted as begun, and one without any answer is not there.
    Raises InputError, which names file, row, column and task.
    """
    rows = sheet_rows(path)
    cells = _filled(path, rows, language)
    mistakes: list[_Mistake] = []
    forms: dict[str, _Form] = {}
    minutes, agreed = None, False
    by_task: dict[str, list[_Cell]] = defaultdict(list)
    for cell in cells:
        if cell.field == CONSENT and not cell.task:
            agreed = _plain(cell.answer) in {YES, _plain(language(YES))}
        elif cell.field == MINUTES:
            minutes = _number(cell, mistakes)
        elif cell.task in key:
            by_task[cell.task].append(cell)
        else:
            what = (
                f"{_quoted(cell.task)} is not a task of this study"
                if cell.task
                else ("an answer to no task")
            )
            mistakes.append(_Mistake(cell.row, TASK, what))
    for name, own in by_task.items():
        forms[name] = _form(own, key[name], study, language, mistakes)
    people = sorted({key[name].annotator for name in forms})
    if len(people) > 1:
        what = f"answers to tasks of {' and '.join(people)}, and a file is one person's"
        mistakes.insert(0, _Mistake(1, TASK, what))
    if forms and not agreed:
        what = f"the person has not agreed to take part (field {CONSENT}, {language(YES)})"
        mistakes.insert(0, _Mistake(_row_of(path, rows, CONSENT), ANSWER, what))
    if mistakes:
        raise _error(path, mistakes, _answer_column(rows, language))
    named = {unguarded(row[0]) for row in _columns(path, rows, (TASK,))} & key.keys()
    return Export(
        file=path.name,
        tool="spreadsheet",
        source=SOURCE,
        seconds=None if minutes is None else minutes * 60,
        tasks=tuple(_exported(key[name], forms.get(name), study) for name in sorted(named)),
    )


def account_of(annotator: str) -> int:
    """The number of a person who fills in sheets: a sheet is one person's."""
    number = int(annotator.rpartition("-")[2])
    return number if annotator.startswith("annotator-") else 1_000 + number


def _exported(keyed: KeyedTask, form: _Form | None, study: Study) -> ExportedTask:
    asked = controls(keyed.kind, study.scales, len(keyed.aspects))
    whole = form is not None and (form.skipped or form.choices.keys() == asked.keys())
    filled_in: tuple[JsonValue, ...] = ()
    if form and whole:
        annotation = StoredAnnotation(
            account=account_of(keyed.annotator),
            skipped=form.skipped,
            choices=tuple(sorted(form.choices.items())),
            comment=form.comment,
        )
        filled_in = (annotation.model_dump(mode="json"),)
    begun = form is not None and not whole
    return ExportedTask(
        id=None,
        task=keyed.task,
        data_hash=keyed.data_hash,
        annotations=filled_in,
        drafts=int(begun),
    )


def _form(
    cells: Sequence[_Cell],
    keyed: KeyedTask,
    study: Study,
    language: Language,
    mistakes: list[_Mistake],
) -> _Form:
    asked = controls(keyed.kind, study.scales, len(keyed.aspects))
    choices: dict[str, str] = {}
    rows: dict[str, int] = {}
    comment, skipped = "", False
    for cell in cells:
        control = control_of(cell.field)
        if control in rows:
            what = f"{cell.field} is answered in row {rows[control]}, too"
            mistakes.append(_Mistake(cell.row, ANSWER, f"task {cell.task}: {what}"))
            continue
        rows[control] = cell.row
        if control == COMMENT_FIELD:
            comment = clean_text(cell.answer)
        elif control not in asked:
            what = (
                f"there is no question {_quoted(cell.field)}"
                if cell.field
                else "an answer where nothing is asked"
            )
            mistakes.append(_Mistake(cell.row, FIELD, f"task {cell.task}: {what}"))
        elif _plain(cell.answer) in {SKIP_WORD, _plain(language(SKIP_WORD))}:
            skipped = True
        elif choice := _choice(cell, keyed, study, language):
            choices[control] = choice
        else:
            allowed = labels_of(control, keyed.kind, study.scales, language)
            what = f"{_quoted(cell.answer)} is none of {', '.join(allowed.values())}"
            mistakes.append(_Mistake(cell.row, ANSWER, f"task {cell.task}, {cell.field}: {what}"))
    return _Form({} if skipped else choices, comment, skipped)


def _choice(cell: _Cell, keyed: KeyedTask, study: Study, language: Language) -> str | None:
    """The choice that is meant: as the sheet words it, as it is stored, or by its number."""
    # A score may stand without its words, and a spreadsheet may have made 4.0 of it.
    written = re.sub(r"^(\d+)[.,]0+$", r"\1", _plain(cell.answer))
    control = control_of(cell.field)
    for words in (language, language.before, ENGLISH):
        for alias, label in labels_of(control, keyed.kind, study.scales, words).items():
            if written in (_plain(alias), _plain(label)):
                return alias
    return None


def _row_of(path: Path, rows: list[list[str]], field: str) -> int:
    """The row of a field; 1 where there is none."""
    found = _columns(path, rows, (FIELD,))
    return next((n for n, row in enumerate(found, start=2) if _plain(row[0]) == field), 1)


def _number(cell: _Cell, mistakes: list[_Mistake]) -> float | None:
    text = cell.answer.replace(",", ".")
    if re.fullmatch(r"\d{1,6}(\.\d+)?", text):
        return float(text)
    what = f"{_quoted(cell.answer)} is not a number of minutes"
    mistakes.append(_Mistake(cell.row, ANSWER, what))
    return None


def _filled(path: Path, rows: list[list[str]], language: Language) -> list[_Cell]:
    answer = (ANSWER, language(ANSWER)) if language.code != "en" else (ANSWER,)
    found = _columns(path, rows, (TASK,), (FIELD,), answer)
    return [
        _Cell(number, unguarded(task).strip(), unguarded(field).strip(), unguarded(text).strip())
        for number, (task, field, text) in enumerate(found, start=2)
        if unguarded(text).strip()
    ]


def _columns(path: Path, rows: list[list[str]], *names: tuple[str, ...]) -> list[list[str]]:
    """The cells of the named columns, row by row. A column may have several names."""
    head = [_plain(cell) for cell in rows[0]]
    places = []
    for known in names:
        there = [n for n, cell in enumerate(head) if cell in {_plain(name) for name in known}]
        if len(there) != 1:
            what = "is missing" if not there else "is there twice"
            raise InputError(
                f"the column {known[-1]!r} {what}",
                where=f"{path}, row 1",
                fix="Give its first row back as it was exported.",
            )
        places += there
    return [[row[n] if n < len(row) else "" for n in places] for row in rows[1:]]


def _plain(text: str) -> str:
    """For comparing: without case, and with single spaces."""
    return " ".join(text.split()).casefold()


def _quoted(text: str) -> str:
    return ascii(text if len(text) <= 40 else text[:40] + "…")


def _answer_column(rows: list[list[str]], language: Language) -> str:
    """What the sheet calls the column of the answers."""
    return ANSWER if ANSWER in map(_plain, rows[0]) else language(ANSWER)


def _error(path: Path, mistakes: Iterable[_Mistake], answer: str) -> InputError:
    ordered = sorted(mistakes)
    said = [
        f"row {row}, column {answer if column == ANSWER else column}: {what}"
        for row, column, what in ordered[:MOST_NAMED]
    ]
    if len(ordered) > MOST_NAMED:
        said.append(f"and {len(ordered) - MOST_NAMED:,} more mistakes")
    return InputError("; ".join(said), where=path, fix=_FIX)
