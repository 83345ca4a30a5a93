"""The figures of a scorer's decisions: every figure with its n, its clusters and its interval.

figure.py    a figure, and `FIGURES`: a new figure is a row there, and all tables show it
units.py     the pairs that count: of twins, the whole ones
accuracy.py  all figures of one result: accuracy, coverage, ties, twins; and gains
order.py     whether a judge's verdict depends on the order: position bias, kappa
slices.py    accuracy where word overlap is right, tied or wrong, and by dates of posts
calibration.py    distance from people's votes, calibration error, accuracy by margin

**A pair without a score** counts as wrong in accuracies and in both halves right, so that leaving
out what is hard does not pay; the figures `of_scored` are beside them.

**The averaging rule.** A figure of a mode is the mean over its pairs, or over its twins where it is
of twins; each counts the same, whatever its domain. Modes are never averaged with one another: a
scorer that cannot see the user is right on one half of whole twins, and on pairs of mode violate
on as many as their texts give away.
"""

from pairwright.evaluate.measure.accuracy import figures_of, gains
from pairwright.evaluate.measure.calibration import Calibration, calibration_of
from pairwright.evaluate.measure.figure import FIGURES, RULE, ScorerFigure, figure_names, mode_group
from pairwright.evaluate.measure.order import is_position_bias, position_bias_text

__all__ = [
    "FIGURES",
    "RULE",
    "Calibration",
    "ScorerFigure",
    "calibration_of",
    "figure_names",
    "figures_of",
    "gains",
    "is_position_bias",
    "mode_group",
    "position_bias_text",
]
