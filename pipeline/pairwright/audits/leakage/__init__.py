"""Leakage: information in a pair that its reader should not have.

copies.py      responses that copy the rubric or the profile, profiles that hold the question
duplicates.py  texts that repeat another user's or another split's, and people in two splits
"""

from pairwright.audits.leakage.copies import copy_checks
from pairwright.audits.leakage.duplicates import Duplicates, people_across_splits
from pairwright.audits.row_check import RowReader


def leakage_checks() -> list[RowReader]:
    """The checks of this part, in the order of the report."""
    return [*copy_checks(), Duplicates(), people_across_splits()]
