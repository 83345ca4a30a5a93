"""Records in files: JSON lines, and one JSON document."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright.records import Record

T = TypeVar("T", bound=Record)


def write_lines(path: Path, records: Iterable[Record]) -> None:
    """One record a line; the file appears whole or not at all. Raises StoreError."""
    write_whole(path, (record.model_dump_json() + "\n" for record in records))


def write_one(path: Path, record: Record) -> None:
    """One record, indented. Raises StoreError."""
    write_whole(path, record.model_dump_json(indent=2) + "\n")


def read_lines(path: Path, kind: type[T]) -> Iterator[T]:
    """The records of a file, one a line. Raises InputError naming the line and the field."""
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                yield _record(f"{path}:{number}", line, kind)
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(str(path), _told(error)) from None


def read_one(path: Path, kind: type[T]) -> T:
    """The one record of a file. Raises InputError naming the field."""
    try:
        return _record(str(path), path.read_text(encoding="utf-8"), kind)
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(str(path), _told(error)) from None


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
