"""What tells the chosen response from the rejected one without knowing the user.

part.py         rows in, checks out
form.py         what the form of one text is, in counts
response.py     what can be counted in one response
style.py        its style in numbers
typography.py   habits of typing, such as double spaces
stems.py        its distinct words as numbers
gathered.py     every pair of a configuration in a few numbers, and a sample in more
sample.py       pairs drawn by whole clusters
learnable.py    what the classifiers see of a drawn pair
shared.py       what it shares with profile and aspects
classifiers.py  what can be learnt from words and style
informed.py     what overlap with profile and aspects tells
trials.py       all of these on one configuration
trial.py        points of one of them, and what is decided about all
twins.py        whether twins are whole
gaps.py         how unequal two responses are
explained.py    the checks in words
"""

from pairwright.audit.shortcuts.explained import EXPLAINED
from pairwright.audit.shortcuts.part import MAX_SHORTCUT, Shortcuts

__all__ = ["EXPLAINED", "MAX_SHORTCUT", "Shortcuts"]
