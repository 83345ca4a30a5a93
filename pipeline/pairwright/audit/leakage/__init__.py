"""Leakage: information in a pair that its reader should not have.

copies.py      responses that copy the rubric or the profile, profiles that hold the question
duplicates.py  pairs that repeat another pair, of another user or split
corpora.py     texts shared with a corpus that the auditor gives
sketch.py      near-duplicates among many texts
"""

from collections.abc import Callable, Iterable

from pairwright.audit.leakage.copies import (
    later_post,
    response_in_profile,
    rubric_leak,
    target_in_profile,
)
from pairwright.audit.leakage.corpora import CorpusOverlap
from pairwright.audit.leakage.duplicates import Duplicates, NearDuplicatePairs, PeopleAcrossSplits
from pairwright.audit.records import RowReader

_CHECKS: tuple[Callable[[], RowReader], ...] = (
    rubric_leak, target_in_profile, response_in_profile, later_post, Duplicates, NearDuplicatePairs,
    PeopleAcrossSplits,
)  # fmt: skip


def leakage_checks(corpora: Iterable[str] | None = None) -> list[RowReader]:
    """The checks of this part, in the order of the report. `corpora` are texts that the pairs are
    compared with; they are read once, after the last row."""
    return [*(new() for new in _CHECKS), CorpusOverlap(corpora)]
