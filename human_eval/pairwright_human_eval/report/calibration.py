"""What the judge's scores say about people's verdicts: a curve, and shares with fewer people.

Shares of the whole run are by prediction-powered inference with power tuning: Angelopoulos, Bates,
Fannjiang, Jordan and Zrnic 2023, Science 382, 669-674; Angelopoulos, Duchi and Zrnic 2023, arXiv
2311.01453. Predictions only narrow the interval: it holds however wrong the judge is, as long as
those that people were asked about are a random sample. Errors are summed by cluster. Where every
cluster has one member, value and standard error are those of ppi-python 0.2.3, but for its limits
of the weight to 0 and 1: a judge's margins have a scale of their own. That library is not a
dependency because it brings a compiler (numba) and has had no release since 2024.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from pairwright.estimate import Estimate
from pairwright.intervals import LEVEL, accuracy, z_of
from pairwright.modes import MODES
from pairwright.records import FULL_ADHERENCE
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.report.records import PoweredShare, VoteCalibrationBin
from pairwright_human_eval.subjects import Outline, OutlinePair

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


BINS = 5


ENOUGH_DYADS = 20
"""With fewer, the interval of a prediction-powered share holds the truth too seldom: the weight of
the predictions is fitted to the same answers."""


class JudgedVotes(NamedTuple):
    """The votes on one pair, and the judge's margin of it."""

    dyad: str
    margin: float
    chosen: int
    votes: int


def margin(pair: OutlinePair) -> float | None:
    """The judge's adherence of the chosen response less that of the rejected one, each as a share
    of the most possible; None where it was not judged."""
    shares = {
        side: sum(scores) / (FULL_ADHERENCE * len(scores))
        for side, scores in pair.adherence.items()
        if scores
    }
    return shares["chosen"] - shares["rejected"] if len(shares) == 2 else None


def calibration_bins(
    subjects: Iterable[Outline], decisions: Mapping[str, Decision]
) -> tuple[VoteCalibrationBin, ...]:
    """Pairs in about `BINS` parts by the judge's margin; equal margins are in one part."""
    judged = []
    for subject in subjects:
        for pair, votes in zip(subject.pairs, decisions[subject.id].votes, strict=True):
            found = margin(pair)
            if found is not None and votes.n:
                judged.append(JudgedVotes(subject.dyad, found, votes.chosen, votes.n))
    if not judged:
        return ()
    margins = np.array([one.margin for one in judged])
    edges = np.unique(np.quantile(margins, np.arange(1, BINS) / BINS, method="inverted_cdf"))
    # To the right, so that a margin which most pairs have keeps the rest apart.
    places = np.searchsorted(edges, margins, side="right")
    return tuple(
        _bin([one for one, place in zip(judged, places, strict=True) if place == part])
        for part in np.unique(places)
    )


def _bin(judged: Sequence[JudgedVotes]) -> VoteCalibrationBin:
    dyads = {name: place for place, name in enumerate(sorted({one.dyad for one in judged}))}
    points = [float(k < one.chosen) for one in judged for k in range(one.votes)]
    clusters = [dyads[one.dyad] for one in judged for _ in range(one.votes)]
    found = accuracy(np.array(points), np.array(clusters, np.intp))
    assert found
    margins = [one.margin for one in judged]
    return VoteCalibrationBin(
        least=round(min(margins), 6), most=round(max(margins), 6),
        mean=round(sum(margins) / len(margins), 6), pairs=len(judged),
        chosen=found.found(z_of(LEVEL)),
    )  # fmt: skip


def powered_shares(
    subjects: Sequence[Outline], rest: Sequence[Outline], decisions: Mapping[str, Decision]
) -> tuple[PoweredShare, ...]:
    """By mode the share that people would verify of the whole run. `rest` are the subjects that
    were not sampled. The prediction is the judge's least margin of a subject's pairs."""
    found = []
    for mode in MODES:
        own = [one for one in subjects if one.mode == mode and one.aspects_asked]
        states = [(one, decisions[one.id].state) for one in own]
        decided = [(one, state) for one, state in states if state != "waiting"]
        answered = [
            (one, state, p) for one, state in decided if (p := _prediction(one)) is not None
        ]
        others = [
            (one, p) for one in rest if one.mode == mode and (p := _prediction(one)) is not None
        ]
        dyads = {one.dyad for one, _, _ in answered}
        if len(dyads) < 2 or not others:
            continue
        names = dyads | {one.dyad for one, _ in others}
        place = {name: n for n, name in enumerate(sorted(names))}
        answers = np.array([float(state == "verified") for _, state, _ in answered])
        clusters = np.array([place[one.dyad] for one, _, _ in answered], np.intp)
        powered = powered_mean(
            answers,
            np.array([p for _, _, p in answered]),
            clusters,
            np.array([p for _, p in others]),
            np.array([place[one.dyad] for one, _ in others], np.intp),
        )
        alone = accuracy(answers, clusters)
        assert alone
        width = -float(stdtrit(len(dyads) - 1, LEVEL / 2)) * powered.error
        varies = powered.error > 0 and len(dyads) >= ENOUGH_DYADS
        found.append(
            PoweredShare(
                mode=mode, people=alone.found(z_of(LEVEL)), judged=len(others),
                waiting=len(own) - len(decided),
                powered=Estimate(
                    value=round(min(1.0, max(0.0, powered.value)), 6),
                    low=round(max(0.0, powered.value - width), 6) if varies else None,
                    high=round(min(1.0, powered.value + width), 6) if varies else None,
                    n=len(answers), clusters=len(dyads),
                ),
                tuning=round(powered.tuning, 6),
            )
        )  # fmt: skip
    return tuple(found)


def _prediction(subject: Outline) -> float | None:
    margins = [margin(pair) for pair in subject.pairs]
    return None if None in margins else min(m for m in margins if m is not None)
