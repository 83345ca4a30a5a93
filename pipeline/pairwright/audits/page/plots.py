"""Plots of an audit."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pairwright.audits.catalogue import DEFINITIONS
from pairwright.audits.page.verdict import counted, middle_cut, short
from pairwright.audits.records import Audit, Check, Count, Status
from pairwright.dataset import AuditSource
from pairwright.pages.plots import (
    BLUE,
    FAINT,
    GREY,
    INK,
    ORANGE,
    PAPER,
    RED,
    WIDTH,
    Colour,
    Plot,
    draw_counts,
    drawing,
    plot,
)

MOST_CONFIGS = 9
"""Configurations in a plot: those with the most pairs."""
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
    """By name; a plot without anything to show is left out."""
    plots = {"checks": _checks(audit)} if audit.checks else {}
    estimated = [check for check in audit.checks if check.found and check.found.value is not None]
    with drawing():
        decided = {
            check.name
            for check in estimated
            if check.family == "shortcuts" and check.limit == audit.max_shortcut
        }
        # Those of twins have no limit; others of the family are not accuracies on pairs, or have a
        # limit of their own.
        blind = [
            check
            for check in estimated
            if check.family == "shortcuts" and check.name in decided and check.chance is None
        ]
        if blind:
            bound = f"{audit.max_shortcut:g}"
            plots["shortcuts"] = _accuracies(
                blind, audit, audit.max_shortcut, "shortcuts",
                "How often each way of choosing, blind to the user, picks the chosen response. The"
                f" dashed line is one half; the shaded band is within the bound of {bound}. A line"
                " through a dot is its interval.",
            )  # fmt: skip
        informed = [check for check in estimated if check.family == "baselines"]
        if informed:
            plots["baselines"] = _accuracies(
                informed, audit, None, "baselines",
                "How often overlap with the user's posts or aspects picks the chosen response: the"
                " floor for scorers that read the user. The dashed line is one half.",
            )  # fmt: skip
        if audit.source.configs:
            plots["counts"] = _counts(audit.source, audit.against)
        lengths = [
            row
            for breakdown in audit.breakdowns
            if breakdown.by == "configuration"
            for row in breakdown.rows
            if row.chosen_words is not None and row.rejected_words is not None
        ]
        if lengths:
            plots["lengths"] = _lengths(lengths[: 2 * MOST_CONFIGS])
    return plots


def _checks(audit: Audit) -> Plot:
    """A bar a part of the report: how its checks ended."""
    counts = Counter((check.family, check.status) for check in audit.checks)
    there = {check.family for check in audit.checks}
    families = dict.fromkeys(one.family for one in DEFINITIONS.values() if one.family in there)
    return draw_counts(
        {
            family: {look.name: counts[family, status] for status, look in LOOKS.items()}
            for family in families
        },
        {look.name: look.colour for look in LOOKS.values()},
        unit="Share of the checks",
        caption=f"How the checks of each part ended; in all {counted(audit)}.",
        name="checks",
    )


def _accuracies(
    checks: Sequence[Check], audit: Audit, bound: float | None, name: str, caption: str
) -> Plot:
    """A panel a configuration, a line a check."""
    pairs = audit.source.configs
    configs = sorted(
        {check.config for check in checks},
        key=lambda name: (-pairs.get(name, audit.source.rows), name),
    )
    shown, lines = configs[:MOST_CONFIGS], list(dict.fromkeys(check.name for check in checks))
    columns = min(COLUMNS, len(shown))
    rows = -(-len(shown) // columns)
    figure = Figure(figsize=(WIDTH, 0.6 + rows * (0.75 + 0.24 * len(lines))), layout="constrained")
    for number, config in enumerate(shown):
        axes = figure.add_subplot(rows, columns, number + 1)
        own = {check.name: check for check in checks if check.config == config}
        _panel(axes, [own.get(line) for line in lines], bound)
        axes.set_title(middle_cut(config, 32) if config else "all", fontsize=9)
        labels = [short(line.replace("_", " "), 30) for line in lines]
        axes.set_yticks(range(len(lines)), labels if number % columns == 0 else [""] * len(lines))
    _legend(figure, {check.status for check in checks if check.config in shown})
    if len(configs) > MOST_CONFIGS:
        caption += f" Of {len(configs):,} configurations, the {MOST_CONFIGS} with the most pairs."
    return plot(figure, caption, name=name)


def _panel(axes: Axes, checks: Sequence[Check | None], bound: float | None) -> None:
    axes.axvline(0.5, color=FAINT.light, linestyle=(0, (4, 3)), linewidth=1.2, zorder=1)
    if bound is not None:
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


def _legend(figure: Figure, statuses: set[Status]) -> None:
    """Empty if all checks are notes."""
    there = [look for status, look in LOOKS.items() if status in statuses]
    if statuses == {"note"}:
        return
    handles = [
        figure.axes[0].plot([], [], marker, color=colour.light, linestyle="", label=name)[0]
        for marker, colour, name in there
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=len(handles))


def _counts(source: AuditSource, against: AuditSource | None) -> Plot:
    shown = sorted(source.configs.items(), key=lambda item: (-item[1], item[0]))[: 2 * MOST_CONFIGS]
    bars = [(middle_cut(name, 44) or "no domain", n, BLUE.light) for name, n in shown]
    if against:
        other = sorted(against.configs.items(), key=lambda item: (-item[1], item[0]))[
            : 2 * MOST_CONFIGS
        ]
        bars += [
            (f"compared: {middle_cut(name, 44) or 'no domain'}", n, GREY.light)
            for name, n in other[: 2 * MOST_CONFIGS]
        ]
    figure = Figure(figsize=(WIDTH, 0.7 + 0.3 * len(bars)), layout="constrained")
    axes = figure.add_subplot()
    most = max(n for _, n, _ in bars)
    for line, (_, n, colour) in enumerate(bars):
        axes.barh(line, n, height=0.66, color=colour)
        axes.text(n + most / 90, line, f"{n:,}", va="center", fontsize=9)
    axes.set_yticks(range(len(bars)), [name for name, _, _ in bars])
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.set_xlim(0, 1.1 * most)
    axes.set_xlabel("Pairs")
    left_out = len(source.configs) - len(shown)
    more = f" {left_out:,} smaller ones are left out." if left_out else ""
    return plot(figure, f"Pairs by configuration.{more}", name="counts")


def _lengths(counts: Sequence[Count]) -> Plot:
    figure = Figure(figsize=(WIDTH, 1.0 + 0.32 * len(counts)), layout="constrained")
    axes = figure.add_subplot()
    for line, count in enumerate(counts):
        sides = count.chosen_words or 0.0, count.rejected_words or 0.0
        axes.plot(sides, (line, line), color=FAINT.light, linewidth=1.6, zorder=1)
        for words, (name, marker, colour) in zip(
            sides, (("chosen", "o", BLUE.light), ("rejected", "s", ORANGE.light)), strict=True
        ):
            axes.plot(
                words, line, marker, color=colour, markersize=7.5, markeredgecolor=PAPER.light,
                clip_on=False, zorder=2, label=name if line == 0 else None,
            )  # fmt: skip
        label = f"{sides[0]:.0f} and {sides[1]:.0f}, n = {count.pairs:,}"
        axes.text(1.02, line, label, va="center", fontsize=9, color=INK.light,
                  transform=axes.get_yaxis_transform())  # fmt: skip
    axes.set_yticks(range(len(counts)), [middle_cut(one.name, 44) or "no domain" for one in counts])
    axes.set_ylim(len(counts) - 0.4, -0.6)
    axes.set_xlim(left=0)
    axes.grid(axis="x")
    axes.set_xlabel("Words, on average")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.1)
    return plot(figure, "Length of chosen and rejected responses by configuration.", name="lengths")
