"""The raw files of a study: what was imported or pulled, as it was read.

    human/private/raw/
        import-HASH.json       a file somebody exported; named by what it holds
        SERVER-PROJECT.json    a project as last pulled
        simulated-HASH.json    by simulated annotators

They name accounts by number and nobody by e-mail, and hold no draft and no prediction. Of a person
who withdraws, all that they answered leaves the files and does not come back: `Withdrawal` names
the seat, how many answers went, and the tasks and accounts whose answers are no longer kept; the
accounts as hashes, and no name.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue, ValidationError

from pairwright.dataset import read_lines
from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright.records import Record, content_id
from pairwright_human_eval.annotation import (
    Account,
    AnnotatedTask,
    AnnotationFile,
    Export,
    ExportedTask,
    read_stored,
)
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio import exports
from pairwright_human_eval.label_studio.exports import clean_task, read_annotation, with_earlier
from pairwright_human_eval.language import load_language
from pairwright_human_eval.records import KeyedTask, Study
from pairwright_human_eval.sheet_answers import is_sheet, read_sheet


def read_export(path: Path, key: Mapping[str, KeyedTask], study: Study) -> Export:
    """What a file of either tool holds. Raises InputError where it cannot be read."""
    if is_sheet(path):
        return read_sheet(path, key, study, load_language(study.language))
    return exports.read_export(path)


def read_annotations(export: Export) -> AnnotationFile:
    """A file's annotations as records that name no tool."""
    return AnnotationFile(
        file=export.file,
        source=export.source,
        config_hash=export.config_hash,
        simulated=export.simulated,
        seconds=export.seconds,
        sequence=export.sequence,
        tasks=tuple(_annotated(task, export) for task in export.tasks),
        gone=tuple(_annotated(task, export) for task in export.gone),
    )


def _annotated(task: ExportedTask, export: Export) -> AnnotatedTask:
    read = (
        read_annotation(content, task, n)
        if export.tool == "label-studio"
        else read_stored(content, export, n)
        for n, content in enumerate(task.annotations)
    )
    return AnnotatedTask(
        id=task.id,
        task=task.task,
        data_hash=task.data_hash,
        annotations=tuple(read),
        drafts=task.drafts,
    )


class Withdrawal(Record):
    """A line of private/withdrawn.jsonl."""

    annotator: str
    """The pseudonym that the person had."""
    salt: str
    accounts: tuple[str, ...]
    """Hashes of the person's accounts."""
    tasks: tuple[str, ...]
    """The tasks that the person was given."""


class ScrubbedExport(NamedTuple):
    """An export without what a withdrawn person did."""

    export: Export
    removed: int
    """Annotations that are gone from it."""


def account_hash(account: Account, salt: str) -> str:
    """An account's hash, which says nothing without the study's salt."""
    return content_id("account", salt, str(account))


def read_withdrawals(folder: HumanFolder) -> tuple[Withdrawal, ...]:
    """The oldest first. Raises InputError for a damaged line."""
    if not folder.withdrawn.exists():
        return ()
    fix = "The file was changed: restore it from a copy."
    return tuple(read_lines(folder.withdrawn, Withdrawal, fix=fix))


def without_withdrawn(export: Export, withdrawals: Sequence[Withdrawal]) -> ScrubbedExport:
    """The export as a study may keep it: without answers of a withdrawn person's accounts, and
    without any answer to the tasks that they were given."""
    if not withdrawals:
        return ScrubbedExport(export, 0)
    tasks = {task for withdrawal in withdrawals for task in withdrawal.tasks}
    accounts = {(w.salt, account) for w in withdrawals for account in w.accounts}
    salts = {withdrawal.salt for withdrawal in withdrawals}
    scrubbed = export.model_copy(
        update={
            "tasks": tuple(_scrubbed(export, "tasks", tasks, accounts, salts)),
            "gone": tuple(_scrubbed(export, "gone", tasks, accounts, salts)),
        }
    )
    before = export.annotations + sum(len(task.annotations) for task in export.gone)
    after = scrubbed.annotations + sum(len(task.annotations) for task in scrubbed.gone)
    return ScrubbedExport(scrubbed, before - after)


def _scrubbed(
    export: Export, part: str, tasks: Set[str], accounts: Set[tuple[str, str]], salts: Set[str]
) -> Iterator[ExportedTask]:
    neutral = read_annotations(export)
    read = neutral.tasks if part == "tasks" else neutral.gone
    raw = export.tasks if part == "tasks" else export.gone
    for kept, annotated in zip(raw, read, strict=True):
        if kept.task in tasks:
            continue
        annotations: tuple[JsonValue, ...] = tuple(
            content
            for content, one in zip(kept.annotations, annotated.annotations, strict=True)
            if one.account is None
            or not any(
                (salt, account_hash(Account(export.source, one.account), salt)) in accounts
                for salt in salts
            )
        )
        yield kept.model_copy(update={"annotations": annotations})


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
