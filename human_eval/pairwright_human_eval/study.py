"""A run with its study: planned, exported, opened for one command, and how far it is.

One command at a time writes in a study: two pushes at once would make every task twice.
"""

import re
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from typer import Option

from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import iterate_pairs
from pairwright.errors import InputError, on_disk
from pairwright.files import locked
from pairwright.options import AnnotatorCount, Overlap, RunPath, SampleSize
from pairwright.settings.config import Config
from pairwright.settings.rules import HumanRules
from pairwright.text import word_count
from pairwright.version import __version__
from pairwright_human_eval.answers import Answered, read_answers, write_answers
from pairwright_human_eval.assign import fitting, make_tasks, people_for, possible_overlap
from pairwright_human_eval.folder import (
    FixedStudy,
    HumanFolder,
    read_study,
    record_in,
    records_in,
    withdrawn_people,
    write_study,
)
from pairwright_human_eval.records import (
    KINDS,
    Answer,
    Data,
    Kind,
    SetAside,
    State,
    Study,
    pseudonyms,
)
from pairwright_human_eval.sheets import write_sheets
from pairwright_human_eval.tasks import Task
from pairwright_human_eval.units import Unit, file_hash, sample_of, units_of

Tool = Literal["label-studio", "spreadsheet"]
"""What annotators work with."""
WORDS_A_MINUTE = 238
"""Silent reading of English non-fiction: Brysbaert (2019), J. Memory and Language 109, 104047."""
SECOND = "adjudication"
_TAG = re.compile(r"<[^>]+>")


class OpenStudy(NamedTuple):
    """What the work on a study starts from."""

    folder: HumanFolder
    fixed: FixedStudy

    @property
    def config(self) -> Config:
        """The run's."""
        return RunFolder(self.folder.run).settings()

    def pairs(self) -> Path:
        """The run's pairs.jsonl. Raises InputError if the tasks were made of another file."""
        pairs = self.folder.run / "pairs.jsonl"
        if not pairs.exists() or file_hash(pairs) != self.fixed.study.pairs_hash:
            raise InputError(
                "is not the file that the tasks were made of",
                where=pairs,
                fix="Restore it, or build again with the config and source it was built with.",
            )
        return pairs

    def units(self) -> list[Unit]:
        """The units of the study, in the order of pairs.jsonl; raises InputError like `pairs`."""
        whole = units_of(iterate_pairs(self.folder.run), self.pairs())
        return [unit for unit in whole if unit.id in self.fixed.units]

    @property
    def rules(self) -> HumanRules:
        """The rule in force: [human] of the run's config, as the study's annotators can carry it
        out."""
        pairs: dict[str, set[str]] = {}
        for task in self.fixed.key.values():
            pairs.setdefault(task.unit, set()).update({task.pair} - {""})
        halves = max(map(len, pairs.values()), default=1)
        return fitting(self.config.human, len(self.fixed.study.annotators), halves)

    def answers(self) -> tuple[Answer, ...]:
        """The table of answers, as it was last written."""
        return read_answers(self.folder)

    def set_aside(self) -> tuple[SetAside, ...]:
        return records_in(self.folder.set_aside, SetAside)

    def write_answers(self) -> Answered:
        """Make answers.jsonl and set_aside.jsonl from the raw files."""
        return write_answers(self.folder, self.fixed)


def read_open_study(run: Path) -> OpenStudy:
    """A run's study to be read: without a lock, and nothing is written. Raises InputError if
    there is none."""
    folder = HumanFolder(run)
    return OpenStudy(folder, read_study(folder))


@contextmanager
def open_study(run: Path) -> Iterator[OpenStudy]:
    """Open a run's study to write in it. Raises InputError if there is none, or another command
    works on it."""
    folder = read_open_study(run).folder
    path, fix = folder.private / "lock", "Run this one again when it has ended."
    with on_disk(path):
        file = path.open("w")
    with locked(file, InputError("another command is working on it", where=folder.path, fix=fix)):
        # What another command wrote meanwhile counts.
        yield read_open_study(run)


# Before and out


@dataclass(frozen=True, slots=True)
class StudyTasks:
    """What a study asks of its annotators."""

    folder: Path
    """RUN/human: its files load into any Label Studio; `private` in it is not for annotators."""
    study: Study
    """What the study fixed: its rule, annotators and scales."""
    units: Mapping[str, int]
    """Twins, placebos and single pairs that can be verified, by mode."""
    configured: HumanRules
    """The rule of the config, which the number of people may lower."""
    wanted: int
    """The overlap that was asked for."""
    sample: int | None
    tasks: Mapping[Kind, int]
    workloads: Mapping[str, int]
    """The tasks of each annotator, by name."""
    hours: Mapping[Kind, float]
    """To read the tasks of a kind once, by all annotators together; of a plan alone."""
    sheets: tuple[Path, ...]
    """The files to fill in, one an annotator, if people work in spreadsheets."""

    @property
    def asked(self) -> dict[Kind, int]:
        """How many people answer each question of a kind."""
        return {kind: people_for(kind, self.study.overlap, self.study.policy) for kind in KINDS}


def _drafted(
    run: Path, people: int, overlap: int, sample: int | None, seed: int, language: str
) -> tuple[StudyTasks, dict[str, list[Task]]]:
    """Draw the units, fit overlap and rule to the number of people, and make everybody's tasks.
    Raises InputError if there is nothing to verify."""
    folder, file = RunFolder(run), run / "pairs.jsonl"
    config = folder.settings()
    if config.own_choices:
        what = "its labels are the users' own choices, which annotators cannot verify"
        raise InputError(what, where=run, fix="Release it without a study: pairwright release.")
    whole = units_of(iterate_pairs(run), file)
    if not whole:
        raise InputError("holds no pair", where=file, fix="Build until pairs are kept.")
    units = sample_of(whole, sample, config.seed)
    rules = fitting(config.human, people, max(len(unit.pairs) for unit in units))
    study = Study(
        version=__version__,
        pairs_hash=file_hash(file),
        seed=seed,
        annotators=pseudonyms(people),
        overlap=possible_overlap(units, people, overlap, rules),
        of=len(whole),
        policy=rules,
        scales=folder.scales(),
        language=language,
    )
    tasks = make_tasks(units, study, config.planner)
    kinds = Counter(task.keyed.kind for own in tasks.values() for task in own)
    loads = {who: len(own) for who, own in tasks.items()}
    made = StudyTasks(
        folder=HumanFolder(run).path, study=study, units=Counter(unit.mode for unit in units),
        configured=config.human, wanted=overlap, sample=sample, tasks=kinds, workloads=loads,
        hours={}, sheets=(),
    )  # fmt: skip
    return made, tasks


def export_tasks(
    run: RunPath,
    *,
    annotators: AnnotatorCount = 11,
    overlap: Overlap = 3,
    sample: SampleSize = None,
    seed: Annotated[int | None, Option(help="Fixes the draw: for a demo alone.")] = None,
    tool: Annotated[Tool, Option(help="What annotators work with.")] = "label-studio",
    language: Annotated[str, Option(help="Of the forms and guidelines: en or de.")] = "en",
) -> StudyTasks:
    """Write blind tasks, one file for each annotator and kind, the guidelines, and the private key.

    The files under RUN/human/ load into any Label Studio; RUN/human/private/ is not for annotators.
    The rule that verifies a pair is [human] of RUN/config.toml, fixed from here on. With fewer
    annotators than it asks for, each question gets as many answers as they can give: nobody votes
    on both halves of a twin.

    Raises InputError if the run holds no pair, or a study was exported there.

        >>> made = export_tasks("runs/first", annotators=11, overlap=3)
        >>> len(made.workloads), made.folder
        (11, PosixPath('runs/first/human'))

    Examples::

        pairwright human export runs/first
        pairwright human export runs/first --annotators 2 --sample 10
        pairwright human export runs/first --annotators 11 --overlap 3 --sample 200
        pairwright human export runs/first --tool spreadsheet --language de
    """
    # The seed tells the sides from the ids.
    secret, folder = secrets.randbits(128) if seed is None else seed, HumanFolder(Path(run))
    made, tasks = _drafted(folder.run, annotators, overlap, sample, secret, language)
    write_study(folder, made.study, tasks)
    if tool == "label-studio":
        return made
    every = [task for own in tasks.values() for task in own]
    return replace(made, sheets=write_sheets(folder, made.study, every))


def plan_study(
    run: RunPath,
    *,
    annotators: AnnotatorCount = 11,
    overlap: Overlap = 3,
    sample: SampleSize = None,
) -> StudyTasks:
    """Count the tasks, hours and units of a study before anybody is asked.

    Hours are those of reading everything once, at 238 words a minute; answering comes on top.
    Repeats are counted; a second round is not.

    Raises InputError if the run holds no pair.

        >>> plan_study("runs/first", annotators=2).units
        Counter({'twin': 36, 'violate': 36})

    Examples::

        pairwright human plan runs/first
        pairwright human plan runs/first --annotators 2 --sample 30
    """
    made, tasks = _drafted(Path(run), annotators, overlap, sample, 0, "en")
    words = Counter[Kind]()
    for task in (task for own in tasks.values() for task in own):
        words[task.keyed.kind] += words_shown(task.data)
    return replace(made, hours={kind: n / WORDS_A_MINUTE / 60 for kind, n in words.items()})


def words_shown(data: Data) -> int:
    """Words of the question, posts, responses and aspects; not those of the form."""
    texts = list[object]()
    for name, value in data.items():
        rows = value if isinstance(value, list) else [{"text": value if name != "task" else ""}]
        texts += [text for row in rows if isinstance(row, dict) for text in row.values()]
    return sum(word_count(unescape(_TAG.sub("", str(text)))) for text in texts)


# Meanwhile


@dataclass(frozen=True, slots=True)
class StudyStatus:
    """How far a study is, by the answers that were imported or pulled."""

    tasks: Mapping[str, Mapping[str, tuple[int, int]]]
    """By annotator and kind, or `adjudication`: how many are answered, and of how many."""
    skipped: Mapping[str, int]
    """Tasks that were skipped, by annotator: they are open."""
    marks: Mapping[str, str]
    """Who is `withdrawn`, or `excluded` by the attention checks of the last report."""
    states: Mapping[State, int]
    """Units by the decision of the last report."""
    stale: bool
    """Whether answers came in after the last report."""


def study_status(run: RunPath) -> StudyStatus:
    """Show how many tasks each annotator has answered, and what the last report decided.

    It counts what was imported or pulled, and changes nothing.

    Examples::

        pairwright human status runs/first
    """
    from pairwright_human_eval.report import StudyReport  # With pandas, which takes its time.

    study = read_open_study(Path(run))
    folder = study.folder
    done = {answer.task for answer in study.answers()}
    tasks: dict[str, dict[str, tuple[int, int]]] = {}
    for one in sorted(study.fixed.key.values(), key=lambda one: one.annotator):
        own, part = tasks.setdefault(one.annotator, {}), one.kind if one.round == 1 else SECOND
        answered, of = own.get(part, (0, 0))
        own[part] = answered + (one.task in done), of + 1
    skipped = {one.task: one.annotator for one in study.set_aside() if one.reason == "skipped"}
    report = record_in(folder.report, StudyReport)
    marks = dict.fromkeys(report.excluded if report else (), "excluded")
    return StudyStatus(
        tasks,
        skipped=Counter(skipped.values()),
        marks=marks | dict.fromkeys(withdrawn_people(folder), "withdrawn"),
        states=report.decisions[0].states if report else {},
        stale=report is not None
        and folder.answers.exists()
        and folder.answers.stat().st_mtime_ns > folder.report.stat().st_mtime_ns,
    )
