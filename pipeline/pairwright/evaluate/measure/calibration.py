"""Calibration: how near the probabilities of a scorer are to the shares of people's votes, with the
Brier score. There is no expected calibration error: its value depends on how probabilities are
binned.
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import expit

from pairwright.evaluate.decision import PairDecision
from pairwright.evaluate.measure.figure import ScorerFigure, average, whole
from pairwright.evaluate.measure.units import ModeDecisions


def calibration_figures(mode_pairs: ModeDecisions) -> Iterator[ScorerFigure]:
    """The figures over all pairs that people judged, also those that they were split on."""
    judged = [(one, one.vote_share) for one in mode_pairs.scored if one.vote_share is not None]
    likelihoods = np.array([likely(one) for one, _ in judged], np.float64)
    voted = np.array([share for _, share in judged], np.float64)
    clusters, group = [one.cluster for one, _ in judged], whole(mode_pairs.mode)
    note = "" if judged else "nobody voted on these pairs"
    half = np.abs(0.5 - voted)
    for name, values, always_half in (
        ("vote_agreement", 1 - np.abs(likelihoods - voted), 1 - half),
        ("brier", (likelihoods - voted) ** 2, half**2),
    ):
        full_note = note or f"always saying one half gives {always_half.mean():.3f}"
        yield average(name, group, values, clusters, full_note)


def likely(decision: PairDecision) -> float:
    """The scorer's probability of the chosen response: the logistic of a difference of scores
    (Bradley and Terry 1952), and for a comparing judge the mean of its two verdicts."""
    assert decision.margin is not None
    return (
        (decision.margin + 1) / 2 if decision.orders is not None else float(expit(decision.margin))
    )
