"""Correlate benchmarks with a downstream score over the same models."""

from collections.abc import Callable
from itertools import combinations
from typing import Literal

from matplotlib.figure import Figure
from statsmodels.stats.multitest import multipletests

from pairwright.estimate import p_value
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
from pairwright.pages import Page, render_page
from pairwright.pages.plots import BLUE, GREY, WIDTH, Plot, drawing, plot
from pairwright.records import Record

CLAIMS_FROM = 10
"""The fewest models or lineages for which anything is claimed."""


CorrelationClaim = Literal["with", "against", "unsure", "opposed", "open"]
CLAIMS: dict[CorrelationClaim, str] = {
    "with": "{name} goes with {downstream} by {measures}.",
    "against": "{name} goes against {downstream} by {measures}.",
    "unsure": "By {measures}, nothing is claimed of {name}: p (Holm) is below .05, but the interval"
    " does not leave out zero or what chance gives.",
    "opposed": "By {measures}, nothing is claimed of {name}: the means of lineages go one way and"
    " the models the other.",
    "open": "By {measures}, {name} cannot be distinguished from a benchmark that has nothing to do"
    " with {downstream}.",
}
"""What is said of a benchmark by the measures of one verdict, in this order."""


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
    """One measure of one benchmark. `adjusted` is p after Holm over the benchmark's measures."""

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

    @property
    def verdict(self) -> CorrelationClaim:
        """What may be said of it."""
        if self.sure:
            return "with" if self.value > self.chance.mean else "against"
        if not self.is_significant:
            return "open"
        return "unsure" if not self.beyond_chance else "opposed"


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
            for verdict, sentence in CLAIMS.items():
                if measures := [one.measure for one in correlations if one.verdict == verdict]:
                    said = sentence.format(
                        name=name, downstream=self.downstream, measures=_listed(measures)
                    )
                    sentences.append(said)
        return tuple(sentences)

    def _of_differences(self) -> tuple[str, ...]:
        differing: dict[tuple[str, str], list[str]] = {}
        for one in self.differences:
            measures = differing.setdefault((one.first, one.second), [])
            low, high = one.interval.low, one.interval.high
            if low is not None and high is not None and (low > 0 or high < 0):
                measures.append(one.measure)
        return tuple(
            f"{first} and {second} differ by {_listed(measures)}."
            if measures
            else f"No measure tells {first} from {second}: every interval of their difference"
            " holds zero."
            for (first, second), measures in differing.items()
        )


def correlate(
    models: ModelTable,
    downstream: str,
    facts: DownstreamFacts,
    *,
    gain: Gain,
    p: float,
    seed: int,
    done: Callable[[], None] = lambda: None,
) -> Correlations:
    """Every measure of every benchmark, and the differences of each two benchmarks.

    `done` is called after each measure. Raises ValueError for gains below zero and a p outside
    (0, 1).
    """
    found = {
        name: _of_benchmark(models, scores, reported_measures(gain, p), seed, done)
        for name, scores in models.benchmarks.items()
    }
    differences = []
    for (first, x), (second, y) in combinations(models.benchmarks.items(), 2):
        for measure in reported_measures(gain, p):
            own, other = _jackknife(models, x, measure), _jackknife(models, y, measure)
            difference = BenchmarkDifference(
                first=first,
                second=second,
                measure=measure.name,
                value=own.value - other.value,
                interval=difference_interval(own, other),
            )
            differences.append(difference)
    return Correlations(
        n=len(models.names),
        lineages=len(set(models.lineages)),
        downstream=downstream,
        stated=facts,
        gain=gain,
        p=p,
        seed=seed,
        found=found,
        differences=tuple(differences),
    )


def _of_benchmark(
    models: ModelTable,
    x: Floats,
    measures: tuple[RankMeasure, ...],
    seed: int,
    done: Callable[[], None],
) -> tuple[Correlation, ...]:
    y, correlations = models.downstream, []
    for measure in measures:
        chance = compare_with_chance(measure, x, y, seed, models.lineages)
        correlation = Correlation(
            measure=measure.name,
            note=measure.note,
            value=float(measure.compute(x, y)),
            interval=_jackknife(models, x, measure).interval(),
            chance=chance,
            adjusted=chance.p,
        )
        correlations.append(correlation)
        done()
    levels = multipletests([one.chance.p for one in correlations], method="holm")[1]
    return tuple(
        one.model_copy(update={"adjusted": float(level)})
        for one, level in zip(correlations, levels, strict=True)
    )


def _jackknife(models: ModelTable, x: Floats, measure: RankMeasure) -> Jackknife:
    y = models.downstream
    return jackknife(
        lambda places: measure.compute(x[places], y[places]), models.lineages, measure.least
    )


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def correlation_page(models: ModelTable, result: Correlations, *, drawn: bool = True) -> Page:
    """The page of correlations; a terminal does without the drawings."""
    plots = {}
    for name, correlations in result.found.items() if drawn else ():
        plots[f"chance-{hex_id(name)}"] = _beside_chance(name, correlations)
        plots[f"models-{hex_id(name)}"] = _models(models, name, result)
    return render_page(
        "correlation",
        plots,
        result=result,
        first=next(iter(result.found.values()))[0],
        claims_from=CLAIMS_FROM,
        hex_id=hex_id,
        p_value=p_value,
    )


def hex_id(name: str) -> str:
    """The name of a column as an id on the page: its bytes in hexadecimal."""
    return name.encode().hex()


def _beside_chance(name: str, correlations: tuple[Correlation, ...]) -> Plot:
    with drawing():
        figure = Figure(figsize=(WIDTH, 0.45 * len(correlations) + 0.9), layout="constrained")
        axes = figure.add_subplot()
        for n, one in enumerate(correlations):
            chance, interval = one.chance, one.interval
            axes.hlines(n, chance.low, chance.high, color=GREY.light, linewidth=9, alpha=0.5)
            if interval.low is not None and interval.high is not None:
                axes.hlines(n, interval.low, interval.high, color=BLUE.light)
            axes.plot(one.value, n, "o", color=BLUE.light)
        axes.set_yticks(range(len(correlations)), [one.measure for one in correlations])
        axes.invert_yaxis()
        axes.set_xlim(-1.05, 1.05)
        caption = (
            f"{name}: each measure with its 95 % interval (blue) on the 95 % of values that chance"
            " gives with so many models (grey)."
        )
        return plot(figure, caption, name=f"chance-{hex_id(name)}")


def _models(models: ModelTable, name: str, result: Correlations) -> Plot:
    x, y = models.benchmarks[name], models.downstream
    with drawing():
        figure = Figure(figsize=(WIDTH, 4.6), layout="constrained")
        axes = figure.add_subplot()
        axes.plot(x, y, "o", color=BLUE.light)
        for place, model in enumerate(models.names):
            axes.annotate(
                model[:30], (x[place], y[place]), xytext=(5, 3), textcoords="offset points",
                fontsize=8,
            )  # fmt: skip
        axes.set_xlabel(name)
        axes.set_ylabel(result.downstream)
        return plot(figure, f"The {result.n} models.", name=f"models-{hex_id(name)}")
