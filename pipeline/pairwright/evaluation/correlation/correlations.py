"""Correlate benchmarks with a downstream score over the same models.

The interval of a measure is a jackknife: each lineage is left out in turn, because models that
descend from one another are not independent. No model is ever there twice, so no tie is made that
the scores do not have, as a bootstrap makes one of every model that it draws again.
"""

from itertools import combinations

import numpy as np
from matplotlib.figure import Figure

from pairwright.evaluation.correlation.measures import RankMeasure, reported_measures
from pairwright.evaluation.correlation.table import ModelTable
from pairwright.pages import Page, render_page
from pairwright.pages.plots import BLUE, WIDTH, Plot, drawing, plot
from pairwright.records import Record
from pairwright.stats import Estimate, Floats, clustered

LEAST_LINEAGES = 5
"""The fewest lineages that an interval is made of."""


class Correlation(Record):
    """One measure of one benchmark."""

    measure: str
    note: str
    found: Estimate
    """Its n are models, its clusters lineages."""


class BenchmarkDifference(Record):
    """One measure of one benchmark less that of another, on the same models."""

    first: str
    second: str
    measure: str
    found: Estimate


class Correlations(Record):
    """Everything that was found, and what it was found from."""

    n: int
    lineages: int
    downstream: str
    found: dict[str, tuple[Correlation, ...]]
    """By benchmark."""
    differences: tuple[BenchmarkDifference, ...]


def correlate(models: ModelTable, downstream: str) -> Correlations:
    """Every measure of every benchmark, and the differences of each two benchmarks."""
    values = {
        name: {one.name: leave_out(one, scores, models) for one in reported_measures()}
        for name, scores in models.benchmarks.items()
    }
    return Correlations(
        n=len(models.names),
        lineages=len(set(models.lineages)),
        downstream=downstream,
        found={
            name: tuple(
                Correlation(
                    measure=one.name,
                    note=one.note,
                    found=interval(values[name][one.name], models, least=one.least),
                )
                for one in reported_measures()
            )
            for name in values
        },
        differences=tuple(
            BenchmarkDifference(
                first=first,
                second=second,
                measure=one.name,
                found=interval(
                    values[first][one.name] - values[second][one.name], models, least=-2
                ),
            )
            for first, second in combinations(values, 2)
            for one in reported_measures()
        ),
    )


def leave_out(measure: RankMeasure, x: Floats, models: ModelTable) -> Floats:
    """The measure of all models, and then without each lineage: nan where the models that are left
    do not differ."""
    y, lineages = models.downstream, np.array(models.lineages)
    whole = np.ones(len(y), np.bool_)
    kept = [whole, *(lineages != name for name in dict.fromkeys(models.lineages))]
    return np.array(
        [measure.compute(x[some], y[some]) if some.sum() > 1 else np.nan for some in kept]
    )


def interval(values: Floats, models: ModelTable, *, least: float) -> Estimate:
    """The value with its jackknife interval; without one of fewer than LEAST_LINEAGES."""
    value, without = float(values[0]), values[1:]
    lineages = len(without)
    if lineages < LEAST_LINEAGES or np.isnan(without).any():
        few = lineages < LEAST_LINEAGES
        note = f"fewer than {LEAST_LINEAGES} lineages" if few else "all others are equal"
        return Estimate(
            value=round(value, 6), low=None, high=None, n=len(models.names), clusters=lineages,
            note=note,
        )  # fmt: skip
    errors = (value - without) * (lineages - 1) / lineages
    found = clustered(value, errors, np.arange(lineages))
    return found._replace(n=len(models.names)).estimate(least=least, most=max(1, -least))


def correlation_page(result: Correlations, models: ModelTable | None = None) -> Page:
    """The page of correlations; a terminal does without the drawings, which need the `models`."""
    plots = {hex_id(name): _models(models, name, result) for name in result.found if models}
    return render_page("correlation", plots, result=result, hex_id=hex_id)


def hex_id(name: str) -> str:
    """The name of a column as an id on the page: its bytes in hexadecimal."""
    return name.encode().hex()


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
