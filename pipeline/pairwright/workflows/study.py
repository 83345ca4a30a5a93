"""A run with its study, open for one command.

One command at a time works on a study: two pushes at once would make every task twice.
"""

import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple, TextIO, TypeAlias

from pairwright.construct.folder import RunFolder
from pairwright.construct.run_pairs import iterate_pairs
from pairwright.errors import InputError, on_disk
from pairwright.estimate import Estimate
from pairwright.files import locked
from pairwright.options import Doc
from pairwright.settings.config import Config
from pairwright.settings.rules import HumanRules
from pairwright.version import __version__
from pairwright_human_eval.acceptance import Acceptance, derive
from pairwright_human_eval.annotation import AnnotationTool
from pairwright_human_eval.attention import checks_passed, excluded_by
from pairwright_human_eval.decisions import Decision, decide_all
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.files import config_hashes
from pairwright_human_eval.language import load_language
from pairwright_human_eval.records import Study, Verdict
from pairwright_human_eval.study_files import FixedStudy, read_fixed, read_study
from pairwright_human_eval.study_tasks import fitting
from pairwright_human_eval.subjects import (
    Subject,
    file_hash,
    mode_of_twin,
    outlines_of,
    subjects_of,
)
from pairwright_human_eval.tools import SHEETS

ToolOfAnnotators: TypeAlias = Annotated[
    AnnotationTool,
    Doc(
        "What annotators work with: "
        + "; ".join(f"{name} {sheets.option}" for name, sheets in SHEETS.items())
        + "."
    ),
]
FormLanguage: TypeAlias = Annotated[str, Doc("Of the forms and guidelines: en or de.", "CODE")]


def check_to_verify(run: RunFolder) -> None:
    """Raise InputError where nothing of a run is for annotators to verify."""
    if run.settings().own_choices:
        raise InputError(
            "its labels are the users' own choices, which annotators cannot verify",
            where=run.path,
            fix="Release it without a study: pairwright release.",
        )


def new_study(run: Path, rules: HumanRules, language: str, seed: int | None) -> Study:
    """A study of the pairs of a folder, of nobody and nothing yet.

    The seed tells the sides from the ids, so it is drawn once, and kept in the private part.
    """
    before, scales = read_fixed(HumanFolder(run)), RunFolder(run).scales()
    drawn = seed if seed is not None else before.seed if before else secrets.randbits(128)
    return Study(
        version=__version__,
        pairs_hash=file_hash(run / "pairs.jsonl"),
        seed=drawn,
        salts={},
        annotators=(),
        overlap=0,
        sampled=0,
        of=0,
        policy=rules,
        scales=scales,
        language=language,
        config_hashes=config_hashes(scales, load_language(language)),
    )


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
    lock: TextIO | None
    """It is held until it is closed. None where the disk is read-only, so that nobody writes."""

    def subjects(self) -> list[Subject]:
        """The subjects of the study, in the order of pairs.jsonl.

        Raises InputError where that file is not the one the tasks were made of.
        """
        pairs = self.pairs()
        if self.fixed.study.qualification:
            raise InputError(
                "is a qualification: it has no pairs to decide on",
                where=self.folder.path,
                fix="`pairwright human people` says who passed.",
            )
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

    def checks(self, verdicts: Iterable[Verdict]) -> dict[str, Estimate]:
        """By annotator: attention checks that were answered right, of those met."""
        return checks_passed(verdicts, self.fixed)

    def excluded(self, verdicts: Iterable[Verdict]) -> frozenset[str]:
        """The annotators who failed the attention checks by the rule in force."""
        fewest = self.fixed.study.fewest_checks
        return excluded_by(self.checks(verdicts), self.rules.attention_floor, fewest)

    def decide(
        self, subjects: Iterable[Subject], verdicts: Sequence[Verdict]
    ) -> dict[str, Decision]:
        """The decision on every subject by the rule in force, by its id."""
        outlines = outlines_of(subjects, self.fixed.key)
        return decide_all(outlines, verdicts, self.rules, self.excluded(verdicts))

    def answers(self) -> Acceptance:
        """Every annotation that came in, as a verdict or set aside.

        verdicts.jsonl, set_aside.jsonl and people.json are written again from them, unless the
        disk is read-only.
        """
        study, key = self.fixed
        return derive(self.folder, key, study, write=self.lock is not None)


@contextmanager
def open_study(run: Path, *, reading: bool = False) -> Iterator[OpenStudy]:
    """Open a run's study. Raises InputError where there is none, or another command works on it.

    With `reading`, a study on a read-only disk is opened, too, without a lock.
    """
    folder = HumanFolder(run)
    config, fixed = RunFolder(run).settings(), read_study(folder)
    if reading and not os.access(folder.private, os.W_OK):
        yield OpenStudy(folder, fixed, config, None)
        return
    path = folder.private / "lock"
    busy = InputError(
        "another command is working on this study",
        where=folder.path,
        fix="Run this one again when it has ended.",
    )
    with on_disk(path):
        file = path.open("w")
    with locked(file, busy) as lock:
        yield OpenStudy(folder, fixed, config, lock)
