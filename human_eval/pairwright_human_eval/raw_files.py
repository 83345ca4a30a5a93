"""The raw files of a study: what was imported or pulled, as it was read.

    human/private/raw/
        import-HASH.json       a file somebody exported; named by what it holds
        SERVER-PROJECT.json    a project as last pulled
        simulated-HASH.json    by simulated annotators

They name accounts by number and nobody by e-mail, and hold no draft and no prediction.
`human/private/imports.jsonl` has a line for every import that added something, to take it back. Of
a person who withdraws, all that they answered leaves the files and does not come back: `Withdrawal`
names the seat, how many answers went, and the tasks and accounts whose answers are no longer kept;
the accounts as hashes, and no name.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue, ValidationError

from pairwright.dataset import write_lines
from pairwright.errors import InputError, first_invalid, on_disk
from pairwright.files import write_whole
from pairwright.records import Record
from pairwright_human_eval.annotation import Account, Annotation, Export, ExportedTask, read_stored
from pairwright_human_eval.folder import HumanFolder, records_in
from pairwright_human_eval.label_studio import exports
from pairwright_human_eval.records import KeyedTask, Study
from pairwright_human_eval.study_files import Withdrawal, account_hash, read_withdrawals
from pairwright_human_eval.tools import Tool, tool_of

_IMPORTED, _SIMULATED = "import-", "simulated-"


def annotations_of(task: ExportedTask, export: Export) -> tuple[Annotation, ...]:
    """The annotations of one of the export's tasks, as records that name no tool."""
    if export.tool == "label-studio":
        return tuple(exports.read_annotation(a, task, n) for n, a in enumerate(task.annotations))
    return tuple(read_stored(a, export, n) for n, a in enumerate(task.annotations))


# People who have withdrawn


def without_withdrawn(export: Export, withdrawals: Sequence[Withdrawal]) -> tuple[Export, int]:
    """The export as a study may keep it, and how many annotations went: answers of a withdrawn
    person's accounts, and any answer to the tasks that they were given."""
    if not withdrawals:
        return export, 0
    closed = {task for withdrawal in withdrawals for task in withdrawal.tasks}

    def is_kept(one: Annotation) -> bool:
        if one.account is None:
            return True
        account = Account(export.source, one.account)
        return all(account_hash(account, w.salt) not in w.accounts for w in withdrawals)

    def kept(tasks: Sequence[ExportedTask]) -> Iterator[ExportedTask]:
        for task in tasks:
            if task.task not in closed:
                read = zip(task.annotations, annotations_of(task, export), strict=True)
                left = tuple(content for content, one in read if is_kept(one))
                yield task.model_copy(update={"annotations": left})

    parts = {"tasks": tuple(kept(export.tasks)), "gone": tuple(kept(export.gone))}
    scrubbed = export.model_copy(update=parts)
    before, after = (
        sum(len(task.annotations) for task in (*one.tasks, *one.gone)) for one in (export, scrubbed)
    )
    return scrubbed, before - after


def scrub(folder: HumanFolder) -> int:
    """Take what withdrawn people did out of every raw file and off the record of imports, and say
    how many annotations went. A file without any annotation that is left goes."""
    withdrawals = read_withdrawals(folder)
    removed = 0
    for path in sorted(folder.raw.glob("*.json")):
        export, gone = without_withdrawn(read_raw(path), withdrawals)
        removed += gone
        if not export.annotations and not export.gone and gone:
            with on_disk(path):
                path.unlink()
        else:
            _write(path, export)
    # The names of files may name people.
    _keep_imports(folder, lambda file: (folder.raw / file.raw).exists())
    return removed


# Files


def store(export: Export, folder: HumanFolder) -> tuple[Path, bool, int]:
    """Keep an export under a name made of what it holds. The same one again changes nothing.
    Its file, whether that is there for the first time or changed, and its annotations.

    Raises InputError where simulated and real answers would meet.
    """
    check_unmixed(folder, simulated=export.simulated)
    return _write(raw_file(export, folder), export)


def raw_file(export: Export, folder: HumanFolder, *, again: bool = False) -> Path:
    """Where `store` keeps an export. The same answers are the same file, no matter when they came,
    unless they came `again` after others."""
    content = _content(export) if again else _content(export, "sequence")
    name = hashlib.sha256(content).hexdigest()[:16]
    return folder.raw / f"{_SIMULATED if export.simulated else _IMPORTED}{name}.json"


def store_pulled(export: Export, folder: HumanFolder) -> tuple[Path, bool, int]:
    """Keep a project as it is on the server now, in place of the last pull of it; gives the same.

    `export.file` is its name there. Annotations of the last pull that are no longer on the server
    are kept as `gone`. Those that have lost their annotator, because the account was deleted, and
    are otherwise the same are kept as they were.
    """
    check_unmixed(folder, simulated=False)
    path = folder.raw / export.file
    if path.exists():
        export = exports.with_earlier(export, read_raw(path))
    kept, _ = without_withdrawn(export, read_withdrawals(folder))
    return _write(path, kept)


def stored_exports(folder: HumanFolder) -> Iterator[Export]:
    """The raw files in the order of their names, one in memory at a time."""
    for path in sorted(folder.raw.glob("*.json")):
        yield read_raw(path)


def read_raw(path: Path) -> Export:
    """A raw file of a study: as pulled, or as stored by `store`. Raises InputError."""
    again = "This raw file was changed: pull or import again, and move this one away."
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be read: {error}", where=path, fix=again) from None
    if not isinstance(content, dict):
        raise InputError(
            "is not a raw file", where=path, fix="Move it away, and `human import` it if it is one."
        )
    try:
        tasks = {
            name: tuple(map(_stored_task, given))
            for name in ("tasks", "gone")
            if isinstance(given := content.get(name), list)
        }
        return Export.model_validate({**content, **tasks, "file": path.name})
    except ValidationError as error:
        raise InputError(": ".join(first_invalid(error)), where=path, fix=again) from None


def _stored_task(task: JsonValue) -> ExportedTask:
    if isinstance(task, dict) and "data_hash" in task:
        return ExportedTask.model_validate(task)
    return exports.clean_task(task)


def check_unmixed(folder: HumanFolder, *, simulated: bool) -> None:
    """Raise InputError where the study has answers of the other sort: simulated, or real."""
    paths = folder.raw.glob("*.json")
    others = [path for path in paths if path.name.startswith(_SIMULATED) != simulated]
    if others:
        there, new = ("real", "simulated") if simulated else ("simulated", "real")
        raise InputError(
            f"{there} answers are here, and a decision cannot keep {new} ones apart from them",
            where=min(others),
            fix=f"Move the {there} ones away (raw/{'*' if simulated else _SIMULATED + '*'}), or use"
            " a copy of the run.",
        )


def _content(export: Export, *without: str) -> bytes:
    # A file of Label Studio's is written as it was before there were other tools.
    unsaid = {"tool", "seconds", "sequence"} - export.model_fields_set
    return json.dumps(export.model_dump(exclude={"file", *unsaid, *without})).encode() + b"\n"


def _write(path: Path, export: Export) -> tuple[Path, bool, int]:
    content = _content(export)
    if path.exists() and path.read_bytes() == content:
        return path, False, export.annotations
    write_whole(path, content)
    return path, True, export.annotations


# Files that people exported by hand: taken in, and taken back


class ImportedFile(Record):
    """One file of an import."""

    file: str
    """Its name as it was given, without its folder."""
    raw: str
    """The name under `raw/`."""


class ImportRecord(Record):
    """A line of imports.jsonl: what one import added."""

    files: tuple[ImportedFile, ...]


def import_files(
    paths: Iterable[Path], folder: HumanFolder, key: Mapping[str, KeyedTask], study: Study
) -> tuple[list[str], list[str], list[InputError]]:
    """Take in every file that is an export of the study, even where others are refused.

    The names of those added, of those that hold what an earlier one held to the letter, so that
    nothing was added, and why others were refused. Nothing is kept of these: a file that names no
    task of the `key` may hold a stranger's texts. Raises InputError where simulated answers are.
    """
    check_unmixed(folder, simulated=False)
    before, withdrawals = read_imports(folder), read_withdrawals(folder)
    added: list[ImportedFile] = []
    repeated: list[str] = []
    refused: list[InputError] = []
    for path in paths:
        tool = tool_of(path)
        try:
            export = _export_of_study(path, tool, key, study, withdrawals)
        except InputError as error:
            refused.append(error)
            continue
        raw = raw_file(export, folder)
        is_repeated = raw.exists()
        if tool.sheets:
            there = [read_raw(stored) for stored in _imported_files(folder)]
            is_repeated = _is_last(export, there)
            last = max((one.sequence for one in there), default=0)
            export = export.model_copy(update={"sequence": last + 1})
            # What was changed and is changed back is a file of its own, to be taken back alone.
            raw = raw_file(export, folder, again=raw.exists())
        if is_repeated:
            repeated.append(path.name)
            continue
        # A name may hold bytes that are not text.
        name = path.name.encode(errors="replace").decode()
        added.append(ImportedFile(file=name, raw=raw.name))
        # First the record, so that all that is there can be taken back.
        write_lines(folder.imports, [*before, ImportRecord(files=tuple(added))])
        _write(raw, export)
    return [file.file for file in added], repeated, refused


def _is_last(export: Export, there: Sequence[Export]) -> bool:
    """Whether a sheet that is there holds the same, and no later one answers a task of it, too."""
    content = _content(export, "sequence")
    same = [one.sequence for one in there if _content(one, "sequence") == content]
    answered = {task.task for task in export.tasks if task.annotations}
    return bool(same) and not any(
        task.annotations and task.task in answered
        for one in there
        if one.sequence > max(same)
        for task in one.tasks
    )


def _export_of_study(
    path: Path,
    tool: Tool,
    key: Mapping[str, KeyedTask],
    study: Study,
    withdrawals: Sequence[Withdrawal],
) -> Export:
    export = tool.read(path, key, study)
    if not any(task.task in key for task in export.tasks):
        raise InputError(
            f"holds no task of this study: none of its {len(export.tasks):,} tasks was exported"
            " by it",
            where=path,
            fix="Nothing of it was kept. Give the export of a project of this study, or name the"
            " run that the file belongs to.",
        )
    kept, removed = without_withdrawn(export, withdrawals)
    if removed and not kept.annotations:
        raise InputError(
            "holds only answers of a person who has withdrawn",
            where=path,
            fix="Nothing of it was kept: delete the file.",
        )
    return kept


def undo_import(folder: HumanFolder, names: Sequence[str] = ()) -> tuple[ImportedFile, ...]:
    """Remove the raw files of the last import, or those of the named files.

    A name is that of a file as it was given, or of its raw file. Raises InputError for a name that
    nothing or several files have, and where there is nothing to take back.
    """
    imports = read_imports(folder)
    if not names and not imports:
        raise InputError(
            "no import is on record here",
            where=folder.imports,
            fix=_name_one(path.name for path in _imported_files(folder)),
        )
    imported = [file for record in imports for file in record.files]
    recorded = {file.raw for file in imported}
    # An earlier version kept no record of its imports.
    imported += [
        ImportedFile(file=path.name, raw=path.name)
        for path in _imported_files(folder)
        if path.name not in recorded
    ]
    gone = tuple(dict.fromkeys(_named(name, imported) for name in names)) or imports[-1].files
    for file in gone:
        path = folder.raw / file.raw
        with on_disk(path):
            path.unlink(missing_ok=True)
    _keep_imports(folder, lambda file: file not in gone)
    return gone


def read_imports(folder: HumanFolder) -> tuple[ImportRecord, ...]:
    """The imports on record, the oldest first. Raises InputError for a damaged line."""
    fix = (
        "The file was changed: remove it. `human import --undo import-HASH.json` takes back a raw"
        " file without it."
    )
    return records_in(folder.imports, ImportRecord, fix)


def _keep_imports(folder: HumanFolder, is_kept: Callable[[ImportedFile], bool]) -> None:
    """Take all other files off the record."""
    if imports := read_imports(folder):
        left = (tuple(filter(is_kept, record.files)) for record in imports)
        write_lines(folder.imports, [ImportRecord(files=files) for files in left if files])


def _imported_files(folder: HumanFolder) -> list[Path]:
    return sorted(folder.raw.glob(f"{_IMPORTED}*.json"))


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
