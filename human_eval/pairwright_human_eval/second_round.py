"""The second round of a study in its folder: tasks on what the first left disputed."""

from collections.abc import Mapping, Set

from pairwright.errors import InputError, on_disk
from pairwright_human_eval.adjudication import Part
from pairwright_human_eval.annotation_tool import (
    config_hashes,
    read_task_file,
    task_file,
)
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.language import load_language
from pairwright_human_eval.records import KeyedTask, Study
from pairwright_human_eval.spreadsheet.rows import drop_rows
from pairwright_human_eval.study_files import (
    key_lines,
    kinds_of,
    read_key,
    write_changed,
    write_forms,
)
from pairwright_human_eval.tasks import Task


def add_adjudication(folder: HumanFolder, study: Study, tasks: dict[str, list[Task]]) -> int:
    """Add new tasks to round 2, and say how many they are.

    Tasks that are there already stay as they are: an adjudicator may be working on them. Raises
    InputError where this version's forms are not those of the study: no answer to them could be
    taken in.
    """
    there = _second_round(folder)
    names = {keyed.task for keyed in there}
    fresh = {
        who: [task for task in given if task.keyed.task not in names]
        for who, given in tasks.items()
    }
    added = [task for given in fresh.values() for task in given]
    if not added:
        return 0
    _check_forms(folder, study)
    with on_disk(folder.path):
        write_forms(folder, study, round=2)
        _drop_unknown(folder, names)
        for who, given in fresh.items():
            for kind in kinds_of(given):
                path = folder.tasks(who, kind, 2)
                before = read_task_file(path) if path.exists() else []
                new = [task.data for task in given if task.keyed.kind == kind]
                write_changed(path, task_file([*before, *new]))
        write_changed(folder.adjudication_key, key_lines([*there, *(task.keyed for task in added)]))
    return len(added)


def given_parts(folder: HumanFolder, voted: Mapping[str, Set[str]]) -> dict[Part, set[str]]:
    """What is asked in the second round, and of whom, without adjudicators who have `voted` on the
    subject (by adjudicator: subjects): what they say does not count."""
    found: dict[Part, set[str]] = {}
    for task in _second_round(folder):
        if task.subject not in voted.get(task.annotator, ()):
            part = Part(task.subject, task.pair, task.kind)
            found.setdefault(part, set()).add(task.annotator)
    return found


def drop_adjudications(folder: HumanFolder, subjects: Set[str]) -> int:
    """Take the second round's tasks on these subjects out, and say how many they are."""
    there = _second_round(folder)
    left = [keyed for keyed in there if keyed.subject not in subjects]
    gone = [keyed for keyed in there if keyed.subject in subjects]
    if gone:
        write_changed(folder.adjudication_key, key_lines(left))
        _drop_unknown(folder, {keyed.task for keyed in left})
    # Sheets and previews show what others answered, too.
    for who in sorted({keyed.annotator for keyed in gone}):
        if (sheet := folder.sheet(who, 2)).exists():
            drop_rows(sheet, {keyed.task for keyed in gone})
        (folder.preview / f"{who}-adjudication.html").unlink(missing_ok=True)
    return len(there) - len(left)


def _second_round(folder: HumanFolder) -> list[KeyedTask]:
    return list(read_key(folder.adjudication_key)) if folder.adjudication_key.exists() else []


def _check_forms(folder: HumanFolder, study: Study) -> None:
    now = config_hashes(study.scales, load_language(study.language))
    if any(now[name] != fixed for name, fixed in study.config_hashes.items()):
        raise InputError(
            f"its forms were fixed by Pairwright {study.version}, and those of this version differ",
            where=folder.study,
            fix="Adjudicate with the version, and the templates, that the study was exported with.",
        )


def _drop_unknown(folder: HumanFolder, names: set[str]) -> None:
    """Remove tasks of round 2 that are in no key: a round that was cut short left them."""
    for path in sorted((folder.path / "adjudication").glob("*/*.json")):
        tasks = read_task_file(path)
        keyed = [data for data in tasks if data["task"] in names]
        if not keyed:
            path.unlink()
        elif len(keyed) < len(tasks):
            write_changed(path, task_file(keyed))
