"""Integrity: whether rows are what they say they are.

identity.py    ids that are unique and derived from the content
labels.py      sides that differ, contradictions, rows that stand twice
twins.py       both halves of every twin
aspects.py     evidence that stands where it is said to, aspects that are distinct
times.py       posts in the order of time, times that can be
texts.py       empty, very long and wrongly decoded texts
hidden.py      characters that nobody sees
broken.py      what counts as breaking off
endings.py     responses that break off, on one side more than on the other
languages.py   responses in another language than the question
"""

from pairwright.audit.integrity.explained import EXPLAINED
from pairwright.audit.integrity.part import Integrity

__all__ = ["EXPLAINED", "Integrity"]
