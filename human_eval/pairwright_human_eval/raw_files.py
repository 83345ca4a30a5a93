"""The raw files of a study: what was imported or pulled.

    human/private/raw/
        import-HASH.json       a file that somebody exported or filled in
        PROJECT.json           a project of the server as last pulled
        simulated-HASH.json    by simulated annotators

They name no account and no e-mail. Of a person who withdraws, all that they answered leaves the
files and does not come back.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pairwright.dataset import read_one
from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.exports import read_export
from pairwright_human_eval.records import Export, KeyedTask, Study
from pairwright_human_eval.spreadsheets import is_sheet, read_sheet
from pairwright_human_eval.study_files import read_withdrawals

_SIMULATED = "simulated-"


def read_raw(path: Path) -> Export:
    """A raw file of a study. Raises InputError for one that was damaged."""
    return read_one(path, Export, fix="Pull or import again, and move this one away.")


def stored_exports(folder: HumanFolder) -> dict[str, Export]:
    """The raw files by their names."""
    return {path.name: read_raw(path) for path in sorted(folder.raw.glob("*.json"))}


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


def store(export: Export, folder: HumanFolder) -> Path:
    """Keep imported or simulated answers under a name made of what they are."""
    content = export.model_dump_json()
    name = hashlib.sha256(content.encode()).hexdigest()[:16]
    prefix = _SIMULATED if export.source == "simulated" else "import-"
    path = folder.raw / f"{prefix}{name}.json"
    write_whole(path, content + "\n")
    return path


def store_pulled(export: Export, project: int, folder: HumanFolder) -> bool:
    """Keep a project as it is on the server now, in place of the last pull of it, without tasks of
    people who have withdrawn; whether that is new."""
    path, content = folder.raw / f"{project}.json", _kept(export, folder).model_dump_json() + "\n"
    if path.exists() and path.read_text(encoding="utf-8") == content:
        return False
    write_whole(path, content)
    return True


def _kept(export: Export, folder: HumanFolder) -> Export:
    closed = {task for withdrawal in read_withdrawals(folder) for task in withdrawal.tasks}
    answers = tuple(one for one in export.answers if one.task not in closed)
    return Export(**dict(export) | {"answers": answers})


def scrub(folder: HumanFolder) -> int:
    """Take what withdrawn people did out of every raw file, and say how many answers went. A file
    without any answer that is left goes."""
    removed = 0
    for name, export in stored_exports(folder).items():
        left, path = _kept(export, folder), folder.raw / name
        if gone := len(export.answers) - len(left.answers):
            removed += gone
            with on_disk(path):
                if left.answers:
                    write_whole(path, left.model_dump_json() + "\n")
                else:
                    path.unlink()
    return removed


def import_files(
    paths: Iterable[Path], folder: HumanFolder, key: Mapping[str, KeyedTask], study: Study
) -> tuple[list[str], list[str], list[InputError]]:
    """Take in every file that is an export of the study, even where others are refused.

    The names of those added, of those that hold what an earlier one held, so that nothing was
    added, and why others were refused. Nothing is kept of these: a file that names no task of the
    `key` may hold a stranger's texts. Raises InputError where simulated answers are.
    """
    check_unmixed(folder, simulated=False)
    there = _imported(folder)
    batch = max((one.batch for one in there.values()), default=0) + 1
    added: list[str] = []
    repeated: list[str] = []
    refused: list[InputError] = []
    for path in paths:
        try:
            export = _export_of_study(path, folder, key, study)
        except InputError as error:
            refused.append(error)
            continue
        tasks = {answer.task for answer in export.answers}
        same = [one for one in there.values() if tasks & {answer.task for answer in one.answers}]
        if same and same[-1].answers == export.answers:
            repeated.append(path.name)
            continue
        last = max((one.sequence for one in there.values()), default=0)
        export = Export(**dict(export) | {"sequence": last + 1, "batch": batch})
        there[store(export, folder).name] = export
        added.append(export.file)
    return added, repeated, refused


def _export_of_study(
    path: Path, folder: HumanFolder, key: Mapping[str, KeyedTask], study: Study
) -> Export:
    read = read_sheet if is_sheet(path) else read_export
    export = read(path, key, study)
    if not any(answer.task for answer in export.answers):
        raise InputError(
            "holds no task of this study",
            where=path,
            fix="Nothing of it was kept. Give the export of a project of this study, or name the"
            " run that the file belongs to.",
        )
    kept = _kept(export, folder)
    if not any(answer.task for answer in kept.answers):
        raise InputError(
            "holds only answers of a person who has withdrawn",
            where=path,
            fix="Nothing of it was kept: delete the file.",
        )
    # A name may hold bytes that are not text.
    name = path.name.encode(errors="replace").decode()
    return Export(**dict(kept) | {"file": name})


def _imported(folder: HumanFolder) -> dict[str, Export]:
    """Files that were imported by hand, by the names of their raw files, the oldest first."""
    found = {name: one for name, one in stored_exports(folder).items() if one.source == "file"}
    return dict(sorted(found.items(), key=lambda one: one[1].sequence))


def undo_import(folder: HumanFolder, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Remove the raw files of the last import, or those of the named files; the names of the files.

    A name is that of a file as it was given, or of its raw file. Raises InputError for a name that
    nothing or several files have, and where there is nothing to take back.
    """
    imported = _imported(folder)
    if not imported:
        raise InputError("no file was imported here", where=folder.raw, fix="Name another run.")
    last = max(one.batch for one in imported.values())
    gone = [raw for raw, one in imported.items() if one.batch == last]
    if names:
        gone = [_named(name, imported) for name in dict.fromkeys(names)]
    for raw in dict.fromkeys(gone):
        with on_disk(folder.raw / raw):
            (folder.raw / raw).unlink()
    return tuple(f"{imported[raw].file} (raw/{raw})" for raw in dict.fromkeys(gone))


def _named(name: str, imported: Mapping[str, Export]) -> str:
    found = [raw for raw, one in imported.items() if name in (one.file, raw)]
    if len(found) == 1:
        return found[0]
    what = f"{len(found)} files of that name were imported" if found else "no such file is here"
    raise InputError(what, where=name, fix=f"Name one of {', '.join(found or imported)}.")
