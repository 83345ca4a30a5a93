"""The scorer's margin beside the share of people's votes: is it as sure as people are agreed?"""

from collections.abc import Iterator

import numpy as np
from scipy.special import expit

from pairwright.evaluate.decision import Decision
from pairwright.evaluate.measure.figure import Figure, average, whole
from pairwright.evaluate.measure.units import Counted


def calibration(of: Counted) -> Iterator[Figure]:
    """Over all pairs that people judged, those they were split on among them."""
    judged = [(one, one.vote_share) for one in of.scored if one.vote_share is not None]
    said = np.array([likely(one) for one, _ in judged], np.float64)
    voted = np.array([share for _, share in judged], np.float64)
    clusters, group = [one.cluster for one, _ in judged], whole(of.mode)
    note = "" if judged else "nobody voted on these pairs"
    half = np.abs(0.5 - voted)
    for name, values, always_half in (
        ("vote_agreement", 1 - np.abs(said - voted), 1 - half),
        ("brier", (said - voted) ** 2, half**2),
    ):
        told = note or f"always saying one half gives {always_half.mean():.3f}"
        yield average(name, group, values, clusters, told)


def likely(of: Decision) -> float:
    """How likely the scorer makes the chosen response: the logistic of a difference of scores
    (Bradley and Terry 1952), and for a comparing judge the mean of its two verdicts."""
    assert of.margin is not None
    return (of.margin + 1) / 2 if of.orders is not None else float(expit(of.margin))
