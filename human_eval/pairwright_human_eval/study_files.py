"""Writing a study into its folder, reading the private part back, and handing tasks over.

What a person who leaves has answered stays theirs and counts. What is open goes to somebody new, as
tasks with new ids, so that nothing is answered twice. A newcomer gets all attention checks, for
these measure the person; a repeat goes along only with the vote that it repeats.
"""

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from pairwright.dataset import read_lines
from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright.records import Record, content_id
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.files import form_files, read_task_file, task_file
from pairwright_human_eval.language import consent_text, load_language, render_guidelines
from pairwright_human_eval.records import KINDS, Data, KeyedTask, Kind, Study, digest
from pairwright_human_eval.subjects import file_hash
from pairwright_human_eval.tasks import Task


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


class HandOver(NamedTuple):
    """What goes from one person to another."""

    record: Replacement
    tasks: tuple[Task, ...]


def read_replacements(folder: HumanFolder) -> tuple[Replacement, ...]:
    """The oldest first. Raises InputError for a damaged line."""
    if not folder.replacements.exists():
        return ()
    fix = "The file was changed: restore it from a copy."
    return tuple(read_lines(folder.replacements, Replacement, fix=fix))


def not_redone(own: Sequence[KeyedTask], before: Sequence[Replacement]) -> list[KeyedTask]:
    """The `own` tasks of a person that nobody who took over from them `before` has, and all
    attention checks."""
    redone = {_asked(keyed) for replacement in before for keyed in replacement.tasks}
    return [k for k in own if k.purpose == "attention" or _asked(k) not in redone]


def with_all_checks(
    own: Sequence[KeyedTask], before: Sequence[Replacement], key: Mapping[str, KeyedTask]
) -> list[KeyedTask]:
    """The `own` tasks with every attention check that the person had.

    Checks that were open when somebody took over `before` are closed, and have no text any more.
    Those of that newcomer, who got all of them, are taken in their place while they are in the
    `key`.
    """
    checks = [
        keyed
        for replacement in before
        for keyed in replacement.tasks
        if keyed.purpose == "attention" and keyed.task in key
    ]
    there = [keyed for keyed in own if keyed.purpose == "attention"]
    if len(checks) <= len(there):
        return list(own)
    rest = [keyed for keyed in own if keyed.purpose != "attention"]
    for n, check in enumerate(checks):
        # One in each stretch of the work.
        rest.insert((n + 1) * len(rest) // (len(checks) + 1), check)
    return rest


def _asked(keyed: KeyedTask) -> tuple[str, str, str, str | None]:
    return keyed.kind, keyed.purpose, keyed.subject, keyed.pair


def hand_over(
    left: str,
    own: Sequence[KeyedTask],
    shown: Mapping[str, Data],
    answered: Set[str],
    newcomer: str,
    seed: int,
    *,
    everything: bool,
) -> HandOver:
    """What is left of the `own` tasks of the person who has `left`, in their order, for a newcomer.

    `answered` are tasks with an answer that counts; with `everything` none of them counts, because
    the person failed the checks. `shown` is what the tasks show. Raises InputError where nothing
    is left to do.
    """
    # A check may be another newcomer's, to be copied and not to be closed.
    waiting = [k for k in own if k.task not in answered and k.annotator == left]
    undone = list(own) if everything else waiting
    votes = {(k.subject, k.pair) for k in undone if k.purpose == "vote" and k.kind == "preference"}
    passed_on = [keyed for keyed in own if keyed.purpose == "attention" or keyed in undone]
    passed_on = [k for k in passed_on if k.purpose != "repeat" or (k.subject, k.pair) in votes]
    if all(keyed.purpose == "attention" for keyed in passed_on):
        raise InputError(
            f"{left} has left nothing undone", where="PERSON", fix="Nobody needs to take over."
        )
    tasks = tuple(_renamed(keyed, shown[keyed.task], newcomer, seed) for keyed in passed_on)
    record = Replacement(
        left=left,
        annotator=newcomer,
        closed=tuple(keyed.task for keyed in waiting),
        tasks=tuple(task.keyed for task in tasks),
    )
    return HandOver(record, tasks)


def key_after(
    key: Mapping[str, KeyedTask], replacements: Sequence[Replacement]
) -> dict[str, KeyedTask]:
    """The key without what was closed, and with what newcomers have."""
    changed = dict(key)
    for replacement in replacements:
        for task in replacement.closed:
            changed.pop(task, None)
        changed |= {keyed.task: keyed for keyed in replacement.tasks}
    return changed


def closed_tasks(replacements: Sequence[Replacement]) -> Iterator[str]:
    """Tasks that were handed over: an answer to one of them comes too late."""
    for replacement in replacements:
        yield from replacement.closed


def _renamed(keyed: KeyedTask, data: Data, annotator: str, seed: int) -> Task:
    name = content_id("task", str(seed), keyed.task, "replacement", annotator)
    own: Data = {**data, "task": name}
    changes = {"task": name, "annotator": annotator, "data_hash": digest(own)}
    return Task(own, keyed.model_copy(update=changes))


class FixedStudy(NamedTuple):
    """What a study fixed: its settings, and what each task is about."""

    study: Study
    key: dict[str, KeyedTask]


def write_study(folder: HumanFolder, study: Study, tasks: dict[str, list[Task]]) -> bool:
    """Write tasks, guidelines, labelling configurations and the key; False where the study was
    there already. What is missing or changed is then put back, but for guidelines that
    were filled in.

    Raises InputError where another study is there: people may be working on it.
    """
    key = key_lines(task.keyed for who in study.annotators for task in tasks[who])
    hashed = f"sha256:{hashlib.sha256(key.encode()).hexdigest()}"
    study = study.model_copy(update={"key_hash": hashed})
    there = read_fixed(folder)
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
        write_forms(folder, study, round=1)
        if not folder.guidelines.exists():  # The study lead may have filled them in.
            language = load_language(study.language)
            write_changed(folder.guidelines, render_guidelines(study.scales, language))
        if not folder.consent.exists():
            write_changed(folder.consent, consent_text(load_language(study.language)))
        for who in study.annotators if not folder.replacements.exists() else ():
            _write_tasks(folder, who, tasks[who])
        write_changed(folder.key, key)
        if not there:
            # Last: a study that is there is whole.
            write_changed(folder.study, study.model_dump_json(indent=2) + "\n")
    return not there


def read_study(folder: HumanFolder) -> FixedStudy:
    """What was fixed at export; raises InputError where there is no study or it was damaged."""
    if not folder.study.exists():
        raise InputError(
            "no study here", where=folder.path, fix=f"`pairwright human export {folder.run}` first."
        )
    study = _study(folder.study)
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
    replacements = read_replacements(folder)
    newcomers = tuple(replacement.annotator for replacement in replacements)
    study = study.model_copy(update={"annotators": (*study.annotators, *newcomers)})
    return FixedStudy(study, key_after(key, replacements))


def read_fixed(folder: HumanFolder) -> Study | None:
    """The study's settings alone; None where there is no study."""
    return _study(folder.study) if folder.study.exists() else None


def read_key(path: Path) -> Iterator[KeyedTask]:
    """The lines of a key file; raises InputError for one that was damaged."""
    with path.open(encoding="utf-8", errors="surrogateescape") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield KeyedTask.model_validate_json(line)
            except ValidationError as error:
                raise _damaged(f"{path}:{number}", error) from None


def write_forms(folder: HumanFolder, study: Study, round: int) -> None:
    """Write the forms of a round: what annotators fill in."""
    language = load_language(study.language)
    for path, text in form_files(folder, study.scales, round, language).items():
        write_changed(path, text)


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


def replace(folder: HumanFolder, handed: HandOver) -> None:
    """Write a newcomer's tasks, and take those that are closed from the person who left."""
    record = handed.record
    with on_disk(folder.path):
        _write_tasks(folder, record.annotator, list(handed.tasks))
        before = read_replacements(folder)
        lines = "".join(one.model_dump_json() + "\n" for one in (*before, record))
        write_changed(folder.replacements, lines)
        for path in sorted((folder.path / "tasks" / record.left).glob("*.json")):
            tasks = read_task_file(path)
            write_changed(
                path, task_file(data for data in tasks if data["task"] not in record.closed)
            )


def closed_key(folder: HumanFolder) -> dict[str, KeyedTask]:
    """The tasks that were handed over, as they were exported."""
    replacements = read_replacements(folder)
    closed = set(closed_tasks(replacements))
    lines = [*read_key(folder.key), *(keyed for r in replacements for keyed in r.tasks)]
    return {keyed.task: keyed for keyed in lines if keyed.task in closed}


def _write_tasks(folder: HumanFolder, annotator: str, tasks: list[Task]) -> None:
    """One file a kind."""
    for kind in kinds_of(tasks):
        data = [task.data for task in tasks if task.keyed.kind == kind]
        write_changed(folder.tasks(annotator, kind), task_file(data))


def kinds_of(tasks: list[Task]) -> list[Kind]:
    there = {task.keyed.kind for task in tasks}
    return [kind for kind in KINDS if kind in there]


def key_lines(keyed: Iterable[KeyedTask]) -> str:
    return "".join(line.model_dump_json() + "\n" for line in keyed)


def write_changed(path: Path, text: str) -> None:
    """A file that says so already is left alone."""
    if path.exists() and path.read_bytes() == text.encode():
        return
    write_whole(path, text)


def _study(path: Path) -> Study:
    try:
        return Study.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise _damaged(str(path), error) from None


def _damaged(where: str, error: ValidationError) -> InputError:
    first = error.errors(include_url=False)[0]
    return InputError(
        ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"]))),
        where=where,
        fix="The file was changed or cut: restore it from a copy.",
    )
