"""Correlations as a page: what may be claimed, each measure beside chance, and the models."""

from matplotlib.figure import Figure

from pairwright.estimate import p_value
from pairwright.evaluate.correlation.correlations import CLAIMS_FROM, Correlation, Correlations
from pairwright.evaluate.correlation.table import ModelTable
from pairwright.evaluate.release import families_by_name
from pairwright.pages import Page, render_page
from pairwright.pages.plots import BLUE, GREY, WIDTH, Plot, drawing, plot

FAMILIES_SHOWN = 3
"""Words of names that a warning shows."""


def correlation_page(models: ModelTable, result: Correlations, *, drawn: bool = True) -> Page:
    """The page of correlations; a terminal does without the drawings."""
    plots = {}
    for name, correlations in result.found.items() if drawn else ():
        plots[f"chance-{hex_id(name)}"] = _beside_chance(name, correlations)
        plots[f"models-{hex_id(name)}"] = _models(models, name, result)
    # Models of one family go together in any two scores.
    families = families_by_name(models.names) if result.lineages == result.n else {}
    return render_page(
        "correlation",
        plots,
        result=result,
        first=next(iter(result.found.values()))[0],
        families=dict(list(families.items())[:FAMILIES_SHOWN]),
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
