"""A run with its study: opened for one command, exported, and planned before.

One command at a time works on a study: two pushes at once would make every task twice.
"""

import re
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from typer import Option

from pairwright.construct.folder import RunFolder
from pairwright.construct.pairs import iterate_pairs
from pairwright.errors import InputError, on_disk
from pairwright.files import locked
from pairwright.modes import MODES
from pairwright.options import AnnotatorCount, Overlap, RunPath, SampleSize
from pairwright.settings.config import Config
from pairwright.settings.rules import HumanRules
from pairwright.text import word_count
from pairwright.version import __version__
from pairwright_human_eval.answers import Answered, read_answers, write_answers
from pairwright_human_eval.assign import fitting, make_tasks, planned
from pairwright_human_eval.folder import (
    FixedStudy,
    HumanFolder,
    read_fixed,
    read_study,
    records_in,
    write_study,
)
from pairwright_human_eval.label_studio import config_hashes
from pairwright_human_eval.language import load_language
from pairwright_human_eval.records import KINDS, Answer, Data, Kind, SetAside, Study
from pairwright_human_eval.spreadsheets import write_sheets
from pairwright_human_eval.tasks import Task
from pairwright_human_eval.units import Unit, file_hash, units_of
from pairwright_human_eval.units import sample as draw

Tool = Literal["label-studio", "spreadsheet"]
"""What annotators work with."""


def check_to_verify(run: RunFolder) -> None:
    """Raise InputError where nothing of a run is for annotators to verify."""
    if run.settings().own_choices:
        raise InputError(
            "its labels are the users' own choices, which annotators cannot verify",
            where=run.path,
            fix="Release it without a study: pairwright release.",
        )


def drawn_seed(run: Path, seed: int | None) -> int:
    """The seed of a study: given, or of the study that is there, or new. It tells the sides from
    the ids, so it is drawn once, and kept in the private part."""
    before = read_fixed(HumanFolder(run))
    return seed if seed is not None else before.seed if before else secrets.randbits(128)


def run_units(run: Path) -> list[Unit]:
    """The twins and pairs of a run. Raises InputError if there are none."""
    pairs = run / "pairs.jsonl"
    units = units_of(iterate_pairs(run), pairs)
    if not units:
        raise InputError("holds no pair", where=pairs, fix="Build until pairs are kept.")
    return units


class OpenStudy(NamedTuple):
    """What the work on a study starts from."""

    folder: HumanFolder
    fixed: FixedStudy
    config: Config

    def units(self) -> list[Unit]:
        """The units of the study, in the order of pairs.jsonl.

        Raises InputError if that file is not the one the tasks were made of.
        """
        pairs = self.pairs()
        whole = units_of(iterate_pairs(self.folder.run), pairs)
        return [unit for unit in whole if unit.id in self.fixed.units]

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
    """A run's study to be read: without a lock, and nothing is written. Raises InputError where
    there is none."""
    folder, config = HumanFolder(run), RunFolder(run).settings()
    return OpenStudy(folder, read_study(folder), config)


@contextmanager
def open_study(run: Path) -> Iterator[OpenStudy]:
    """Open a run's study to write in it. Raises InputError where there is none, or another command
    works on it."""
    study = read_open_study(run)
    path = study.folder.private / "lock"
    busy = InputError(
        "another command is working on this study",
        where=study.folder.path,
        fix="Run this one again when it has ended.",
    )
    with on_disk(path):
        file = path.open("w")
    with locked(file, busy):
        # What another command wrote meanwhile counts.
        yield read_open_study(run)


# Out


@dataclass(frozen=True, slots=True)
class TaskExport:
    """A study that was written, ready for annotators."""

    folder: Path
    """RUN/human: its files load into any Label Studio; `private` in it is not for annotators."""
    guidelines: Path
    """What annotators read first. Its end is to be filled in."""
    new: bool
    """False where the same study was exported before."""
    study: Study
    """What the study fixed: its rule, annotators and scales."""
    units: Mapping[str, int]
    """By mode: what is verified as one, twins or single pairs."""
    tasks: Mapping[tuple[Kind, str], int]
    """Tasks by kind and purpose."""
    workloads: Mapping[str, int]
    """The tasks of each annotator, by name."""
    sheets: tuple[Path, ...]
    """The files to fill in, one an annotator, where people work in spreadsheets."""


def export_tasks(
    run: RunPath,
    *,
    annotators: AnnotatorCount = 11,
    overlap: Overlap = 3,
    sample: SampleSize = None,
    seed: Annotated[int | None, Option(help="Fixes the draw: for a demo alone.")] = None,
    tool: Annotated[Tool, Option(help="What annotators work with.")] = "label-studio",
    language: Annotated[str, Option(help="Of the forms and guidelines: en or de.")] = "en",
) -> TaskExport:
    """Write blind tasks, one file for each annotator and kind, the guidelines, and the private key.

    The files under RUN/human/ load into any Label Studio; RUN/human/private/ is not for annotators.
    The rule that verifies a pair is [human] of RUN/config.toml, fixed from here on. With fewer
    annotators than it asks for, each question gets as many answers as they can give: nobody votes
    on both halves of a twin.

    Raises InputError where the run holds no pair, or another study was exported there.

        >>> made = export_tasks("runs/first", annotators=11, overlap=3)
        >>> len(made.workloads), made.folder
        (11, PosixPath('runs/first/human'))

    Examples::

        pairwright human export runs/first
        pairwright human export runs/first --annotators 2 --sample 10
        pairwright human export runs/first --annotators 11 --overlap 3 --sample 200
        pairwright human export runs/first --tool spreadsheet --language de
    """
    run = Path(run)
    folder, human = RunFolder(run), HumanFolder(run)
    check_to_verify(folder)
    config, scales = folder.settings(), folder.scales()
    whole = run_units(run)
    units = draw(whole, sample, config.seed)
    drawn = drawn_seed(run, seed)
    plan = planned(annotators, overlap, drawn, config.human, config.planner, units)
    tasks, salts = make_tasks(units, plan)
    study = Study(
        version=__version__,
        pairs_hash=file_hash(run / "pairs.jsonl"),
        seed=drawn,
        salts=salts,
        annotators=plan.annotators,
        overlap=plan.overlap,
        of=len(whole),
        policy=plan.human,
        scales=scales,
        language=language,
        config_hashes=config_hashes(scales, load_language(language)),
    )
    new = write_study(human, study, tasks)
    sampled = Counter(unit.mode for unit in units)
    return TaskExport(
        folder=human.path,
        guidelines=human.guidelines,
        new=new,
        study=study,
        units={mode: sampled[mode] for mode in MODES if sampled[mode]},
        tasks=Counter(
            (task.keyed.kind, task.keyed.purpose) for own in tasks.values() for task in own
        ),
        workloads={name: len(given) for name, given in tasks.items()},
        sheets=write_sheets(human) if tool == "spreadsheet" else (),
    )


# Before

WORDS_A_MINUTE = 238
"""Silent reading of English non-fiction: Brysbaert (2019), J. Memory and Language 109, 104047."""
_TAG = re.compile(r"<[^>]+>")


@dataclass(frozen=True, slots=True)
class PlannedStudy:
    """Tasks, hours and units of a study."""

    units: int
    """Twins, placebos and single pairs that people are asked about: all that can be verified."""
    annotators: int
    votes: int
    """On each pair."""
    tasks: dict[Kind, int]
    hours: dict[Kind, float]
    """To read the tasks of a kind once, by all annotators together."""
    hours_each: float
    """Of the annotator who has most."""


def plan_study(
    run: RunPath,
    *,
    annotators: AnnotatorCount = 11,
    overlap: Overlap = 3,
    sample: SampleSize = None,
) -> PlannedStudy:
    """Count the tasks, hours and units of a study before anybody is asked.

    Hours are those of reading everything once, at 238 words a minute; answering comes on top.
    Repeats are counted; a second round is not.

    Raises InputError if the run holds no pair.

        >>> plan_study("runs/first", annotators=2).units
        72

    Examples::

        pairwright human plan runs/first
        pairwright human plan runs/first --annotators 2 --sample 30
    """
    folder = RunFolder(Path(run))
    check_to_verify(folder)
    config = folder.settings()
    units = draw(run_units(Path(run)), sample, config.seed)
    plan = planned(annotators, overlap, 0, config.human, config.planner, units)
    given, _ = make_tasks(units, plan)
    tasks = [task for own in given.values() for task in own]
    by_kind = {kind: [task for task in tasks if task.keyed.kind == kind] for kind in KINDS}
    return PlannedStudy(
        units=len(units),
        annotators=annotators,
        votes=plan.votes,
        tasks={kind: len(own) for kind, own in by_kind.items() if own},
        hours={kind: hours_of(own) for kind, own in by_kind.items() if own},
        hours_each=max(map(hours_of, given.values())),
    )


def hours_of(tasks: Sequence[Task]) -> float:
    """To read once what the tasks show."""
    return sum(words_shown(task.data) for task in tasks) / WORDS_A_MINUTE / 60


def words_shown(data: Data) -> int:
    """Words of the question, posts, responses and aspects; not those of the form."""
    texts = list[object]()
    for name, value in data.items():
        rows = value if isinstance(value, list) else [{"text": value if name != "task" else ""}]
        texts += [text for row in rows if isinstance(row, dict) for text in row.values()]
    return sum(word_count(unescape(_TAG.sub("", str(text)))) for text in texts)
