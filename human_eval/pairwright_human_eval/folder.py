"""The folder of a study, `human/` in the run folder: its paths, writing it, reading it back.

What annotators may see lies at the top; everything that could unblind them, and everything that
names a person, lies under `private/` and never goes into a release.
"""

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple, TypeVar

from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright.lines import read_lines, read_one
from pairwright.records import Record
from pairwright_human_eval.label_studio import labelling_config, read_task_file, task_file
from pairwright_human_eval.language import load_language, render_guidelines
from pairwright_human_eval.records import KINDS, Data, KeyedTask, Kind, Study, text_hash
from pairwright_human_eval.tasks import Task
from pairwright_human_eval.units import file_hash

T = TypeVar("T", bound=Record)
RESTORE = "The file was changed or cut: restore it from a copy."
"""What to do about a damaged file."""


def records_in(path: Path, kind: type[T], fix: str = RESTORE) -> tuple[T, ...]:
    """The lines of a file of the study; none if there is no file. Raises InputError for a
    damaged line."""
    return tuple(read_lines(path, kind, fix=fix)) if path.exists() else ()


def record_in(path: Path, kind: type[T], fix: str = RESTORE) -> T | None:
    """The one record of a file of the study; None if there is no file. Raises InputError for a
    damaged one."""
    return read_one(path, kind, fix=fix) if path.exists() else None


class HumanFolder:
    """The paths of a study in one run folder."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.path = run / "human"
        self.guidelines = self.path / "guidelines.md"
        """What annotators read first; the study lead fills in its end."""
        self.sheets = self.path / "spreadsheets"
        self.answers = self.path / "answers.jsonl"
        self.set_aside = self.path / "set_aside.jsonl"
        self.decisions = self.path / "decisions.jsonl"

        self.private = self.path / "private"
        self.study = self.private / "study.json"
        self.key = self.private / "key.jsonl"
        self.adjudication_key = self.private / "key_adjudication.jsonl"
        """The key of round 2: what the first round left disputed."""
        self.raw = self.private / "raw"
        """Files as they came in; `answers.jsonl` is made of them."""
        self.server = self.private / "server.json"
        """Projects and task ids on the server that tasks were pushed to."""
        self.withdrawn = self.private / "withdrawn.jsonl"
        """Whose answers are no longer kept."""

    def tasks(self, annotator: str, kind: Kind, round: int = 1) -> Path:
        """The task file of one annotator and kind. Names of annotators are ours, not theirs."""
        return self.path / ("tasks" if round == 1 else "adjudication") / annotator / f"{kind}.json"

    def form(self, kind: Kind, round: int = 1) -> Path:
        """The labelling configuration of a kind; that of round 2 shows earlier answers, too."""
        end = "" if round == 1 else "_adjudication"
        return self.path / f"labeling_config_{kind}{end}.xml"

    def sheet(self, annotator: str, round: int = 1) -> Path:
        """The spreadsheet of one person."""
        return self.sheets / f"{annotator}{'' if round == 1 else '-adjudication'}.csv"


class Withdrawal(Record):
    """A line of private/withdrawn.jsonl."""

    annotator: str
    """The pseudonym that the person had."""
    tasks: tuple[str, ...]
    """The tasks that the person was given."""


def read_withdrawals(folder: HumanFolder) -> tuple[Withdrawal, ...]:
    """The oldest first. Raises InputError for a damaged line."""
    return records_in(folder.withdrawn, Withdrawal)


def withdrawn_people(folder: HumanFolder) -> frozenset[str]:
    """The pseudonyms of everybody who has withdrawn: nobody asks them anything."""
    return frozenset(one.annotator for one in read_withdrawals(folder))


class FixedStudy(NamedTuple):
    """What a study fixed: its settings, and what each task is about."""

    study: Study
    key: dict[str, KeyedTask]

    @property
    def units(self) -> set[str]:
        """What annotators are asked about."""
        return {keyed.unit for keyed in self.key.values()}


def write_study(folder: HumanFolder, study: Study, tasks: dict[str, list[Task]]) -> bool:
    """Write tasks, guidelines, labelling configurations and the key; False if the study was there
    already. What is missing or changed is then put back, but for guidelines that were filled in.

    Raises InputError if another study is there: people may be working on it.
    """
    key = key_lines(task.keyed for who in study.annotators for task in tasks[who])
    study = Study(**dict(study) | {"key_hash": text_hash(key)})
    there = read_fixed(folder)
    if there and dict(there) != dict(study) | {"version": there.version}:
        raise InputError(
            "another study was exported here, and people may be working on it",
            where=folder.study,
            fix=f"Move {folder.path} away to start over, or export with the options, and the"
            f" version of Pairwright, that it was made with ({there.version}).",
        )
    with on_disk(folder.path):
        folder.private.mkdir(parents=True, exist_ok=True)
        folder.private.chmod(0o700)
        if not there:
            # What an export that was cut short may have left is in no key.
            shutil.rmtree(folder.path / "tasks", ignore_errors=True)
        write_forms(folder, study, round=1)
        language = load_language(study.language)
        aspects = any(one.keyed.kind == "rubric" for own in tasks.values() for one in own)
        if not folder.guidelines.exists():
            guidelines = render_guidelines(study.scales, language, aspects=aspects)
            write_whole(folder.guidelines, guidelines)
        for who in study.annotators:
            write_tasks(folder, who, tasks[who])
        write_changed(folder.key, key)
        if not there:
            # Last: a study that is there is whole.
            write_changed(folder.study, study.model_dump_json(indent=2) + "\n")
    return not there


def read_study(folder: HumanFolder) -> FixedStudy:
    """What was fixed at export, without second-round tasks of people who have withdrawn; raises
    InputError if there is no study or it was damaged."""
    study = read_fixed(folder)
    if study is None:
        raise InputError(
            "no study here", where=folder.path, fix=f"`pairwright human export {folder.run}` first."
        )
    lost = "No answer can be read without it: restore it from a copy, or export again."
    if not folder.key.exists():
        raise InputError("the key is missing", where=folder.key, fix=lost)
    key = {keyed.task: keyed for keyed in read_key(folder.key)}
    if file_hash(folder.key) != study.key_hash:
        raise InputError("is not the key that was exported", where=folder.key, fix=lost)
    second = {keyed.task: keyed for keyed in read_key(folder.adjudication_key)}
    if second.keys() & key.keys() or any(keyed.round != 2 for keyed in second.values()):
        raise InputError(
            "holds tasks of the first round",
            where=folder.adjudication_key,
            fix="Restore it from a copy.",
        )
    away = withdrawn_people(folder)
    key |= {name: keyed for name, keyed in second.items() if keyed.annotator not in away}
    return FixedStudy(study, key)


def read_fixed(folder: HumanFolder) -> Study | None:
    """The study's settings alone; None if there is no study."""
    return record_in(folder.study, Study)


def read_key(path: Path) -> tuple[KeyedTask, ...]:
    """The lines of a key file; raises InputError for one that was damaged."""
    return records_in(path, KeyedTask)


def write_forms(folder: HumanFolder, study: Study, round: int) -> None:
    """Write the forms of a round: what annotators fill in."""
    language = load_language(study.language)
    for kind in KINDS:
        form = labelling_config(kind, study.scales, adjudication=round == 2, language=language)
        write_changed(folder.form(kind, round), form)


def read_tasks(folder: HumanFolder, key: Iterable[KeyedTask]) -> dict[str, Data]:
    """What the tasks of the `key` show, by their ids. Raises InputError if a file lacks one."""
    found: dict[str, Data] = {}
    files: dict[Path, dict[str, Data]] = {}
    for keyed in key:
        path = folder.tasks(keyed.annotator, keyed.kind, keyed.round)
        if path not in files:
            files[path] = {str(data.get("task")): data for data in read_task_file(path)}
        if keyed.task not in files[path]:
            raise InputError(
                f"{keyed.task} is missing",
                where=path,
                fix="Restore the file from a copy, or export again.",
            )
        found[keyed.task] = files[path][keyed.task]
    return found


def write_tasks(
    folder: HumanFolder, annotator: str, tasks: Iterable[Task], *, add: bool = False
) -> None:
    """One file a kind and round; `add`: behind the tasks that are there."""
    files: dict[Path, list[Data]] = {}
    for task in tasks:
        path = folder.tasks(annotator, task.keyed.kind, task.keyed.round)
        files.setdefault(path, []).append(task.data)
    for path, data in files.items():
        there = read_task_file(path) if add and path.exists() else []
        write_changed(path, task_file([*there, *data]))


def keep_tasks(tasks: Path, is_kept: Callable[[str], bool]) -> None:
    """Take all other tasks, by their ids, out of the files below a folder."""
    for path in sorted(tasks.rglob("*.json")):
        if left := [data for data in read_task_file(path) if is_kept(str(data["task"]))]:
            write_changed(path, task_file(left))
        else:
            path.unlink()


def key_lines(keyed: Iterable[KeyedTask]) -> str:
    return "".join(line.model_dump_json() + "\n" for line in keyed)


def write_changed(path: Path, text: str) -> None:
    """A file that says so already is left alone."""
    if path.exists() and path.read_bytes() == text.encode():
        return
    write_whole(path, text)
