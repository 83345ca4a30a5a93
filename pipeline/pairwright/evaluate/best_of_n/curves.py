"""The worth of the best of k samples: of one question, and of all questions with intervals by user.

A scorer picks among samples; what it picks is worth what the judge says of it. Where a scorer gives
several samples its best score, each of them is picked equally often.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from math import comb

import numpy as np

from pairwright.estimate import Estimate
from pairwright.evaluate.best_of_n.records import Curve, Point, SampledQuestion, SampleScores
from pairwright.evaluate.outputs import mean_adherence
from pairwright.evaluate.results import ScorerRef
from pairwright.intervals import Floats, cluster_numbers, mean


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
