"""How far a scorer's margins can be trusted: calibration against labels and people's votes, and
accuracy by margin.

A scorer's confidence is its probability of the response that it prefers: the logistic of the margin
between two scores (Bradley and Terry 1952), and for a comparing judge the mean of its two verdicts.
The expected calibration error (Naeini et al. 2015; Guo et al. 2017) is the mean distance, over bins
of equally many pairs, between confidence and the share that is right. It is above zero by chance
alone, so the value that a calibrated scorer with the same confidences would have is given beside
it.

Scores of a reward model have no unit, so the error is after temperature scaling (Guo et al. 2017):
margins are divided by one number, which is fitted on other clusters than those that it is applied
to.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import expit

from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.measure.figure import (
    ModeDecisions,
    ScorerFigure,
    average,
    mode_group,
    points,
    share,
)
from pairwright.intervals import Floats, Places, cluster_numbers, mean_points
from pairwright.records import Mode, Record, content_id

BINS = 10
FOLDS = 5
STEEPEST = 50.0
"""The largest slope that is fitted, by the median margin: the best one of a scorer without an error
is infinite."""


class CalibrationBin(Record):
    """Pairs of about one confidence."""

    confidence: float
    """Mean probability of the preferred response."""
    right: float
    """Share of pairs where that is the chosen one, ties counting one half."""
    low: float
    high: float
    """The 95 % interval of `right`, by cluster."""
    n: int
    clusters: int


class CoveragePoint(Record):
    """The pairs with the largest margins, and how many of them are right."""

    coverage: float
    """The share of the scored pairs that is kept; pairs with equal margins stay together."""
    accuracy: float
    low: float
    high: float
    n: int
    clusters: int


class Calibration(Record):
    """One scorer's calibration on one mode's scored pairs; plots show `scaled` and `by_margin`."""

    mode: Mode | None
    temperature: float | None
    """What margins are divided by, fitted on all pairs; None where margins tell nothing, so that
    no number is large enough."""
    scaled: tuple[CalibrationBin, ...]
    """After cross-fitted temperature scaling; empty below two clusters."""
    by_margin: tuple[CoveragePoint, ...]
    """From all pairs to the tenth with the largest margins."""


class Margins(NamedTuple):
    """The scored pairs of a mode, each array of shape (n,)."""

    margins: Floats
    points: Floats
    clusters: Places
    folds: Places
    """The fold of each pair's users, or its prompt; all in one below two of them."""


def choice_probability(decision: PairDecision) -> float:
    """The scorer's probability of the chosen response."""
    assert decision.margin is not None
    if decision.orders is not None:
        return (decision.margin + 1) / 2
    return float(expit(decision.margin))


def margins_of(mode_pairs: ModeDecisions) -> Margins:
    """The margins of a mode's scored pairs, in folds of as many clusters each as possible."""
    scored = mode_pairs.scored
    order = sorted({one.cluster for one in scored}, key=lambda name: content_id("fold", name))
    fold_of = {name: n % FOLDS for n, name in enumerate(order)}
    return Margins(
        margins=np.array([one.margin for one in scored], np.float64),
        points=np.array([points(one) for one in scored], np.float64),
        clusters=cluster_numbers([one.clusters for one in scored]),
        folds=np.array([fold_of[one.cluster] for one in scored], np.intp),
    )


def calibration_figures(mode_pairs: ModeDecisions) -> Iterator[ScorerFigure]:
    """The distance from people's votes, the calibration error, and the accuracy of the surer
    half."""
    pairs, group = margins_of(mode_pairs), mode_group(mode_pairs.mode)
    yield _brier(mode_pairs)
    clusters = [one.clusters for one in mode_pairs.scored]
    scaled = scaled_probabilities(pairs)
    if scaled is None:
        yield average("ece_scaled", group, np.empty(0), (), "one cluster: nothing to fit it on")
    else:
        distances, by_chance = _distances(scaled, pairs.points)
        note = f"a calibrated scorer has {by_chance:.3f} by chance" if len(clusters) else ""
        yield average("ece_scaled", group, distances, clusters, note)
    surer = _surest(pairs, 0.5)
    kept = [clusters[n] for n in np.flatnonzero(surer)]
    yield share("accuracy_of_surer_half", group, pairs.points[surer].tolist(), kept)


def _brier(mode_pairs: ModeDecisions) -> ScorerFigure:
    """Over all pairs that people judged, also those that they were split on."""
    judged = [(one, one.vote_share) for one in mode_pairs.scored if one.vote_share is not None]
    probabilities = np.array([choice_probability(one) for one, _ in judged], np.float64)
    voted = np.array([vote_share for _, vote_share in judged], np.float64)
    note = "nobody voted on these pairs"
    if judged:
        note = f"always saying one half gives {((0.5 - voted) ** 2).mean():.3f}"
    clusters = [one.clusters for one, _ in judged]
    return average(
        "brier", mode_group(mode_pairs.mode), (probabilities - voted) ** 2, clusters, note
    )


def calibration_of(mode_pairs: ModeDecisions) -> Calibration | None:
    """What is plotted of a mode; None where no pair is scored."""
    pairs = margins_of(mode_pairs)
    if not len(pairs.points):
        return None
    scaled = scaled_probabilities(pairs)
    slope = fit_slope(pairs.margins)
    return Calibration(
        mode=mode_pairs.mode,
        temperature=float(f"{1 / slope:.6g}") if slope else None,
        scaled=() if scaled is None else tuple(_bins(scaled, pairs)),
        by_margin=tuple(_coverage_points(pairs)),
    )


def scaled_probabilities(pairs: Margins) -> Floats | None:
    """Probabilities of the chosen responses after temperature scaling, shape (n,): those of a fold
    of clusters by the temperature of all others. None below two clusters."""
    folds = pairs.folds
    if len(np.unique(folds)) < 2:
        return None
    probabilities = np.empty_like(pairs.margins)
    for fold in np.unique(folds):
        own = folds == fold
        slope = fit_slope(pairs.margins[~own])
        # A margin may be infinite, and is then certain, but not where margins tell nothing.
        probabilities[own] = expit(slope * pairs.margins[own]) if slope else 0.5
    return probabilities


def fit_slope(margins: Floats) -> float:
    """One over the temperature that makes the chosen responses most likely; 0 where margins tell
    nothing. Margins are the lead of the chosen response."""
    sizes = np.abs(margins[margins != 0])
    if not len(sizes):
        return 0.0
    scale = float(np.median(sizes))

    def loss(slope: float) -> float:
        with np.errstate(over="ignore"):
            return float(np.logaddexp(0, -slope / scale * margins).mean())

    # The loss is convex: where the smallest slope is no better than none, none is better.
    if not math.isfinite(scale) or loss(1e-6) >= math.log(2):
        return 0.0
    found = minimize_scalar(loss, bounds=(0.0, STEEPEST), method="bounded")
    return float(found.x) / scale


def _places(confidence: Floats) -> Places:
    """The bin of each pair: bins have equally many pairs, but equal confidences share one."""
    edges = np.unique(np.quantile(confidence, np.arange(1, BINS) / BINS))
    return np.searchsorted(edges, confidence, side="left")


def _distances(probabilities: Floats, right: Floats) -> tuple[Floats, float]:
    """Values whose mean is the calibration error, so that it has an interval by cluster; and what
    it is on average where confidences are right and pairs independent. Ties vary by nothing: they
    are right by one half."""
    if not len(right):
        return right, 0.0
    confidence: Floats = np.maximum(probabilities, 1 - probabilities)
    places, gaps = _places(confidence), confidence - right
    signs = np.sign(np.bincount(places, gaps))
    spread = np.bincount(places, np.where(right == 0.5, 0.0, confidence * (1 - confidence)))
    by_chance = float(np.sqrt(2 / np.pi * spread).sum()) / len(right)
    return signs[places] * gaps, by_chance


def _bins(probabilities: Floats, pairs: Margins) -> Iterator[CalibrationBin]:
    confidence: Floats = np.maximum(probabilities, 1 - probabilities)
    places = _places(confidence)
    for place in np.unique(places):
        own = places == place
        yield CalibrationBin(
            confidence=round(float(confidence[own].mean()), 6), **_share("right", pairs, own)
        )


def _coverage_points(pairs: Margins) -> Iterator[CoveragePoint]:
    before = None
    for tenths in range(10, 0, -1):
        own = _surest(pairs, tenths / 10)
        if (n := int(own.sum())) != before:
            yield CoveragePoint(coverage=round(n / len(own), 6), **_share("accuracy", pairs, own))
        before = n


def _surest(pairs: Margins, part: float) -> npt.NDArray[np.bool_]:
    """Which pairs have the largest margins: so large a part, or more where margins are equal."""
    sizes = np.abs(pairs.margins)
    if not len(sizes):
        return np.zeros(0, np.bool_)
    least = np.sort(sizes)[::-1][max(1, round(part * len(sizes))) - 1]
    largest: npt.NDArray[np.bool_] = sizes >= least
    return largest


def _share(name: str, pairs: Margins, own: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """The estimate of some pairs as fields of a record, its value by `name`."""
    found = mean_points(pairs.points[own], pairs.clusters[own]).model_dump()
    return {name: found.pop("value"), **found}
