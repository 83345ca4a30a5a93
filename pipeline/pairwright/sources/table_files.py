"""Tables in files: CSV and TSV with the lines on which records start, JSON, JSON Lines and Parquet.

A .csv may have semicolons or tabs, and a first line such as `sep=;` that names the separator.
Parquet is read a batch of rows at a time; its nested values arrive as lists and dicts.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from io import BufferedReader, TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

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
# What `surrogateescape` makes of a byte that is not UTF-8.
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_Records = Iterator[tuple[int, list[str] | str]]
"""Each record's first line, and its cells; what is wrong with it instead, if it is not CSV."""


def open_delimited(path: Path, delimiter: str) -> SourceTable:
    """The records of a file whose first line names the columns."""
    check_text(path, REMEDIES["invalid_utf8"])
    records = _records(path, delimiter)
    columns = _columns(path, records)
    return SourceTable(str(path), columns, (_row(path.name, columns, *one) for one in records))


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
        first = list(islice(_records(path, delimiter), 2))
    except SourceError:
        return False, 0
    widths = [0 if isinstance(cells, str) else len(cells) for _, cells in first]
    if len(widths) == 2 and widths[0] == widths[1] > 1:
        return True, widths[0]
    return False, int(widths[:1] > [1])


tab_separated = partial(open_delimited, delimiter="\t")


def _columns(path: Path, records: _Records) -> list[str]:
    line, cells = next(records, (1, []))
    where = f"{path}:{line}"
    if isinstance(cells, str):
        what = f"the column names are not CSV: {cells}"
        raise SourceError(what, where=where, fix=REMEDIES["bad_csv"])
    columns = [cell.strip() for cell in cells]
    if any(map(_NOT_UTF8.search, columns)):
        what = "the column names hold bytes that are not UTF-8"
        raise SourceError(what, where=where, fix=REMEDIES["invalid_utf8"])
    if twice := [name for name, n in Counter(columns).items() if n > 1]:
        what = f"two columns are named {twice[0]!r}"
        raise SourceError(what, where=where, fix="Rename one of them.")
    return columns


def _records(path: Path, delimiter: str) -> _Records:
    """Each record that is not blank; after one that is not CSV, the next."""
    # The default of 131,072 characters a cell is less than people post.
    csv.field_size_limit(2**31 - 1)
    with unpacked(path) as file:
        # Bytes that are not UTF-8 are kept apart, so that one bad cell does not end the file.
        text = TextIOWrapper(cast(BufferedReader, file), "utf-8-sig", "surrogateescape", newline="")
        lines = bounded_lines(text.readline, path, LONG_LINE, SourceError)
        first = next(lines, "")
        named = _SEPARATOR_LINE.fullmatch(first)
        before = int(named is not None)
        kept = lines if named else chain([first], lines)
        reader = csv.reader(kept, delimiter=named[1] if named else delimiter, strict=True)
        while True:
            start = reader.line_num + before + 1
            try:
                if cells := next(reader):
                    yield start, cells
            except StopIteration:
                return
            except csv.Error as error:
                if "unexpected end" in str(error):
                    raise SourceError(
                        "the record that starts here has a quote that is never closed",
                        where=f"{path}:{start}",
                        fix='Close the quote; a quote inside a cell is written twice ("").',
                    ) from None
                yield start, f"{error} (lines {start} to {reader.line_num + before})"


def _row(
    name: str, columns: list[str], line: int, cells: list[str] | str
) -> SourceRow | SourceProblem:
    where = f"{name}:{line}"
    if isinstance(cells, str):
        return refused("bad_csv", where, cells)
    if any(map(_NOT_UTF8.search, cells)):
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
    where, fix = str(path), "Write [{...}, {...}], or one object a line in a .jsonl file."
    try:
        with unpacked(path) as file:
            data = file.read()
        values = json.loads(data.decode("utf-8-sig"))
        what = f"the file holds {kind(values)}, not an array of objects"
    except MemoryError:
        what = "the array does not fit into memory"
    except UnicodeDecodeError as error:
        where += ":" + str(data.count(b"\n", 0, error.start) + 1)
        what, fix = f"not UTF-8: {error.reason}", "Save the file as UTF-8."
    except json.JSONDecodeError as error:
        where += f":{error.lineno}"
        what = f"not JSON: {error.msg}"
    except (ValueError, RecursionError) as error:
        what = f"not JSON: {error}"
    else:
        if isinstance(values, list):
            return SourceTable(str(path), None, numbered(path.name, values))
    raise SourceError(what, where=where, fix=fix)


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
        what = f"the rows after row {number:,} do not fit into memory"
        raise SourceError(what, where=path, fix="Take out rows with such long texts.") from None
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    finally:
        file.close()


def _values(batch: Any) -> Iterator[dict[str, Any] | UnicodeDecodeError | OverflowError]:
    """The batch's rows; if one cannot be read, each row by itself, or what is wrong with it."""
    try:
        yield from batch.to_pylist()
    except (UnicodeDecodeError, OverflowError) as error:
        if batch.num_rows == 1:
            yield error
        else:
            for n in range(batch.num_rows):
                yield from _values(batch.slice(n, 1))


def _unreadable(path: Path, error: Exception) -> SourceError:
    what = f"not a readable Parquet file: {error}"
    return SourceError(what, where=path, fix="Write or download it again.")
