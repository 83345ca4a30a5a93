"""Tables in files as rows with file and line: CSV, TSV, JSON, JSON Lines and Parquet.

A bad row is a SourceProblem and the next one is read; a file of no use is a SourceError. A file
whose name ends with `.gz` is unpacked as it is read.
"""

import codecs
import csv
import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BufferedIOBase, BufferedReader, TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, cast

import pyarrow as pa
import pyarrow.parquet as pq

from pairwright.errors import InputError, SourceError
from pairwright.lines import bounded_lines
from pairwright.parquet_batches import read_batches
from pairwright.sources.dates import kind
from pairwright.sources.problems import REMEDIES, SourceProblem, SourceRefusal


class SourceRow(NamedTuple):
    """One row and its place, as a problem names it."""

    where: str
    fields: dict[str, Any]


Rows = Iterator[SourceRow | SourceProblem]


class SourceTable(NamedTuple):
    """The rows of one source. `columns` is None if only the rows know theirs."""

    source: str
    columns: list[str] | None
    rows: Rows


Opener = Callable[[Path], SourceTable]
AGAIN = "Write or download it again."


def numbered(name: str, values: Iterable[object]) -> Rows:
    """Values as rows, counted from 1."""
    return (_table_row(f"{name}:{number}", value) for number, value in enumerate(values, start=1))


def sound_rows(path: Path, opener: Opener, fix: str) -> tuple[list[str], Iterator[SourceRow]]:
    """The columns of a file's table (none if only its rows know theirs), and its rows, each with
    the file's path and the line as its place.

    Raises InputError, when it is reached, for what is not a row: here nothing is left out.
    """
    table = opener(path)

    def rows() -> Iterator[SourceRow]:
        for row in table.rows:
            where = str(path.with_name(row.where))
            if isinstance(row, SourceProblem):
                raise InputError(row.detail, where=where, fix=fix)
            yield SourceRow(where, row.fields)

    return table.columns or [], rows()


def _table_row(where: str, value: object) -> SourceRow | SourceProblem:
    what = f"the row is {kind(value)}, not an object"
    return (
        SourceRow(where, value) if isinstance(value, dict) else _bad("not_an_object", where, what)
    )


def _bad(reason: str, where: str, detail: str) -> SourceProblem:
    return SourceRefusal(reason, detail).at(where, None)


# Text

_LONG_LINE = "Write one row a line. If the file is one JSON array, name it .json."


@contextmanager
def _opened(path: Path) -> Iterator[BufferedIOBase]:
    """The bytes of a file of text. Raises SourceError if they cannot be read."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            yield file
    except (OSError, EOFError, zlib.error) as error:
        what = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        raise SourceError(what, where=path, fix=AGAIN) from None


# CSV and TSV

# What `surrogateescape` makes of a byte that is not UTF-8.
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


def delimited(path: Path, separators: str) -> SourceTable:
    """The records of a file whose first line names the columns: of the separators, it holds the
    one that divides the cells most often."""
    records = _records(path, separators)
    line, cells = next(records, (1, list[str]()))
    columns = [cell.strip() for cell in cells]
    what, fix = "", REMEDIES["bad_csv"]
    if isinstance(cells, str):
        what = f"the column names are not CSV: {cells}"
    elif any(map(_NOT_UTF8.search, columns)):
        what, fix = "the column names are not UTF-8", REMEDIES["invalid_utf8"]
    elif twice := [name for name, n in Counter(columns).items() if n > 1]:
        what, fix = f"two columns are named {twice[0]!r}", "Rename one of them."
    if what:
        raise SourceError(what, where=f"{path}:{line}", fix=fix)
    return SourceTable(str(path), columns, (_cells(path.name, columns, *one) for one in records))


def _records(path: Path, separators: str) -> Iterator[tuple[int, list[str] | str]]:
    """Each record's first line, and its cells or what is wrong with it; blank ones are left out."""
    # The default of 131,072 characters a cell is less than people post.
    csv.field_size_limit(2**31 - 1)
    with _opened(path) as file:
        # Bytes that are not UTF-8 are kept apart, so that one bad cell does not end the file.
        text = TextIOWrapper(cast(BufferedReader, file), "utf-8-sig", "surrogateescape", newline="")
        lines = bounded_lines(text.readline, path, _LONG_LINE, SourceError)
        first = next(lines, "")
        delimiter = max(separators, key=first.count)
        reader = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
        while True:
            start = reader.line_num + 1
            try:
                if cells := next(reader):
                    yield start, cells
            except StopIteration:
                return
            except csv.Error as error:
                if "unexpected end" in str(error):
                    what, where = "a quote that is never closed", f"{path}:{start}"
                    raise SourceError(what, where=where, fix=REMEDIES["bad_csv"]) from None
                yield start, f"{error} (lines {start} to {reader.line_num})"


def _cells(
    name: str, columns: list[str], line: int, cells: list[str] | str
) -> SourceRow | SourceProblem:
    where = f"{name}:{line}"
    if isinstance(cells, str):
        return _bad("bad_csv", where, cells)
    if any(map(_NOT_UTF8.search, cells)):
        return _bad("invalid_utf8", where, "the record holds bytes that are not UTF-8")
    if len(cells) != len(columns):
        return _bad("ragged_row", where, f"{len(cells)} cells in {len(columns)} columns")
    return SourceRow(where, dict(zip(columns, cells, strict=True)))


# JSON


def jsonl(path: Path) -> SourceTable:
    """One object a line."""
    return SourceTable(str(path), None, _json_lines(path))


def _json_lines(path: Path) -> Rows:
    with _opened(path) as file:
        lines = bounded_lines(file.readline, path, _LONG_LINE, SourceError)
        for number, line in enumerate(lines, start=1):
            where = f"{path.name}:{number}"
            text = line.removeprefix(codecs.BOM_UTF8)  # Joined files have several.
            if not text.strip():
                continue
            try:
                yield _table_row(where, json.loads(text.decode("utf-8")))
            except UnicodeDecodeError as error:
                yield _bad("invalid_utf8", where, f"not UTF-8: {error.reason}")
            except (ValueError, RecursionError) as error:
                yield _bad("bad_json", where, str(error))


def _json_array(path: Path) -> SourceTable:
    """One array of objects, loaded whole."""
    try:
        with _opened(path) as file:
            values = json.loads(file.read().decode("utf-8-sig"))
        what = f"the file holds {kind(values)}, not an array of objects"
    except (ValueError, RecursionError) as error:
        values, what = None, f"not JSON in UTF-8: {error}"
    if isinstance(values, list):
        return SourceTable(str(path), None, numbered(path.name, values))
    fix = "Write [{...}, {...}], or one object a line in a .jsonl file."
    raise SourceError(what, where=path, fix=fix)


# Parquet


def open_parquet(path: Path) -> SourceTable:
    """The rows of a Parquet file, counted from 1, a batch of them in memory."""
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    values = _parquet_values(path, file)
    return SourceTable(str(path), list(file.schema_arrow.names), numbered(path.name, values))


def _parquet_values(path: Path, file: Any) -> Iterator[dict[str, Any]]:
    try:
        for batch in read_batches(path, file):
            yield from batch.to_pylist()
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        raise _unreadable(path, error) from None
    finally:
        file.close()


def _unreadable(path: Path, error: Exception) -> SourceError:
    return SourceError(f"not a readable Parquet file: {error}", where=path, fix=AGAIN)


comma_separated = partial(delimited, separators=",;\t")
OPENERS: dict[str, Opener] = {
    ".json": _json_array,
    ".jsonl": jsonl,
    ".csv": comma_separated,
    ".tsv": partial(delimited, separators="\t"),
    ".parquet": open_parquet,
}
"""By suffix, how a file of rows is opened."""
BINARY = (".parquet",)
"""Suffixes of files that are not text, and that nobody packs with gzip."""
FLAT = (".csv", ".tsv")
"""Suffixes of files whose cells hold no lists."""
