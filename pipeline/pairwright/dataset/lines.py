"""Records in files: JSON lines, and one JSON document."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

from pydantic import ValidationError

from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright.records import Record

T = TypeVar("T", bound=Record)
LONGEST = 64_000_000
"""Bytes of one line: a thousand times what a line of a release needs."""
LARGEST = 512_000_000
"""Bytes of a document that is read at once, such as an audit."""


def write_lines(path: Path, records: Iterable[Record]) -> None:
    """One record a line; the file appears whole or not at all. Raises StoreError."""
    write_whole(path, (record.model_dump_json() + "\n" for record in records))


def write_one(path: Path, record: Record) -> None:
    """One record, indented. Raises StoreError."""
    write_whole(path, record.model_dump_json(indent=2) + "\n")


def read_lines(path: Path, kind: type[T]) -> Iterator[T]:
    """The records of a file, one a line of at most LONGEST bytes. Raises InputError naming the line
    and the field."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(_lines(file, path), start=1):
                yield _record(f"{path}:{number}", line.decode(), kind)
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(str(path), _told(error)) from None


def read_one(path: Path, kind: type[T]) -> T:
    """The one record of a file of at most LARGEST bytes. Raises InputError naming the field."""
    return _record(str(path), read_document(path), kind)


def read_document(path: Path, largest: int = LARGEST) -> str:
    """A whole text. Raises InputError where it cannot be read, or is larger than `largest` bytes:
    what would not fit into memory is not read."""
    try:
        if (size := path.stat().st_size) > largest:
            raise _unreadable(str(path), f"has {size:,} bytes, and may have {largest:,}")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(str(path), _told(error)) from None


def _lines(file: BinaryIO, path: Path) -> Iterator[bytes]:
    number = 0
    while line := file.readline(LONGEST + 1):
        number += 1
        if len(line) > LONGEST:
            raise _unreadable(f"{path}:{number}", f"a line of more than {LONGEST:,} bytes")
        yield line


def _record(where: str, text: str, kind: type[T]) -> T:
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(map(str, first["loc"]))
        raise _unreadable(f"{where} [{at}]" if at else where, first["msg"]) from None


def _told(error: OSError | UnicodeDecodeError) -> str:
    """Without the path, which is told beside it."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _unreadable(where: str, what: str) -> InputError:
    return InputError(what, where=where, fix="Take this file anew from where it came from.")
