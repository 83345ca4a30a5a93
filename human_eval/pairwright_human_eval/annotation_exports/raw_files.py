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

from pydantic import JsonValue, ValidationError

from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright_human_eval.annotation import AnnotationFile
from pairwright_human_eval.annotation_tool import clean_task, read_annotations, with_earlier
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.raw_export import Export, ExportedTask
from pairwright_human_eval.withdrawal import read_withdrawals, without_withdrawn

_IMPORTED, _SIMULATED = "import-", "simulated-"
_AGAIN = "This raw file was changed: pull or import again, and move this one away."


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
    # The same answers again are the same file, no matter when they came.
    name = hashlib.sha256(_content(export, frozenset({"sequence"}))).hexdigest()[:16]
    return folder.raw / f"{_SIMULATED if export.simulated else _IMPORTED}{name}.json"


def next_number(folder: HumanFolder) -> int:
    """The `sequence` of the next file of a tool that notes no time."""
    return 1 + max((read_raw(path).sequence for path in imported_files(folder)), default=0)


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
        export = with_earlier(export, read_raw(path))
    export = without_withdrawn(export, read_withdrawals(folder)).export
    return _write(path, _content(export), export)


def scrub(folder: HumanFolder) -> int:
    """Take what withdrawn people did out of every raw file, and say how many annotations went.

    A file without any annotation that is left goes.
    """
    withdrawals = read_withdrawals(folder)
    removed = 0
    for path in sorted(folder.raw.glob("*.json")):
        export, gone = without_withdrawn(read_raw(path), withdrawals)
        removed += gone
        if not export.annotations and not export.gone and gone:
            with on_disk(path):
                path.unlink()
        else:
            _write(path, _content(export), export)
    return removed


def stored_exports(folder: HumanFolder) -> Iterator[Export]:
    """The raw files in the order of their names, one in memory at a time."""
    for path in sorted(folder.raw.glob("*.json")):
        yield read_raw(path)


def stored_annotations(folder: HumanFolder) -> Iterator[AnnotationFile]:
    """What is in the raw files, in the order of their names."""
    return map(read_annotations, stored_exports(folder))


def read_raw(path: Path) -> Export:
    """A raw file of a study: as pulled, or as stored by `store`. Raises InputError."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be read: {error}", where=path, fix=_AGAIN) from None
    if not isinstance(content, dict):
        raise InputError(
            "is not a raw file", where=path, fix="Move it away, and `human import` it if it is one."
        )
    try:
        tasks = {
            name: tuple(map(_stored, given))
            for name in ("tasks", "gone")
            if isinstance(given := content.get(name), list)
        }
        return Export.model_validate({**content, **tasks, "file": path.name})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(
            f"{'.'.join(map(str, first['loc']))}: {first['msg']}",
            where=path,
            fix=_AGAIN,
        ) from None


def _stored(task: JsonValue) -> ExportedTask:
    if isinstance(task, dict) and "data_hash" in task:
        return ExportedTask.model_validate(task)
    return clean_task(task)


def check_unmixed(folder: HumanFolder, *, simulated: bool) -> None:
    """Raise InputError where the study has answers of the other sort: simulated, or real."""
    others = [p for p in folder.raw.glob("*.json") if _is_simulated(p) != simulated]
    if others:
        there, new = ("real", "simulated") if simulated else ("simulated", "real")
        raise InputError(
            f"{there} answers are here, and a decision cannot keep {new} ones apart from them",
            where=min(others),
            fix=f"Move the {there} ones away (raw/{'*' if simulated else _SIMULATED + '*'}), or use"
            " a copy of the run.",
        )


def _is_simulated(path: Path) -> bool:
    return path.name.startswith(_SIMULATED)


def _content(export: Export, without: frozenset[str] = frozenset()) -> bytes:
    # A file of Label Studio's is written as it was before there were other tools.
    unsaid = {"tool", "seconds", "sequence"} - export.model_fields_set
    return json.dumps(export.model_dump(exclude={"file", *unsaid, *without})).encode() + b"\n"


def _write(path: Path, content: bytes, export: Export) -> StoredFile:
    if path.exists() and path.read_bytes() == content:
        return StoredFile(path, False, export.annotations)
    write_whole(path, content)
    return StoredFile(path, True, export.annotations)
