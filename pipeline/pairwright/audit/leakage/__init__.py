"""Leakage: what a pair gives away that its reader is not to know.

rubric.py      words of the rubric or the narrative in a response
profile.py     words of the row's own posts in a response
target.py      the question, or later posts, in the profile
texts.py       the distinct questions and posts of all rows, and where they stand
hashing.py     words and runs of words as numbers
sketch.py      MinHash: which of the texts nearly repeat which
duplicates.py  near-duplicates across users and splits
paraphrases.py pairs again in nearly the same words
splits.py      people in two splits
corpora.py     word runs shared with texts that the auditor gives
"""

from pairwright.audit.leakage.explained import EXPLAINED
from pairwright.audit.leakage.part import Leakage

__all__ = ["EXPLAINED", "Leakage"]
