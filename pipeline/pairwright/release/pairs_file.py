"""The kept pairs of a run, one subject in memory at a time."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pydantic import ValidationError

from pairwright.errors import InputError
from pairwright.records import Pair
from pairwright_human_eval.subjects import Subject, subjects_of

_FIX = "Build again: pairs.jsonl is derived from the run folder's store."


class LineSpan(NamedTuple):
    """The lines of a subject in pairs.jsonl."""

    offset: int
    lines: int
    number: int
    """The number of its first line, from 1."""


def subjects_in(path: Path) -> Iterator[tuple[LineSpan, Subject]]:
    """Every subject with its place.

    Raises InputError for a line that is not a pair, for half a twin, and for a subject that occurs
    twice.
    """
    names = set[str]()
    try:
        with path.open("rb") as file:
            for name, group in groupby(_lines(file, path), key=lambda line: line[2]):
                lines = list(group)
                number, offset = lines[0][:2]
                if name in names:
                    raise InputError(f"{name} is there twice", where=f"{path}:{number}", fix=_FIX)
                names.add(name)
                (subject,) = subjects_of((pair for *_, pair in lines), path)
                yield LineSpan(offset, len(lines), number), subject
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            where=path,
            fix="Name a run folder whose build has finished.",
        ) from None


def subject_at(file: BinaryIO, place: LineSpan, path: Path) -> Subject:
    """The subject at a place that `subjects_in` found."""
    file.seek(place.offset)
    lines = enumerate((file.readline() for _ in range(place.lines)), start=place.number)
    (subject,) = subjects_of((_pair(line, path, number) for number, line in lines), path)
    return subject


def _lines(file: BinaryIO, path: Path) -> Iterator[tuple[int, int, str, Pair]]:
    """Number and offset of each line, the name of its subject, and the pair."""
    offset = 0
    for number, line in enumerate(file, start=1):
        pair = _pair(line, path, number)
        yield number, offset, pair.twin_id or pair.id, pair
        offset += len(line)


def _pair(line: bytes, path: Path, number: int) -> Pair:
    try:
        return Pair.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(map(str, first["loc"]))
        raise InputError(
            f"not a pair: {at}: {first['msg']}", where=f"{path}:{number}", fix=_FIX
        ) from None
