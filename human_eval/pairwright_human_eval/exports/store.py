"""The raw files of a study: what was imported or pulled, as it was read.

human/private/raw/
    import-HASH.json       a file somebody exported; named by what it holds
    SERVER-PROJECT.json    a project as last pulled
    simulated-HASH.json    by simulated annotators
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright_human_eval.exports.read import read_raw
from pairwright_human_eval.exports.shape import Export, ExportedTask
from pairwright_human_eval.folder import HumanFolder

_IMPORTED, _SIMULATED = "import-", "simulated-"


class StoredFile(NamedTuple):
    """A raw file, and whether it is there for the first time or changed."""

    path: Path
    new: bool
    annotations: int


def store(export: Export, folder: HumanFolder) -> StoredFile:
    """Keep an export under a name made of what it holds. The same one again changes nothing.

    Raises InputError where simulated and real answers would meet.
    """
    check_unmixed(folder, simulated=export.simulated)
    return _write(raw_file(export, folder), _content(export), export)


def raw_file(export: Export, folder: HumanFolder) -> Path:
    """Where `store` keeps an export."""
    name = hashlib.sha256(_content(export)).hexdigest()[:16]
    return folder.raw / f"{_SIMULATED if export.simulated else _IMPORTED}{name}.json"


def imported_files(folder: HumanFolder) -> list[Path]:
    """The raw files of what was imported by hand."""
    return sorted(folder.raw.glob(f"{_IMPORTED}*.json"))


def store_pulled(export: Export, folder: HumanFolder) -> StoredFile:
    """Keep a project as it is on the server now, in place of the last pull of it.

    `export.file` is its name there. Annotations of the last pull that are no longer on the server
    are kept as `gone`. Those that have lost their annotator, because the account was deleted, and
    are otherwise the same are kept as they were.
    """
    check_unmixed(folder, simulated=False)
    path = folder.raw / export.file
    if path.exists():
        before = read_raw(path)
        tasks = tuple(_with_authors(export, before))
        gone = tuple(_gone(before, export))
        export = export.model_copy(update={"tasks": tasks, "gone": gone})
    return _write(path, _content(export), export)


def stored_exports(folder: HumanFolder) -> Iterator[Export]:
    """The raw files in the order of their names, one in memory at a time."""
    for path in sorted(folder.raw.glob("*.json")):
        yield read_raw(path)


def check_unmixed(folder: HumanFolder, *, simulated: bool) -> None:
    """Raise InputError where the study has answers of the other sort: simulated, or real."""
    others = [p for p in folder.raw.glob("*.json") if _is_simulated(p) != simulated]
    if others:
        there, new = ("real", "simulated") if simulated else ("simulated", "real")
        raise InputError(
            f"{there} answers are here, and {new} ones cannot be told from them in a decision",
            where=min(others),
            fix=f"Move the {there} ones away (raw/{'*' if simulated else _SIMULATED + '*'}), or use"
            " a copy of the run.",
        )


def _is_simulated(path: Path) -> bool:
    return path.name.startswith(_SIMULATED)


def _gone(before: Export, now: Export) -> Iterator[ExportedTask]:
    there = {_identity(a) for task in now.tasks for a in task.annotations}
    for task in (*before.tasks, *before.gone):
        lost = tuple(a for a in task.annotations if _identity(a) not in there)
        if lost:
            there.update(map(_identity, lost))
            yield task.model_copy(update={"annotations": lost, "drafts": 0})


def _with_authors(now: Export, before: Export) -> Iterator[ExportedTask]:
    known = {
        (_identity(a), a.get("updated_at")): a
        for task in before.tasks
        for a in task.annotations
        if isinstance(a, dict) and a.get("completed_by") is not None
    }
    for task in now.tasks:
        annotations = tuple(
            known.get((_identity(a), a.get("updated_at")), a)
            if isinstance(a, dict) and a.get("completed_by") is None
            else a
            for a in task.annotations
        )
        yield task.model_copy(update={"annotations": annotations})


def _identity(annotation: JsonValue) -> JsonValue:
    return annotation.get("unique_id") if isinstance(annotation, dict) else None


def _content(export: Export) -> bytes:
    return json.dumps(export.model_dump(exclude={"file"})).encode() + b"\n"


def _write(path: Path, content: bytes, export: Export) -> StoredFile:
    if path.exists() and path.read_bytes() == content:
        return StoredFile(path, False, export.annotations)
    write_whole(path, content)
    return StoredFile(path, True, export.annotations)
