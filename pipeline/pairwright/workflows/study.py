"""A run with its study, open for one command.

One command at a time works on a study: two pushes at once would make every task twice.
"""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from pairwright.construct.folder import RunFolder
from pairwright.construct.pairs import iterate_pairs
from pairwright.errors import InputError, on_disk
from pairwright.files import locked
from pairwright.settings.config import Config
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.acceptance import Acceptance, derive, read_acceptance
from pairwright_human_eval.attention import excluded_by, vote_checks
from pairwright_human_eval.decisions import Decision, decide_all
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import Verdict
from pairwright_human_eval.study_files import FixedStudy, read_fixed, read_study
from pairwright_human_eval.study_tasks import fitting
from pairwright_human_eval.subjects import (
    Subject,
    file_hash,
    mode_of_twin,
    outline_of,
    subjects_of,
)

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


def run_subjects(run: Path) -> list[Subject]:
    """The twins and pairs of a run. Raises InputError if there are none."""
    pairs = run / "pairs.jsonl"
    subjects = subjects_of(iterate_pairs(run), pairs)
    if not subjects:
        raise InputError("holds no pair", where=pairs, fix="Build until pairs are kept.")
    return subjects


class OpenStudy(NamedTuple):
    """What the work on a study starts from."""

    folder: HumanFolder
    fixed: FixedStudy
    config: Config

    def subjects(self) -> list[Subject]:
        """The subjects of the study, in the order of pairs.jsonl.

        Raises InputError where that file is not the one the tasks were made of.
        """
        pairs = self.pairs()
        exported = self.fixed.subjects
        whole = subjects_of(iterate_pairs(self.folder.run), pairs)
        return [subject for subject in whole if subject.id in exported]

    def pairs(self) -> Path:
        """The run's pairs.jsonl. Raises InputError where the tasks were made of another file."""
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
        halves = 1 + any(map(mode_of_twin, self.fixed.subjects))
        return fitting(self.config.human, len(self.fixed.study.annotators), halves)

    def excluded(self, verdicts: Iterable[Verdict]) -> frozenset[str]:
        """The annotators who failed the attention checks by the rule in force."""
        return excluded_by(vote_checks(verdicts), self.rules.attention_floor)

    def decide(
        self, subjects: Iterable[Subject], verdicts: Sequence[Verdict]
    ) -> dict[str, Decision]:
        """The decision on every subject by the rule in force, by its id."""
        outlines = [outline_of(subject) for subject in subjects]
        return decide_all(outlines, verdicts, self.rules, self.excluded(verdicts))

    def answers(self) -> Acceptance:
        """Every annotation that came in, as a verdict or set aside."""
        return read_acceptance(self.folder, self.fixed.key)

    def write_answers(self) -> Acceptance:
        """The same, with verdicts.jsonl and set_aside.jsonl written again."""
        return derive(self.folder, self.fixed.key)


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
