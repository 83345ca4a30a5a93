"""A study that is open: what all work on it starts from.

One command at a time writes in a study: two pushes at once would make every task twice.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import iterate_pairs
from pairwright.errors import InputError, on_disk
from pairwright.files import locked
from pairwright.settings.config import Config
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.folder import RESTORE, HumanFolder, file_hash, record_in, records_in
from pairwright_human_eval.records import Answer, KeyedTask, Study
from pairwright_human_eval.units import Unit, units_of


class OpenStudy(NamedTuple):
    """A study as it was exported: what all work on it starts from."""

    folder: HumanFolder
    fixed: Study
    key: dict[str, KeyedTask]
    """What each task is about, without second-round tasks of people who have withdrawn."""
    away: frozenset[str] = frozenset()
    """Who has withdrawn: nobody asks them anything."""
    closed: frozenset[str] = frozenset()
    """Their tasks of both rounds."""

    @property
    def config(self) -> Config:
        """The run's."""
        return RunFolder(self.folder.run).settings()

    @property
    def asked(self) -> set[str]:
        """The units that annotators are asked about."""
        return {keyed.unit for keyed in self.key.values()}

    @property
    def rules(self) -> HumanRules:
        """The rule in force: [human] of the run's config, as the study's annotators can carry it
        out."""
        pairs: dict[str, set[str]] = {}
        for task in self.key.values():
            pairs.setdefault(task.unit, set()).update({task.pair} - {""})
        halves = max(map(len, pairs.values()), default=1)
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

    def answers(self) -> tuple[Answer, ...]:
        """The lines of answers.jsonl, as last written. Raises InputError for a damaged one."""
        again = "Delete it, and run `pairwright human import RUN` to make it again."
        return records_in(self.folder.answers, Answer, again)


def fitting(rules: HumanRules, people: int, halves: int) -> HumanRules:
    """The rule as so many people can carry it out: nobody who votes on a half of a twin sees its
    other half or its aspects. `halves` is 2 if there are twins or placebos."""
    votes = min(rules.votes, max(1, people // halves))
    fewer = {
        "votes": votes,
        "quality_votes": min(rules.quality_votes, people),
        "rubric_votes": min(rules.rubric_votes, max(0, people - halves * votes)),
    }
    return HumanRules(**dict(rules) | fewer)


def read_study(run: Path) -> OpenStudy:
    """A run's study to be read: without a lock, and nothing is written. Raises InputError if
    there is none, or it was damaged."""
    folder = HumanFolder(run)
    study = record_in(folder.study, Study)
    if study is None:
        fix = f"Name a run's folder, and `pairwright human export {run}` first."
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
    """Open a run's study to write in it. Raises InputError if there is none, or another command
    works on it."""
    folder = read_study(run).folder
    path, fix = folder.private / "lock", "Run this one again when it has ended."
    with on_disk(path):
        file = path.open("w")
    with locked(file, InputError("another command is working on it", where=folder.path, fix=fix)):
        # What another command wrote meanwhile counts.
        yield read_study(run)
