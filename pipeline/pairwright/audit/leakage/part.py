"""The audit's second part."""

from collections.abc import Iterable, Iterator

from pairwright.audit.leakage.corpora import CorpusOverlap
from pairwright.audit.leakage.duplicates import Duplicates
from pairwright.audit.leakage.paraphrases import NearDuplicatePairs
from pairwright.audit.leakage.profile import ResponseInProfile
from pairwright.audit.leakage.rubric import RubricLeak
from pairwright.audit.leakage.splits import PeopleAcrossSplits
from pairwright.audit.leakage.target import LaterPosts, TargetInProfile
from pairwright.audit.records import Check
from pairwright.dataset import Row


class Leakage:
    """`corpora` are texts that the pairs are held against, read once, after the last row.

    `split` names the file or split that a row comes from; without it nothing is said of splits.
    """

    def __init__(self, corpora: Iterable[str] | None = None) -> None:
        self._rubric, self._target, self._later = RubricLeak(), TargetInProfile(), LaterPosts()
        self._copied, self._pairs = ResponseInProfile(), NearDuplicatePairs()
        self._duplicates, self._people = Duplicates(), PeopleAcrossSplits()
        self._corpora = CorpusOverlap(corpora)

    def add(self, row: Row, split: str = "") -> None:
        self._rubric.add(row)
        self._target.add(row)
        self._copied.add(row)
        self._later.add(row)
        self._duplicates.add(row, split)
        self._pairs.add(row)
        self._people.add(row, split)
        self._corpora.add(row)

    def checks(self) -> Iterator[Check]:
        yield from self._rubric.checks()
        yield from self._target.checks()
        yield from self._copied.checks()
        yield from self._later.checks()
        yield from self._duplicates.checks()
        yield from self._pairs.checks()
        yield from self._people.checks()
        yield from self._corpora.checks()
