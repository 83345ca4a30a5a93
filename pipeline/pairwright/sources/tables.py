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
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, cast

import pyarrow as pa
import pyarrow.parquet as pq

from pairwright.dataset.lines import bounded_lines
from pairwright.dataset.parquet_batches import TooLarge, read_batches
from pairwright.errors import InputError, SourceError
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

    Raises InputError with `fix` for a file that cannot be read and, when it is reached, for what is
    not a row: here nothing is left out.
    """
    try:
        table = opener(path)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=path, fix=fix) from None

    def rows() -> Iterator[SourceRow]:
        for row in table.rows:
            where = str(path.with_name(row.where))
            if isinstance(row, SourceProblem):
                raise InputError(row.detail, where=where, fix=fix)
            yield SourceRow(where, row.fields)

    return table.columns or [], rows()


def _table_row(where: str, value: object) -> SourceRow | SourceProblem:
    if isinstance(value, dict):
        return SourceRow(where, value)
    return _refused("not_an_object", where, f"the row is {kind(value)}, not an object")


def _refused(reason: str, where: str, detail: str) -> SourceProblem:
    return SourceRefusal(reason, detail).at(where, None)


# Text

_LONG_LINE = "Write one row a line. If the file is one JSON array, name it .json."


@contextmanager
def _text(path: Path) -> Iterator[BufferedIOBase]:
    """The bytes of a file of text. Raises SourceError for what is certainly no UTF-8."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            start = file.read(4)
            file.seek(0)
            if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                fix = REMEDIES["invalid_utf8"]
                raise SourceError("UTF-16, not UTF-8", where=path, fix=fix)
            if start.startswith((b"\x1f\x8b", b"PK\x03\x04", b"PAR1")):
                fix = "Unpack it, or name it by what it is."
                raise SourceError("packed or binary, not text", where=path, fix=fix)
            yield file
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise SourceError(f"not a whole gzip file: {error}", where=path, fix=AGAIN) from None


# CSV and TSV

_SEPARATORS = (",", ";", "\t")
_SEPARATOR_LINE = re.compile(r"sep=([,;\t|])\r?\n?")
# What `surrogateescape` makes of a byte that is not UTF-8.
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_Records = Iterator[tuple[int, list[str] | str]]
"""Each record's first line, and its cells; what is wrong with it instead, if it is not CSV."""


def _delimited(path: Path, delimiter: str) -> SourceTable:
    """The records of a file whose first line names the columns."""
    records = _records(path, delimiter)
    columns = _columns(path, records)
    return SourceTable(str(path), columns, (_cells(path.name, columns, *one) for one in records))


def comma_separated(path: Path) -> SourceTable:
    """The records of a .csv file, which may have semicolons or tabs: its separator gives the first
    record of values as many cells as there are column names, and the most of them; if none does,
    it divides the column names."""
    return _delimited(path, max(_SEPARATORS, key=partial(_fit, path)))


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
    with _text(path) as file:
        # Bytes that are not UTF-8 are kept apart, so that one bad cell does not end the file.
        text = TextIOWrapper(cast(BufferedReader, file), "utf-8-sig", "surrogateescape", newline="")
        lines = bounded_lines(text.readline, path, _LONG_LINE, SourceError)
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


def _cells(
    name: str, columns: list[str], line: int, cells: list[str] | str
) -> SourceRow | SourceProblem:
    where = f"{name}:{line}"
    if isinstance(cells, str):
        return _refused("bad_csv", where, cells)
    if any(map(_NOT_UTF8.search, cells)):
        return _refused("invalid_utf8", where, "the record holds bytes that are not UTF-8")
    if len(cells) != len(columns):
        return _refused("ragged_row", where, f"{len(cells)} cells in {len(columns)} columns")
    return SourceRow(where, dict(zip(columns, cells, strict=True)))


# JSON


def jsonl(path: Path) -> SourceTable:
    """One object a line."""
    with _text(path):
        pass  # A file that cannot be read is told now, and not with its first row.
    return SourceTable(str(path), None, _json_lines(path))


def _json_lines(path: Path) -> Rows:
    with _text(path) as file:
        lines = bounded_lines(file.readline, path, _LONG_LINE, SourceError)
        for number, line in enumerate(lines, start=1):
            where = f"{path.name}:{number}"
            text = line.removeprefix(codecs.BOM_UTF8)  # Joined files have several.
            if not text.strip():
                continue
            try:
                yield _table_row(where, json.loads(text.decode("utf-8")))
            except UnicodeDecodeError as error:
                yield _refused("invalid_utf8", where, f"byte {error.start + 1}: {error.reason}")
            except (ValueError, RecursionError) as error:
                yield _refused("bad_json", where, str(error))


def _json_array(path: Path) -> SourceTable:
    """One array of objects, loaded whole."""
    where, fix = str(path), "Write [{...}, {...}], or one object a line in a .jsonl file."
    try:
        with _text(path) as file:
            values = json.loads(file.read().decode("utf-8-sig"))
        if isinstance(values, list):
            return SourceTable(str(path), None, numbered(path.name, values))
        what = f"the file holds {kind(values)}, not an array of objects"
    except json.JSONDecodeError as error:
        where, what = f"{path}:{error.lineno}", f"not JSON: {error.msg}"
    except UnicodeDecodeError as error:
        what, fix = f"not UTF-8: {error.reason}, byte {error.start + 1}", "Save the file as UTF-8."
    except (ValueError, RecursionError, MemoryError) as error:
        what = f"not JSON, or more than fits into memory: {error}"
    raise SourceError(what, where=where, fix=fix)


# Parquet


def open_parquet(path: Path) -> SourceTable:
    """The rows of a Parquet file, counted from 1, a batch of them in memory."""
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    return SourceTable(str(path), list(file.schema_arrow.names), _parquet_rows(path, file))


def _parquet_rows(path: Path, file: Any) -> Rows:
    number = 0
    try:
        for values in chain.from_iterable(map(_values, read_batches(path, file))):
            number += 1
            where = f"{path.name}:{number}"
            if isinstance(values, UnicodeDecodeError):
                yield _refused("invalid_utf8", where, str(values.reason))
            elif isinstance(values, OverflowError):
                yield _refused("bad_time", where, f"a time out of all years: {values}")
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
    return SourceError(f"not a readable Parquet file: {error}", where=path, fix=AGAIN)


OPENERS: dict[str, Opener] = {
    ".json": _json_array,
    ".jsonl": jsonl,
    ".csv": comma_separated,
    ".tsv": partial(_delimited, delimiter="\t"),
    ".parquet": open_parquet,
}
"""By suffix, how a file of rows is opened."""
BINARY = (".parquet",)
"""Suffixes of files that are not text, and that nobody packs with gzip."""
FLAT = (".csv", ".tsv")
"""Suffixes of files whose cells hold no lists."""
