"""Policy accuracy as a page: the accuracies, the rewards against what they lead to, and tau."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pairwright.estimate import Estimate, p_value
from pairwright.evaluate.correlation.correlations import CLAIMS_FROM
from pairwright.evaluate.guided.accuracy import PER_TOKEN, GuidedResult, PolicyAccuracy
from pairwright.pages import Page, render_page
from pairwright.pages.plots import (
    BLUE,
    FAINT,
    GREEN,
    ORANGE,
    RED,
    SKY,
    WIDTH,
    Plot,
    drawing,
    plot,
)
from pairwright.text import visible

COLOURS = (BLUE, ORANGE, GREEN, RED, SKY)
MARKERS = ("o", "s", "^", "D")
"""Colours and then markers come again, so that twenty guided policies can be distinguished."""


def policy_page(result: PolicyAccuracy, *, drawn: bool = True) -> Page:
    """The whole report; a terminal does without the drawings."""
    groups: dict[tuple[str, str], list[GuidedResult]] = {}
    for line in result.lines:
        groups.setdefault((line.condition, line.mode or "pairs"), []).append(line)
    # One guided policy alone is in the table.
    several = {group: lines for group, lines in groups.items() if len(_guided(lines)) > 1}
    plots = {
        f"rewards-{condition}-{mode}": _plot(lines, condition, mode)
        for (condition, mode), lines in (several.items() if drawn else ())
    }
    return render_page(
        "policy",
        plots,
        result=result,
        groups=groups,
        alone=len(groups) - len(several),
        claims_from=CLAIMS_FROM,
        p_value=p_value,
    )


def _plot(lines: list[GuidedResult], condition: str, mode: str) -> Plot:
    readings = [
        (reading, [line for line in lines if line.per_token is per_token])
        for per_token, reading in ((False, "summed"), (True, "per token"))
    ]
    drawn = [(reading, some) for reading, some in readings if some]
    names = _guided(lines)
    with drawing():
        height = max(4.2, 0.2 * len(names))
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        panels = figure.subplots(1, len(drawn), sharex=True, sharey=True, squeeze=False)[0]
        points: dict[str, Line2D] = {}
        for axes, (reading, some) in zip(panels, drawn, strict=True):
            axes.set_title(reading)
            axes.axhline(50, color=FAINT.light, linestyle=(0, (4, 3)), zorder=0)
            axes.axvline(50, color=FAINT.light, linestyle=(0, (4, 3)), zorder=0)
            axes.set_xlabel("accuracy of the reward alone, %")
            for line in some:
                name = line.scorer.removesuffix(PER_TOKEN)
                points[visible(name)[:40]] = _point(axes, line, names.index(name))
        panels[0].set_ylabel("policy accuracy, %")
        # Beside the panels: rewards often lie so near to each other that names there would overlap.
        figure.legend(points.values(), points.keys(), loc="outside right upper", fontsize=8)
        caption = (
            f"Shown: {condition}; pairs of {mode}. Each point is a guided policy, with 95 %"
            " intervals of both accuracies. The dashed lines are one half."
        )
        return plot(figure, caption, name=f"rewards-{condition}-{mode}")


def _guided(lines: list[GuidedResult]) -> list[str]:
    """The guided policies, each once: a sum and its reading per token are one."""
    return list(dict.fromkeys(line.scorer.removesuffix(PER_TOKEN) for line in lines))


def _point(axes: Axes, line: GuidedResult, place: int) -> Line2D:
    x, y = _percent(line.reward_alone), _percent(line.accuracy)
    colour = COLOURS[place % len(COLOURS)].light
    marker = MARKERS[place // len(COLOURS) % len(MARKERS)]
    axes.hlines(y[0], *x[1:], color=colour, linewidth=0.8, alpha=0.5)
    axes.vlines(x[0], *y[1:], color=colour, linewidth=0.8, alpha=0.5)
    [point] = axes.plot(x[0], y[0], marker, color=colour)
    return point


def _percent(interval: Estimate) -> tuple[float, float, float]:
    value = interval.value or 0.0
    low = value if interval.low is None else interval.low
    high = value if interval.high is None else interval.high
    return 100 * value, 100 * low, 100 * high
