"""What a scorer's decisions come to: every figure with its n, its clusters and its interval.

figure.py       a figure, and what each one's name means
units.py        the pairs that count: of twins, the whole ones
accuracy.py     accuracy, its worst and best case, coverage and ties
consistency.py  whether a comparing judge keeps to its verdict when the order changes
twins.py        both halves right, and the sign of the interaction
users.py        for how many users a scorer is better than chance
calibration.py  the margin beside people's votes
gain.py         what showing the profile adds, pair by pair
measured.py     all figures of one result

**A pair without a score** counts as wrong in accuracies and in both halves right, so that leaving
out what is hard does not pay; the figures `of_scored` stand beside them.

**The averaging rule.** A figure of a mode is the mean over its pairs, or over its twins where it is
of twins; each counts the same, whatever its domain. Modes are never averaged with one another: a
scorer that cannot see the user is right on one half of whole twins, and on pairs of mode violate
on as many as their texts give away.
"""

from pairwright.evaluate.measure.accuracy import figures_of, gains
from pairwright.evaluate.measure.agreement import leaning, leans
from pairwright.evaluate.measure.figure import MEANING, RULE, ScorerFigure, whole

__all__ = [
    "MEANING",
    "RULE",
    "Figure",
    "gains",
    "leaning",
    "leans",
    "measured",
    "whole",
]
