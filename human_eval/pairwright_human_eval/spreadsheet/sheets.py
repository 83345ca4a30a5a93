"""Writing spreadsheets: all tasks of a person, in the order of the work."""

import csv
import io
from collections.abc import Iterable, Iterator

from pairwright_human_eval.language import Language
from pairwright_human_eval.records import KINDS, Data, KeyedTask, Kind, Study
from pairwright_human_eval.spreadsheet.cells import guarded, pieces
from pairwright_human_eval.spreadsheet.columns import (
    COLUMNS,
    COMMENT_FIELD,
    CONSENT,
    FIELD,
    MINUTES,
    TASK,
    YES,
    field_of,
)
from pairwright_human_eval.task_view import Asked, Shown, view_of

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

Row = tuple[str, str, str, str, str, str]


def sheet_text(tasks: Iterable[tuple[Kind, Data]], study: Study, language: Language) -> str:
    """The text of a person's file: cells in quotes where they need them, lines that end in CRLF."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=language.separator)
    writer.writerow([name if name in (TASK, FIELD) else language(name) for name in COLUMNS])
    for row in _rows(list(tasks), study, language):
        writer.writerow(map(guarded, row))
    return text.getvalue()


def _rows(tasks: list[tuple[Kind, Data]], study: Study, language: Language) -> Iterator[Row]:
    for line in INSTRUCTIONS:
        yield ("", "", "", language(line), "", "")
    yield ("", CONSENT, "", language(CONSENT_STATEMENT), language(YES), "")
    for kind in KINDS:
        own = [data for one, data in tasks if one == kind]
        if own:
            yield ("", "", "", language(HEADINGS[kind]), "", "")
        for number, data in enumerate(own, start=1):
            yield from _task_rows(kind, data, f"{number} / {len(own)}", study, language)
    yield ("", MINUTES, "", language(MINUTES_QUESTION), language("a number"), "")


def _task_rows(
    kind: Kind, data: Data, number: str, study: Study, language: Language
) -> Iterator[Row]:
    name = str(data["task"])
    yield (name, "", "", f"{language('Task')} {number}", "", "")
    for part in view_of(data, kind, study.scales, language):
        if isinstance(part, Shown):
            for piece in pieces(part.text):
                yield (name, "", part.heading, piece, "", "")
        else:
            yield (name, field_of(part.control), part.heading, part.question, _choices(part), "")
    yield (name, COMMENT_FIELD, "", language(COMMENT_QUESTION), "", "")


def _choices(asked: Asked) -> str:
    """One a line. A score is written as its number."""
    return "\n".join(asked.choices.values())


def sheet_texts(
    key: Iterable[KeyedTask],
    tasks: dict[str, Data],
    study: Study,
    language: Language,
) -> dict[str, str]:
    """The text of each annotator's file. `tasks` are what they show, by id."""
    given: dict[str, list[tuple[Kind, Data]]] = {}
    for keyed in key:
        given.setdefault(keyed.annotator, []).append((keyed.kind, tasks[keyed.task]))
    return {who: sheet_text(own, study, language) for who, own in sorted(given.items())}
