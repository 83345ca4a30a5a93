"""Spreadsheets of a study, filled in as people do.

rows = sheet_rows(path)
fill(path, right(), key)                  # all answers of a person
"""

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from pairwright_human_eval.records import KeyedTask
from released import Answers

Rows = list[list[str]]
Person = Callable[[KeyedTask], Answers | None]
"""What somebody answers to a task; None leaves it open."""
TASK, FIELD, WHAT, TEXT, CHOICES, ANSWER = range(6)


def sheet_rows(path: Path, separator: str = ",") -> Rows:
    """All rows, the head first."""
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))


def fill(
    path: Path,
    answer: Person,
    key: Mapping[str, KeyedTask],
    out: Path | None = None,
    separator: str = ",",
) -> Path:
    """Write the answers into a sheet; None leaves a task as it is."""
    rows, ticks = sheet_rows(path, separator), dict[str, Answers]()
    for row in rows[1:]:
        if row[TASK] and row[TASK] not in ticks:
            ticks[row[TASK]] = answer(key[row[TASK]]) or {}
        if row[TASK] and row[FIELD]:
            row[ANSWER] = ticks[row[TASK]].get(row[FIELD], row[ANSWER])
    return write(out or path, rows, separator)


def write(
    path: Path,
    rows: Iterable[Iterable[str]],
    separator: str = ",",
    encoding: str = "utf-8",
    end: str = "\r\n",
    start: str = "",
) -> Path:
    """A sheet as a program saves it."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator=end).writerows(rows)
    path.write_bytes((start + text.getvalue()).encode(encoding))
    return path
