"""Correlations as a page: what may be claimed, each measure beside chance, and the models."""

from collections.abc import Iterator, Sequence
from math import ceil, floor

from matplotlib.figure import Figure

from pairwright.estimate import p_value
from pairwright.evaluate.correlation.correlations import CLAIMS_FROM, Correlation, Correlations
from pairwright.evaluate.correlation.table import ModelTable
from pairwright.evaluate.correlation.uncertainty import MeasureInterval
from pairwright.evaluate.release import families_by_name
from pairwright.report import BLUE, GREY, Block, Page, Plot, Section, Table, drawing, plot
from pairwright.text import visible

FAMILIES_SHOWN = 3
"""Words of names that a warning shows."""
MISSING_FACTS = {
    "judge": "who judged the downstream outputs",
    "overlap": "which questions the benchmark and the downstream task have in common",
    "lineage": "which models descend from one another",
}


def correlation_page(models: ModelTable, result: Correlations) -> Page:
    """The page of correlations."""
    return Page(
        title=f"{' and '.join(result.found)} against {result.downstream}",
        warnings=warnings(models, result),
        sections=(
            Section("What may be said", result.claims or (no_claim(result),)),
            *(
                Section(
                    name,
                    (
                        _measures(correlations),
                        _beside_chance(name, correlations),
                        _models(models, name, result),
                    ),
                )
                for name, correlations in result.found.items()
            ),
            *((Section("Differences", (_differences(result),)),) if result.differences else ()),
            Section("How it was done", _method(result)),
        ),
    )


def warnings(models: ModelTable, result: Correlations) -> tuple[str, ...]:
    """What a reader must know and nobody has said."""
    missing = (f"Not stated: {MISSING_FACTS[name]}." for name, text in result.stated if not text)
    return (*missing, *_families(models, result))


def _families(models: ModelTable, result: Correlations) -> Iterator[str]:
    """A warning where models count as independent whose names show a family."""
    families = families_by_name(models.names)
    if families and result.lineages == result.n:
        shown = "; ".join(
            f"“{visible(word)}” in {len(names)} names, such as {', '.join(map(visible, names[:2]))}"
            for word, names in list(families.items())[:FAMILIES_SHOWN]
        )
        yield (
            f"Every model counts as independent, and names show families: {shown}. Models of one"
            " family go together in any two scores, so p may be too small: name a column of"
            " families by --lineage."
        )


def no_claim(result: Correlations, units: str = "models", groups: str = "lineages") -> str:
    """The sentence that replaces claims where there are too few models."""
    size = (
        f"{result.n} {units}"
        if result.lineages == result.n
        else f"{result.n} {units} of {result.lineages} {groups}"
    )
    return f"Nothing is claimed: {size}, and claims are made from {CLAIMS_FROM} on."


def measure_cells(correlation: Correlation, correlations: Sequence[Correlation]) -> tuple[str, ...]:
    """One row of the table of measures; its columns are those of `correlation_head`."""
    means = correlation.chance.lineage_value
    return (
        correlation.measure,
        f"{correlation.value:.4f}",
        interval_in_words(correlation.interval),
        f"{correlation.chance.mean:.2f}",
        f"{correlation.chance.low:.2f} to {correlation.chance.high:.2f}",
        *((_of_means(means),) if _has_means(correlations) else ()),
        p_value(correlation.chance.p),
        p_value(correlation.adjusted),
    )


def interval_in_words(interval: MeasureInterval, sign: str = "") -> str:
    """The interval in words, or why there is none."""
    if interval.low is None or interval.high is None:
        return f"none: {interval.note}"
    # Rounded outwards: a value of 0.9981 does not lie between "1.00 and 1.00".
    low, high = floor(round(100 * interval.low, 6)) / 100, ceil(round(100 * interval.high, 6)) / 100
    return f"{low:{sign}.2f} to {high:{sign}.2f}"


def correlation_head(correlations: Sequence[Correlation]) -> tuple[str, ...]:
    """The head of the table of measures. p is of the models, or of the means of lineages, whose own
    value is beside it."""
    means = ("of lineage means",) if _has_means(correlations) else ()
    return ("", "value", "95 % interval", "chance", "95 % of chance", *means, "p", "p (Holm)")


def _has_means(correlations: Sequence[Correlation]) -> bool:
    return any(one.chance.lineage_value is not None for one in correlations)


def _of_means(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"


def _measures(correlations: tuple[Correlation, ...]) -> Table:
    notes = "; ".join(f"{correlation.measure}: {correlation.note}" for correlation in correlations)
    return Table(
        correlation_head(correlations),
        tuple(measure_cells(one, correlations) for one in correlations),
        note=f"{notes}.",
    )


def _beside_chance(name: str, correlations: tuple[Correlation, ...]) -> Plot:
    with drawing():
        figure = Figure(figsize=(8.6, 0.45 * len(correlations) + 0.9), layout="constrained")
        axes = figure.add_subplot()
        for n, correlation in enumerate(correlations):
            axes.hlines(
                n,
                correlation.chance.low,
                correlation.chance.high,
                color=GREY.light,
                linewidth=9,
                alpha=0.5,
            )
            if correlation.interval.low is not None and correlation.interval.high is not None:
                axes.hlines(
                    n, correlation.interval.low, correlation.interval.high, color=BLUE.light
                )
            axes.plot(correlation.value, n, "o", color=BLUE.light)
        axes.set_yticks(
            range(len(correlations)), [correlation.measure for correlation in correlations]
        )
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
        figure = Figure(figsize=(8.6, 4.6), layout="constrained")
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


def hex_id(name: str) -> str:
    """The name of a column as an id on the page: its bytes in hexadecimal."""
    return name.encode().hex()


def _differences(result: Correlations) -> Table:
    return Table(
        ("", "", "difference", "95 % interval"),
        tuple(
            (
                f"{difference.first} less {difference.second}",
                difference.measure,
                f"{difference.value:+.4f}",
                interval_in_words(difference.interval, "+"),
            )
            for difference in result.differences
        ),
        left=2,
        note="Of two measures of the same models (Zou 2007), from the interval of each and from"
        " how far the two change together when a lineage is left out.",
    )


def _method(result: Correlations) -> tuple[Block, ...]:
    first = next(iter(result.found.values()))[0]
    orders = (
        f"all {first.chance.orders:,} orders" if first.chance.exact
        else f"{first.chance.orders:,} random orders (seed {result.seed})"
    )  # fmt: skip
    facts = result.stated
    return (
        f"n = {result.n} models of {result.lineages} lineages. Chance: {orders} of the downstream"
        f" scores{_lineage_orders(result)}. Intervals: a jackknife over lineages, of Fisher's z of"
        " the measure (Hinkley 1978), with Student's t.",
        f"Downstream judge: {facts.judge or 'not stated'}. Questions in common:"
        f" {facts.overlap or 'not stated'}. Lineages: {facts.lineage or 'not stated'}.",
    )


def _lineage_orders(result: Correlations) -> str:
    if result.lineages == result.n:
        return ""
    return "; p is that of orders of the means of lineages, since models of one lineage go together"
