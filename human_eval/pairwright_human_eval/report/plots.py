"""The plots of a report, drawn from its numbers. Every estimate is shown with its interval."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from pairwright.estimate import Estimate
from pairwright.report import (
    BLUE,
    FAINT,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PAPER,
    RED,
    SKY,
    Plot,
    drawing,
    plot,
)
from pairwright_human_eval.decisions import State
from pairwright_human_eval.report.claims import CONTROLS
from pairwright_human_eval.report.records import (
    AnnotatorRow,
    ControlComparison,
    PreferenceShares,
    ScoreCounts,
    States,
    StudyReport,
    VoteCalibrationBin,
)
from pairwright_human_eval.report.words import group_name

WIDTH = 8.6
"""Inches, of every plot."""


COLOURS: dict[State, str] = {
    "verified": GREEN.light, "refused": RED.light, "disputed": ORANGE.light,
    "waiting": GREY.light, "control": SKY.light,
}  # fmt: skip


Marker = Literal["o", "s", "D"]


class Dot(NamedTuple):
    """An estimate on a line of its own."""

    label: str
    of: Estimate
    colour: str = BLUE.light
    marker: Marker = "o"


def draw_plots(report: StudyReport) -> dict[str, Plot]:
    """The plots of a report by name; one without anything to show is left out."""
    plots = {}
    with drawing():
        if any(group.of_choices.value is not None for group in report.preferred):
            plots["preference"] = _preference(report.preferred)
        plots["states"] = _states(
            [
                decision
                for decision in report.decisions
                if decision.group == "all" or decision.group.startswith("mode: ")
            ]
        )
        if any(sum(score.counts.values()) for score in report.scores):
            plots["quality"] = _quality(report.scores)
        if any(row.answered for row in report.annotators):
            plots["annotators"] = _annotators(report.annotators)
        if report.contrasted:
            plots["contrasted"] = _controls(report.contrasted)
    return plots


def _preference(groups: Sequence[PreferenceShares]) -> Plot:
    dots = [
        Dot(
            f"{_name(group.group)}  (n = {group.of_choices.n:,})",
            group.of_choices,
            _of_group(group.group),
        )
        for group in groups
    ]
    figure, axes = _lines(len(dots))
    _dots(axes, dots, "Votes for the chosen response, of votes for either")
    _chance(axes)
    return plot(
        figure,
        "Preference votes for the chosen response, of the votes for either response, with 95 %"
        " intervals. The dashed line is what a coin gives.",
        name="preference",
    )


def _name(group: str) -> str:
    return group_name(group).removeprefix("mode: ").removeprefix("domain: ")


def _of_group(group: str) -> str:
    return (
        INK.light if group == "all" else GREEN.light if group.startswith("domain") else BLUE.light
    )


def _states(groups: Sequence[States]) -> Plot:
    figure = Figure(figsize=(WIDTH, 1.1 + 0.5 * len(groups)), layout="constrained")
    axes = figure.add_subplot()
    for line, group in enumerate(groups):
        left = 0.0
        for state, proportion in group.states.items():
            width = proportion.value or 0.0
            axes.barh(
                line, width, left=left, height=0.62, color=COLOURS[state],
                edgecolor=PAPER.light, linewidth=1, label=state if line == 0 else None,
            )  # fmt: skip
            if width > 0.04:
                axes.text(
                    left + width / 2, line, f"{proportion.k:,}", ha="center", va="center",
                    color="#000000",
                )  # fmt: skip
            left += width
    labels = [f"{group.group.removeprefix('mode: ')}  (n = {group.subjects:,})" for group in groups]
    axes.set_yticks(range(len(groups)), labels)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    axes.set_xlabel("Share of the sampled twins and pairs")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=5, borderaxespad=0.2)
    return plot(figure, "What was decided, by mode: numbers in the bars are counts.", name="states")


def _quality(scores: Sequence[ScoreCounts]) -> Plot:
    modes = list(dict.fromkeys(score.mode for score in scores))
    rows = max(sum(score.mode == mode for score in scores) for mode in modes)
    figure = Figure(figsize=(WIDTH, len(modes) * (0.75 + 0.34 * rows) + 0.5), layout="constrained")
    levels = sorted({level for score in scores for level in score.counts})
    shades = mpl.colormaps["Blues"]
    colours = [shades(0.12 + 0.75 * n / max(1, len(levels) - 1)) for n in range(len(levels))]
    for number, mode in enumerate(modes, start=1):
        axes = figure.add_subplot(len(modes), 1, number)
        own = [score for score in scores if score.mode == mode]
        places = [line + 0.35 * (line // 2) for line in range(len(own))]
        for place, side in zip(places, own, strict=True):
            _bar(axes, place, side, levels, colours)
        axes.set_yticks(places, [f"{side.scale}: {side.side}" for side in own])
        axes.invert_yaxis()
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        axes.set_title(mode, pad=22 if number == 1 else 6, fontweight="bold")
        if number == 1:
            axes.legend(
                loc="lower left", bbox_to_anchor=(0, 1), ncols=len(levels) + 1, borderaxespad=0.1,
                columnspacing=1.2, handlelength=1.2,
            )  # fmt: skip
    axes.set_xlabel("Share of the scores; at the right their mean with its 95 % interval")
    return plot(figure, "Scores of both sides on every scale, by mode.", name="quality")


def _bar(
    axes: Axes,
    place: float,
    side: ScoreCounts,
    levels: Sequence[int],
    colours: Sequence[tuple[float, float, float, float]],
) -> None:
    n = sum(side.counts.values()) + side.cannot_judge
    left = 0.0
    parts = [(str(level), side.counts.get(level, 0), colours[k]) for k, level in enumerate(levels)]
    for label, count, colour in parts:
        width = count / n if n else 0.0
        axes.barh(
            place, width, left=left, height=0.86, color=colour, edgecolor=PAPER.light, label=label
        )
        left += width
    axes.barh(
        place, side.cannot_judge / n if n else 0.0, left=left, height=0.86, color=PAPER.light,
        edgecolor=GREY.light, hatch="////", label="cannot judge",
    )  # fmt: skip
    handles, labels = axes.get_legend_handles_labels()
    for handle, label in list(zip(handles, labels, strict=True))[len(levels) + 1 :]:
        handle.set_label(f"_{label}")
    axes.text(1.01, place, _mean(side.mean), va="center", fontsize=9)


def _mean(measure: Estimate) -> str:
    if measure.value is None:
        return "n/a"
    if measure.low is None or measure.high is None:
        return f"{measure.value:.2f}, n = {measure.n:,}"
    return f"{measure.value:.2f} ({measure.low:.2f} to {measure.high:.2f})"


def _annotators(rows: Sequence[AnnotatorRow]) -> Plot:
    figure = Figure(figsize=(WIDTH, 1.2 + 0.3 * len(rows)), layout="constrained")
    labels = [f"{row.annotator}{' (excluded)' if row.excluded else ''}" for row in rows]
    panels: tuple[tuple[str, list[Estimate], str], ...] = (
        ("Response A chosen", [row.first for row in rows], BLUE.light),
        ("Agrees with most of the others", [row.with_majority for row in rows], ORANGE.light),
    )
    for number, (title, values, colour) in enumerate(panels, start=1):
        axes = figure.add_subplot(1, 2, number)
        dots = [
            Dot(
                label,
                proportion,
                GREY.light if row.excluded else colour,
                "o" if number == 1 else "s",
            )
            for label, proportion, row in zip(labels, values, rows, strict=True)
        ]
        _dots(axes, dots, title, labelled=False)
        if number == 1:
            _chance(axes)
        else:
            axes.tick_params(labelleft=False)
    return plot(
        figure,
        "Annotators with 95 % intervals. Left: how often they chose the response shown first, of"
        " their choices of either; sides are balanced, so who reads is near one half. Right: how"
        " often they voted as most of the others on the same pair.",
        name="annotators",
    )


def _controls(comparisons: Sequence[ControlComparison]) -> Plot:
    dots = []
    for finding in comparisons:
        n = finding.own.of_all.n, finding.control_votes.of_all.n
        dots.append(Dot(f"own posts  (n = {n[0]:,})", finding.own.of_all))
        label = f"{CONTROLS[finding.control]}  (n = {n[1]:,})"
        dots.append(Dot(label, finding.control_votes.of_all, RED.light, "s"))
    figure, axes = _lines(len(dots))
    _dots(axes, dots, "Votes for the chosen response, of all votes on the same pairs")
    for line in range(2, len(dots), 2):
        axes.axhline(line - 0.5, color=FAINT.light, linewidth=0.6)
    return plot(
        figure,
        "The same pairs with the right profile and as controls, with 95 % intervals.",
        name="contrasted",
    )


def _lines(n: int) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(WIDTH, 0.9 + 0.32 * n), layout="constrained")
    return figure, figure.add_subplot()


def _dots(axes: Axes, dots: Sequence[Dot], title: str, *, labelled: bool = True) -> None:
    """One line a dot, from the top; those without a value are named and stay empty."""
    for line, dot in enumerate(dots):
        estimate = dot.of
        if estimate.value is not None:
            low, high = (
                estimate.value if bound is None else bound
                for bound in (estimate.low, estimate.high)
            )
            # At 0 and 1 half of a marker lies outside the axes.
            axes.plot(
                [low, high], [line, line], color=dot.colour, linewidth=2.2, zorder=2, clip_on=False
            )
            axes.plot(
                estimate.value, line, dot.marker, color=dot.colour, markersize=7.5, zorder=3,
                markeredgecolor=PAPER.light, clip_on=False,
            )  # fmt: skip
        if labelled:
            text = estimate.percent() if estimate.value is not None else "n/a"
            axes.text(1.03, line, text, va="center", fontsize=9)
    axes.set_yticks(range(len(dots)), [dot.label for dot in dots])
    axes.set_ylim(len(dots) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    axes.grid(axis="x")
    axes.set_xlabel(title)


def _chance(axes: Axes) -> None:
    axes.axvline(0.5, color=FAINT.light, linestyle=(0, (4, 3)), linewidth=1.2, zorder=1)


def calibration_curve(bins: Sequence[VoteCalibrationBin]) -> Plot:
    with drawing():
        figure = Figure(figsize=(5.6, 3.4), layout="constrained")
        axes = figure.add_subplot()
        axes.axhline(0.5, color=FAINT.light, linestyle=(0, (4, 3)), linewidth=1.2, zorder=1)
        at = [one.mean for one in bins]
        low, value, high = (
            [getattr(one.chosen, end) or 0.0 for one in bins] for end in ("low", "value", "high")
        )
        axes.vlines(at, low, high, color=BLUE.light, linewidth=2.2)
        axes.plot(at, value, "o-", color=BLUE.light)
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        axes.set_xlabel("judge's margin of adherence, chosen less rejected")
        axes.set_ylabel("votes for the chosen")
        axes.grid()
        return plot(
            figure,
            "Votes of people for the chosen response by the judge's margin, with 95 % intervals by"
            " dyad. The dashed line is one half.",
            name="calibration",
        )
