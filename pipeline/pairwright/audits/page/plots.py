"""The plot of an audit: how often each way of choosing picks the chosen response."""

from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pairwright.audits.page.verdict import LABELS, VERDICTS, guesses
from pairwright.audits.records import Audit, Check, Status
from pairwright.pages.plots import (
    BLUE,
    FAINT,
    GREY,
    ORANGE,
    PAPER,
    RED,
    Colour,
    Plot,
    drawing,
    plot,
)

LOOKS: dict[Status, tuple[str, Colour]] = {
    "fail": ("s", RED), "too_few": ("D", ORANGE), "pass": ("o", BLUE), "note": ("o", GREY),
}  # fmt: skip
"""Marker and colour, so that they differ without colours, too."""
WIDTH = 4.8
"""Inches, which a telephone can show."""


class _Line(NamedTuple):
    label: str
    worst: Check
    others: list[float]
    """Accuracies in the other configurations."""


def audit_plots(audit: Audit) -> dict[str, Plot]:
    """The accuracies of ways of choosing, with and without the user; nothing if there are none."""
    lines = [_line(audit, check) for check in guesses(audit)]
    seen = [one for one in audit.checks if one.family == "baselines" and one.found]
    configs = {one.config for one in seen if one.config.startswith("mode ")} or {""}
    lines += [_line(audit, one) for one in seen if one.config in configs]
    if not lines:
        return {}
    with drawing():
        return {"accuracies": _accuracies(lines, audit)}


def _line(audit: Audit, check: Check) -> _Line:
    label, same = LABELS.get(check.name, check.name), []
    if check.family == "baselines":
        label += f", {check.config.removeprefix('mode ')}" if check.config else ""
    else:
        same = [one.found for one in audit.checks if one.name == check.name and one is not check]
    return _Line(label, check, [one.value for one in same if one and one.value is not None])


def _accuracies(lines: list[_Line], audit: Audit) -> Plot:
    """A line per way of choosing, in the worst configuration, and the others as faint dots."""
    figure = Figure(figsize=(WIDTH, 0.95 + 0.3 * len(lines)), layout="constrained")
    axes = figure.add_subplot()
    asked = all(line.worst.chance is not None for line in lines if line.worst.limit is not None)
    chance = next((one.worst.chance for one in lines if one.worst.chance), 0.5) if asked else 0.5
    bound = max((one.worst.limit or 0.0 for one in lines), default=0.0)
    axes.axvline(chance, color=FAINT.light, linestyle=(0, (4, 3)), linewidth=1.2, zorder=1)
    if bound:
        low = chance if asked else 1 - bound
        axes.axvspan(low, bound, color=BLUE.light, alpha=0.13, linewidth=0, zorder=0)
    for n, line in enumerate(lines):
        _draw(axes, n, line)
    axes.set_yticks(range(len(lines)), [line.label for line in lines], fontsize=9)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", ".25", ".5", ".75", "1"])
    axes.grid(axis="x")
    there = {line.worst.status for line in lines}
    handles = [
        axes.plot([], [], marker, color=colour.light, linestyle="", label=VERDICTS[status])[0]
        for status, (marker, colour) in LOOKS.items()
        if status in there
    ]
    figure.legend(
        handles=handles, loc="outside upper left", ncols=len(handles), fontsize=8, handletextpad=0,
        columnspacing=1,
    )  # fmt: skip
    caption = (
        "How often each way of choosing picks the chosen response, in the configuration with the"
        " worst outcome; faint dots are the others. The dashed line is chance; the shaded band is"
        f" allowed without the user ({audit.max_shortcut:g}). A line through a dot is its interval."
    )
    return plot(figure, caption, name="accuracies")


def _draw(axes: Axes, n: int, line: _Line) -> None:
    found = line.worst.found
    if found is None or found.value is None:
        return
    marker, colour = LOOKS[line.worst.status]
    faint = [n] * len(line.others)
    axes.plot(line.others, faint, "o", color=GREY.light, alpha=0.5, markersize=3, zorder=2)
    if found.low is not None and found.high is not None:
        axes.plot([found.low, found.high], [n, n], color=colour.light, linewidth=2, zorder=2)
    axes.plot(
        found.value, n, marker, color=colour.light, markersize=6, markeredgecolor=PAPER.light,
        clip_on=False, zorder=3,
    )  # fmt: skip
