"""Records in files: JSON Lines, one JSON document, and batches of rows of any Parquet file. Each
has a bound, since a small packed file can hold more than fits into memory."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, AnyStr, TypeVar

import jsonlines
from pydantic import ValidationError

from pairwright.errors import InputError, first_invalid
from pairwright.files import whole_file, write_whole
from pairwright.records import Record

if TYPE_CHECKING:
    import pyarrow as pa

_FIX = "Take this file again from where it came from."
T = TypeVar("T", bound=Record)
LONGEST = 64_000_000
"""Bytes of one line: a thousand times what a line of a release needs."""
LARGEST = 512_000_000
"""Bytes of a document or group of rows that is read at once; of rows only if the file packs them by
more than `RATIO`."""
LONGEST_VALUE = 16_000_000
"""Bytes of a value of a row."""
BATCH, RATIO = 100, 100


def write_lines(path: Path, records: Iterable[Record]) -> None:
    """One record a line; the file appears whole or not at all. Raises StoreError."""
    with whole_file(path) as file:
        jsonlines.Writer(file, dumps=_json).write_all(records)


def _json(record: Record | dict[str, object]) -> str:
    # `jsonlines` calls its encoder with an empty object once, to see whether that gives text.
    return record.model_dump_json() if isinstance(record, Record) else "{}"


def write_one(path: Path, record: Record) -> None:
    """One record, indented. Raises StoreError."""
    write_whole(path, record.model_dump_json(indent=2) + "\n")


def read_lines(path: Path, kind: type[T], *, fix: str = _FIX) -> Iterator[T]:
    """The records of a file, one a line of at most LONGEST bytes. Raises InputError with `fix`,
    naming the line and the field."""
    try:
        with path.open("rb") as file:
            lines = bounded_lines(file.readline, path, fix)
            yield from jsonlines.Reader(lines, loads=kind.model_validate_json)
    except jsonlines.InvalidLineError as error:
        raise unreadable(f"{path}:{error.lineno}", error.__cause__ or error, fix) from None
    except OSError as error:
        raise unreadable(str(path), error, fix) from None


def read_one(path: Path, kind: type[T], *, fix: str = _FIX) -> T:
    """The one record of a file of at most LARGEST bytes. Raises InputError with `fix`, naming the
    field."""
    try:
        return kind.model_validate_json(read_document(path, fix=fix))
    except ValidationError as error:
        raise unreadable(str(path), error, fix) from None


def read_document(path: Path, largest: int = LARGEST, *, fix: str = _FIX) -> str:
    """A whole text. Raises InputError if it cannot be read, or has more than `largest` bytes."""
    try:
        if (size := path.stat().st_size) > largest:
            what = f"has {size:,} bytes, and may have {largest:,}"
            raise InputError(what, where=path, fix=fix)
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(str(path), error, fix) from None


def bounded_lines(
    readline: Callable[[int], AnyStr], path: Path, fix: str, error: type[InputError] = InputError
) -> Iterator[AnyStr]:
    """The lines of an open file, by its `readline`. Raises `error` if one has more than LONGEST
    bytes or characters: a small packed file can hold one that would not fit into memory."""
    number = 0
    while line := readline(LONGEST + 1):
        number += 1
        if len(line) > LONGEST:
            what = f"a line of more than {LONGEST:,} bytes"
            raise error(what, where=f"{path}:{number}", fix=fix)
        yield line


def unreadable(where: str, error: BaseException, fix: str) -> InputError:
    """The error of a file, line or record: what is wrong, with the field where it is JSON."""
    if not isinstance(error, ValidationError):
        what = (isinstance(error, OSError) and error.strerror) or str(error)
        return InputError(what, where=where, fix=fix)
    field, fault = first_invalid(error)
    return InputError(fault, where=f"{where} [{field}]" if field else where, fix=fix)


class TooLarge(InputError):
    """A value or a group of rows that is not read."""


def read_batches(path: Path, file: Any) -> Iterator["pa.RecordBatch"]:
    """The rows of an open `ParquetFile`. Raises TooLarge, naming the row, for a value or group of
    rows that is too large."""
    number, fix = 0, "Take out rows with such long texts."
    for n in range(file.num_row_groups):  # Else groups are unpacked ahead of their turn.
        group = file.metadata.row_group(n)
        size = group.total_byte_size
        packed = sum(group.column(at).total_compressed_size for at in range(group.num_columns))
        if size > max(LARGEST, RATIO * packed):
            what = f"rows {number + 1} to {number + group.num_rows} have {size:,} bytes, of"
            raise TooLarge(f"{what} {LARGEST:,}", where=f"{path}:{number + 1}", fix=fix)
        for batch in file.iter_batches(batch_size=BATCH, row_groups=[n]):
            for row, name, size in _long_values(batch):
                what, where = f"a value of {size:,} bytes, of {LONGEST_VALUE:,}", number + row + 1
                raise TooLarge(what, where=f"{path}:{where} [{name}]", fix=fix)
            number += batch.num_rows
            yield batch


def _long_values(batch: "pa.RecordBatch") -> Iterator[tuple[int, str, int]]:
    """The row, column and bytes of each value that is too long."""
    if batch.get_total_buffer_size() <= LONGEST_VALUE or batch.nbytes <= LONGEST_VALUE:
        return
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        whole = column.dictionary_decode() if hasattr(column, "dictionary_decode") else column
        sizes = (whole.slice(row, 1).nbytes for row in range(batch.num_rows))
        yield from ((row, name, n) for row, n in enumerate(sizes) if n > LONGEST_VALUE)
