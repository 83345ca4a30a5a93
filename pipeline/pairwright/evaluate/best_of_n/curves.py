"""The worth of the best of k over all questions, with intervals by user."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from pairwright.evaluate.best_of_n.estimator import of_first, of_subsets
from pairwright.evaluate.best_of_n.records import Curve, Point, Sampled, Scored
from pairwright.evaluate.measure.figure import numbered
from pairwright.evaluate.outputs import mean_adherence
from pairwright.evaluate.results import ScorerRef
from pairwright.intervals import Floats, Interval, mean

CEILING = "the judge itself"


def curve(
    ref: ScorerRef, samples: Sequence[Sampled], scored: Sequence[Scored], ks: Sequence[int]
) -> Curve:
    """One scorer's curve over the questions that have all samples and all of its scores."""
    by_pair = {of.pair: of for of in samples}
    counted = [(by_pair[of.pair], of.scores) for of in scored if not of.unscored]
    return Curve(
        scorer=ref,
        questions=len(counted),
        unscored=dict(sorted(Counter(of.unscored for of in scored if of.unscored).items())),
        shortened=sum(of.left_out > 0 for of in scored),
        points=_points(
            [np.array(scores, np.float64) for _, scores in counted],
            [_worth(of) for of, _ in counted],
            [of.cluster for of, _ in counted],
            ks,
        ),
    )


def ceiling(samples: Sequence[Sampled], ks: Sequence[int]) -> Curve | None:
    """What the judge's own pick is worth: no scorer can do better on these samples."""
    whole = [of for of in samples if not of.unscored]
    if not whole:
        return None
    worth = [_worth(of) for of in whole]
    return Curve(
        scorer=ScorerRef(name=CEILING, kind="ceiling"),
        questions=len(whole),
        unscored={},
        shortened=0,
        points=_points(worth, worth, [of.cluster for of in whole], ks),
    )


def _points(
    scores: list[Floats], worth: list[Floats], clusters: list[str], ks: Sequence[int]
) -> tuple[Point, ...]:
    if not scores:
        return ()

    def each(of: Callable[[Floats, Floats, int], float], k: int) -> Floats:
        return np.array([of(*both, k) for both in zip(scores, worth, strict=True)], np.float64)

    def point(k: int) -> Point:
        first = mean_adherence(each(of_first, k), clusters)
        subsets = mean_adherence(each(of_subsets, k), clusters)
        gain = _spread(mean(each(_gain, k), numbered(clusters), least=-1, most=1))
        assert first, "there are questions"
        assert subsets, "there are questions"
        assert gain, "there are questions"
        return Point(k=k, first=first, subsets=subsets, gain=gain)

    return tuple(map(point, ks))


def _spread(gain: Interval | None) -> Interval | None:
    """Without an interval where no question shows a spread. A gain of 0 that has none is certain: a
    scorer that never picks gains nothing."""
    if gain is None or not gain.value or gain.low != gain.high:
        return gain
    return gain.model_copy(update={"low": None, "high": None})


def _gain(scores: Floats, worth: Floats, k: int) -> float:
    return of_subsets(scores, worth, k) - float(worth.mean())


def _worth(of: Sampled) -> Floats:
    return np.array([sample.adherence for sample in of.samples], np.float64)
