"""The plot of an audit: how often each way of choosing picks the chosen response."""

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
    Plot,
    drawing,
    plot,
)

LOOKS: dict[Status, tuple[str, str]] = {
    "fail": ("s", RED), "too_few": ("D", ORANGE), "pass": ("o", BLUE), "note": ("o", GREY),
}  # fmt: skip
"""Marker and colour, so that they differ without colours, too."""
WIDTH = 4.8
"""Inches, which a telephone can show."""


def audit_plots(audit: Audit) -> dict[str, Plot]:
    """The accuracies of ways of choosing, with and without the user; empty without any."""
    seen = [one for one in audit.checks if one.family == "baselines" and one.found]
    configs = {one.config for one in seen if one.config.startswith("mode ")} or {""}
    shown = [*guesses(audit), *(one for one in seen if one.config in configs)]
    if not shown:
        return {}
    with drawing():
        return {"accuracies": _accuracies(shown, audit)}


def _accuracies(shown: list[Check], audit: Audit) -> Plot:
    """A line per way of choosing, in its worst configuration."""
    figure = Figure(figsize=(WIDTH, 0.95 + 0.3 * len(shown)), layout="constrained")
    axes = figure.add_subplot()
    blind = [one for one in shown if one.family == "shortcuts"]
    asked = bool(blind) and all(one.chance is not None for one in blind)
    chance = next((one.chance for one in blind if one.chance), 0.5) if asked else 0.5
    axes.axvline(chance, color=FAINT, linestyle=(0, (4, 3)), linewidth=1.2, zorder=1)
    if bound := max((one.limit or 0.0 for one in blind), default=0.0):
        low = chance if asked else 1 - bound
        axes.axvspan(low, bound, color=BLUE, alpha=0.13, linewidth=0, zorder=0)
    labels = []
    for n, check in enumerate(shown):
        mode = check.config.removeprefix("mode ") if check.family == "baselines" else ""
        labels.append(", ".join(filter(None, (LABELS.get(check.name, check.name), mode))))
        marker, colour = LOOKS[check.status]
        if check.found and check.found.value is not None:
            ends = [end for end in (check.found.low, check.found.high) if end is not None]
            axes.plot(ends, [n] * len(ends), color=colour, linewidth=2, zorder=2)
            axes.plot(
                check.found.value, n, marker, color=colour, markersize=6,
                markeredgecolor=PAPER, clip_on=False, zorder=3,
            )  # fmt: skip
    axes.set_yticks(range(len(shown)), labels, fontsize=9)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", ".25", ".5", ".75", "1"])
    axes.grid(axis="x")
    handles = [
        axes.plot([], [], marker, color=colour, linestyle="", label=VERDICTS[status])[0]
        for status, (marker, colour) in LOOKS.items()
        if status in {one.status for one in shown}
    ]
    figure.legend(
        handles=handles, loc="outside upper left", ncols=len(handles), fontsize=8, handletextpad=0,
        columnspacing=1,
    )  # fmt: skip
    caption = (
        "How often each way of choosing picks the chosen response, in the configuration with the"
        " worst outcome. The dashed line is chance; a line through a dot is its interval."
    )
    if bound:
        caption += f" The shaded band is allowed without the user ({audit.max_shortcut:g})."
    return plot(figure, caption, name="accuracies")
