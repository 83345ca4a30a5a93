"""Spreadsheets: one CSV file a person, with all their tasks, and what they filled in.

A row is something to read or to answer: `task` and `field` name what. Rows and columns may come
back in any order, as any program saves them. An answer that cannot be read is an error that says
where, and nothing of such a file is kept: it can be corrected.
"""

import codecs
import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import count
from pathlib import Path

from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright_human_eval import forms
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.forms import Language, load_language, questions
from pairwright_human_eval.records import KINDS, Given, KeyedTask, Objection, Study, Task, digest
from pairwright_human_eval.safe_html import plain_text

TASK, FIELD, ANSWER = "task", "field", "answer"
COLUMNS = (TASK, FIELD, "what", "text", "choices", ANSWER)
"""The head of a sheet in English. The first two are the same in every language."""
SKIP_WORD = "skip"
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""Characters that a spreadsheet may take for the start of a formula, or for the end of a cell."""
LONGEST = 30_000  # Characters of a cell; Excel cuts off what is behind 32,767.
MOST_NAMED = 5
Key = Mapping[str, KeyedTask]


def write_sheets(folder: HumanFolder, study: Study, tasks: Iterable[Task]) -> tuple[Path, ...]:
    """Write a sheet of these tasks for each person, beside those that they may be filling in."""
    given: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        given[task.keyed.annotator].append(task)
    written = []
    for who, own in sorted(given.items()):
        content = _sheet(own, study)
        paths = (folder.sheet(who, own[0].keyed.round, number) for number in count(1))
        path = next(path for path in paths if not path.exists() or path.read_bytes() == content)
        write_whole(path, content)
        written.append(path)
    return tuple(written)


def _sheet(tasks: Sequence[Task], study: Study) -> bytes:
    """The file of one person."""
    language = load_language(study.language)
    rows = [[name if name in (TASK, FIELD) else language(name) for name in COLUMNS]]
    by_kind = {kind: [task.data for task in tasks if task.keyed.kind == kind] for kind in KINDS}
    lines = forms.TEMPLATES.get_template("sheet.jinja").render(
        _=language, kinds={kind: own for kind, own in by_kind.items() if own},
        scales=study.scales, questions=questions, plain_text=plain_text,
    )  # fmt: skip
    for line in filter(None, lines.splitlines()):
        task, field, what, text, choices = [*json.loads(line), ""][:5]
        # What of a text no cell can hold goes on in further rows.
        for n in range(0, max(1, len(text)), LONGEST):
            cells = (task, field, what, text[n : n + LONGEST], choices, "")
            rows.append([*map(guarded, cells)])
    return _csv(rows, language.separator)


def guarded(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet might take for a formula."""
    begins = text.lstrip(" \u00a0")[:1]
    return f"'{text}" if begins and (begins in _FORMULA or begins == "'") else text


def unguarded(cell: str) -> str:
    """The text that `guarded` made the cell of."""
    return cell[1:] if cell.startswith("'") and guarded(cell[1:]) == cell else cell


def _csv(rows: Iterable[Iterable[str]], separator: str) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerows(rows)
    # By the mark Excel knows UTF-8.
    return codecs.BOM_UTF8 + text.getvalue().encode(errors="replace")


def read_rows(content: bytes, where: Path) -> tuple[list[list[str]], str]:
    """Rows of a sheet, and what is between their cells. Raises InputError for no cells."""
    utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError:
        # Identifiers and answers are ASCII; in a comment a few letters may be wrong.
        text = content.decode("cp1252", errors="replace")
    text = re.sub(r"\Asep=.\s*\n", "", text)  # Excel writes and reads such a line.
    separator = max(",;\t", key=text.partition("\n")[0].count)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator)), separator
    except csv.Error as error:
        what = f"cannot be read as cells: {error}"
        raise InputError(what, where=where, fix="Save it as CSV (UTF-8) again.") from None


def is_sheet(content: bytes) -> bool:
    """Whether a file has the columns of a sheet."""
    try:
        rows, _ = read_rows(content, Path())
    except InputError:
        return False
    return bool(rows) and {TASK, FIELD} <= set(map(_plain, rows[0]))


def without_rows(content: bytes, where: Path, tasks: Set[str]) -> bytes:
    """A sheet without the rows of these tasks; empty if no other task is left."""
    rows, separator = read_rows(content, where)
    kept = [row for row in rows if not tasks & set(map(unguarded, row))]
    if len(kept) == len(rows):
        return content
    left = _csv(kept, separator)
    return left if b"task-" in left else b""


def read_sheet(content: bytes, where: Path, key: Key, study: Study) -> list[Given]:
    """The answers of a file that a person filled in; a task that is answered in part is a draft.
    Raises InputError, which names file, row and task."""
    language = load_language(study.language)
    by_task: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    mistakes: list[tuple[int, str]] = []
    for row, task, field, answer in _cells(content, where, language):
        if task in key:
            by_task[task].append((row, field, answer))
        else:
            mistakes.append((row, f"{forms.quoted(task)} is not a task of this study"))
    people = sorted({key[task].annotator for task in by_task})
    if len(people) > 1:
        what = f"answers to tasks of {' and '.join(people)}, and a file is one person's"
        mistakes.append((1, what))
    given = [
        _read_task(where.name, cells, key[task], study, language, mistakes)
        for task, cells in sorted(by_task.items())
    ]
    what = "; ".join(f"row {row}: {what}" for row, what in sorted(mistakes)[:MOST_NAMED])
    if len(mistakes) > MOST_NAMED:
        what += f"; and {len(mistakes) - MOST_NAMED:,} more mistakes"
    fix = "Correct it, and import the file again: nothing of it was kept."
    if not by_task and not mistakes:
        what, fix = "holds no answer", "Import it once somebody has answered."
    if what:
        raise InputError(what, where=where, fix=fix)
    return given


def _cells(content: bytes, where: Path, language: Language) -> Iterator[tuple[int, str, str, str]]:
    """Number from 1, task, field and answer of every row that is answered."""
    (head, *rows), _ = read_rows(content, where)
    places = []
    for known in ((TASK,), (FIELD,), (language(ANSWER), ANSWER)):
        there = [n for n, name in enumerate(map(_plain, head)) if name in map(_plain, known)]
        if len(there) != 1:
            what = f"the column {known[0]!r} is {'there twice' if there else 'missing'}"
            fix = "Give its first row back as it was exported."
            raise InputError(what, where=f"{where}, row 1", fix=fix)
        places += there
    for number, row in enumerate(rows, start=2):
        task, field, answer = (unguarded(row[n] if n < len(row) else "").strip() for n in places)
        if answer:
            yield number, task, field, answer


def _read_task(
    file: str, cells: Sequence[tuple[int, str, str]], keyed: KeyedTask, study: Study,
    language: Language, mistakes: list[tuple[int, str]],
) -> Given:  # fmt: skip
    """Answers of one person to one task; what cannot be read is added to the mistakes."""
    asked = questions(keyed.kind, study.scales, keyed.aspects, language)
    english = questions(keyed.kind, study.scales, keyed.aspects)
    chosen, rows, comment = dict[str, str](), dict[str, int](), ""
    for row, field, answer in cells:
        place = f"{keyed.task}, {field}"
        if field in rows:
            mistakes.append((row, f"{place} is answered in row {rows[field]}, too"))
        elif field == forms.COMMENT:
            comment = forms.nameless(answer)
        elif field not in asked:
            mistakes.append((row, f"{keyed.task}: there is no question {forms.quoted(field)}"))
        else:
            meanings = {_plain(language(SKIP_WORD)): SKIP_WORD, SKIP_WORD: SKIP_WORD}
            for choices in (english[field].choices, asked[field].choices):
                meanings |= {_plain(alias): alias for alias in choices}
                meanings |= {_plain(label): alias for alias, label in choices.items()}
            # A spreadsheet may have made 4.0 of a score.
            chosen[field] = meanings.get(re.sub(r"^(\d+)[.,]0+$", r"\1", _plain(answer)), "")
            if not chosen[field]:
                labels = asked[field].choices.values()
                allowed = ", ".join(label.partition(":")[0] for label in labels)
                what = f"{forms.quoted(answer)} is not an answer here; write one of {allowed}"
                mistakes.append((row, f"{place}: {what}"))
        rows.setdefault(field, row)
    answers = fault = None
    if SKIP_WORD not in chosen.values():
        try:
            answers = forms.read_form(chosen.items(), keyed, study.scales, comment, source=file)
        except Objection:
            fault = Objection("draft", "begun and not finished")
    return Given(
        keyed.task, file, f"row {cells[0][0]}", comment=comment, answers=answers, fault=fault,
        identity=digest([keyed.task, comment, dict(sorted(chosen.items()))]),
    )  # fmt: skip


def _plain(text: str) -> str:
    """Text for comparing: without case, and with single spaces."""
    return " ".join(text.split()).casefold()
