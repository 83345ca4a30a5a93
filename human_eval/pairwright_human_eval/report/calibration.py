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

import numpy as np
from scipy.special import stdtrit

from pairwright.estimate import Estimate
from pairwright.intervals import LEVEL, Floats, Places, accuracy_by_cluster, cluster_numbers
from pairwright.modes import MODES, Mode
from pairwright.records import FULL_ADHERENCE, Record
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.subjects import Outline, OutlinePair

BINS = 5
ENOUGH_DYADS = 20
"""With fewer, the interval of a prediction-powered share holds the truth too seldom: the weight of
the predictions is fitted to the same answers."""


class VoteCalibrationBin(Record):
    """Pairs whose judge's margins are about alike, and how people voted on them."""

    least: float
    most: float
    mean: float
    pairs: int
    chosen: Estimate
    """Share of votes for the chosen response, by dyad; n counts votes."""


class PoweredShare(Record):
    """The share of one mode that people would verify of the whole run."""

    mode: Mode
    people: Estimate
    """Of those that people decided on, alone."""
    judged: int
    """Twins or pairs that were not sampled, with a judge's margin."""
    powered: Estimate
    """With the judge's margins; no interval where nothing varies, or of too few dyads. n counts
    those that people decided on."""
    tuning: float
    """The weight of the margins."""
    waiting: int = 0
    """Sampled twins or pairs that are not decided yet, and are left out."""


def powered_mean(
    answers: Floats, predictions: Floats, clusters: Places, others: Floats, other_clusters: Places
) -> tuple[float, float, float]:
    """The estimate, its standard error, and the weight of the predictions, which is 0 where they
    say nothing about the answers.

    Of `answers` with their `predictions`, shape (n,), and the predictions of `others`, shape
    (N,), that nobody answered; both n and N are above 0. Clusters are numbers that both share.
    """
    n, unanswered = len(answers), len(others)
    together = float(np.mean((answers - answers.mean()) * (predictions - predictions.mean())))
    spread = float(np.var(np.concatenate([predictions, others]), ddof=1))
    tuning = together / ((1 + n / unanswered) * spread) if spread else 0.0
    rest = answers - tuning * predictions
    value = tuning * float(others.mean()) + float(rest.mean())
    sums = np.bincount(
        np.concatenate([clusters, other_clusters]),
        np.concatenate([(rest - rest.mean()) / n, tuning * (others - others.mean()) / unanswered]),
    )
    return value, math.sqrt(float(sums @ sums)), tuning


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
    found = [
        (judged, subject.dyad, votes)
        for subject in subjects
        for pair, votes in zip(subject.pairs, decisions[subject.id].votes, strict=True)
        if votes.n and (judged := margin(pair)) is not None
    ]
    if not found:
        return ()
    every = [judged for judged, _, _ in found]
    edges = np.unique(np.quantile(every, np.arange(1, BINS) / BINS, method="inverted_cdf"))
    # To the right, so that a margin which most pairs have keeps the rest apart.
    parts = np.searchsorted(edges, every, side="right")
    bins = []
    for part in np.unique(parts):
        own = [found[n] for n in np.flatnonzero(parts == part)]
        margins = [judged for judged, _, _ in own]
        chosen = accuracy_by_cluster(
            [(dyad, float(k < votes.chosen)) for _, dyad, votes in own for k in range(votes.n)]
        )
        assert chosen
        bins.append(
            VoteCalibrationBin(
                least=round(min(margins), 6), most=round(max(margins), 6),
                mean=round(sum(margins) / len(margins), 6), pairs=len(own), chosen=chosen,
            )
        )  # fmt: skip
    return tuple(bins)


def powered_shares(
    subjects: Sequence[Outline], rest: Sequence[Outline], decisions: Mapping[str, Decision]
) -> tuple[PoweredShare, ...]:
    """By mode the share that people would verify of the whole run. `rest` are the subjects that
    were not sampled. The prediction is the judge's least margin of a subject's pairs."""
    found = []
    for mode in MODES:
        own = [one for one in subjects if one.mode == mode and one.aspects_asked]
        decided = [one for one in own if decisions[one.id].state != "waiting"]
        sampled = [(one, p) for one in decided if (p := _prediction(one)) is not None]
        others = [
            (one, p) for one in rest if one.mode == mode and (p := _prediction(one)) is not None
        ]
        dyads = [one.dyad for one, _ in sampled]
        if len(set(dyads)) < 2 or not others:
            continue
        answers = [float(decisions[one.id].state == "verified") for one, _ in sampled]
        clusters = cluster_numbers([*dyads, *(one.dyad for one, _ in others)])
        value, error, tuning = powered_mean(
            np.array(answers),
            np.array([p for _, p in sampled]),
            clusters[: len(sampled)],
            np.array([p for _, p in others]),
            clusters[len(sampled) :],
        )
        alone = accuracy_by_cluster(list(zip(dyads, answers, strict=True)))
        assert alone
        width = -float(stdtrit(alone.clusters - 1, LEVEL / 2)) * error
        varies = error > 0 and alone.clusters >= ENOUGH_DYADS
        found.append(
            PoweredShare(
                mode=mode, people=alone, judged=len(others), waiting=len(own) - len(decided),
                powered=Estimate(
                    value=round(min(1.0, max(0.0, value)), 6),
                    low=round(max(0.0, value - width), 6) if varies else None,
                    high=round(min(1.0, value + width), 6) if varies else None,
                    n=len(answers), clusters=alone.clusters,
                ),
                tuning=round(tuning, 6),
            )
        )  # fmt: skip
    return tuple(found)


def _prediction(subject: Outline) -> float | None:
    margins = [margin(pair) for pair in subject.pairs]
    return None if None in margins else min(m for m in margins if m is not None)
