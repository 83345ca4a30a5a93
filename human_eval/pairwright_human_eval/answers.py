"""The answers of a study, one table: answers.jsonl, made of the raw files as they came in.

    human/private/raw/
        0001-HASH.json    the first file that was imported: an export of Label Studio, or a .csv
        project-7-HASH.json         a project of the server as last pulled
        simulated-NAME-HASH.json    by a simulated annotator

The table is written at import and pull, always from all raw files, so it can be made again. If a
person withdraws, all that they answered leaves the files and does not come back.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright.lines import write_lines
from pairwright_human_eval.exports import check_export, read_export
from pairwright_human_eval.folder import FixedStudy, HumanFolder, read_withdrawals, records_in
from pairwright_human_eval.forms import labels_of
from pairwright_human_eval.records import (
    SIMULATED,
    Answer,
    Given,
    KeyedTask,
    Objection,
    SetAside,
)
from pairwright_human_eval.sheets import is_sheet, read_rows, read_sheet, without_rows


@dataclass(frozen=True)
class Answered:
    """What came of all annotations: each is an answer, set aside, or a copy of another."""

    folder: Path
    """RUN/human."""
    key: Mapping[str, KeyedTask]
    """What each task is about."""
    answers: tuple[Answer, ...]
    """By task, in the order of its form."""
    set_aside: tuple[SetAside, ...]
    copies: int
    """Annotations that several files hold: those beyond the first."""
    since: Mapping[str, int] = field(compare=False)
    """Annotated tasks that are new, changed or gone since the table was last written."""

    @property
    def tasks(self) -> set[str]:
        """Those with an answer."""
        return {answer.task for answer in self.answers}

    @property
    def skipped(self) -> int:
        """Tasks that were skipped, which are open, too."""
        return len({one.task for one in self.set_aside if one.reason == "skipped"})

    @property
    def open_tasks(self) -> int:
        """How many tasks have no answer."""
        return len(self.key.keys() - self.tasks)

    @property
    def simulated(self) -> bool:
        """Whether simulated annotators answered, which verifies nothing."""
        return any(answer.source.startswith(SIMULATED) for answer in self.answers)


def read_answers(folder: HumanFolder) -> tuple[Answer, ...]:
    """The lines of answers.jsonl. Raises InputError for a damaged one."""
    again = "Delete it, and run `pairwright human import RUN` to make it again."
    return records_in(folder.answers, Answer, again)


# Raw files


def read_raw(path: Path, content: bytes, fixed: FixedStudy) -> list[Given]:
    """The annotations of a file that came in. Raises InputError for one that cannot be read."""
    if is_sheet(content):
        return read_sheet(content, path, fixed.key, fixed.study)
    return read_export(content, path, fixed.key, fixed.study.scales)


def raw_files(folder: HumanFolder) -> list[tuple[Path, bytes]]:
    """All of them, imported ones in the order of their import. Raises InputError for one that was
    changed."""
    found = [(path, path.read_bytes()) for path in sorted(folder.raw.glob("*-*.*"))]
    for path, content in found:
        if path.stem.rpartition("-")[2] != _hash(content):
            fix = "Move it away, then pull or import again."
            raise InputError("is not as it came in: its hash differs", where=path, fix=fix)
    return found


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def store_raw(folder: HumanFolder, name: str, content: bytes, end: str = ".json") -> str:
    """Keep a file as it came, in place of the last one of that name, and give its full name."""
    path = folder.raw / f"{name}-{_hash(content)}{end}"
    before = [one for one in folder.raw.glob(f"{name}-*") if one != path]
    if not path.exists():
        write_whole(path, content)
    for one in before:
        one.unlink()
    return path.name


def check_unmixed(folder: HumanFolder, *, simulated: bool) -> None:
    """Raise InputError if the study has answers of the other sort: simulated, or real."""
    names = sorted(folder.raw.glob("*-*.*"))
    if others := [one for one in names if one.name.startswith(SIMULATED) != simulated]:
        there, new = ("real", "simulated") if simulated else ("simulated", "real")
        raise InputError(
            f"{there} answers are here, and a decision cannot keep {new} ones apart from them",
            where=others[0],
            fix=f"Move the {there} ones away (raw/{'*' if simulated else SIMULATED + '*'}), or use"
            " a copy of the run.",
        )


class Imported(NamedTuple):
    """What became of files that were imported, or of projects that were pulled, by their names."""

    added: tuple[str, ...]
    repeated: tuple[str, ...]
    """Files that came in before, with nothing later on the same tasks."""
    refused: tuple[InputError, ...]
    """Why one was not taken in. Nothing of it is kept."""


def import_raw(paths: Iterable[Path], folder: HumanFolder, fixed: FixedStudy) -> Imported:
    """Keep every file that is an export of the study, even if others are refused.

    Raises InputError if simulated answers are in the study.
    """
    check_unmixed(folder, simulated=False)
    there = [
        (path.name, _tasks(read_raw(path, content, fixed)))
        for path, content in raw_files(folder)
        if path.name[0].isdigit()
    ]
    added, repeated, refused = list[str](), list[str](), list[InputError]()
    for path in paths:
        try:
            content = _of_study(path, folder, fixed)
        except InputError as error:
            refused.append(error)
            continue
        tasks = _tasks(read_raw(path, content, fixed))
        same = [name for name, own in there if own & tasks]
        if same and f"-{_hash(content)}." in same[-1]:
            repeated.append(path.name)
            continue
        number = int(there[-1][0].partition("-")[0]) + 1 if there else 1
        end = ".csv" if is_sheet(content) else ".json"
        there.append((store_raw(folder, f"{number:04}", content, end), tasks))
        added.append(path.name)
    return Imported(tuple(added), tuple(repeated), tuple(refused))


def _tasks(read: Iterable[Given]) -> set[str]:
    return {one.task for one in read} - {""}


def _of_study(path: Path, folder: HumanFolder, fixed: FixedStudy) -> bytes:
    """A file without tasks of people who have withdrawn. Raises InputError if no task of it is of
    the study: it may hold a stranger's texts."""
    try:
        content = path.read_bytes()
    except OSError as error:
        fix = "Name a file that is there."
        raise InputError(str(error.strerror), where=path, fix=fix) from None
    if content.startswith(b"PK"):
        fix = "Open it in the spreadsheet program and save it as CSV (UTF-8)."
        raise InputError("is a workbook, not a CSV file", where=path, fix=fix)
    if not is_sheet(content):
        check_export(content, path)
    kept = without_withdrawn(content, folder)
    if not kept:
        fix = "There is nothing to do but to delete the file: nothing of it was kept."
        what = "holds only answers of a person who has withdrawn"
        raise InputError(what, where=path, fix=fix)
    if not _tasks(read_raw(path, kept, fixed)):
        fix = "Give the export of a project of this study, or name the run that it belongs to."
        what = "holds no task of this study"
        raise InputError(what, where=path, fix=f"Nothing of it was kept. {fix}")
    return kept


def without_withdrawn(content: bytes, folder: HumanFolder) -> bytes:
    """A raw file without tasks of people who have withdrawn: as it is if it has none of them, empty
    if nothing is left."""
    closed = {task for withdrawal in read_withdrawals(folder) for task in withdrawal.tasks}
    if is_sheet(content):
        names = {cell for row in read_rows(content, folder.raw)[0] for cell in row}
        left = without_rows(content, folder.raw, closed) if closed & names else content
        return left if left == content or b"task-" in left else b""
    tasks = json.loads(content)
    kept = [task for task in tasks if _name_of(task) not in closed]
    if len(kept) == len(tasks):
        return content
    return json.dumps(kept).encode() if kept else b""


def _name_of(task: object) -> str:
    data = task.get("data") if isinstance(task, dict) else None
    return str(data.get("task")) if isinstance(data, dict) else ""


def scrub(folder: HumanFolder) -> None:
    """Take what withdrawn people did out of every raw file. A file with nothing else goes."""
    for path, content in raw_files(folder):
        left = without_withdrawn(content, folder)
        if left != content:
            with on_disk(path):
                path.unlink()
                if left:
                    store_raw(folder, path.stem.rpartition("-")[0], left, path.suffix)


# The table


class _Filed(NamedTuple):
    """An annotation with the file that it is in."""

    order: tuple[datetime, int, int, str]
    """By the time of the answer, if it is known, then by the file and the tool's number."""
    file: str
    given: Given


def make_answers(folder: HumanFolder, fixed: FixedStudy) -> Answered:
    """Read every raw file, and judge every annotation. Raises InputError for a damaged file.

    The last file of a project counts, so what was deleted there is gone.
    """
    read: dict[tuple[str, str], list[_Filed]] = {}
    for number, (path, content) in enumerate(raw_files(folder)):
        own: dict[tuple[str, str], list[_Filed]] = defaultdict(list)
        for n, given in enumerate(read_raw(path, content, fixed)):
            at = datetime.fromisoformat(given.at or "0001-01-01T00:00:00+00:00")
            one = _Filed((at, number, given.number, given.identity), path.name, given)
            # What names no task of the study is something else each time.
            project = given.project if given.task and given.project else path.name
            own[given.task, project if given.task else f"{project} {n}"].append(one)
        read |= own
    begun = [one for own in read.values() for one in own if one.given.identity]
    every = sorted(begun, key=attrgetter("order"))
    once = {(one.given.task, one.given.identity): one for one in every}
    answers, aside = _judged(sorted(once.values(), key=attrgetter("order")), fixed)
    copies = len(every) - len(once)
    return Answered(folder.path, fixed.key, answers, aside, copies, _since(folder, answers))


def _since(folder: HumanFolder, answers: Iterable[Answer]) -> dict[str, int]:
    try:
        before = read_answers(folder)
    except InputError:  # A damaged table is made again.
        before = ()
    old, now = ({(a.task, a.kind, a.item, a.label) for a in each} for each in (before, answers))
    differ, there, here = ({one[0] for one in each} for each in (old ^ now, old, now))
    changed = len(differ & there & here)
    return {"new": len(differ - there), "changed": changed, "gone": len(differ - here)}


def _judged(
    once: Sequence[_Filed], fixed: FixedStudy
) -> tuple[tuple[Answer, ...], tuple[SetAside, ...]]:
    """The last answer to a task counts. A later skip takes an answer back. Anything that cannot be
    an answer takes nothing back, and what was begun on a task with an answer is no answer."""
    accounts: dict[str, Counter[int]] = defaultdict(Counter)
    for one in once:
        if one.given.task and one.given.account is not None and not one.given.fault:
            accounts[fixed.key[one.given.task].annotator][one.given.account] += 1
    # The account that gave most of the answers to an annotator's tasks is the annotator's.
    own = {who: counts.most_common(1)[0][0] for who, counts in accounts.items()}
    aside, drafts = list[SetAside](), list[SetAside]()
    last: dict[str, _Filed] = {}

    def set_aside(one: _Filed, why: Objection) -> None:
        keyed = fixed.key.get(one.given.task)
        line = SetAside(
            file=one.file, place=one.given.place, reason=why.reason, detail=why.detail,
            task=one.given.task, annotator=keyed.annotator if keyed else "",
        )  # fmt: skip
        (drafts if why.reason == "draft" else aside).append(line)

    for one in once:
        keyed, fault = fixed.key.get(one.given.task), one.given.fault
        if keyed and one.given.account not in (None, own.get(keyed.annotator)):
            fault = fault or Objection("other_account", f"not by that of {keyed.annotator}")
        if fault:
            set_aside(one, fault)
            continue
        if before := last.get(one.given.task):
            skip = ", a skip" if one.given.choices is None else ""
            set_aside(before, Objection("superseded", f"by a later answer{skip}"))
        last[one.given.task] = one
    answers = list[Answer]()
    for task, one in sorted(last.items()):
        if one.given.choices is None:
            set_aside(one, Objection("skipped", one.given.comment))
        else:
            answers += _answers(one, fixed.key[task])
    done = {one.task for one in answers} | {one.task for one in aside}
    aside += ({line.task: line for line in drafts if line.task not in done}).values()
    aside.sort(key=lambda line: (line.file, line.task, line.place))
    return tuple(answers), tuple(aside)


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
