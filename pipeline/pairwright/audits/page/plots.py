"""The plot of an audit: how often each way of choosing picks the chosen response."""

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pairwright.audits.page.verdict import short
from pairwright.audits.records import Audit, Check, Status
from pairwright.pages.plots import (
    BLUE,
    FAINT,
    GREY,
    ORANGE,
    PAPER,
    RED,
    WIDTH,
    Colour,
    Plot,
    drawing,
    plot,
)

MOST_CONFIGS = 9
"""Configurations in the plot: those with the most pairs."""
COLUMNS = 3


class Look(NamedTuple):
    """How a status is drawn."""

    marker: str
    colour: Colour
    name: str


LOOKS: dict[Status, Look] = {
    "fail": Look("s", RED, "fails"), "too_few": Look("D", ORANGE, "too few pairs to decide"),
    "pass": Look("o", BLUE, "passes"), "note": Look("o", GREY, "note, decides nothing"),
}  # fmt: skip
"""Marker, colour and name, so that they differ without colours, too."""


def audit_plots(audit: Audit) -> dict[str, Plot]:
    """The accuracies of blind ways of choosing and of baselines; nothing where there is none."""
    shown = [
        check
        for check in audit.checks
        if check.found
        and check.found.value is not None
        and check.chance is None
        and check.config in audit.source.configs
        and (check.family == "baselines" or (check.family == "shortcuts" and check.limit))
    ]
    if not shown:
        return {}
    with drawing():
        return {"accuracies": _accuracies(shown, audit)}


def _accuracies(checks: Sequence[Check], audit: Audit) -> Plot:
    """A panel a configuration, a line a check."""
    pairs = audit.source.configs
    configs = sorted({check.config for check in checks}, key=lambda name: (-pairs[name], name))
    shown, lines = configs[:MOST_CONFIGS], list(dict.fromkeys(check.name for check in checks))
    columns = min(COLUMNS, len(shown))
    rows = -(-len(shown) // columns)
    figure = Figure(figsize=(WIDTH, 0.6 + rows * (0.75 + 0.24 * len(lines))), layout="constrained")
    for number, config in enumerate(shown):
        axes = figure.add_subplot(rows, columns, number + 1)
        own = {check.name: check for check in checks if check.config == config}
        _panel(axes, [own.get(line) for line in lines], audit.max_shortcut)
        title = short(config) or "all"
        # Names differ at their ends, too.
        axes.set_title(title if len(title) < 34 else f"{title[:18]}…{title[-14:]}", fontsize=9)
        labels = [line.replace("_", " ") for line in lines]
        axes.set_yticks(range(len(lines)), labels if number % columns == 0 else [""] * len(lines))
    looks = [look for status, look in LOOKS.items() if status in {one.status for one in checks}]
    handles = [
        figure.axes[0].plot([], [], marker, color=colour.light, linestyle="", label=name)[0]
        for marker, colour, name in looks
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=len(handles))
    caption = (
        "How often each way of choosing picks the chosen response. The dashed line is one half; the"
        f" shaded band is within the bound of {audit.max_shortcut:g} on those that do not know the"
        " user. A line through a dot is its interval."
    )
    if len(configs) > MOST_CONFIGS:
        caption += f" Of {len(configs):,} configurations, the {MOST_CONFIGS} with the most pairs."
    return plot(figure, caption, name="accuracies")


def _panel(axes: Axes, checks: Sequence[Check | None], bound: float) -> None:
    axes.axvline(0.5, color=FAINT.light, linestyle=(0, (4, 3)), linewidth=1.2, zorder=1)
    axes.axvspan(1 - bound, bound, color=BLUE.light, alpha=0.13, linewidth=0, zorder=0)
    for line, check in enumerate(checks):
        share = check.found if check else None
        if check is None or share is None or share.value is None:
            continue
        marker, colour = LOOKS[check.status].marker, LOOKS[check.status].colour.light
        if share.low is not None and share.high is not None:
            axes.plot([share.low, share.high], [line, line], color=colour, linewidth=2, zorder=2)
        axes.plot(
            share.value, line, marker, color=colour, markersize=6, markeredgecolor=PAPER.light,
            clip_on=False, zorder=3,
        )  # fmt: skip
    axes.set_ylim(len(checks) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", ".25", ".5", ".75", "1"])
    axes.grid(axis="x")
