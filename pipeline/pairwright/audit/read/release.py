"""A release folder."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pairwright.audit.read.source import Found, PairSource
from pairwright.dataset import Layout, Part, Row, check_files, parts_of, read_rows
from pairwright.errors import InputError

_FIX = "Take the release anew and verify it; or name one Parquet file of data/ by itself."


def is_release(folder: Path) -> bool:
    """Whether a folder has a release's rows; raises InputError where only the rest is missing, or
    something in it cannot be read."""
    parts = parts_of(folder)
    if parts:
        check_files(folder)
    if Layout(folder).manifest.is_file():
        return bool(parts)
    if parts and _released(folder / parts[0].path):
        raise InputError("a release without its manifest.json", where=folder, fix=_FIX)
    return False


def open_release(folder: Path, fallback: str = "") -> PairSource:
    """The rows by configuration and split, under the name that the release gives itself: an audit
    of it is the same wherever it lies. `fallback` or the folder's name is for one without.

    Raises InputError where the release does not say its version.
    """
    parts = parts_of(folder)
    name, version = _stated(Layout(folder))
    return PairSource(
        name=name or fallback or folder.resolve().name,
        kind="release",
        version=version,
        read=partial(_read, folder, parts),
        folder=folder,
        total=_count(folder, parts),
    )


def _read(folder: Path, parts: list[Part]) -> Iterator[Found]:
    for part in parts:
        for number, row in enumerate(read_rows(folder / part.path), start=1):
            yield Found(part.split, row, f"{part.path}:{number}")


def _stated(layout: Layout) -> tuple[str, str]:
    """Name and version; a trial's name says so."""
    try:
        stated = json.loads(layout.provenance.read_text(encoding="utf-8"))
        name = str(stated.get("info", {}).get("name", ""))
        trial = stated.get("kind") == "trial"
        return f"{name}-trial" if name and trial else name, str(stated["version"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise InputError("states no version", where=layout.provenance, fix=_FIX) from None


def _released(path: Path) -> bool:
    try:
        return set(pq.read_schema(path).names) == set(Row.model_fields)
    except (pa.ArrowException, OSError):
        return False


def _count(folder: Path, parts: list[Part]) -> int | None:
    try:
        return sum(int(pq.read_metadata(folder / part.path).num_rows) for part in parts)
    except (pa.ArrowException, OSError):
        return None  # Reading says what is wrong with it.
