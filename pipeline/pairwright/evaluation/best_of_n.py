"""What a policy's answers gain when a scorer picks the best of them.

All N answers to a question are judged by the aspects, because each is the best of some subset, and
what a scorer picks is worth what the judge says of it. The first k of N are the draws 0 to k - 1.
Where a scorer gives several samples its best score, each of them is picked equally often.
"""

from collections.abc import Sequence
from math import comb

import numpy as np
from matplotlib.figure import Figure

from pairwright.evaluation.outputs import mean_adherence
from pairwright.evaluation.policy_samples import SampledQuestion, SampleScores
from pairwright.evaluation.release import ReleaseRef
from pairwright.evaluation.results import ScorerRef
from pairwright.evaluation.scorers.scorer import reasons
from pairwright.pages import Page, render_page
from pairwright.pages.plots import FAINT, WIDTH, Curve, Plot, draw_curves, drawing, plot
from pairwright.records import FULL_ADHERENCE, Record
from pairwright.stats import Estimate, Floats, cluster_numbers, mean, with_width
from pairwright.text import visible


class Point(Record):
    """The mean adherence of what was picked from k samples, over questions."""

    k: int
    subsets: Estimate
    """The mean over all subsets of k of the N."""
    gain: Estimate
    """The same less the mean of the question's samples."""


class ScorerCurve(Record):
    """One scorer, at every k."""

    scorer: ScorerRef
    questions: int
    """Questions that count."""
    unscored: dict[str, int]
    """Questions that do not count, by reason."""
    shortened: int
    """Questions whose history did not fit whole."""
    points: tuple[Point, ...]

    @property
    def mean(self) -> float:
        """The mean adherence without a pick."""
        first = self.points[0]
        return (first.subsets.value or 0.0) - (first.gain.value or 0.0)


class BestOfN(Record):
    """The whole result of best-of-n."""

    release: ReleaseRef
    limit: int | None
    n: int
    policy: ScorerRef
    judge: ScorerRef
    history: str = ""
    """Hash of the rules by which posts were shown to scorers; empty for all that fit."""
    questions: int
    """Questions that were asked."""
    sampled: int
    """Questions with all N samples and a judgement of each."""
    unscored: dict[str, int]
    """Questions without, by reason."""
    ceiling: ScorerCurve | None
    """What a scorer would reach that is the judge itself; None where nothing was sampled."""
    curves: tuple[ScorerCurve, ...]

    @property
    def lines(self) -> tuple[ScorerCurve, ...]:
        """The curves, the ceiling last."""
        return (*self.curves, *([self.ceiling] if self.ceiling else []))

    @property
    def best(self) -> ScorerCurve | None:
        """The curve that ends highest; None where no scorer has one."""
        ended = [curve for curve in self.curves if curve.points]
        return max(ended, key=lambda curve: curve.points[-1].subsets.value or 0.0, default=None)


def of_subsets(scores: Floats, worth: Floats, k: int) -> float:
    """The mean worth of those with the highest score, over all subsets of k of the N samples, each
    as likely: an unbiased estimate of best-of-k that uses every sample. Both of shape (N,); raises
    ValueError where k is not from 1 to N.

    Without ties the sample of rank r (1 is the lowest) is the best of C(r - 1, k - 1) of the C(N,
    k) subsets: the others are among the r - 1 below. The best of a subset is among m samples that
    tie above a lower ones where it is one of the C(a + m, k) subsets of these a + m, and not one of
    the C(a, k) of the lower ones; of that each of the m has an equal share, for the subsets are the
    same whichever of them change places. With m = 1 that is the first formula, by Pascal's rule.
    """
    return float(weights(scores, k) @ worth)


def weights(scores: Floats, k: int) -> Floats:
    """How often each of the N samples is picked from a random subset of k: shape (N,), sum 1."""
    _check(len(scores), k)
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    subsets = comb(len(scores), k)
    ends = np.cumsum(sizes)
    shares = [
        (comb(int(end), k) - comb(int(end - size), k)) / subsets / int(size)
        for end, size in zip(ends, sizes, strict=True)
    ]
    by_sample: Floats = np.array(shares, np.float64)[group]
    return by_sample


def powers(n: int) -> tuple[int, ...]:
    """1, 2, 4, ... up to n, and n itself."""
    below = [2**power for power in range(n.bit_length())]
    return tuple(dict.fromkeys([*below, n]))


def _check(n: int, k: int) -> None:
    if not 1 <= k <= n:
        raise ValueError(f"k is {k}, and there are {n} samples")


CEILING = "the judge itself"


def curve(
    ref: ScorerRef,
    samples: Sequence[SampledQuestion],
    scored: Sequence[SampleScores],
    ks: Sequence[int],
) -> ScorerCurve:
    """One scorer's curve over the questions that have all samples and all of its scores."""
    by_pair = {question.pair: question for question in samples}
    counted = [one for one in scored if not one.unscored]
    worth = [_worth(by_pair[one.pair]) for one in counted]
    scores = [np.array(one.scores, np.float64) for one in counted]
    clusters = [by_pair[one.pair].cluster for one in counted]
    at_random = np.array([own.mean() for own in worth])

    def point(k: int) -> Point:
        picked = [of_subsets(*one, k) for one in zip(scores, worth, strict=True)]
        subsets = np.array(picked, np.float64)
        gain = mean(subsets - at_random, cluster_numbers(clusters), least=-1, most=1)
        return Point(
            k=k,
            subsets=mean_adherence(subsets, clusters),
            # A gain of 0 in every question is certain: a scorer that never picks gains nothing.
            gain=with_width(gain) if gain.value else gain,
        )

    return ScorerCurve(
        scorer=ref,
        questions=len(counted),
        unscored=reasons(scored),
        shortened=sum(one.left_out > 0 for one in scored),
        points=tuple(map(point, ks)) if counted else (),
    )


def ceiling(samples: Sequence[SampledQuestion], ks: Sequence[int]) -> ScorerCurve | None:
    """What the judge's own pick is worth: no scorer can do better on these samples."""
    own = [
        SampleScores(pair=one.pair, scorer=CEILING, scores=tuple(_worth(one)))
        for one in samples
        if not one.unscored
    ]
    return curve(ScorerRef(name=CEILING, kind="ceiling"), samples, own, ks) if own else None


def _worth(question: SampledQuestion) -> Floats:
    return np.array([sample.adherence for sample in question.samples], np.float64)


def best_of_n_page(result: BestOfN, *, drawn: bool = True) -> Page:
    """The whole report; a terminal does without the drawing."""
    plots = {"scaling": _scaling(result)} if result.best and drawn else {}
    return render_page("best_of_n", plots, result=result, full=FULL_ADHERENCE)


def _scaling(result: BestOfN) -> Plot:
    with drawing():
        figure = Figure(figsize=(WIDTH, 4.8), layout="constrained")
        axes = figure.add_subplot()
        draw_curves(
            axes,
            [
                Curve(
                    visible(line.scorer.name),
                    [point.k for point in line.points],
                    [point.subsets for point in line.points],
                    dotted=line is result.ceiling,
                )
                for line in result.lines
                if line.points
            ],
        )
        if result.ceiling:
            axes.axhline(result.ceiling.mean, color=FAINT.light, linewidth=0.8, label="at random")
        ticks = [point.k for point in max((line.points for line in result.lines), key=len)]
        axes.set_xscale("log", base=2)
        axes.set_xticks(ticks, [str(k) for k in ticks])
        axes.minorticks_off()
        axes.set_xlabel("k, samples that the scorer picks from")
        axes.set_ylabel("adherence of its pick")
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
        caption = "Best of k over all subsets of k of the samples, with 95 % intervals by user."
        return plot(figure, caption, name="scaling")
