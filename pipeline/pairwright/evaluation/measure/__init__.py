"""The figures of a scorer's decisions: every figure with its n, its clusters and its interval.

figure.py        a figure, and the pairs that count
figures.toml     what each figure is; a new one is a table there, and all pages show it
flips.py         whether a preference changes with the user, on twins and on placebos
accuracy.py      all figures of one result: accuracy, coverage, ties, order, twins, gains
slices.py        accuracy on slices of the pairs
calibration.py   distance from people's votes, calibration error, accuracy by margin

**A pair without a score** counts as wrong in accuracies and in both halves right, so that leaving
out what is hard does not pay; the figures `of_scored` are beside them.

**The averaging rule.** A figure of a mode is the mean over its pairs, or over its twins where it is
of twins; each counts the same, whatever its domain. Modes are never averaged with one another: a
scorer that cannot see the user is right on one half of whole twins, and on pairs of mode violate
on as many as their texts give away.
"""
