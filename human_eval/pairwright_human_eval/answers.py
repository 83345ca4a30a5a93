"""The answers of a study, one table: answers.jsonl, made of the raw files as they came in.

    human/private/raw/
        0001-HASH.json    the first file that was imported: an export of Label Studio, or a .csv
        project-7-HASH.json         a project of the server as last pulled
        simulated-NAME-HASH.json    by a simulated annotator

The table is written at import and pull, always from all raw files, so it can be made again. Of a
person who withdraws, all that they answered leaves the files and does not come back.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright.lines import write_lines
from pairwright_human_eval.folder import FixedStudy, HumanFolder, read_withdrawals, records_in
from pairwright_human_eval.form import labels_of
from pairwright_human_eval.label_studio import check_export, read_export
from pairwright_human_eval.records import (
    SIMULATED,
    Answer,
    Given,
    KeyedTask,
    Objection,
    RawTask,
    SetAside,
)
from pairwright_human_eval.spreadsheets import is_sheet, read_sheet, without_rows


class Answered(NamedTuple):
    """What came of all annotations: each is an answer, set aside, or a copy of another."""

    answers: tuple[Answer, ...]
    """By task, in the order of its form."""
    set_aside: tuple[SetAside, ...]
    copies: int
    """Annotations that several files hold: those beyond the first."""

    @property
    def tasks(self) -> set[str]:
        """Those with an answer."""
        return {answer.task for answer in self.answers}

    @property
    def simulated(self) -> bool:
        """Whether simulated annotators answered."""
        return any(answer.source.startswith(SIMULATED) for answer in self.answers)


def read_answers(folder: HumanFolder) -> tuple[Answer, ...]:
    """The lines of answers.jsonl. Raises InputError for a damaged one."""
    again = "Delete it, and run `pairwright human import RUN` to make it again."
    return records_in(folder.answers, Answer, again)


# Raw files


def read_raw(path: Path, content: bytes, fixed: FixedStudy) -> list[RawTask]:
    """The tasks of a file that came in. Raises InputError for one that cannot be read."""
    if is_sheet(content):
        return read_sheet(content, path, fixed.key, fixed.study)
    return read_export(content, path, fixed.key, fixed.study.scales)


def content_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            str(error.strerror), where=path, fix="Name a file that is there."
        ) from None


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def raw_files(folder: HumanFolder) -> list[Path]:
    """All of them, imported ones in the order of their import."""
    return sorted(folder.raw.glob("*-*.*"))


def _stored(path: Path) -> bytes:
    content = content_of(path)
    if path.stem.rpartition("-")[2] != _hash(content):
        fix = "Move it away, then pull or import again."
        raise InputError("is not as it came in: its hash differs", where=path, fix=fix)
    return content


def store_raw(folder: HumanFolder, name: str, content: bytes, end: str = ".json") -> Path:
    """Keep a file as it came, in place of the last one of that name."""
    path = folder.raw / f"{name}-{_hash(content)}{end}"
    before = [one for one in folder.raw.glob(f"{name}-*") if one != path]
    if not path.exists():
        write_whole(path, content)
    for one in before:
        one.unlink()
    return path


def check_unmixed(folder: HumanFolder, *, simulated: bool) -> None:
    """Raise InputError if the study has answers of the other sort: simulated, or real."""
    others = [one for one in raw_files(folder) if one.name.startswith(SIMULATED) != simulated]
    if others:
        there, new = ("real", "simulated") if simulated else ("simulated", "real")
        raise InputError(
            f"{there} answers are here, and a decision cannot keep {new} ones apart from them",
            where=min(others),
            fix=f"Move the {there} ones away (raw/{'*' if simulated else SIMULATED + '*'}), or use"
            " a copy of the run.",
        )


class Imported(NamedTuple):
    """What became of files that were imported, by their names."""

    added: tuple[str, ...]
    repeated: tuple[str, ...]
    """Files that came in before, with nothing later on the same tasks."""
    refused: tuple[InputError, ...]
    """Why a file was not taken in. Nothing of it is kept."""


def import_raw(paths: Iterable[Path], folder: HumanFolder, fixed: FixedStudy) -> Imported:
    """Keep every file that is an export of the study, even if others are refused.

    Raises InputError if simulated answers are in the study.
    """
    check_unmixed(folder, simulated=False)
    there = [
        (one, _tasks(read_raw(one, _stored(one), fixed)))
        for one in raw_files(folder)
        if one.name[0].isdigit()
    ]
    added, repeated, refused = list[str](), list[str](), list[InputError]()
    for path in paths:
        try:
            content, tasks = _of_study(path, folder, fixed)
        except InputError as error:
            refused.append(error)
            continue
        same = [one for one, own in there if own & tasks]
        if same and same[-1].stem.endswith(_hash(content)):
            repeated.append(path.name)
            continue
        number = int(there[-1][0].name.partition("-")[0]) + 1 if there else 1
        end = ".csv" if is_sheet(content) else ".json"
        there.append((store_raw(folder, f"{number:04}", content, end), tasks))
        added.append(path.name)
    return Imported(tuple(added), tuple(repeated), tuple(refused))


def _tasks(read: Iterable[RawTask]) -> set[str]:
    return {task.task for task in read} - {""}


def _of_study(path: Path, folder: HumanFolder, fixed: FixedStudy) -> tuple[bytes, set[str]]:
    """A file without tasks of people who have withdrawn, and its tasks. Raises InputError if there
    is none of the study: it may hold a stranger's texts."""
    content = content_of(path)
    if not is_sheet(content):
        check_export(content, path)
    tasks = _tasks(read_raw(path, content, fixed))
    left = tasks - _closed(folder)
    if not left:
        what = "only answers of a person who has withdrawn" if tasks else "no task of this study"
        raise InputError(
            f"holds {what}",
            where=path,
            fix="Nothing of it was kept. Give the export of a project of this study, or name the"
            " run that the file belongs to.",
        )
    return without_tasks(content, path, tasks - left) if left != tasks else content, left


def _closed(folder: HumanFolder) -> set[str]:
    """The tasks of everybody who has withdrawn."""
    return {task for withdrawal in read_withdrawals(folder) for task in withdrawal.tasks}


def scrub(folder: HumanFolder) -> None:
    """Take what withdrawn people did out of every raw file. A file with nothing else goes."""
    closed = _closed(folder)
    for path in raw_files(folder):
        content = _stored(path)
        left = without_tasks(content, path, closed)
        if left == content:
            continue
        with on_disk(path):
            path.unlink()
            if left:
                store_raw(folder, path.stem.rpartition("-")[0], left, path.suffix)


def kept_of(content: bytes, folder: HumanFolder) -> bytes:
    """An export without tasks of people who have withdrawn."""
    return without_tasks(content, folder.raw, _closed(folder)) or b"[]"


def without_tasks(content: bytes, path: Path, closed: set[str]) -> bytes:
    """A raw file without some tasks, as it is if it has none of them; empty if none is left."""
    if is_sheet(content):
        named = any(task.encode() in content for task in closed)
        left = without_rows(content, path, closed) if named else content
        return left if b"task-" in left else b""
    tasks = json.loads(content)
    kept = [task for task in tasks if _name_of(task) not in closed]
    if len(kept) == len(tasks):
        return content
    return json.dumps(kept).encode() if kept else b""


def _name_of(task: object) -> object:
    data = task.get("data") if isinstance(task, dict) else None
    return data.get("task") if isinstance(data, dict) else None


# The table


class _Filed(NamedTuple):
    """An annotation with the file that it is in."""

    given: Given
    file: str
    number: int
    """Later files have higher ones."""

    @property
    def order(self) -> tuple[datetime, int, int, str]:
        """By the time of the answer, if it is known, then by the file and the tool's number."""
        at = datetime.fromisoformat(self.given.at) if self.given.at else _NEVER
        return at, self.number, self.given.number, self.given.identity


_NEVER = datetime.min.replace(tzinfo=UTC)


def make_answers(folder: HumanFolder, fixed: FixedStudy) -> Answered:
    """Read every raw file, and judge every annotation. Raises InputError for a damaged file."""
    read = [
        (path.name, number, read_raw(path, _stored(path), fixed))
        for number, path in enumerate(raw_files(folder))
    ]
    latest: dict[tuple[str, str], int] = {}
    for _, number, tasks in read:
        for task in tasks:
            latest[task.task, task.project or f"file {number}"] = number
    return _judged(
        [
            _Filed(given, file, number)
            for file, number, tasks in read
            for task in tasks
            if not task.task or latest[task.task, task.project or f"file {number}"] == number
            for given in task.given
        ],
        fixed,
    )


def _judged(read: Sequence[_Filed], fixed: FixedStudy) -> Answered:
    """The last answer to a task counts. A later skip takes an answer back. Anything that cannot be
    an answer takes nothing back, and what was begun on a task with an answer is no answer."""
    once: dict[tuple[str, str], _Filed] = {}
    for one in sorted(read, key=lambda one: one.order):
        once[one.given.task, one.given.identity] = one
    own = _accounts(once.values(), fixed)
    aside, drafts = list[SetAside](), dict[str, SetAside]()
    by_task: dict[str, list[_Filed]] = defaultdict(list)
    for one in once.values():
        keyed, fault = fixed.key.get(one.given.task), one.given.fault
        if keyed and one.given.account not in (None, own.get(keyed.annotator)):
            fault = fault or Objection("other_account", f"not by that of {keyed.annotator}")
        if fault and fault.reason == "draft":
            drafts[one.given.task] = _aside(one, fault, keyed)
        elif fault:
            aside.append(_aside(one, fault, keyed))
        else:
            by_task[one.given.task].append(one)
    answers = list[Answer]()
    for task, several in sorted(by_task.items()):
        *before, last = sorted(several, key=lambda one: one.order)
        skip = last.given.choices is None
        why = Objection("superseded", f"by a later answer{', a skip' if skip else ''}")
        aside += (_aside(one, why, fixed.key[task]) for one in before)
        if skip:
            aside.append(_aside(last, Objection("skipped", last.given.comment), fixed.key[task]))
        else:
            answers += _answers(last, fixed.key[task])
    done = {one.task for one in answers} | {one.task for one in aside}
    aside += (line for task, line in drafts.items() if task not in done)
    aside.sort(key=lambda line: (line.file, line.task, line.place))
    return Answered(tuple(answers), tuple(aside), len(read) - len(once))


def _accounts(read: Iterable[_Filed], fixed: FixedStudy) -> dict[str, int | None]:
    """The account of each annotator: the one that gave most of the answers to their tasks."""
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for one in sorted(read, key=lambda one: one.order):
        if one.given.task and one.given.account is not None and not one.given.fault:
            counts[fixed.key[one.given.task].annotator][one.given.account] += 1
    return {who: own.most_common(1)[0][0] for who, own in counts.items()}


def _aside(one: _Filed, why: Objection, keyed: KeyedTask | None) -> SetAside:
    return SetAside(
        file=one.file, place=one.given.place, reason=why.reason, detail=why.detail,
        task=one.given.task, annotator=keyed.annotator if keyed else "",
    )  # fmt: skip


def _answers(one: _Filed, task: KeyedTask) -> Iterator[Answer]:
    given = one.given
    labels = [*labels_of(given.choices or {}, task)]
    if given.comment:
        labels.append(("comment", "", given.comment))
    for kind, item, label in labels:
        yield Answer(
            task=task.task, annotator=task.annotator,
            round=0 if task.purpose == "repeat" else task.round, unit=task.unit, pair=task.pair,
            kind=kind, item=item, label=label, seconds=given.seconds, at=given.at, source=one.file,
        )  # fmt: skip


def write_answers(folder: HumanFolder, fixed: FixedStudy) -> Answered:
    """Make answers.jsonl and set_aside.jsonl from the raw files."""
    found = make_answers(folder, fixed)
    write_lines(folder.answers, found.answers)
    write_lines(folder.set_aside, found.set_aside)
    return found
