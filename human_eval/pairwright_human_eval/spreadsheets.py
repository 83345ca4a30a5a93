"""Spreadsheets: one CSV file a person, with all their tasks, and what they filled in, also as Excel
and LibreOffice save it.

A row is something to read, or something to answer. `task` and `field` name what is answered, so
rows may be sorted, filtered and left out. Cells may be in any order of rows and columns, between
commas, semicolons or tabs, in UTF-8, UTF-16 or the Windows code page of Western Europe. Anything
that cannot be meant is an error that says where, and nothing of such a file is kept: it can be
corrected. An empty cell is never an answer.
"""

import codecs
import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright_human_eval.folder import HumanFolder, read_study, read_tasks, withdrawn_people
from pairwright_human_eval.form import (
    COMMENT,
    Shown,
    nameless,
    questions,
    quoted,
    read_choices,
    view_of,
)
from pairwright_human_eval.language import ENGLISH, Language, load_language
from pairwright_human_eval.records import (
    KINDS,
    Data,
    Given,
    KeyedTask,
    Kind,
    Objection,
    RawTask,
    Study,
    digest,
)

TASK, FIELD, _, _, _, ANSWER = COLUMNS = ("task", "field", "what", "text", "choices", "answer")
"""The head of a sheet in English. The first two are the same in every language."""
SKIP_WORD = "skip"
"""The answer that skips a task."""
_CONTROL = re.compile(r"(support|delivered)_(\d{1,6})")
_FIELD = re.compile(r"(support|delivered)_line_([1-9]\d{0,5})")
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""What a spreadsheet may take for the start of a formula, or for the end of a cell."""
LONGEST = 30_000
"""Characters of a cell; Excel cuts off what is behind 32,767."""

INSTRUCTIONS = (
    "Read the guidelines first. Then work from the top to the bottom.",
    "Write into the last column alone. What may be written there is in the column before it.",
    "A row without choices is there to be read. Of a choice that begins with a number, the number"
    " is enough.",
    "Leave empty what you have not done yet: an empty answer counts as not given.",
    "To skip a task, write skip as one of its answers, and say why in its comment.",
    "Change nothing else, and save the file as CSV (UTF-8), under any name.",
)
COMMENT_QUESTION = "Is anything wrong or unclear here? (optional)"
HEADINGS = {
    "quality": "Quality: rate each response by itself",
    "preference": "Preference: go only by the posts",
    "rubric": "Rubric: what this person may want",
}
"""What stands above the first task of a kind."""


def write_sheets(folder: HumanFolder, round: int = 1) -> tuple[Path, ...]:
    """Write the sheets of a round, one a person. Who has withdrawn gets none.

    Raises InputError where one is there that is not as it would be written: a person may have
    filled it in.
    """
    study, key = read_study(folder)
    language, away = load_language(study.language), withdrawn_people(folder)
    keyed = [task for task in key.values() if task.round == round and task.annotator not in away]
    shown = read_tasks(folder, keyed)
    given: dict[str, list[tuple[Kind, Data]]] = {}
    for task in keyed:
        given.setdefault(task.annotator, []).append((task.kind, shown[task.task]))
    written = []
    for who, tasks in sorted(given.items()):
        path, content = folder.sheet(who, round), sheet_content(tasks, study, language)
        if path.exists() and path.read_bytes() != content:
            raise InputError(
                "is there, and was filled in or changed",
                where=path,
                fix="Import it if it holds answers, then move it away.",
            )
        if not path.exists():
            write_whole(path, content)
        written.append(path)
    return tuple(written)


def field_of(control: str) -> str:
    """The field of a form's control, with lines as a person counts them: `support_0` is
    `support_line_1`."""
    found = _CONTROL.fullmatch(control)
    return f"{found[1]}_line_{int(found[2]) + 1}" if found else control


def control_of(field: str) -> str:
    """The control that a field stands for."""
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


def sheet_content(tasks: Sequence[tuple[Kind, Data]], study: Study, language: Language) -> bytes:
    """A person's file, in the order of the work: cells in quotes where they need them, lines that
    end in CRLF."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=language.separator)
    writer.writerow([name if name in (TASK, FIELD) else language(name) for name in COLUMNS])
    for row in _rows(tasks, study, language):
        writer.writerow(map(guarded, row))
    # By the mark Excel knows UTF-8.
    return codecs.BOM_UTF8 + text.getvalue().encode()


def _rows(
    tasks: Sequence[tuple[Kind, Data]], study: Study, language: Language
) -> Iterator[tuple[str, str, str, str, str, str]]:
    for line in INSTRUCTIONS:
        yield ("", "", "", language(line), "", "")
    for kind in KINDS:
        own = [data for one, data in tasks if one == kind]
        if own:
            yield ("", "", "", language(HEADINGS[kind]), "", "")
        for number, data in enumerate(own, start=1):
            name = str(data["task"])
            yield (name, "", "", f"{language('Task')} {number} / {len(own)}", "", "")
            for part in view_of(data, kind, study.scales, language):
                if isinstance(part, Shown):
                    for n in range(0, max(1, len(part.text)), LONGEST):
                        yield (name, "", part.heading, part.text[n : n + LONGEST], "", "")
                else:
                    # A score is written as its number.
                    choices = "\n".join(part.choices.values())
                    field = field_of(part.control)
                    yield (name, field, part.heading, part.question, choices, "")
            yield (name, COMMENT, "", language(COMMENT_QUESTION), "", "")


def sheet_rows(content: bytes, where: Path) -> tuple[list[list[str]], str]:
    """All rows, and what is between their cells. Raises InputError for what is not a text of
    cells."""
    text = _text(content)
    first, _, rest = text.partition("\n")
    if re.fullmatch(r"sep=.\s*", first):  # Excel writes and reads such a line.
        first, text = rest.partition("\n")[0], rest
    separator = max(",;\t", key=first.count)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator)), separator
    except csv.Error as error:
        raise InputError(
            f"cannot be read as cells: {error}", where=where, fix="Save it as CSV (UTF-8) again."
        ) from None


def _text(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Identifiers and answers are ASCII; in a comment a few letters may be wrong.
        return content.decode("cp1252", errors="replace")


def without_rows(content: bytes, where: Path, tasks: Set[str]) -> bytes:
    """A sheet without the rows of these tasks; nothing of a file that cannot be read as cells."""
    try:
        rows, separator = sheet_rows(content, where)
    except InputError:
        return b""
    text = io.StringIO()
    left = (row for row in rows if not tasks & set(map(unguarded, row)))
    csv.writer(text, delimiter=separator).writerows(left)
    return codecs.BOM_UTF8 + text.getvalue().encode(errors="replace")


MOST_NAMED = 5
"""Mistakes of a file that its error quotes."""


class _Cell(NamedTuple):
    """A row as far as it is read."""

    row: int
    """As a spreadsheet counts them: the head is row 1."""
    task: str
    field: str
    answer: str


_Mistake = tuple[int, str, str]
"""A row, a column, and what is wrong there."""


def is_sheet(content: bytes) -> bool:
    """Whether a file has the columns of a sheet."""
    try:
        rows, _ = sheet_rows(content, Path())
    except InputError:
        return False
    return bool(rows) and {TASK, FIELD} <= set(map(_plain, rows[0]))


def read_sheet(
    content: bytes, where: Path, key: Mapping[str, KeyedTask], study: Study
) -> list[RawTask]:
    """The answers of a file that a person filled in.

    A task that is answered in part is counted as begun, and one without any answer is not there.
    Raises InputError, which names file, row, column and task.
    """
    language = load_language(study.language)
    cells, column = _cells(content, where, language)
    mistakes: list[_Mistake] = []
    by_task: dict[str, list[_Cell]] = defaultdict(list)
    for cell in cells:
        if not cell.answer:
            continue
        if cell.task in key:
            by_task[cell.task].append(cell)
        elif cell.task:
            mistakes.append((cell.row, TASK, f"{quoted(cell.task)} is not a task of this study"))
        else:
            mistakes.append((cell.row, TASK, "an answer to no task"))
    tasks = []
    for name, own in sorted(by_task.items()):
        given, wrong = _read_task(own, key[name], study, language, column)
        tasks.append(RawTask(name, "", (given,)))
        mistakes += wrong
    people = sorted({key[name].annotator for name in by_task})
    if len(people) > 1:
        what = f"answers to tasks of {' and '.join(people)}, and a file is one person's"
        mistakes.append((1, TASK, what))
    if mistakes:
        raise _refusal(mistakes, where)
    if not tasks:
        raise InputError(
            "holds no answer", where=where, fix="Import it once somebody has answered."
        )
    return tasks


def _refusal(mistakes: list[_Mistake], where: Path) -> InputError:
    mistakes.sort()
    said = [f"row {row}, column {name}: {what}" for row, name, what in mistakes[:MOST_NAMED]]
    if len(mistakes) > MOST_NAMED:
        said.append(f"and {len(mistakes) - MOST_NAMED:,} more mistakes")
    fix = "Correct it, and import the file again: nothing of it was kept."
    return InputError("; ".join(said), where=where, fix=fix)


def _read_task(
    cells: Sequence[_Cell], keyed: KeyedTask, study: Study, language: Language, column: str
) -> tuple[Given, list[_Mistake]]:
    """What somebody wrote for one task."""
    # As the sheet words it, and in English.
    forms = [
        questions(keyed.kind, study.scales, keyed.aspects, words) for words in (language, ENGLISH)
    ]
    mistakes: list[_Mistake] = []
    choices: dict[str, str] = {}
    rows: dict[str, int] = {}
    comment, skipped = "", False
    for cell in cells:
        control, at = control_of(cell.field), f"task {cell.task}"
        # A score may stand without its words, and a spreadsheet may have made 4.0 of it.
        written = re.sub(r"^(\d+)[.,]0+$", r"\1", _plain(cell.answer))
        if control in rows:
            what = f"{cell.field} is answered in row {rows[control]}, too"
            mistakes.append((cell.row, column, f"{at}: {what}"))
        elif control == COMMENT:
            comment = nameless(cell.answer)
        elif control not in forms[0]:
            what = f"there is no question {quoted(cell.field)}"
            if not cell.field:
                what = "an answer where nothing is asked"
            mistakes.append((cell.row, FIELD, f"{at}: {what}"))
        elif written in {SKIP_WORD, _plain(language(SKIP_WORD))}:
            skipped = True
        elif choice := _choice(written, [form[control].choices for form in forms]):
            choices[control] = choice
        else:
            allowed = ", ".join(forms[0][control].choices.values())
            what = f"{quoted(cell.answer)} is none of {allowed}"
            mistakes.append((cell.row, column, f"{at}, {cell.field}: {what}"))
        rows.setdefault(control, cell.row)
    read = None if skipped else read_choices(choices.items(), keyed, study.scales)
    unfinished = isinstance(read, Objection)
    given = Given(
        task=keyed.task,
        place=f"row {cells[0].row}",
        identity=digest([keyed.task, comment, skipped, dict(sorted(choices.items()))]),
        comment=comment,
        choices=None if isinstance(read, Objection) else read,
        fault=Objection("draft", "begun and not finished") if unfinished else None,
    )
    return given, mistakes


def _choice(written: str, languages: Sequence[dict[str, str]]) -> str | None:
    """The choice that is meant: as it is worded in one of the languages, or as it is stored."""
    for choices in languages:
        for alias, label in choices.items():
            if written in (_plain(alias), _plain(label)):
                return alias
    return None


def _cells(content: bytes, where: Path, language: Language) -> tuple[list[_Cell], str]:
    """All rows, and what the sheet calls the column of the answers."""
    (head, *rows), _ = sheet_rows(content, where)
    names = list(map(_plain, head))
    places = []
    for known in ((TASK,), (FIELD,), (ANSWER, language(ANSWER))):
        there = [n for n, name in enumerate(names) if name in map(_plain, known)]
        if len(there) != 1:
            what = "is missing" if not there else "is there twice"
            raise InputError(
                f"the column {known[-1]!r} {what}",
                where=f"{where}, row 1",
                fix="Give its first row back as it was exported.",
            )
        places += there
    cells = []
    for number, row in enumerate(rows, start=2):
        task, field, answer = (unguarded(row[n] if n < len(row) else "").strip() for n in places)
        cells.append(_Cell(number, task, field, answer))
    return cells, names[places[-1]]


def _plain(text: str) -> str:
    """For comparing: without case, and with single spaces."""
    return " ".join(text.split()).casefold()
