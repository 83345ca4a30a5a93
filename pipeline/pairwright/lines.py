"""Records in files: JSON Lines, one JSON document, and batches of rows of any Parquet file."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import jsonlines
from pydantic import ValidationError

from pairwright.errors import InputError, first_invalid
from pairwright.files import write_whole
from pairwright.records import Record

if TYPE_CHECKING:
    import pyarrow as pa

_FIX = "Take this file again from where it came from."
T = TypeVar("T", bound=Record)
BATCH = 100


def write_lines(path: Path, records: Iterable[Record]) -> None:
    """One record a line; the file appears whole or not at all. Raises StoreError."""
    write_whole(path, (f"{record.model_dump_json()}\n" for record in records))


def write_one(path: Path, record: Record) -> None:
    """One record, indented. Raises StoreError."""
    write_whole(path, record.model_dump_json(indent=2) + "\n")


def read_lines(path: Path, kind: type[T], *, fix: str = _FIX) -> Iterator[T]:
    """The records of a file, one a line. Raises InputError with `fix`, naming the line and the
    field."""
    try:
        with path.open("rb") as file:
            yield from jsonlines.Reader(file, loads=kind.model_validate_json)
    except jsonlines.InvalidLineError as error:
        raise unreadable(f"{path}:{error.lineno}", error.__cause__ or error, fix) from None
    except OSError as error:
        raise unreadable(str(path), error, fix) from None


def read_one(path: Path, kind: type[T], *, fix: str = _FIX) -> T:
    """The one record of a file. Raises InputError with `fix`, naming the field."""
    try:
        return kind.model_validate_json(read_document(path, fix=fix))
    except ValidationError as error:
        raise unreadable(str(path), error, fix) from None


def read_document(path: Path, *, fix: str = _FIX) -> str:
    """A whole text. Raises InputError if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(str(path), error, fix) from None


def unreadable(where: str, error: BaseException, fix: str) -> InputError:
    """The error of a file, line or record: what is wrong, with the field where it is JSON."""
    if not isinstance(error, ValidationError):
        what = (isinstance(error, OSError) and error.strerror) or str(error)
        return InputError(what, where=where, fix=fix)
    field, fault = first_invalid(error)
    return InputError(fault, where=f"{where} [{field}]" if field else where, fix=fix)


def read_batches(file: Any) -> Iterator["pa.RecordBatch"]:
    """The rows of an open `ParquetFile`, BATCH of them in memory."""
    for n in range(file.num_row_groups):  # Else groups are unpacked ahead of their turn.
        yield from file.iter_batches(batch_size=BATCH, row_groups=[n])
