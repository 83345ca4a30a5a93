"""Leakage: information in a pair that its reader should not have.

copies.py      responses that copy the rubric or the profile, profiles that hold the question
duplicates.py  pairs that repeat another pair, of another user or split
corpora.py     texts shared with a corpus that the auditor gives
sketch.py      near-duplicates among many texts
"""

from collections.abc import Iterable

from pairwright.audits.leakage import copies, duplicates
from pairwright.audits.leakage.corpora import CorpusOverlap
from pairwright.audits.records import RowReader


def leakage_checks(corpora: Iterable[str] | None = None) -> list[RowReader]:
    """The checks of this part, in the order of the report. `corpora` are texts that the pairs are
    compared with; they are read once, after the last row."""
    return [
        copies.rubric_leak(),
        copies.target_in_profile(),
        copies.response_in_profile(),
        copies.later_post(),
        duplicates.Duplicates(),
        duplicates.NearDuplicatePairs(),
        duplicates.PeopleAcrossSplits(),
        CorpusOverlap(corpora),
    ]
