"""Leakage: information in a pair that its reader should not have.

profiles.py    profiles that hold the question, or posts that are not older
copies.py      responses that copy the rubric or the profile
duplicates.py paraphrases.py    pairs that repeat another pair, of another user or split
corpora.py     texts shared with a corpus that the auditor gives
sketch.py      near-duplicates among many texts

A new check is a class in one of these files and an entry in `CHECKS`, below.
"""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from pairwright.audit.leakage.copies import CopiedResponses, RubricLeak
from pairwright.audit.leakage.corpora import CorpusOverlap
from pairwright.audit.leakage.duplicates import Duplicates, PeopleAcrossSplits
from pairwright.audit.leakage.paraphrases import NearDuplicatePairs
from pairwright.audit.leakage.profiles import LaterPosts, QuestionInProfile
from pairwright.audit.reader_guard import ReaderGuard
from pairwright.audit.records import Check, Definitions, RowCounter, definitions_of
from pairwright.dataset import Row

CHECKS: tuple[type[RowCounter], ...] = (
    RubricLeak, QuestionInProfile, CopiedResponses, LaterPosts, Duplicates, NearDuplicatePairs,
    PeopleAcrossSplits,
)  # fmt: skip
"""The checks of this part, in the order of the report; corpora come last."""


class Leakage:
    """The part of an audit on leakage. `corpora` are texts that the pairs are compared with; they
    are read once, after the last row."""

    definitions: ClassVar[Definitions] = definitions_of((*CHECKS, CorpusOverlap))

    def __init__(self, corpora: Iterable[str] | None = None) -> None:
        readers = (*(check() for check in CHECKS), CorpusOverlap(corpora))
        self._checks = [ReaderGuard(reader) for reader in readers]

    def add(self, row: Row, split: str = "") -> None:
        """Show one row to every check. `split` is the file or split that the row comes from;
        without it the checks on splits do not apply."""
        for check in self._checks:
            if isinstance(check.reader, Duplicates | PeopleAcrossSplits):
                check.add(row, split)
            else:
                check.add(row)

    def checks(self) -> Iterator[Check]:
        """What every check found, after the last row."""
        for check in self._checks:
            yield from check.checks()
