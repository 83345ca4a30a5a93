"""Files that people exported by hand: taken in, and taken back.

`human/private/imports.jsonl` has a line for every import that added something: the names of the
files as they were given, and the raw files made of them.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pairwright.dataset import read_lines, write_lines
from pairwright.errors import InputError, on_disk
from pairwright.records import Record
from pairwright_human_eval.annotation import Export
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.raw_files import (
    Withdrawal,
    check_unmixed,
    imported_files,
    next_number,
    raw_file,
    read_export,
    read_withdrawals,
    store,
    without_withdrawn,
)
from pairwright_human_eval.records import KeyedTask, Study


class ImportedFile(Record):
    """One file of an import."""

    file: str
    """Its name as it was given, without its folder."""
    raw: str
    """The name under `raw/`."""


class ImportRecord(Record):
    """A line of imports.jsonl: what one import added."""

    files: tuple[ImportedFile, ...]


class ImportResult(NamedTuple):
    """What became of the files of an import."""

    added: tuple[ImportedFile, ...]
    repeated: tuple[str, ...]
    """Files that hold what an earlier one held, to the letter: nothing was added."""
    refused: tuple[InputError, ...]
    """Why a file was not taken in. Nothing of it is kept."""


def import_files(
    paths: Iterable[Path], folder: HumanFolder, key: Mapping[str, KeyedTask], study: Study
) -> ImportResult:
    """Take in every file that is an export of the study, even where others are refused.

    A file that names no task of the `key` is not kept, so that a stranger's texts are never in the
    study. Raises InputError where simulated answers are.
    """
    check_unmixed(folder, simulated=False)
    before, withdrawals = list(read_imports(folder)), read_withdrawals(folder)
    added: list[ImportedFile] = []
    repeated: list[str] = []
    refused: list[InputError] = []
    for path in paths:
        try:
            export = read_export(path, key, study)
            _check_study(path, export, key)
            export = _without_withdrawn(path, export, withdrawals)
        except InputError as error:
            refused.append(error)
            continue
        if export.tool == "spreadsheet":
            export = export.model_copy(update={"sequence": next_number(folder)})
        raw = raw_file(export, folder)
        if raw.exists():
            repeated.append(path.name)
            continue
        # A name may hold bytes that are not text.
        name = path.name.encode(errors="replace").decode()
        added.append(ImportedFile(file=name, raw=raw.name))
        # First the record, so that all that is there can be taken back.
        _write(folder, [*before, ImportRecord(files=tuple(added))])
        store(export, folder)
    return ImportResult(tuple(added), tuple(repeated), tuple(refused))


def forget_removed(folder: HumanFolder) -> None:
    """Take files that are gone off the record: their names may name people."""
    imports = list(read_imports(folder))
    left = (
        tuple(file for file in record.files if (folder.raw / file.raw).exists())
        for record in imports
    )
    if imports:
        _write(folder, [ImportRecord(files=files) for files in left if files])


def undo_import(folder: HumanFolder, names: Sequence[str] = ()) -> tuple[ImportedFile, ...]:
    """Remove the raw files of the last import, or those of the named files.

    A name is that of a file as it was given, or of its raw file. Raises InputError for a name that
    nothing or several files have, and where there is nothing to take back.
    """
    imports = list(read_imports(folder))
    if names:
        imported = [file for record in imports for file in record.files]
        recorded = {file.raw for file in imported}
        # An earlier version kept no record of its imports.
        imported += [
            ImportedFile(file=path.name, raw=path.name)
            for path in imported_files(folder)
            if path.name not in recorded
        ]
        gone = tuple(dict.fromkeys(_named(name, imported) for name in names))
    elif imports:
        gone = imports[-1].files
    else:
        raise InputError(
            "no import is on record here",
            where=folder.imports,
            fix=_name_one(path.name for path in imported_files(folder)),
        )
    for file in gone:
        path = folder.raw / file.raw
        with on_disk(path):
            path.unlink(missing_ok=True)
    left = (tuple(file for file in record.files if file not in gone) for record in imports)
    _write(folder, [ImportRecord(files=files) for files in left if files])
    return gone


def read_imports(folder: HumanFolder) -> Iterable[ImportRecord]:
    """The imports on record, the oldest first. Raises InputError for a damaged line."""
    if not folder.imports.exists():
        return
    fix = (
        "The file was changed: remove it. `human import --undo import-HASH.json` takes back a raw"
        " file without it."
    )
    yield from read_lines(folder.imports, ImportRecord, fix=fix)


def _check_study(path: Path, export: Export, study: Container[str]) -> None:
    if not any(task.task in study for task in export.tasks):
        raise InputError(
            f"holds no task of this study: none of its {len(export.tasks):,} tasks was exported"
            " by it",
            where=path,
            fix="Nothing of it was kept. Give the export of a project of this study, or name the"
            " run that the file belongs to.",
        )


def _without_withdrawn(path: Path, export: Export, withdrawals: Sequence[Withdrawal]) -> Export:
    scrubbed, removed = without_withdrawn(export, withdrawals)
    if removed and not scrubbed.annotations:
        raise InputError(
            "holds only answers of a person who has withdrawn",
            where=path,
            fix="Nothing of it was kept: delete the file.",
        )
    return scrubbed


def _named(name: str, imported: list[ImportedFile]) -> ImportedFile:
    found = [file for file in imported if name in (file.file, file.raw)]
    if len(found) == 1:
        return found[0]
    what = "no such file was imported"
    if found:
        what = f"{len(found)} files of that name were imported"
    raise InputError(what, where=name, fix=_name_one(file.raw for file in found or imported))


def _name_one(raw: Iterable[str]) -> str:
    there = ", ".join(raw)
    return f"Name one of {there}." if there else "Nothing that was imported by hand is here."


def _write(folder: HumanFolder, imports: list[ImportRecord]) -> None:
    write_lines(folder.imports, imports)
