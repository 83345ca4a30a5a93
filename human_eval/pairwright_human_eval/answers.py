"""The answers of a study, one table: answers.jsonl, made of the raw files as they came in.

    human/private/raw/0001-HASH.json    an export of Label Studio, or a .csv, by order of import
        project-7-HASH.json             a project of the server as last pulled
        simulated-NAME-HASH.json        by a simulated annotator

The table is always written from all raw files, so it can be made again.
"""

import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from typer import Argument, Option, confirm

from pairwright.errors import InputError, near, on_disk
from pairwright.files import write_whole
from pairwright.lines import write_lines
from pairwright.options import RunPath
from pairwright.progress import Note, Progress, log_notes
from pairwright_human_eval.exports import EXPORT, read_export
from pairwright_human_eval.folder import OpenStudy, open_study, read_study
from pairwright_human_eval.records import SIMULATED, Answer, Given, Objection, SetAside
from pairwright_human_eval.sheets import is_sheet, read_sheet, without_rows


@dataclass(frozen=True)
class ImportedAnswers:
    """Outcome of an import. Each annotation is an answer, set aside, or a copy of another."""

    answers: tuple[Answer, ...]
    set_aside: tuple[SetAside, ...]
    copies: int
    """Annotations that several files hold: those beyond the first."""
    open_tasks: int
    since: dict[str, int] = field(compare=False)
    """Annotated tasks that are new, changed or gone since the table was last written."""
    added: Sequence[str] = field(default=(), compare=False)
    refused: Sequence[InputError] = field(default=(), compare=False)
    """Reasons why a file or project was not imported. Nothing of it is kept."""

    @property
    def tasks(self) -> set[str]:
        """Ids of tasks that have an answer."""
        return {answer.task for answer in self.answers}

    @property
    def skipped(self) -> set[str]:
        """Tasks that were skipped, which are open, too."""
        return {one.task for one in self.set_aside if one.reason == "skipped"}

    @property
    def simulated(self) -> bool:
        """Whether simulated annotators answered, which verifies nothing."""
        return any(answer.source.startswith(SIMULATED) for answer in self.answers)


def import_answers(
    run: RunPath,
    files: Annotated[
        Iterable[Path | str], Argument(help="Exports, or filled-in CSV files.", metavar="FILE")
    ] = (),
    *,
    progress: Progress = log_notes,
) -> ImportedAnswers:
    """Import annotations: JSON that was exported from Label Studio, or filled-in spreadsheets.

    Every annotation is an answer or set aside with its reason. Importing a file again makes it the
    latest, and adds nothing. A file that cannot be read, or has no task of this study, is named and
    not kept. The others are imported, and the exit code is 1.

    Without a file, answers.jsonl and set_aside.jsonl are made again from RUN/human/private/raw: to
    take an import back, delete its file there first. The decisions and the report stay as they are
    until `human report` runs again; tasks of a second round stay.

    Raises InputError if there is no study, if simulated answers are in it, or if no file at all can
    be imported.

        >>> import_answers("runs/first", ["project-1.json"]).open_tasks

    Examples::

        pairwright human import runs/first project-1.json project-2.json
        pairwright human import runs/first annotator-01.csv annotator-02.csv
        pairwright human import runs/first
    """
    with open_study(Path(run)) as study:
        check_unmixed(study, simulated=False)
        added, refused = list[str](), list[InputError]()
        for path in map(Path, files):
            try:
                _keep(path, study)
                added.append(path.name)
            except InputError as error:
                refused.append(error)
        for one in refused if added else refused[:-1]:
            progress(Note(str(one)))
        if refused and not added:
            raise refused[-1]
        return write_answers(study, added, refused)


def _keep(path: Path, study: OpenStudy) -> None:
    """Keep a file as the latest, without tasks of people who have withdrawn. Raises InputError
    if it has no task of the study: it may hold a stranger's texts."""
    try:
        content = path.read_bytes()
    except OSError as error:
        fix = "Name a file that is there."
        raise InputError(str(error.strerror), where=path, fix=fix) from None
    if content.startswith(b"PK"):
        fix = "Open it in the spreadsheet program and save it as CSV (UTF-8)."
        raise InputError("is a workbook, not a CSV file", where=path, fix=fix)
    kept = without_withdrawn(content, study) if study.closed else content
    if content and not kept:
        what = "holds only answers of a person who has withdrawn"
        fix = "Nothing of it was kept. There is nothing to do but to delete the file."
        raise InputError(what, where=path, fix=fix)
    if not any(one.task and one.identity for one in read_raw(path, kept, study)):
        fix = f"Nothing of it was kept. {EXPORT} Export once somebody has annotated, and name the"
        fix += " run that the tasks are of."
        raise InputError("holds no annotation of a task of this study", where=path, fix=fix)
    there = sorted(study.folder.raw.glob("[0-9]*-*"))
    same = [path for path in there if path.stem.endswith(f"-{_hash(kept)}")]
    if not same or same[-1] != there[-1]:
        number = int(there[-1].name.partition("-")[0]) + 1 if there else 1
        store_raw(study, f"{number:04}", kept, ".csv" if is_sheet(kept) else ".json")
        for path in same:
            path.unlink()


def read_raw(path: Path, content: bytes, study: OpenStudy) -> Iterable[Given]:
    """The annotations of a file that came in. Raises InputError for one that cannot be read."""
    if is_sheet(content):
        return read_sheet(content, path, study.key, study.fixed)
    return read_export(content, path, study.key, study.fixed.scales)


def raw_files(study: OpenStudy) -> list[tuple[Path, bytes]]:
    """Raw files and their bytes, in order of import. Raises InputError for a changed one."""
    found = [(path, path.read_bytes()) for path in sorted(study.folder.raw.glob("*-*.*"))]
    for path, content in found:
        if not path.stem.endswith(f"-{_hash(content)}"):
            fix = "Move it away, then pull or import again."
            raise InputError("is not as it came in: its hash differs", where=path, fix=fix)
    return found


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def store_raw(study: OpenStudy, name: str, content: bytes, end: str = ".json") -> None:
    """Keep a file as it came, instead of the last one of that name."""
    path = study.folder.raw / f"{name}-{_hash(content)}{end}"
    before = [one for one in study.folder.raw.glob(f"{name}-*") if one != path]
    if not path.exists():
        write_whole(path, content)
    for one in before:
        one.unlink()


def check_unmixed(study: OpenStudy, *, simulated: bool) -> None:
    """Raise InputError if the study has answers of the other sort: simulated, or real."""
    names = sorted(study.folder.raw.glob("*-*.*"))
    if others := [one for one in names if one.name.startswith(SIMULATED) != simulated]:
        there, new = ("real", "simulated") if simulated else ("simulated", "real")
        what = f"{there} answers are here, and a decision cannot keep {new} ones apart from them"
        move = f"Move the {there} ones away (raw/{'*' if simulated else SIMULATED + '*'})"
        raise InputError(what, where=others[0], fix=f"{move}, or use a copy of the run.")


def without_withdrawn(content: bytes, study: OpenStudy) -> bytes:
    """A raw file without tasks of people who have withdrawn; empty if nothing is left."""
    if is_sheet(content):
        return without_rows(content, study.folder.raw, study.closed)
    try:
        tasks = list(json.loads(content))
    except (TypeError, ValueError, RecursionError):
        return content  # Whoever reads it says what is wrong.
    texts = ((task, json.dumps(task)) for task in tasks)
    kept = [task for task, text in texts if not any(name in text for name in study.closed)]
    if len(kept) == len(tasks):
        return content
    return json.dumps(kept).encode() if kept else b""


def write_answers(
    study: OpenStudy, added: Sequence[str] = (), refused: Sequence[InputError] = ()
) -> ImportedAnswers:
    """Make answers.jsonl and set_aside.jsonl from all raw files, of a project from the last. Raises
    InputError for a damaged file."""
    read = [one for path, content in raw_files(study) for one in read_raw(path, content, study)]
    last = {(one.task, one.project): one.file for one in read if one.task and one.project}
    begun = [
        one
        for one in read
        if one.identity and last.get((one.task, one.project), one.file) == one.file
    ]
    # By the time of the answer if it is known, then by file and the tool's number.
    begun.sort(key=lambda one: (one.at, one.file, one.number, one.identity))
    once: dict[tuple[str, str], Given] = {}
    for one in reversed(begun):
        once.setdefault((one.task, one.identity), one)
    answers, aside = _judged([*once.values()][::-1], study)
    try:
        before = study.answers()
    except InputError:  # A damaged table is made again.
        before = ()
    old, now = ({(a.task, a.kind, a.item, a.label) for a in each} for each in (before, answers))
    differ, there, here = ({one[0] for one in each} for each in (old ^ now, old, now))
    write_lines(study.folder.answers, answers)
    write_lines(study.folder.set_aside, aside)
    since = {"new": len(differ - there), "changed": len(differ & there & here)}
    since["gone"] = len(differ - here)
    copies, left = len(begun) - len(once), len(study.key.keys() - here)
    return ImportedAnswers(tuple(answers), tuple(aside), copies, left, since, added, refused)


def _judged(once: Sequence[Given], study: OpenStudy) -> tuple[list[Answer], list[SetAside]]:
    """The last answer to a task counts, by the account that gave most answers to its annotator's
    tasks. A later skip takes an answer back. What cannot be an answer takes nothing back, and what
    was begun on a task with an answer is no answer."""
    accounts = defaultdict[str, Counter[int]](Counter)
    for one in once:
        if one.task and one.account is not None and not one.fault:
            accounts[study.key[one.task].annotator][one.account] += 1
    own = {who: counts.most_common(1)[0][0] for who, counts in accounts.items()}
    last, drafts = dict[str, Given](), dict[str, tuple[Given, Objection]]()
    aside = list[tuple[Given, Objection]]()
    for one in once:
        keyed, fault = study.key.get(one.task), one.fault
        if keyed and one.account not in (None, own.get(keyed.annotator)):
            fault = fault or Objection("other_account", f"not by that of {keyed.annotator}")
        if fault and fault.reason == "draft":
            drafts[one.task] = one, fault
        elif fault:
            aside.append((one, fault))
        else:
            if before := last.get(one.task):
                skip = ", a skip" if one.answers is None else ""
                aside.append((before, Objection("superseded", f"by a later answer{skip}")))
            last[one.task] = one
    skipped = [one for one in last.values() if one.answers is None]
    aside += [(one, Objection("skipped", one.comment)) for one in skipped]
    answers = [line for _, one in sorted(last.items()) for line in one.answers or ()]
    done = {line.task for line in answers} | {one.task for one, _ in aside}
    aside += [draft for task, draft in drafts.items() if task not in done]
    lines = [
        SetAside(
            file=one.file, place=one.place, reason=why.reason, detail=why.detail, task=one.task,
            annotator=study.key[one.task].annotator if one.task else "",
        )
        for one, why in aside
    ]  # fmt: skip
    return answers, sorted(lines, key=lambda line: (line.file, line.task, line.place))


@dataclass(frozen=True, slots=True)
class WithdrawnPerson:
    """Answers removed with a person who withdrew, and work that is left."""

    annotator: str
    answers: int
    pushed: bool
    """Whether a server may hold more, which is to be deleted there by hand."""
    dealt_out: bool
    """Whether there were tasks of a second round, which `adjudicate` gives to others."""


def withdraw_person(
    run: RunPath,
    person: Annotated[str, Argument(help="A pseudonym such as annotator-04.", metavar="PERSON")],
    *,
    yes: Annotated[bool, Option(help="Remove without asking.")] = False,
    progress: Progress = log_notes,
) -> WithdrawnPerson:
    """Remove everything that a person answered from the study, for good.

    Raw files, answers, decisions and the report are as if they had not answered, and what is
    pulled or imported later is not kept either. Releases that were made before keep the answers:
    make and publish a new one.

    Raises InputError if there is no study or no such person, or if the removal is not
    confirmed: by `--yes`, or on a terminal by an answer.

    Examples::

        pairwright human withdraw runs/first annotator-04 --yes
    """
    with open_study(Path(run)) as study:
        folder, rounds = study.folder, dict.fromkeys(study.fixed.annotators, 1)
        rounds |= {task.annotator: task.round for task in study.key.values()}
        if person not in rounds:
            what = f"there is no {person!r} in this study.{near(person, sorted(rounds))}"
            fix = "`pairwright human status RUN` lists everybody."
            raise InputError(what, where="PERSON", fix=fix)
        answered = {one.task for one in study.answers() if one.annotator == person}
        if not yes:
            what = f"{len(answered)} annotated tasks and the sheet would be removed for good"
            if not sys.stdin.isatty() or not confirm(f"{person}: {what}. Go on?"):
                raise InputError(what, where=person, fix="Add --yes if that is meant.")
        # First the record, so that nothing comes back.
        write_whole(folder.withdrawn, "".join(f"{who}\n" for who in sorted({*study.away, person})))
        left = read_study(Path(run))
        for path, content in raw_files(left):
            kept = without_withdrawn(content, left)
            if kept != content:
                with on_disk(path):
                    path.unlink()
                    if kept:
                        store_raw(left, path.stem.rpartition("-")[0], kept, path.suffix)
        for path in (folder.sheet(person), *folder.sheets.glob(f"{person}-*.csv")):
            path.unlink(missing_ok=True)
        write_answers(left)
    if folder.decisions.exists():
        # pandas and matplotlib take half of the time of every other command.
        from pairwright_human_eval.report import decide

        decide(run, progress=progress)
    pushed, dealt_out = folder.server.exists(), rounds[person] == 2
    return WithdrawnPerson(person, len(answered), pushed, dealt_out)
