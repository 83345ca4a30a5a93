"""Tables in files: CSV and TSV with the lines on which records start, JSON, JSON Lines and Parquet.

A .csv may have semicolons or tabs. Spreadsheets write a first line such as `sep=;`, which names the
separator, and some end lines with a carriage return alone. Both are read. Of JSON each row is one
object; Parquet is read a batch of rows at a time, and its nested values arrive as lists and dicts.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from io import BufferedReader, TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, cast

import pyarrow as pa
import pyarrow.parquet as pq

from pairwright.dataset.lines import bounded_lines
from pairwright.dataset.parquet_batches import TooLarge, read_batches
from pairwright.errors import SourceError
from pairwright.sources.fields import kind
from pairwright.sources.problems import REMEDIES, SourceProblem
from pairwright.sources.source_table import (
    LONG_LINE,
    SourceRow,
    SourceTable,
    check_text,
    numbered,
    refused,
    table_row,
    text_lines,
    unpacked,
)

_SEPARATORS = (",", ";", "\t")
_SEPARATOR_LINE = re.compile(r"sep=([,;\t|])\r?\n?")
_HEAD = 65_536
"""Bytes by which it is seen how lines end."""
# What `surrogateescape` makes of a byte that is not UTF-8.
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


def open_delimited(path: Path, delimiter: str) -> SourceTable:
    """The records of a file whose first line names the columns."""
    check_text(path, REMEDIES["invalid_utf8"])
    records = _records(path, delimiter)
    columns = _columns(path, records)
    rows = (_row(path.name, columns, record) for record in records)
    return SourceTable(str(path), columns, rows)


def comma_separated(path: Path) -> SourceTable:
    """The same of a .csv file. Spreadsheets of many countries write semicolons or tabs into one: it
    is the separator that gives the first record of values as many cells as there are column names,
    and the most of them; or else the one that divides the column names."""
    check_text(path, REMEDIES["invalid_utf8"])
    return open_delimited(path, max(_SEPARATORS, key=partial(_fit, path)))


def _fit(path: Path, delimiter: str) -> tuple[bool, int]:
    """How well a separator suits the first two records: whether they have the same number of cells,
    two or more, and then how many; without that, whether there are several column names."""
    try:
        widths = [
            0 if one.fault else len(one.cells) for one in islice(_records(path, delimiter), 2)
        ]
    except SourceError:
        return False, 0
    if len(widths) == 2 and widths[0] == widths[1] > 1:
        return True, widths[0]
    return False, int(widths[:1] > [1])


tab_separated = partial(open_delimited, delimiter="\t")


class _Record(NamedTuple):
    """One record with its first line's number; `fault` instead of cells where it is not CSV."""

    line: int
    cells: list[str]
    fault: str = ""


def _columns(path: Path, records: Iterator[_Record]) -> list[str]:
    line, cells, fault = next(records, _Record(1, []))
    if any(_NOT_UTF8.search(cell) for cell in cells):
        raise SourceError(
            "the column names hold bytes that are not UTF-8",
            where=f"{path}:{line}",
            fix=REMEDIES["invalid_utf8"],
        )
    if fault:
        raise SourceError(
            f"the column names are not CSV: {fault}",
            where=f"{path}:{line}",
            fix=REMEDIES["bad_csv"],
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
    lines = _lines(path)
    first = next(lines, "")
    named = _SEPARATOR_LINE.fullmatch(first)
    before = int(named is not None)
    if named:
        delimiter = named[1]
    reader = csv.reader(lines if named else chain([first], lines), delimiter=delimiter, strict=True)
    while True:
        start = reader.line_num + before + 1
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
            yield _Record(start, [], f"{error} (lines {start} to {reader.line_num + before})")
            continue
        if cells:
            yield _Record(start, cells)


def _lines(path: Path) -> Iterator[str]:
    """The lines, with their ends. Bytes that are not UTF-8 are kept apart, so that one bad cell
    does not end the file."""
    with unpacked(path) as file:
        head = file.read(_HEAD)
    if b"\n" in head or b"\r" not in head[:-1]:
        yield from (line.decode("utf-8", "surrogateescape") for line in text_lines(path))
        return
    with unpacked(path) as file:
        text = TextIOWrapper(cast(BufferedReader, file), "utf-8-sig", "surrogateescape", newline="")
        yield from bounded_lines(text.readline, path, LONG_LINE, SourceError)


def _row(name: str, columns: list[str], record: _Record) -> SourceRow | SourceProblem:
    where, cells = f"{name}:{record.line}", record.cells
    if record.fault:
        return refused("bad_csv", where, record.fault)
    if any(_NOT_UTF8.search(cell) for cell in cells):
        return refused("invalid_utf8", where, "the record holds bytes that are not UTF-8")
    if len(cells) != len(columns):
        return refused("ragged_row", where, f"{len(cells)} cells in {len(columns)} columns")
    return SourceRow(where, dict(zip(columns, cells, strict=True)))


def jsonl(path: Path) -> SourceTable:
    """One object a line; a line that is not one is a SourceProblem, and the next one is read."""
    check_text(path)
    return SourceTable(str(path), None, _json_lines(path))


def json_array(path: Path) -> SourceTable:
    """One array of objects, loaded whole."""
    check_text(path)
    try:
        with unpacked(path) as file:
            data = file.read()
        values = json.loads(data.decode("utf-8-sig"))
    except MemoryError:
        raise SourceError(
            "the array does not fit into memory",
            where=path,
            fix="Write one object a line, and name the file .jsonl.",
        ) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(
            f"not UTF-8: {error.reason}", where=f"{path}:{line}", fix="Save the file as UTF-8."
        ) from None
    except json.JSONDecodeError as error:
        raise SourceError(
            f"not JSON: {error.msg}",
            where=f"{path}:{error.lineno}",
            fix="Mend the line. If the file holds one object a line, name it .jsonl.",
        ) from None
    except (ValueError, RecursionError) as error:
        raise SourceError(
            f"not JSON: {error}", where=path, fix="Write it again, from where it came."
        ) from None
    if not isinstance(values, list):
        raise SourceError(
            f"the file holds {kind(values)}, not an array of objects",
            where=path,
            fix="Write [{...}, {...}], or one object a line in a .jsonl file.",
        )
    return SourceTable(str(path), None, numbered(path.name, values))


def _json_lines(path: Path) -> Iterator[SourceRow | SourceProblem]:
    for number, line in enumerate(text_lines(path), start=1):
        where = f"{path.name}:{number}"
        if not line.strip():
            continue
        try:
            yield table_row(where, json.loads(line.decode("utf-8")))
        except UnicodeDecodeError as error:
            yield refused("invalid_utf8", where, f"byte {error.start + 1}: {error.reason}")
        except (ValueError, RecursionError) as error:
            yield refused("bad_json", where, str(error))


def open_parquet(path: Path) -> SourceTable:
    """The rows of a Parquet file, counted from 1."""
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    return SourceTable(str(path), list(file.schema_arrow.names), _rows(path, file))


def _rows(path: Path, file: Any) -> Iterator[SourceRow | SourceProblem]:
    number = 0
    try:
        for batch in read_batches(path, file):
            for values in _values(batch):
                number += 1
                where = f"{path.name}:{number}"
                if isinstance(values, UnicodeDecodeError):
                    yield refused("invalid_utf8", where, str(values.reason))
                elif isinstance(values, OverflowError):
                    yield refused("bad_time", where, f"a time out of all years: {values}")
                else:
                    yield SourceRow(where, values)
    except TooLarge as error:
        raise SourceError(error.what, where=error.where, fix=error.fix) from None
    except MemoryError:
        raise SourceError(
            f"the rows after row {number:,} do not fit into memory",
            where=path,
            fix="Take out rows with such long texts.",
        ) from None
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    finally:
        file.close()


_CellError = UnicodeDecodeError | OverflowError
"""What a single row is refused for: a text that is not UTF-8, a time that no calendar has."""


def _values(batch: Any) -> Iterable[dict[str, Any] | _CellError]:
    """The batch's rows; where one cannot be read, each row by itself."""
    try:
        rows: list[dict[str, Any]] = batch.to_pylist()
    except (UnicodeDecodeError, OverflowError):
        return (_value(batch.slice(n, 1)) for n in range(batch.num_rows))
    return rows


def _value(batch: Any) -> dict[str, Any] | _CellError:
    try:
        row: dict[str, Any] = batch.to_pylist()[0]
    except (UnicodeDecodeError, OverflowError) as error:
        return error
    return row


def _unreadable(path: Path, error: Exception) -> SourceError:
    return SourceError(
        f"not a readable Parquet file: {error}", where=path, fix="Write or download it again."
    )
