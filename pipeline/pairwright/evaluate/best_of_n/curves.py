"""The worth of the best of k samples: of one question, and of all questions with intervals by user.

A scorer picks among samples; what it picks is worth what the judge says of it. Where a scorer gives
several samples its best score, each of them is picked equally often.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from math import comb

import numpy as np

from pairwright.estimate import Estimate
from pairwright.evaluate.outputs import mean_adherence
from pairwright.evaluate.release import ReleaseRef
from pairwright.evaluate.results import ScorerRef
from pairwright.intervals import Floats, cluster_numbers, mean
from pairwright.records import Record


class PolicySample(Record):
    """One answer of the policy."""

    response: str
    adherence: float | None = None
    """What the judge says of it, 0 to 1; None where it has no verdict."""
    unscored: str = ""
    detail: str = ""


class SampledQuestion(Record):
    """A question with its samples, in the order of the draws."""

    pair: str
    item_id: str
    domain: str
    cluster: str
    """The user whose question it is."""
    posts: int = 0
    """Posts that the policy was shown."""
    samples: tuple[PolicySample, ...] = ()
    unscored: str = ""
    """Why it does not count: a sample or a judgement is missing. Empty where it counts."""
    detail: str = ""


class SampleScores(Record):
    """What a scorer says of one question's samples."""

    pair: str
    scorer: str
    scores: tuple[float, ...] = ()
    """The scores in the order of the draws."""
    posts: int = 0
    """Posts that the scorer was shown, the same for all samples."""
    left_out: int = 0
    unscored: str = ""
    detail: str = ""


class Point(Record):
    """The mean adherence of what was picked from k samples, over questions."""

    k: int
    first: Estimate
    """The mean over the first k."""
    subsets: Estimate
    """The mean over all subsets of k of the N."""
    gain: Estimate
    """The same less the mean of the question's samples."""


class Curve(Record):
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
    simulated: bool
    """Whether a simulated model had a part in it: then it is not a result."""
    questions: int
    """Questions that were asked."""
    sampled: int
    """Questions with all N samples and a judgement of each."""
    unscored: dict[str, int]
    """Questions without, by reason."""
    ceiling: Curve | None
    """What a scorer would reach that is the judge itself; None where nothing was sampled."""
    curves: tuple[Curve, ...]

    @property
    def lines(self) -> tuple[Curve, ...]:
        """The curves, the ceiling last."""
        return (*self.curves, *([self.ceiling] if self.ceiling else []))

    @property
    def best(self) -> Curve | None:
        """The curve that ends highest; None where no scorer has one."""
        ended = [curve for curve in self.curves if curve.points]
        return max(ended, key=lambda curve: curve.points[-1].subsets.value or 0.0, default=None)


def of_first(scores: Floats, worth: Floats, k: int) -> float:
    """The mean worth of those among the first k that have the highest score. Both of shape (N,),
    in the order of the draws; raises ValueError where k is not from 1 to N."""
    _check(len(scores), k)
    first = scores[:k]
    return float(worth[:k][first == first.max()].mean())


def of_subsets(scores: Floats, worth: Floats, k: int) -> float:
    """The mean of that over all subsets of k of the N samples, each as likely: an unbiased estimate
    of best-of-k that uses every sample. Raises ValueError as `of_first`.

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
) -> Curve:
    """One scorer's curve over the questions that have all samples and all of its scores."""
    by_pair = {question.pair: question for question in samples}
    scored_questions = [
        (by_pair[question.pair], question.scores) for question in scored if not question.unscored
    ]
    return Curve(
        scorer=ref,
        questions=len(scored_questions),
        unscored=dict(
            sorted(Counter(question.unscored for question in scored if question.unscored).items())
        ),
        shortened=sum(question.left_out > 0 for question in scored),
        points=_points(
            [np.array(scores, np.float64) for _, scores in scored_questions],
            [_worth(question) for question, _ in scored_questions],
            [question.cluster for question, _ in scored_questions],
            ks,
        ),
    )


def ceiling(samples: Sequence[SampledQuestion], ks: Sequence[int]) -> Curve | None:
    """What the judge's own pick is worth: no scorer can do better on these samples."""
    whole = [question for question in samples if not question.unscored]
    if not whole:
        return None
    worth = [_worth(question) for question in whole]
    return Curve(
        scorer=ScorerRef(name=CEILING, kind="ceiling"),
        questions=len(whole),
        unscored={},
        shortened=0,
        points=_points(worth, worth, [question.cluster for question in whole], ks),
    )


def _points(
    scores: list[Floats], worth: list[Floats], clusters: list[str], ks: Sequence[int]
) -> tuple[Point, ...]:
    if not scores:
        return ()

    def each(estimate: Callable[[Floats, Floats, int], float], k: int) -> Floats:
        return np.array(
            [estimate(*both, k) for both in zip(scores, worth, strict=True)], np.float64
        )

    def point(k: int) -> Point:
        first = mean_adherence(each(of_first, k), clusters)
        subsets = mean_adherence(each(of_subsets, k), clusters)
        gain = _spread(mean(each(_gain, k), cluster_numbers(clusters), least=-1, most=1))
        assert first, "there are questions"
        assert subsets, "there are questions"
        assert gain, "there are questions"
        return Point(k=k, first=first, subsets=subsets, gain=gain)

    return tuple(map(point, ks))


def _spread(gain: Estimate | None) -> Estimate | None:
    """Without an interval where no question shows a spread. A gain of 0 that has none is certain: a
    scorer that never picks gains nothing."""
    if gain is None or not gain.value or gain.low != gain.high:
        return gain
    return gain.model_copy(update={"low": None, "high": None})


def _gain(scores: Floats, worth: Floats, k: int) -> float:
    return of_subsets(scores, worth, k) - float(worth.mean())


def _worth(question: SampledQuestion) -> Floats:
    return np.array([sample.adherence for sample in question.samples], np.float64)
