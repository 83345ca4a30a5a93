"""A run with its study, open for one command.

One command at a time works on a study: two pushes at once would make every task twice.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from pairwright.construct.folder import RunFolder
from pairwright.construct.pairs import iterate_pairs
from pairwright.errors import InputError, on_disk
from pairwright.files import locked
from pairwright.settings.config import Config
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.answers import Answered, read_answers, write_answers
from pairwright_human_eval.assign import fitting
from pairwright_human_eval.folder import (
    FixedStudy,
    HumanFolder,
    read_fixed,
    read_study,
    records_in,
)
from pairwright_human_eval.records import Answer, SetAside
from pairwright_human_eval.units import Unit, file_hash, units_of

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
