"""Accuracy over all presentations: its mean, its spread, and whether the order of scorers holds."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from pydantic import Field
from scipy.special import stdtrit

from pairwright.evaluate.builders import BuildTie, build_ties
from pairwright.evaluate.decision import PairDecision
from pairwright.evaluate.measure import figures_of, mode_group
from pairwright.evaluate.measure.units import by_mode, points
from pairwright.evaluate.release import ReleaseRef
from pairwright.evaluate.results import Result, ResultSummary
from pairwright.intervals import (
    LEVEL,
    Floats,
    Interval,
    Places,
    accuracy,
    cluster_numbers,
    with_width,
    z_of,
)
from pairwright.records import Mode, Record


class PresentationResult(NamedTuple):
    """The result of one scorer in one presentation."""

    presentation: str
    result: Result
    """As it was written."""
    decisions: Sequence[PairDecision]

    @property
    def about(self) -> ResultSummary:
        return self.result.about


class PresentationAccuracy(Record):
    """One scorer's accuracy in one presentation, with its 95 % interval by cluster."""

    presentation: str
    value: float
    low: float | None
    high: float | None
    n: int
    """Pairs."""


class SpreadFigures(Record):
    """One scorer on one mode, over all presentations."""

    scorer: str
    mode: Mode | None
    mean: Interval
    """The mean over presentations of each pair's points; its n are pairs."""
    deviation: Interval
    """The standard deviation of the accuracies, with a jackknife interval by cluster; its n are
    presentations."""
    accuracies: tuple[PresentationAccuracy, ...]
    """In the order of the presentations."""
    unchanged: bool = False
    """Whether no presentation changed a score or verdict: none of them reached the scorer, or what
    it reads is in all of them."""

    @property
    def lowest(self) -> PresentationAccuracy:
        return min(self.accuracies, key=lambda one: one.value)

    @property
    def highest(self) -> PresentationAccuracy:
        return max(self.accuracies, key=lambda one: one.value)


class ScorerOrder(Record):
    """How often scorers come in one order, on one mode."""

    mode: Mode | None
    scorers: tuple[str, ...]
    """Best first; equal ones are one entry, such as `longer = constant`."""
    presentations: int


class SpreadScores(Record):
    """The spread of scorers on one release."""

    release: ReleaseRef
    condition: str
    limit: int | None
    split: str | None
    simulated: bool
    presentations: tuple[str, ...]
    figures: tuple[SpreadFigures, ...]
    orders: tuple[ScorerOrder, ...]
    """The most frequent first; none of one scorer, and none with simulated scorers."""
    build_ties: dict[str, tuple[BuildTie, ...]] = Field(default={})
    """By scorer, what it has to do with the models that built the release."""


def spread_scores(results: Sequence[PresentationResult]) -> SpreadScores:
    """Compute all figures of scorers that have results in every presentation."""
    about = results[0].about
    names = tuple(dict.fromkeys(one.presentation for one in results))
    figures = tuple(_figures(results))
    simulated = any(one.about.simulated for one in results)
    scorers = {one.about.scorer.name: one.about.scorer for one in results}
    ties = {
        name: build_ties((scorer.model, scorer.beside), about.release.builders)
        for name, scorer in scorers.items()
    }
    return SpreadScores(
        release=about.release,
        condition=about.condition,
        limit=about.limit,
        split=about.split,
        simulated=simulated,
        presentations=names,
        figures=figures,
        orders=() if simulated else tuple(_orders(figures, names)),
        build_ties={name: tie for name, tie in ties.items() if tie},
    )


def _figures(results: Sequence[PresentationResult]) -> Iterator[SpreadFigures]:
    for scorer in dict.fromkeys(one.about.scorer.name for one in results):
        own = [one for one in results if one.about.scorer.name == scorer]
        for mode_pairs in by_mode(own[0].decisions):
            mode = mode_pairs.mode
            due = {one.id: one.cluster for one in mode_pairs.due}
            if not due:
                continue
            clusters = cluster_numbers(list(due.values()))
            rows = np.array([_due_points(one.decisions, due) for one in own])
            average = accuracy(rows.mean(axis=0), clusters)
            assert average, "pairs are due"
            yield SpreadFigures(
                scorer=scorer,
                mode=mode,
                mean=average.found(z_of(LEVEL)),
                deviation=_deviation(rows, clusters),
                accuracies=tuple(_accuracy(one, mode) for one in own),
                unchanged=len({_outcomes(one.decisions, due) for one in own}) == 1 < len(own),
            )


def _due_points(decisions: Sequence[PairDecision], due: dict[str, str]) -> list[float]:
    """The points of the pairs that are due, in the order of `due`."""
    by_id = {one.id: points(one) for one in decisions}
    return [by_id[name] for name in due]


def _outcomes(decisions: Sequence[PairDecision], due: dict[str, str]) -> tuple[object, ...]:
    """The scores and verdicts of the pairs that are due, in the order of `due`."""
    by_id = {one.id: (one.chosen, one.rejected, one.orders, one.unscored) for one in decisions}
    return tuple(by_id[name] for name in due)


def _accuracy(result: PresentationResult, mode: Mode | None) -> PresentationAccuracy:
    found = next(
        one
        for one in figures_of(result.decisions)
        if (one.name, one.mode, one.group) == ("accuracy", *mode_group(mode))
    )
    assert found.value is not None, "pairs are due"
    return PresentationAccuracy(
        presentation=result.presentation,
        value=found.value,
        low=found.low,
        high=found.high,
        n=found.n,
    )


def _deviation(rows: Floats, clusters: Places) -> Interval:
    """The standard deviation of the accuracies of `rows`, shape (presentations, pairs). Its error
    is that of a jackknife which leaves out one cluster after the other (Efron and Tibshirani 1993,
    eq. 11.5)."""
    count = int(clusters.max()) + 1
    value = float(rows.mean(axis=1).std(ddof=1)) if len(rows) > 1 else 0.0
    low = high = None
    if count > 1 and len(rows) > 1:
        sums = np.array([np.bincount(clusters, row, minlength=count) for row in rows])
        sizes = np.bincount(clusters, minlength=count)
        left = (sums.sum(axis=1, keepdims=True) - sums) / (rows.shape[1] - sizes)
        deviations = left.std(axis=0, ddof=1)
        squares = float(((deviations - deviations.mean()) ** 2).sum())
        width = -float(stdtrit(count - 1, LEVEL / 2)) * ((count - 1) / count * squares) ** 0.5
        low, high = round(max(0.0, value - width), 6), round(value + width, 6)
    found = Interval(value=round(value, 6), low=low, high=high, n=len(rows), clusters=count)
    return with_width(found)


def _orders(figures: Sequence[SpreadFigures], names: Sequence[str]) -> Iterator[ScorerOrder]:
    for mode in dict.fromkeys(one.mode for one in figures):
        own = [one for one in figures if one.mode == mode]
        if len(own) < 2:
            continue
        found = Counter(_order(own, place) for place in range(len(names)))
        for order, n in found.most_common():
            yield ScorerOrder(mode=mode, scorers=order, presentations=n)


def _order(figures: Sequence[SpreadFigures], place: int) -> tuple[str, ...]:
    """The scorers in one presentation, best first."""
    by_value: dict[float, list[str]] = {}
    for one in figures:
        by_value.setdefault(one.accuracies[place].value, []).append(one.scorer)
    return tuple(" = ".join(sorted(by_value[value])) for value in sorted(by_value, reverse=True))
