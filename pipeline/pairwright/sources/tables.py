"""Files as rows with their places. JSON and JSONL are read here; each row is one object.

A file whose name ends with `.gz` is unpacked as it is read.
"""

import codecs
import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.errors import SourceError
from pairwright.sources.fields import kind
from pairwright.sources.problems import SourceProblem

LONGEST = 64_000_000
"""Bytes of one line: a thousand times what a row needs."""


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


def jsonl(path: Path) -> SourceTable:
    """One object a line; a line that is not one is a SourceProblem, and the next one is read."""
    check_text(path)
    return SourceTable(str(path), None, _lines(path))


def json_array(path: Path) -> SourceTable:
    """One array of objects, loaded whole."""
    check_text(path)
    try:
        with _unpacked(path) as file:
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


def numbered(name: str, values: Iterable[object]) -> Iterator[SourceRow | SourceProblem]:
    """Values as rows, counted from 1."""
    return (_row(f"{name}:{number}", value) for number, value in enumerate(values, start=1))


def check_text(path: Path) -> None:
    """Raises SourceError for what is certainly no UTF-8 text."""
    with _unpacked(path) as file:
        start = file.read(4)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise SourceError("UTF-16, not UTF-8", where=path, fix="Save the file as UTF-8.")
    if start.startswith((b"\x1f\x8b", b"PK\x03\x04", b"PAR1")):
        raise SourceError(
            "packed or binary, not text", where=path, fix="Unpack it, or name it by what it is."
        )


def text_lines(path: Path) -> Iterator[bytes]:
    """The file's lines as bytes, without byte order marks (joined files have several).

    Raises SourceError for a line of more than LONGEST bytes: a small packed file can hold one that
    would not fit into memory.
    """
    with _unpacked(path) as file:
        number = 0
        while line := file.readline(LONGEST + 1):
            number += 1
            if len(line) > LONGEST:
                raise SourceError(
                    f"a line of more than {LONGEST:,} bytes",
                    where=f"{path}:{number}",
                    fix="Write one row a line. If the file is one JSON array, name it .json.",
                )
            yield line.removeprefix(codecs.BOM_UTF8)


@contextmanager
def _unpacked(path: Path) -> Iterator[BufferedIOBase]:
    """The file's bytes. Raises SourceError where a packed one is cut off or is not packed."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            yield file
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise SourceError(
            f"not a whole gzip file: {error}", where=path, fix="Write or download it again."
        ) from None


def _lines(path: Path) -> Iterator[SourceRow | SourceProblem]:
    for number, line in enumerate(text_lines(path), start=1):
        where = f"{path.name}:{number}"
        if not line.strip():
            continue
        try:
            yield _row(where, json.loads(line.decode("utf-8")))
        except UnicodeDecodeError as error:
            yield refused("invalid_utf8", where, f"byte {error.start + 1}: {error.reason}")
        except (ValueError, RecursionError) as error:
            yield refused("bad_json", where, str(error))


def _row(where: str, value: object) -> SourceRow | SourceProblem:
    if isinstance(value, dict):
        return SourceRow(where, value)
    return refused("not_an_object", where, f"the row is {kind(value)}, not an object")


def refused(reason: str, where: str, detail: str) -> SourceProblem:
    """The SourceProblem of a row of which nothing is known but its place."""
    return SourceProblem(action="refused", reason=reason, where=where, detail=detail)
