"""What the judge's scores say about people's verdicts: a curve, and shares with fewer people."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from scipy.special import stdtrit

from pairwright.intervals import LEVEL, accuracy, z_of
from pairwright.modes import MODES
from pairwright.records import FULL_ADHERENCE
from pairwright.report import BLUE, FAINT, Block, Plot, Table, drawing, plot
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.prediction_powered import powered_mean
from pairwright_human_eval.report.records import PoweredShare, VoteCalibrationBin
from pairwright_human_eval.subjects import Outline, OutlinePair

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
                value=round(min(1.0, max(0.0, powered.value)), 6),
                low=round(max(0.0, powered.value - width), 6) if varies else None,
                high=round(min(1.0, powered.value + width), 6) if varies else None,
                tuning=round(powered.tuning, 6),
            )
        )  # fmt: skip
    return tuple(found)


def _prediction(subject: Outline) -> float | None:
    margins = [margin(pair) for pair in subject.pairs]
    return None if None in margins else min(m for m in margins if m is not None)


def calibration_blocks(
    bins: Sequence[VoteCalibrationBin], shares: Sequence[PoweredShare]
) -> Iterator[Block]:
    """The curve, and the shares that people would verify of the whole run."""
    if bins:
        yield (
            "Does the judge's margin say how people vote? The margin is the adherence of the chosen"
            " response less that of the rejected one, each as a share of the most possible."
        )
        yield Table(
            ("judge's margin", "pairs", "votes", "for the chosen, of all votes"),
            tuple(
                (
                    f"{one.least:.2f} to {one.most:.2f}", f"{one.pairs:,}", f"{one.chosen.n:,}",
                    _percent(one.chosen.value, one.chosen.low, one.chosen.high),
                )
                for one in bins
            ),
        )  # fmt: skip
        yield _curve(bins)
    if shares:
        yield (
            "What share of the whole run would people verify? Of those that people decided on, and"
            " with the judge's margins of those that were not sampled (prediction-powered, with"
            " power tuning). The second holds however wrong the judge is, because people were asked"
            " about a random sample; a weight of 0 says that its margins tell nothing. There is no"
            f" interval for fewer than {ENOUGH_DYADS} dyads that people decided on."
        )
        if waiting := sum(share.waiting for share in shares):
            yield (
                f"NOT ALL ARE DECIDED: {waiting:,} of the sampled still wait for answers and are"
                " left out. Those decided so far are no random sample, because a refusal needs"
                " fewer answers than a verification: both shares may be too low."
            )
        yield Table(
            (
                "mode", "decided", "waiting", "verified by people", "not sampled",
                "prediction-powered",
                "weight",
            ),
            tuple(
                (
                    share.mode, f"{share.people.n:,}", f"{share.waiting:,}",
                    _percent(share.people.value, share.people.low, share.people.high),
                    f"{share.judged:,}", _percent(share.value, share.low, share.high),
                    f"{share.tuning:.2f}",
                )
                for share in shares
            ),
        )  # fmt: skip


def _percent(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "n/a"
    if low is None or high is None:
        return f"{100 * value:.0f} % (no interval)"
    return f"{100 * value:.0f} % ({100 * low:.0f} to {100 * high:.0f})"


def _curve(bins: Sequence[VoteCalibrationBin]) -> Plot:
    with drawing():
        figure = Figure(figsize=(5.6, 3.4), layout="constrained")
        axes = figure.add_subplot()
        axes.axhline(0.5, color=FAINT.light, linestyle=(0, (4, 3)), linewidth=1.2, zorder=1)
        at = [one.mean for one in bins]
        low, value, high = (
            [getattr(one.chosen, end) or 0.0 for one in bins] for end in ("low", "value", "high")
        )
        axes.vlines(at, low, high, color=BLUE.light, linewidth=2.2)
        axes.plot(at, value, "o-", color=BLUE.light)
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        axes.set_xlabel("judge's margin of adherence, chosen less rejected")
        axes.set_ylabel("votes for the chosen")
        axes.grid()
        return plot(
            figure,
            "Votes of people for the chosen response by the judge's margin, with 95 % intervals by"
            " dyad. The dashed line is one half.",
            name="calibration",
        )
