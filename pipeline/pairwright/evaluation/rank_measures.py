"""The measures of how well one score of some models goes with another.

Each takes the benchmark's scores and the downstream scores of the same models, arrays of shape
(..., n), and gives an array of shape (...): nan where the scores do not differ.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from scipy.stats import rankdata, weightedtau

from pairwright.stats import Floats, Places

Gain = Literal["rank", "score"]
P_RBO = 0.9
"""The persistence p of RBO: the weight of lower ranks."""


class RankMeasure(NamedTuple):
    """A measure with how it is to be read."""

    name: str
    compute: Callable[[Floats, Floats], Floats]
    least: float
    """The least value that it can have; the greatest is 1."""
    note: str


def reported_measures() -> tuple[RankMeasure, ...]:
    """The measures that Personalized RewardBench prints (arXiv 2604.07343)."""
    return (
        RankMeasure("Spearman", spearman, -1, "of the ranks; tied models share theirs"),
        RankMeasure("weighted tau", weighted_tau, -1, "hyperbolic weights, both rankings in turn"),
        RankMeasure("NDCG", ndcg, 0, "gain: models below + 1; log2 discount"),
        RankMeasure(
            "RBO", partial(rbo, p=P_RBO), 0, f"p = {P_RBO:g}; ties: mean over their orders"
        ),
    )


def spearman(x: Floats, y: Floats) -> Floats:
    """Spearman's correlation: Pearson's of the ranks, which tied models share."""
    a, b = rankdata(x, axis=-1), rankdata(y, axis=-1)
    da, db = a - a.mean(axis=-1, keepdims=True), b - b.mean(axis=-1, keepdims=True)
    return _ratio((da * db).sum(axis=-1), np.sqrt((da**2).sum(axis=-1) * (db**2).sum(axis=-1)))


def weighted_tau(x: Floats, y: Floats) -> Floats:
    """Vigna, A weighted correlation index for rankings with ties (2015): the top counts most."""
    tau = np.vectorize(lambda a, b: weightedtau(a, b).statistic, signature="(n),(n)->()")
    taus: Floats = tau(x, y)
    return taus


def ndcg(x: Floats, y: Floats, gain: Gain = "rank") -> Floats:
    """Järvelin and Kekäläinen (2002): the downstream gain of the benchmark's order over that of
    the best order. Models that the benchmark ties share the mean of their discounts.

    Raises ValueError for gains below zero.
    """
    gains = rankdata(y, axis=-1) if gain == "rank" else y
    if gains.min() < 0:
        raise ValueError("a gain is below zero")
    discounts = 1 / np.log2(np.arange(2, x.shape[-1] + 2))
    upto = np.concatenate(([0.0], np.cumsum(discounts)))
    above, tied = _above_and_tied(x)
    shared = (upto[above + tied] - upto[above]) / tied
    best = np.sort(gains, axis=-1)[..., ::-1] @ discounts
    return _ratio((gains * shared).sum(axis=-1), best)


def rbo(x: Floats, y: Floats, p: float) -> Floats:
    """Rank-biased overlap (Webber, Moffat and Zobel 2010): agreement at depth d weighs (1 - p)
    p^(d - 1), and is 1 beyond depth n. With ties it is the mean over all orders of the tied models
    (RBO-a of Corsi and Urbano 2024). Raises ValueError for p outside (0, 1)."""
    if not 0 < p < 1:
        raise ValueError(f"p is {p}, and must lie between 0 and 1")
    depths = np.arange(1, x.shape[-1] + 1)
    mine, theirs = (
        np.clip((depths - above[..., None]) / tied[..., None], 0.0, 1.0)
        for above, tied in (_above_and_tied(x), _above_and_tied(y))
    )
    agreement = (mine * theirs).sum(axis=-2) / depths
    overlaps: Floats = agreement @ ((1 - p) * p ** (depths - 1.0)) + p ** len(depths)
    return overlaps


def _above_and_tied(scores: Floats) -> tuple[Places, Places]:
    """How many scores are greater than each, and how many are equal, itself included."""
    one, other = scores[..., :, None], scores[..., None, :]
    above: Places = (other > one).sum(axis=-1)
    tied: Places = (other == one).sum(axis=-1)
    return above, tied


def _ratio(a: Floats, b: Floats) -> Floats:
    """a / b, and nan where b is 0."""
    ratios: Floats = np.divide(a, b, out=np.full(np.shape(b), np.nan), where=b > 0)
    return ratios
