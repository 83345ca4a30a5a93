"""A study and its folder, `human/` in the run folder: its paths, reading it, writing it.

Everything that could unblind annotators or names a person lies under `private/` and never goes into
a release. One command at a time writes in a study: two pushes at once would make every task twice.
"""

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic_core import to_json

from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import iterate_pairs
from pairwright.errors import InputError, on_disk
from pairwright.files import locked, write_whole
from pairwright.lines import read_lines, read_one, write_lines, write_one
from pairwright.pairs.layout import file_digest
from pairwright.pairs.read import is_release
from pairwright.records import Record
from pairwright.settings.config import Config
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.forms import labelling_config, load_language, render_guidelines
from pairwright_human_eval.records import KINDS, Answer, Data, KeyedTask, Kind, Study, Task
from pairwright_human_eval.units import Outline, Unit, outline_of, units_of

T = TypeVar("T", bound=Record)
RESTORE = "The file was changed or cut: restore it from a copy."


class HumanFolder:
    """The paths of a study in one run folder."""

    def __init__(self, run: Path) -> None:
        self.run, self.path, self.private = run, run / "human", run / "human/private"
        self.guidelines = self.path / "guidelines.md"
        self.sheets = self.path / "spreadsheets"
        self.answers, self.set_aside = self.path / "answers.jsonl", self.path / "set_aside.jsonl"
        self.decisions, self.report = self.path / "decisions.jsonl", self.path / "report.json"
        self.study, self.key = self.private / "study.json", self.private / "key.jsonl"
        self.adjudication_key = self.private / "key_adjudication.jsonl"
        self.raw = self.private / "raw"  # Files as they came in.
        self.server = self.private / "server.json"  # What was pushed to Label Studio.
        self.withdrawn = self.private / "withdrawn.txt"  # Pseudonyms, one a line.

    def tasks(self, annotator: str, kind: Kind, round: int = 1) -> Path:
        """The task file of one annotator and kind. Names of annotators are ours, not theirs."""
        return self.path / ("tasks" if round == 1 else "adjudication") / annotator / f"{kind}.json"

    def form(self, kind: Kind) -> Path:
        """The labelling configuration of a kind."""
        return self.path / f"labeling_config_{kind}.xml"

    def sheet(self, annotator: str, round: int = 1, number: int = 1) -> Path:
        """A spreadsheet of one person; in round 2 there may be several."""
        name = annotator if round == 1 else f"{annotator}-adjudication"
        return self.sheets / (f"{name}.csv" if number == 1 else f"{name}-{number}.csv")


class OpenStudy(NamedTuple):
    """A study as it was exported: what all work on it starts from."""

    folder: HumanFolder
    fixed: Study
    key: dict[str, KeyedTask]
    """Tasks and their subjects, without second-round tasks of people who have withdrawn."""
    away: frozenset[str] = frozenset()
    """People who have withdrawn: they get no more tasks."""
    closed: frozenset[str] = frozenset()
    """Ids of the tasks, of both rounds, of people who have withdrawn."""

    @property
    def config(self) -> Config:
        """Config of the run."""
        return RunFolder(self.folder.run).settings()

    @property
    def asked(self) -> set[str]:
        """The units that annotators are asked about."""
        return {keyed.unit for keyed in self.key.values()}

    @property
    def rules(self) -> HumanRules:
        """The rule in force: [human] of the run's config, as the annotators can carry it out."""
        pairs = {(task.unit, task.pair) for task in self.key.values() if task.pair}
        halves = max(Counter(unit for unit, _ in pairs).values(), default=1)
        return fitting(self.config.human, len(self.fixed.annotators), halves)

    def pairs(self) -> Path:
        """The run's pairs.jsonl. Raises InputError if the tasks were made of another file."""
        pairs = self.folder.run / "pairs.jsonl"
        if not pairs.exists() or file_hash(pairs) != self.fixed.pairs_hash:
            what = "is not the file that the tasks were made of"
            fix = "Restore it, or build again with the config and source it was built with."
            raise InputError(what, where=pairs, fix=fix)
        return pairs

    def units(self) -> list[Unit]:
        """The units of the study, in the order of pairs.jsonl; raises InputError like `pairs`."""
        whole, asked = units_of(iterate_pairs(self.folder.run), self.pairs()), self.asked
        return [unit for unit in whole if unit.id in asked]

    def outlines(self) -> list[Outline]:
        """Outlines of the units that people are asked about."""
        return [*map(outline_of, self.units())]

    def answers(self) -> tuple[Answer, ...]:
        """The lines of answers.jsonl, as last written. Raises InputError for a damaged one."""
        path = self.folder.answers
        again = "Delete it, and run `pairwright human import RUN` to make it again."
        return tuple(read_lines(path, Answer, fix=again)) if path.exists() else ()


def fitting(rules: HumanRules, people: int, halves: int) -> HumanRules:
    """The rule as so many people can carry it out. An annotator who votes on a side of a twin sees
    neither its other side nor its aspects. `halves` is 2 if there are twins or placebos."""
    votes = min(rules.votes, max(1, people // halves))
    fewer = {"votes": votes, "quality_votes": min(rules.quality_votes, people)}
    fewer["rubric_votes"] = min(rules.rubric_votes, max(0, people - halves * votes))
    return HumanRules(**dict(rules) | fewer)


def file_hash(path: Path) -> str:
    """`sha256:` of a file's bytes."""
    return "sha256:" + file_digest(path)


def records_in(path: Path, kind: type[T]) -> tuple[T, ...]:
    """The lines of a file of the study, if it is there. Raises InputError for a damaged one."""
    return tuple(read_lines(path, kind, fix=RESTORE)) if path.exists() else ()


def record_in(path: Path, kind: type[T]) -> T | None:
    """The record of a file of the study, if it is there. Raises InputError for a damaged one."""
    return read_one(path, kind, fix=RESTORE) if path.exists() else None


def read_study(run: Path) -> OpenStudy:
    """Read a run's study, without a lock. Raises InputError if no whole study is there."""
    folder = HumanFolder(run)
    study = record_in(folder.study, Study)
    if study is None:
        fix = f"Name a run's folder, and `pairwright human export {run}` first."
        if is_release(run):
            fix = "This is a release. Name the run folder that it was made from."
        raise InputError("no study here", where=folder.path, fix=fix)
    first = records_in(folder.key, KeyedTask)
    second = records_in(folder.adjudication_key, KeyedTask)
    if not folder.key.exists() or file_hash(folder.key) != study.key_hash:
        fix = "No answer can be read without it: restore it from a copy."
        raise InputError("is not the key that was exported", where=folder.key, fix=fix)
    if any(keyed.round != 2 for keyed in second):
        what = "has tasks that are not of the second round"
        raise InputError(what, where=folder.adjudication_key, fix=RESTORE)
    names = folder.withdrawn.read_text("utf-8") if folder.withdrawn.exists() else ""
    away = frozenset(names.split())
    closed = frozenset(keyed.task for keyed in (*first, *second) if keyed.annotator in away)
    left = [*first, *(keyed for keyed in second if keyed.task not in closed)]
    return OpenStudy(folder, study, {keyed.task: keyed for keyed in left}, away, closed)


@contextmanager
def open_study(run: Path) -> Iterator[OpenStudy]:
    """Open a run's study to write in it. Raises InputError like `read_study`, or if it is busy."""
    folder = read_study(run).folder
    path, fix = folder.private / "lock", "Run this one again when it has ended."
    with on_disk(path):
        file = path.open("w")
    with locked(file, InputError("another command is working on it", where=folder.path, fix=fix)):
        # What another command wrote meanwhile counts.
        yield read_study(run)


def read_tasks(folder: HumanFolder, key: Iterable[KeyedTask]) -> dict[str, Data]:
    """Contents of the tasks of the `key`, by id. Raises InputError for a damaged file."""
    wanted = {task.task: folder.tasks(task.annotator, task.kind, task.round) for task in key}
    found: dict[tuple[Path, str], Data] = {}
    for path in dict.fromkeys(wanted.values()):
        try:
            rows = [dict(task["data"]) for task in json.loads(path.read_bytes())]
            found |= {(path, str(row["task"])): row for row in rows}
        except (OSError, ValueError, KeyError, TypeError) as error:
            why = (isinstance(error, OSError) and error.strerror) or repr(error)[:200]
            raise InputError(f"not a task file ({why})", where=path, fix=RESTORE) from None
    for name, path in wanted.items():
        if (path, name) not in found:
            raise InputError(f"{name} is missing", where=path, fix=RESTORE)
    return {name: found[path, name] for name, path in wanted.items()}


def write_study(folder: HumanFolder, study: Study, tasks: Sequence[Task]) -> None:
    """Write tasks, forms, guidelines, key and settings. Raises InputError if a study is there."""
    if folder.study.exists():
        what = "a study was exported here, and people may be working on it"
        raise InputError(what, where=folder.path, fix="Move the folder away to export anew.")
    language, key = load_language(study.language), [task.keyed for task in tasks]
    aspects = any(keyed.kind == "rubric" for keyed in key)
    with on_disk(folder.path):
        folder.private.mkdir(parents=True, exist_ok=True)
        folder.private.chmod(0o700)
        # What an export that was cut short may have left is in no key.
        shutil.rmtree(folder.path / "tasks", ignore_errors=True)
        for kind in KINDS:
            write_whole(folder.form(kind), labelling_config(kind, study.scales, language))
        page = render_guidelines(study.scales, language, study.tool, aspects=aspects)
        write_whole(folder.guidelines, page)
        write_tasks(folder, tasks)
        write_lines(folder.key, key)
        # Last: a study that is there is whole.
        write_one(folder.study, Study(**dict(study) | {"key_hash": file_hash(folder.key)}))


def write_tasks(folder: HumanFolder, tasks: Iterable[Task]) -> set[Path]:
    """Write one file an annotator, kind and round, as Label Studio imports it; all of them."""
    files: dict[Path, list[dict[str, Data]]] = {}
    for task in tasks:
        path = folder.tasks(task.keyed.annotator, task.keyed.kind, task.keyed.round)
        files.setdefault(path, []).append({"data": task.data})
    for path, listed in files.items():
        write_whole(path, to_json(listed, indent=1).decode() + "\n")
    return set(files)
