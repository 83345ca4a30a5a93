"""Correlate benchmarks with a downstream score over the same models."""

from collections.abc import Callable
from itertools import combinations

from statsmodels.stats.multitest import multipletests

from pairwright.evaluation.correlation.measures import Gain, RankMeasure, reported_measures
from pairwright.evaluation.correlation.table import ModelTable
from pairwright.evaluation.correlation.uncertainty import (
    Chance,
    Jackknife,
    MeasureInterval,
    compare_with_chance,
    difference_interval,
    jackknife,
)
from pairwright.intervals import LEVEL, Floats
from pairwright.records import Record

CLAIMS_FROM = 10
"""The fewest models or lineages for which anything is claimed."""


class DownstreamFacts(Record):
    """Facts about the downstream score that only the person who computed it knows; None where they
    were not given."""

    judge: str | None = None
    """The judge of the outputs."""
    overlap: str | None = None
    """The questions that both have in common."""
    lineage: str | None = None
    """The column that says which models descend from one another."""


class Correlation(Record):
    """One measure of one benchmark. `adjusted` is p after Holm over the benchmark's measures; that
    of a primary measure is its p."""

    measure: str
    note: str
    value: float
    interval: MeasureInterval
    chance: Chance
    adjusted: float

    @property
    def is_significant(self) -> bool:
        """Whether p after Holm is below .05: orders of the models as far out are rare."""
        return self.adjusted < LEVEL

    @property
    def beyond_chance(self) -> bool:
        """Whether the interval lies beyond zero and beyond what chance gives, on one side."""
        low, high, middle = self.interval.low, self.interval.high, self.chance.mean
        if low is None or high is None:
            return False
        return low > max(0.0, middle) or high < min(0.0, middle)

    @property
    def agrees(self) -> bool:
        """Whether the lineages' means, which p is of, lie on the same side of zero as the models,
        which value and interval are of."""
        means = self.chance.lineage_value
        return means is None or means * self.value > 0

    @property
    def sure(self) -> bool:
        """Whether something is claimed of it."""
        return self.is_significant and self.beyond_chance and self.agrees


class BenchmarkDifference(Record):
    """One measure of one benchmark less that of another, on the same models."""

    first: str
    second: str
    measure: str
    value: float
    interval: MeasureInterval


class Correlations(Record):
    """Everything that was found, and what it was found from."""

    n: int
    lineages: int
    downstream: str
    stated: DownstreamFacts
    gain: Gain
    p: float
    seed: int
    found: dict[str, tuple[Correlation, ...]]
    differences: tuple[BenchmarkDifference, ...]

    @property
    def claims(self) -> tuple[str, ...]:
        """Sentences that the numbers support; none below CLAIMS_FROM models or lineages."""
        if min(self.n, self.lineages) < CLAIMS_FROM:
            return ()
        return (*self._of_benchmarks(), *self._of_differences())

    def _of_benchmarks(self) -> tuple[str, ...]:
        sentences = []
        for name, correlations in self.found.items():
            sure = [correlation for correlation in correlations if correlation.sure]
            more = [one.measure for one in sure if one.value > one.chance.mean]
            less = [one.measure for one in sure if one.value <= one.chance.mean]
            if more:
                sentences.append(f"{name} goes with {self.downstream} by {_listed(more)}.")
            if less:
                sentences.append(f"{name} goes against {self.downstream} by {_listed(less)}.")
            if unsure := [
                correlation.measure
                for correlation in correlations
                if correlation.is_significant and not correlation.beyond_chance
            ]:
                sentences.append(
                    f"By {_listed(unsure)}, nothing is claimed of {name}: p (Holm) is below .05,"
                    " but the interval does not leave out zero or what chance gives."
                )
            if opposed := [
                correlation.measure
                for correlation in correlations
                if correlation.is_significant
                and correlation.beyond_chance
                and not correlation.agrees
            ]:
                sentences.append(
                    f"By {_listed(opposed)}, nothing is claimed of {name}: the means of lineages go"
                    " one way and the models the other."
                )
            if rest := [
                correlation.measure
                for correlation in correlations
                if not correlation.is_significant
            ]:
                sentences.append(
                    f"By {_listed(rest)}, {name} cannot be distinguished from a benchmark"
                    f" that has nothing to do with {self.downstream}."
                )
        return tuple(sentences)

    def _of_differences(self) -> tuple[str, ...]:
        sentences = []
        for first, second in dict.fromkeys(
            (difference.first, difference.second) for difference in self.differences
        ):
            of_these = [
                difference
                for difference in self.differences
                if (difference.first, difference.second) == (first, second)
            ]
            differing = [one.measure for one in of_these if _without_zero(one.interval)]
            sentences.append(
                f"{first} and {second} differ by {_listed(differing)}."
                if differing
                else f"No measure tells {first} from {second}: every interval of their difference"
                " holds zero."
            )
        return tuple(sentences)


def correlate(
    models: ModelTable,
    downstream: str,
    facts: DownstreamFacts,
    *,
    gain: Gain,
    p: float,
    seed: int,
    primary: str | None = None,
    done: Callable[[], None] = lambda: None,
) -> Correlations:
    """Every measure of every benchmark, and the differences of each two benchmarks.

    `primary` names a measure that was chosen beforehand: Holm is over the others. `done` is called
    after each measure. Raises ValueError for gains below zero and a p outside (0, 1).
    """
    found = {
        name: _of_benchmark(models, scores, reported_measures(gain, p), seed, primary, done)
        for name, scores in models.benchmarks.items()
    }
    differences = tuple(
        _difference(models, a, b, measure)
        for a, b in combinations(models.benchmarks, 2)
        for measure in reported_measures(gain, p)
    )
    return Correlations(
        n=len(models.names),
        lineages=len(set(models.lineages)),
        downstream=downstream,
        stated=facts,
        gain=gain,
        p=p,
        seed=seed,
        found=found,
        differences=differences,
    )


def _of_benchmark(
    models: ModelTable,
    x: Floats,
    measures: tuple[RankMeasure, ...],
    seed: int,
    primary: str | None,
    done: Callable[[], None],
) -> tuple[Correlation, ...]:
    y, correlations = models.downstream, []
    for measure in measures:
        value = float(measure.compute(x, y))
        chance = compare_with_chance(measure, x, y, seed, models.lineages)
        interval = _jackknife(models, x, measure).interval()
        correlations.append(
            Correlation(
                measure=measure.name,
                note=measure.note,
                value=value,
                interval=interval,
                chance=chance,
                adjusted=chance.p,
            )
        )
        done()
    others = [one for one in correlations if one.measure != primary]
    levels = multipletests([one.chance.p for one in others], method="holm")[1]
    adjusted = dict(zip((one.measure for one in others), map(float, levels), strict=True))
    return tuple(
        one.model_copy(update={"adjusted": adjusted.get(one.measure, one.chance.p)})
        for one in correlations
    )


def _difference(models: ModelTable, a: str, b: str, measure: RankMeasure) -> BenchmarkDifference:
    first, second = (_jackknife(models, models.benchmarks[name], measure) for name in (a, b))
    return BenchmarkDifference(
        first=a,
        second=b,
        measure=measure.name,
        value=first.value - second.value,
        interval=difference_interval(first, second),
    )


def _jackknife(models: ModelTable, x: Floats, measure: RankMeasure) -> Jackknife:
    y = models.downstream
    return jackknife(
        lambda places: measure.compute(x[places], y[places]), models.lineages, measure.least
    )


def _without_zero(interval: MeasureInterval) -> bool:
    return (
        interval.low is not None
        and interval.high is not None
        and (interval.low > 0 or interval.high < 0)
    )


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
