"""What tells the chosen response from the rejected one without knowing the user.

part.py         rows in, checks out
response.py     what can be counted in one response
style.py        its style in numbers
gathered.py     every pair of a configuration in a few numbers, and a sample in more
sample.py       pairs drawn by whole clusters
drawn.py        what is kept of a drawn pair
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
