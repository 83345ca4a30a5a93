"""A table of a source: rows with their places, and the lines of the text file they are in.

A file whose name ends with `.gz` is unpacked as it is read.
"""

import codecs
import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from io import BufferedIOBase
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.dataset.lines import bounded_lines
from pairwright.errors import InputError, SourceError
from pairwright.sources.fields import kind
from pairwright.sources.problems import SourceProblem


class SourceRow(NamedTuple):
    """One row and its place, as a problem names it."""

    where: str
    fields: dict[str, Any]


class SourceTable(NamedTuple):
    """The rows of one source. `columns` is None where only the rows know theirs."""

    source: str
    columns: list[str] | None
    rows: Iterator[SourceRow | SourceProblem]


Opener = Callable[[Path], SourceTable]


def content_hash(parts: Iterable[bytes | Path]) -> str:
    """`b2:` and a hash of bytes and of what files hold, one after the other."""
    digest = blake2b(digest_size=16)
    for part in parts:
        if isinstance(part, bytes):
            digest.update(part)
            continue
        with part.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    return f"b2:{digest.hexdigest()}"


def check_readable(path: Path, missing: str) -> None:
    """Raises SourceError for a file that is not there (`missing` is what to do then), that cannot
    be read, or that is empty."""
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except FileNotFoundError:
        raise SourceError("no such file", where=path, fix=missing) from None
    except OSError as error:
        raise SourceError(
            f"cannot be read: {error.strerror}", where=path, fix="Check its permissions."
        ) from None
    if empty:
        raise SourceError("the file is empty", where=path, fix="Write or download it again.")


def sound_rows(path: Path, opener: Opener, fix: str) -> tuple[list[str], Iterator[SourceRow]]:
    """The columns of a file's table, none where only its rows know theirs, and the rows, each with
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


def numbered(name: str, values: Iterable[object]) -> Iterator[SourceRow | SourceProblem]:
    """Values as rows, counted from 1."""
    return (table_row(f"{name}:{number}", value) for number, value in enumerate(values, start=1))


def check_text(path: Path, fix: str = "Save the file as UTF-8.") -> None:
    """Raises SourceError for what is certainly no UTF-8 text; `fix` is what to do about UTF-16."""
    with unpacked(path) as file:
        start = file.read(4)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise SourceError("UTF-16, not UTF-8", where=path, fix=fix)
    if start.startswith((b"\x1f\x8b", b"PK\x03\x04", b"PAR1")):
        raise SourceError(
            "packed or binary, not text", where=path, fix="Unpack it, or name it by what it is."
        )


LONG_LINE = "Write one row a line. If the file is one JSON array, name it .json."
"""What to do about a line that is longer than any that is read."""


def text_lines(path: Path) -> Iterator[bytes]:
    """The file's lines as bytes, without byte order marks (joined files have several). Raises
    SourceError."""
    with unpacked(path) as file:
        for line in bounded_lines(file.readline, path, LONG_LINE, SourceError):
            yield line.removeprefix(codecs.BOM_UTF8)


@contextmanager
def unpacked(path: Path) -> Iterator[BufferedIOBase]:
    """The file's bytes. Raises SourceError where a packed one is cut off or is not packed."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            yield file
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise SourceError(
            f"not a whole gzip file: {error}", where=path, fix="Write or download it again."
        ) from None


def table_row(where: str, value: object) -> SourceRow | SourceProblem:
    """A value as a row; a SourceProblem where it is not an object."""
    if isinstance(value, dict):
        return SourceRow(where, value)
    return refused("not_an_object", where, f"the row is {kind(value)}, not an object")


def refused(reason: str, where: str, detail: str) -> SourceProblem:
    """The SourceProblem of a row of which nothing is known but its place."""
    return SourceProblem(action="refused", reason=reason, where=where, detail=detail)
