"""A mean of what people say, from few answers of people and many predictions of a judge.

Prediction-powered inference with power tuning: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic
2023, Science 382, 669-674; Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453. Predictions only
narrow the interval: it holds however wrong the judge is, as long as those that people were asked
about are a random sample. Errors are summed by cluster. Where every cluster has one member, value
and standard error are those of ppi-python 0.2.3, but for its limits of the weight to 0 and 1: a
judge's margins have a scale of their own. That library is not a dependency because it brings a
compiler (numba) and has had no release since 2024.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


class PoweredMean(NamedTuple):
    """The estimate."""

    value: float
    error: float
    """Its standard error."""
    tuning: float
    """The weight of the predictions: 0 where they say nothing about the answers."""


def powered_mean(
    answers: Floats, predictions: Floats, clusters: Places, others: Floats, other_clusters: Places
) -> PoweredMean:
    """Of `answers` with their `predictions`, shape (n,), and the predictions of `others`, shape
    (N,), that nobody answered. Clusters are numbers that both share.

    Raises ValueError for n or N of 0.
    """
    n, unanswered = len(answers), len(others)
    if not n or not unanswered:
        raise ValueError("both answers and predictions without an answer are needed")
    together = float(np.mean((answers - answers.mean()) * (predictions - predictions.mean())))
    spread = float(np.var(np.concatenate([predictions, others]), ddof=1))
    tuning = together / ((1 + n / unanswered) * spread) if spread else 0.0
    rest = answers - tuning * predictions
    value = tuning * float(others.mean()) + float(rest.mean())
    sums = np.bincount(
        np.concatenate([clusters, other_clusters]),
        np.concatenate([(rest - rest.mean()) / n, tuning * (others - others.mean()) / unanswered]),
    )
    return PoweredMean(value, math.sqrt(float(sums @ sums)), tuning)
