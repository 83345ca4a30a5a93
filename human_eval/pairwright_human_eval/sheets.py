"""Writing spreadsheets: all tasks of a person, in the order of the work."""

import codecs
import csv
import io
from collections.abc import Iterator
from pathlib import Path

from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright_human_eval.annotation import COMMENT
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.form import Shown, view_of
from pairwright_human_eval.language import Language, load_language
from pairwright_human_eval.raw_files import read_withdrawals
from pairwright_human_eval.records import KINDS, Data, Kind, Study
from pairwright_human_eval.sheet_answers import (
    COLUMNS,
    CONSENT,
    FIELD,
    MINUTES,
    TASK,
    YES,
    field_of,
    guarded,
    pieces,
)
from pairwright_human_eval.study_files import FixedStudy, read_replacements, read_tasks

INSTRUCTIONS = (
    "Read the guidelines first. Then work from the top to the bottom.",
    "Write into the last column alone. What may be written there is in the column before it.",
    "A row without choices is there to be read. Of a choice that begins with a number, the number"
    " is enough.",
    "Leave empty what you have not done yet: an empty answer counts as not given.",
    "To skip a task, write skip as one of its answers, and say why in its comment.",
    "Change nothing else, and save the file as CSV (UTF-8), under any name.",
)
CONSENT_STATEMENT = (
    "I have read what taking part in this study means, and I take part of my own free will."
)
COMMENT_QUESTION = "Is anything wrong or unclear here? (optional)"
MINUTES_QUESTION = "How many minutes did you work on this file in all?"
HEADINGS = {
    "quality": "Quality: rate each response by itself",
    "preference": "Preference: go only by the posts",
    "rubric": "Rubric: what this person may want",
}
"""What stands above the first task of a kind."""

SheetRow = tuple[str, str, str, str, str, str]


def sheet_text(tasks: list[tuple[Kind, Data]], study: Study, language: Language) -> str:
    """The text of a person's file: cells in quotes where they need them, lines that end in CRLF."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=language.separator)
    writer.writerow([name if name in (TASK, FIELD) else language(name) for name in COLUMNS])
    for row in _rows(tasks, study, language):
        writer.writerow(map(guarded, row))
    return text.getvalue()


def _rows(tasks: list[tuple[Kind, Data]], study: Study, language: Language) -> Iterator[SheetRow]:
    for line in INSTRUCTIONS:
        yield ("", "", "", language(line), "", "")
    yield ("", CONSENT, "", language(CONSENT_STATEMENT), language(YES), "")
    for kind in KINDS:
        own = [data for one, data in tasks if one == kind]
        if own:
            yield ("", "", "", language(HEADINGS[kind]), "", "")
        for number, data in enumerate(own, start=1):
            name = str(data["task"])
            yield (name, "", "", f"{language('Task')} {number} / {len(own)}", "", "")
            for part in view_of(data, kind, study.scales, language):
                if isinstance(part, Shown):
                    for piece in pieces(part.text):
                        yield (name, "", part.heading, piece, "", "")
                else:
                    # A score is written as its number.
                    choices = "\n".join(part.choices.values())
                    field = field_of(part.control)
                    yield (name, field, part.heading, part.question, choices, "")
            yield (name, COMMENT, "", language(COMMENT_QUESTION), "", "")
    yield ("", MINUTES, "", language(MINUTES_QUESTION), language("a number"), "")


def write_sheets(
    folder: HumanFolder, fixed: FixedStudy, round: int = 1, only: str | None = None
) -> list[Path]:
    """Write the spreadsheets of a round, one a person, or `only` one person's. Who was replaced or
    has withdrawn gets none.

    Raises InputError where one is there that is not as it would be written: a person may have
    filled it in.
    """
    study, language = fixed.study, load_language(fixed.study.language)
    away = {(one.left, 1) for one in read_replacements(folder)}
    away |= {(one.annotator, n) for one in read_withdrawals(folder) for n in (1, 2)}
    key = [task for task in fixed.key.values() if (task.annotator, task.round) not in away]
    keyed = [task for task in key if task.round == round and only in (None, task.annotator)]
    shown = read_tasks(folder, keyed)
    given: dict[str, list[tuple[Kind, Data]]] = {}
    for task in keyed:
        given.setdefault(task.annotator, []).append((task.kind, shown[task.task]))
    written = []
    for who, tasks in sorted(given.items()):
        path = folder.sheet(who, round)
        # By the mark Excel knows UTF-8.
        content = codecs.BOM_UTF8 + sheet_text(tasks, study, language).encode()
        if path.exists() and path.read_bytes() != content:
            raise InputError(
                "is there, and was filled in or changed",
                where=path,
                fix="Import it if it holds answers, then move it away.",
            )
        if not path.exists():
            write_whole(path, content)
        written.append(path)
    return written
