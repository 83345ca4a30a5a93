"""The measures of how well one score of some models goes with another.

Each takes the benchmark's scores and the downstream scores of the same models, arrays of shape
(..., n), and gives an array of shape (...): nan where the scores do not differ.

Rank-biased overlap is also defined for two rankings that hold ties, are of unequal length, or share
few items: Webber, Moffat and Zobel, A similarity measure for indefinite rankings (2010), with the
three readings of ties of Corsi and Urbano, The treatment of ties in rank-biased overlap (2024):

    w   tied items are all at the first rank of their group
    a   the mean over all orders of the tied items; for a comparison with a reference
    b   as in Kendall's tau-b: also corrected for the ties of both, so that a ranking agrees
        wholly with itself
"""

import math
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from scipy.stats import rankdata, weightedtau

from pairwright.intervals import Floats, Places

Ties = Literal["w", "a", "b"]
TiedRanking = Sequence[Collection[str]]
"""Groups of tied items, the best group first."""


class Overlap(NamedTuple):
    """All from 0 to 1. `least` and `most` bound what further items of the rankings could make of
    it; where both hold the same items, no item can follow and only `value` means something."""

    value: float
    """Extrapolated: agreement goes on as at the end of what was seen."""
    least: float
    most: float


def rank_biased_overlap(a: TiedRanking, b: TiedRanking, p: float, ties: Ties = "a") -> Overlap:
    """The overlap of two rankings, where depth d weighs (1 - p) p^(d - 1).

    Raises ValueError for p outside (0, 1), an empty ranking, and an item that is there twice.
    """
    _check(p)
    compared = _compare(a, b, ties)
    s, l = compared.ends  # noqa: E741, the paper's letters
    depths = np.arange(1, l + 1, dtype=np.float64)
    weights = (1 - p) * p ** (depths - 1)
    unseen = np.maximum(0, depths - s)

    # What is not seen of the shorter one meets an item of the longer one as often as was seen at
    # its end, and counts no more than such an item is above this depth.
    going_on = compared.agreement(0 * depths, 0 * depths)[s - 1] * unseen * compared.alone_mean
    extrapolated = compared.agreement(going_on, unseen)
    value = weights @ extrapolated + extrapolated[-1] * p**l

    shared = float(compared.shared[-1])
    never = (1 - p) / p * shared * (math.log(1 / (1 - p)) - sum(p**depths / depths))
    least = weights @ compared.agreement(0 * depths, unseen) + never

    most = weights @ compared.agreement(compared.alone_most, unseen)
    d = l + 1
    while (common := shared + (d - s) + (d - l)) < d:
        most += (1 - p) * p ** (d - 1) * common / d
        d += 1
    return Overlap(float(value), float(least), float(most + p ** (d - 1)))


def overlap_of_scores(x: Floats, y: Floats, p: float) -> Floats:
    """Overlap of two orders of the same items, given by scores of shape (..., n); ties as in `a`.

    Both rankings are whole, so nothing is extrapolated: beyond depth n agreement is 1. Raises
    ValueError for p outside (0, 1).
    """
    _check(p)
    depths = np.arange(1, x.shape[-1] + 1)
    mine, theirs = (
        np.clip((depths - above[..., None]) / tied[..., None], 0.0, 1.0)
        for above, tied in (above_and_tied(x), above_and_tied(y))
    )
    agreement = (mine * theirs).sum(axis=-2) / depths
    overlaps: Floats = agreement @ ((1 - p) * p ** (depths - 1.0)) + p ** len(depths)
    return overlaps


def above_and_tied(scores: Floats) -> tuple[Places, Places]:
    """How many scores are greater than each, and how many are equal, itself included."""
    one, other = scores[..., :, None], scores[..., None, :]
    above: Places = (other > one).sum(axis=-1)
    tied: Places = (other == one).sum(axis=-1)
    return above, tied


def _check(p: float) -> None:
    if not 0 < p < 1:
        raise ValueError(f"p is {p}, and must lie between 0 and 1")


class _Compared(NamedTuple):
    """What two rankings hold down to each depth of the longer one: arrays of shape (depths,)."""

    ties: Ties
    ends: tuple[int, int]
    """Items of the shorter and of the longer ranking."""
    shared: Floats
    shorter: Floats
    longer: Floats
    alone_mean: Floats
    """Mean share of the items seen in the longer one only; 1 where there is none."""
    alone_most: Floats
    """Sum of as many of their greatest shares as the shorter one has unseen items."""

    def agreement(self, more: Floats, unseen: Floats) -> Floats:
        """The agreement with `more` overlap from `unseen` further items of the shorter ranking."""
        shared, shorter = self.shared + more, self.shorter + unseen
        whole = (shorter + self.longer) / 2
        if self.ties == "b":
            whole = np.sqrt(shorter * self.longer)
        shares: Floats = shared / whole
        return shares


def _compare(a: TiedRanking, b: TiedRanking, ties: Ties) -> _Compared:
    short, long = sorted((_spans(a), _spans(b)), key=len)
    items = list(short | long)
    depths = np.arange(1, len(long) + 1, dtype=np.float64)
    mine, theirs = (_shares(spans, items, depths, ties) for spans in (short, long))
    power = 2 if ties == "b" else 1
    alone = -np.sort(-theirs[len(short) :], axis=0)
    counts = (alone > 0).sum(axis=0)
    mean = np.where(counts > 0, alone.sum(axis=0) / np.maximum(counts, 1), 1.0)
    sums = np.vstack([np.zeros(len(depths)), np.cumsum(alone, axis=0)])
    unseen = np.clip(depths - len(short), 0, len(alone)).astype(int)
    return _Compared(
        ties=ties,
        ends=(len(short), len(long)),
        shared=(mine * theirs).sum(axis=0),
        shorter=(mine**power).sum(axis=0),
        longer=(theirs**power).sum(axis=0),
        alone_mean=mean,
        alone_most=sums[unseen, np.arange(len(depths))],
    )


def _spans(ranking: TiedRanking) -> dict[str, tuple[int, int]]:
    """The first and the last rank of each item's group."""
    spans: dict[str, tuple[int, int]] = {}
    for group in ranking:
        span = len(spans) + 1, len(spans) + len(group)
        for item in group:
            if item in spans:
                raise ValueError(f"{item!r} is ranked twice")
            spans[item] = span
    if not spans:
        raise ValueError("a ranking is empty")
    return spans


def _shares(
    spans: dict[str, tuple[int, int]], items: list[str], depths: Floats, ties: Ties
) -> Floats:
    """How much of each item is within each depth: shape (items, depths)."""
    nowhere = (len(depths) + 1, len(depths) + 1)
    first, last = np.array([spans.get(item, nowhere) for item in items]).T[:, :, None]
    if ties == "w":
        whole: Floats = (depths >= first).astype(float)
        return whole
    shares: Floats = np.clip((depths - first + 1) / (last - first + 1), 0.0, 1.0)
    return shares


Gain = Literal["rank", "score"]
PRIMARY = "Spearman"
"""The measure that a certificate decides on; the others describe."""


class RankMeasure(NamedTuple):
    """A measure with how it is to be read."""

    name: str
    compute: Callable[[Floats, Floats], Floats]
    both_ways: bool
    """Whether less than chance is as far from chance as more is."""
    note: str

    @property
    def least(self) -> float:
        """The least value that it can have; the greatest is 1."""
        return -1.0 if self.both_ways else 0.0


def reported_measures(gain: Gain, p: float) -> tuple[RankMeasure, ...]:
    """The measures that are reported: the one that decides, then the others that Personalized
    RewardBench prints (arXiv 2604.07343)."""
    gains = "models below + 1" if gain == "rank" else "the downstream score"
    return (
        RankMeasure(PRIMARY, spearman, True, "of the ranks; tied models share theirs"),
        RankMeasure(
            "weighted tau", weighted_tau, True, "hyperbolic weights, both rankings in turn"
        ),
        RankMeasure("NDCG", partial(ndcg, gain=gain), False, f"gain: {gains}; log2 discount"),
        RankMeasure(
            "RBO",
            partial(overlap_of_scores, p=p),
            False,
            f"p = {p:g}; ties: mean over their orders",
        ),
    )


def pearson(x: Floats, y: Floats) -> Floats:
    """Pearson's correlation of the scores."""
    dx, dy = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    return _ratio((dx * dy).sum(axis=-1), np.sqrt((dx**2).sum(axis=-1) * (dy**2).sum(axis=-1)))


def spearman(x: Floats, y: Floats) -> Floats:
    """Spearman's correlation: Pearson's of the ranks, which tied models share."""
    return pearson(rankdata(x, axis=-1), rankdata(y, axis=-1))


def kendall(x: Floats, y: Floats) -> Floats:
    """Tau-b (Kendall 1945): pairs in one order less those in two, over what ties leave of them."""
    a, b = (np.sign(scores[..., :, None] - scores[..., None, :]) for scores in (x, y))
    pairs = (-2, -1)
    untied = np.sqrt((a * a).sum(axis=pairs) * (b * b).sum(axis=pairs))
    return _ratio((a * b).sum(axis=pairs), untied)


def weighted_tau(x: Floats, y: Floats) -> Floats:
    """Vigna, A weighted correlation index for rankings with ties (2015): the top counts most."""
    pairs = zip(
        *(scores.reshape(-1, scores.shape[-1]) for scores in np.broadcast_arrays(x, y)), strict=True
    )
    taus = np.array([weightedtau(a, b).statistic for a, b in pairs])
    return taus.reshape(np.broadcast_shapes(x.shape, y.shape)[:-1])


def ndcg(x: Floats, y: Floats, gain: Gain = "rank", k: int | None = None) -> Floats:
    """Järvelin and Kekäläinen (2002): the downstream gain of the benchmark's order over that of
    the best order, down to place k. Models that the benchmark ties share the mean of their
    discounts.

    Raises ValueError for gains below zero.
    """
    gains = rankdata(y, axis=-1) if gain == "rank" else y
    if gains.min() < 0:
        raise ValueError("a gain is below zero")
    places = np.arange(1, x.shape[-1] + 1)
    discounts = np.where(places <= (k or len(places)), 1 / np.log2(places + 1), 0.0)
    upto = np.concatenate(([0.0], np.cumsum(discounts)))
    above, tied = above_and_tied(x)
    shared = (upto[above + tied] - upto[above]) / tied
    best = np.sort(gains, axis=-1)[..., ::-1] @ discounts
    return _ratio((gains * shared).sum(axis=-1), best)


def _ratio(a: Floats, b: Floats) -> Floats:
    """a / b, and nan where b is 0."""
    ratios: Floats = np.divide(a, b, out=np.full(np.shape(b), np.nan), where=b > 0)
    return ratios
