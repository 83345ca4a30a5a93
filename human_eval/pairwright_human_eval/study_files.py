"""Writing a study into its folder, reading the private part back, and handing tasks over.

What a person who leaves has answered stays theirs and counts. What is open goes to somebody new, as
tasks with new ids, so that nothing is answered twice. A repeat goes along only with the vote that
it repeats.
"""

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from pairwright.dataset import read_one, write_lines
from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright.records import Record, content_id, pseudonym
from pairwright_human_eval.annotation import Account
from pairwright_human_eval.folder import RESTORE, ROUNDS, HumanFolder, record_in, records_in
from pairwright_human_eval.label_studio.files import (
    form_path,
    labelling_config,
    read_task_file,
    task_file,
)
from pairwright_human_eval.language import load_language, page_text, render_guidelines
from pairwright_human_eval.records import (
    KINDS,
    OWN,
    Data,
    KeyedTask,
    OwnStudy,
    Study,
    text_hash,
)
from pairwright_human_eval.subjects import file_hash
from pairwright_human_eval.tasks import Task, passed_on


class Replacement(Record):
    """A line of private/replacements.jsonl: who took over what from whom."""

    left: str
    """The pseudonym of the person who has left."""
    annotator: str
    """That of the newcomer."""
    closed: tuple[str, ...]
    """Tasks of the one who left that nobody is asked any more."""
    tasks: tuple[KeyedTask, ...]
    """Those of the newcomer."""


def read_replacements(folder: HumanFolder) -> tuple[Replacement, ...]:
    """The oldest first. Raises InputError for a damaged line."""
    return records_in(folder.replacements, Replacement)


class Withdrawal(Record):
    """A line of private/withdrawn.jsonl."""

    annotator: str
    """The pseudonym that the person had."""
    salt: str
    accounts: tuple[str, ...]
    """Hashes of the person's accounts."""
    tasks: tuple[str, ...]
    """The tasks that the person was given."""


def account_hash(account: Account, salt: str) -> str:
    """An account's hash, which says nothing without the study's salt."""
    return content_id("account", salt, str(account))


def read_withdrawals(folder: HumanFolder) -> tuple[Withdrawal, ...]:
    """The oldest first. Raises InputError for a damaged line."""
    return records_in(folder.withdrawn, Withdrawal)


def withdrawn_people(folder: HumanFolder) -> frozenset[str]:
    """The pseudonyms of everybody who has withdrawn: nobody asks them anything."""
    return frozenset(one.annotator for one in read_withdrawals(folder))


def closed_tasks(folder: HumanFolder) -> frozenset[str]:
    """Tasks that were handed over: an answer to one of them comes too late."""
    return frozenset(task for one in read_replacements(folder) for task in one.closed)


def open_again(own: Sequence[KeyedTask], before: Sequence[Replacement]) -> list[KeyedTask]:
    """The `own` tasks of a person who was replaced `before` and has withdrawn since: those that
    nobody who took over has."""

    def asked(keyed: KeyedTask) -> tuple[str, str, str, str | None]:
        return keyed.kind, keyed.purpose, keyed.subject, keyed.pair

    redone = {asked(keyed) for replacement in before for keyed in replacement.tasks}
    return [keyed for keyed in own if asked(keyed) not in redone]


def hand_over(
    left: str,
    own: Sequence[KeyedTask],
    shown: Mapping[str, Data],
    answered: Set[str],
    newcomer: str,
    seed: int,
    *,
    everything: bool,
) -> tuple[Replacement, list[Task]]:
    """What is left of the `own` tasks of the person who has `left`, in their order, for a newcomer.

    `answered` are tasks with an answer that counts; with `everything` none of them counts, because
    the person failed the checks. `shown` is what the tasks show. Raises InputError where nothing
    is left to do.
    """
    waiting = [keyed for keyed in own if keyed.task not in answered]
    undone = list(own) if everything else waiting
    votes = {(k.subject, k.pair) for k in undone if k.purpose == "vote" and k.kind == "preference"}
    given = [k for k in undone if k.purpose != "repeat" or (k.subject, k.pair) in votes]
    if not given:
        raise InputError(
            f"{left} has left nothing undone", where="PERSON", fix="Nobody needs to take over."
        )
    tasks = [passed_on(Task(shown[keyed.task], keyed), newcomer, seed) for keyed in given]
    record = Replacement(
        left=left,
        annotator=newcomer,
        closed=tuple(keyed.task for keyed in waiting),
        tasks=tuple(task.keyed for task in tasks),
    )
    return record, tasks


class FixedStudy(NamedTuple):
    """What a study fixed: its settings, and what each task is about."""

    study: Study
    key: dict[str, KeyedTask]

    @property
    def subjects(self) -> set[str]:
        """What annotators are asked about."""
        return {keyed.subject for keyed in self.key.values() if keyed.round < OWN}


def write_study(folder: HumanFolder, study: Study, tasks: dict[str, list[Task]]) -> bool:
    """Write tasks, guidelines, labelling configurations and the key; False where the study was
    there already. What is missing or changed is then put back, but for guidelines that
    were filled in.

    Raises InputError where another study is there: people may be working on it.
    """
    key = key_lines(task.keyed for who in study.annotators for task in tasks[who])
    study = study.model_copy(update={"key_hash": text_hash(key)})
    there = read_fixed(folder)
    fixed = (study.pairs_hash, study.seed, study.language)
    if there and not there.annotators and (there.pairs_hash, there.seed, there.language) == fixed:
        there = None  # Its people judge pairs of their own posts, by a key of their own.
    if there and there != study.model_copy(update={"version": there.version}):
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
        if study.annotators:
            write_forms(folder, study, round=1)
            language = load_language(study.language)
            aspects = any(one.keyed.kind == "rubric" for own in tasks.values() for one in own)
            pages = render_guidelines(study.scales, language, aspects=aspects)
            write_new(folder.guidelines, pages)
            write_new(folder.consent, page_text("consent", language))
        for who in study.annotators if not folder.replacements.exists() else ():
            write_tasks(folder, who, tasks[who])
        write_changed(folder.key, key)
        if not there:
            # Last: a study that is there is whole.
            write_changed(folder.study, study.model_dump_json(indent=2) + "\n")
    return not there


def read_study(folder: HumanFolder) -> FixedStudy:
    """What was fixed at export, without the tasks that nobody will answer any more; raises
    InputError where there is no study or it was damaged."""
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
    if folder.adjudication_key.exists():
        second = {keyed.task: keyed for keyed in read_key(folder.adjudication_key)}
        if second.keys() & key.keys() or any(keyed.round != 2 for keyed in second.values()):
            raise InputError(
                "holds tasks of the first round",
                where=folder.adjudication_key,
                fix="Restore it from a copy.",
            )
        key |= second
    if folder.own.exists():
        key |= {keyed.task: keyed for keyed in read_key(folder.own_key)}
        own = read_own(folder)
        forms = study.config_hashes | {f"preference{ROUNDS[OWN].form}": own.config_hash}
        study = study.model_copy(update={"config_hashes": forms, "own_days": own.days})
    people = list(study.annotators)
    for replacement in read_replacements(folder):
        people.append(replacement.annotator)
        for task in replacement.closed:
            key.pop(task, None)
        key |= {keyed.task: keyed for keyed in replacement.tasks}
    # Of people who have withdrawn, nobody takes over what is not of the first round: a second round
    # is dealt out anew, and nobody judges another's own pairs.
    away = withdrawn_people(folder)
    key = {
        name: keyed
        for name, keyed in key.items()
        if keyed.annotator not in away or (keyed.round == 1 and not study.qualification)
    }
    return FixedStudy(study.model_copy(update={"annotators": tuple(people)}), key)


def read_fixed(folder: HumanFolder) -> Study | None:
    """The study's settings alone; None where there is no study."""
    return record_in(folder.study, Study)


def read_own(folder: HumanFolder) -> OwnStudy:
    """Who judges pairs of their own posts. Raises InputError where the file was damaged."""
    return read_one(folder.own, OwnStudy, fix=RESTORE)


def own_seats(folder: HumanFolder, users: Set[str]) -> frozenset[str]:
    """The seats of users with these pseudonyms who judge pairs of their own posts."""
    if not folder.own.exists():
        return frozenset()
    seats = read_own(folder).seats.items()
    return frozenset(seat for seat, user in seats if pseudonym(user) in users)


def read_key(path: Path) -> tuple[KeyedTask, ...]:
    """The lines of a key file; raises InputError for one that was damaged."""
    return records_in(path, KeyedTask)


def write_forms(folder: HumanFolder, study: Study, round: int) -> None:
    """Write the forms of a round: what annotators fill in."""
    language = load_language(study.language)
    own = round == OWN
    for kind in KINDS if not own else ("preference",):
        form = labelling_config(
            kind, study.scales, adjudication=round == 2, own=own, language=language
        )
        write_changed(form_path(folder, kind, round), form)


def read_tasks(folder: HumanFolder, key: Iterable[KeyedTask]) -> dict[str, Data]:
    """What the tasks of the `key` show, by their ids. Raises InputError where a file lacks one."""
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


def replace(folder: HumanFolder, record: Replacement, tasks: list[Task]) -> None:
    """Write a newcomer's tasks, and take those that are closed from the person who left."""
    with on_disk(folder.path):
        write_tasks(folder, record.annotator, tasks)
        write_lines(folder.replacements, (*read_replacements(folder), record))
        keep_tasks(folder.path / "tasks" / record.left, lambda task: task not in record.closed)


def closed_key(folder: HumanFolder) -> dict[str, KeyedTask]:
    """The tasks that were handed over, and those of people who have withdrawn, as they were
    exported."""
    closed = closed_tasks(folder).union(*(one.tasks for one in read_withdrawals(folder)))
    given = (keyed for replacement in read_replacements(folder) for keyed in replacement.tasks)
    keys = (folder.key, folder.adjudication_key, folder.own_key)
    lines = (*(keyed for path in keys for keyed in read_key(path)), *given)
    return {keyed.task: keyed for keyed in lines if keyed.task in closed}


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


def write_new(path: Path, text: str) -> None:
    """A file that is there stays: the study lead may have filled it in."""
    if not path.exists():
        write_whole(path, text)


def write_changed(path: Path, text: str) -> None:
    """A file that says so already is left alone."""
    if path.exists() and path.read_bytes() == text.encode():
        return
    write_whole(path, text)
