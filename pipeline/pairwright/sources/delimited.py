"""CSV and TSV, with the line on which each record starts. A .csv may have semicolons or tabs."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import SourceError
from pairwright.sources.problems import SourceProblem
from pairwright.sources.source_table import SourceRow, SourceTable, check_text, refused, text_lines

_SEPARATORS = (",", ";", "\t")
# What `surrogateescape` makes of a byte that is not UTF-8.
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


def open_delimited(path: Path, delimiter: str) -> SourceTable:
    """The records of a file whose first line names the columns."""
    check_text(path)
    records = _records(path, delimiter)
    columns = _columns(path, records)
    rows = (_row(path.name, columns, record) for record in records)
    return SourceTable(str(path), columns, rows)


def comma_separated(path: Path) -> SourceTable:
    """The same of a .csv file. Spreadsheets of many countries write semicolons or tabs into one:
    where no comma divides the column names, one of these may."""
    check_text(path)
    separators = (delimiter for delimiter in _SEPARATORS if _width(path, delimiter) > 1)
    return open_delimited(path, next(separators, ","))


def _width(path: Path, delimiter: str) -> int:
    """How many column names there are if this is the separator; 0 if it cannot be."""
    try:
        first = next(_records(path, delimiter), None)
    except SourceError:
        return 0
    return 0 if first is None or first.fault else len(first.cells)


tab_separated = partial(open_delimited, delimiter="\t")


class _Record(NamedTuple):
    """One record with its first line's number; `fault` instead of cells where it is not CSV."""

    line: int
    cells: list[str]
    fault: str = ""


def _columns(path: Path, records: Iterator[_Record]) -> list[str]:
    line, cells, fault = next(records, _Record(1, []))
    if fault or any(_NOT_UTF8.search(cell) for cell in cells):
        raise SourceError(
            "the column names are not CSV in UTF-8",
            where=f"{path}:{line}",
            fix="Save the file as UTF-8, with the column names in its first line.",
        )
    columns = [cell.strip() for cell in cells]
    twice = [name for name, n in Counter(columns).items() if n > 1]
    if twice:
        raise SourceError(
            f"two columns are named {twice[0]!r}", where=f"{path}:{line}", fix="Rename one of them."
        )
    return columns


def _records(path: Path, delimiter: str) -> Iterator[_Record]:
    """Each record that is not blank; after one that is not CSV, the next."""
    # The default of 131,072 characters a cell is less than people post.
    csv.field_size_limit(2**31 - 1)
    # Bytes that are not UTF-8 are kept apart, so that one bad cell does not end the file.
    lines = (line.decode("utf-8", "surrogateescape") for line in text_lines(path))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "unexpected end" in str(error):
                raise SourceError(
                    "the record that starts here has a quote that is never closed",
                    where=f"{path}:{start}",
                    fix='Close the quote; a quote inside a cell is written twice ("").',
                ) from None
            yield _Record(start, [], f"{error} (lines {start} to {reader.line_num})")
            continue
        if cells:
            yield _Record(start, cells)


def _row(name: str, columns: list[str], record: _Record) -> SourceRow | SourceProblem:
    where, cells = f"{name}:{record.line}", record.cells
    if record.fault:
        return refused("bad_csv", where, record.fault)
    if any(_NOT_UTF8.search(cell) for cell in cells):
        return refused("invalid_utf8", where, "the record holds bytes that are not UTF-8")
    if len(cells) != len(columns):
        return refused("ragged_row", where, f"{len(cells)} cells in {len(columns)} columns")
    return SourceRow(where, dict(zip(columns, cells, strict=True)))
