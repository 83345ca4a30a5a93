"""The plots of a report, drawn from its numbers. Every estimate is shown with its interval."""

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from pairwright.pages.plots import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PAPER,
    RED,
    SKY,
    WIDTH,
    Curve,
    Dot,
    Plot,
    draw_curves,
    draw_dots,
    drawing,
    plot,
)
from pairwright_human_eval.decisions import State
from pairwright_human_eval.report.claims import CONTROLS
from pairwright_human_eval.report.findings import StudyReport

COLOURS: dict[State, str] = {
    "verified": GREEN.light, "refused": RED.light, "disputed": ORANGE.light,
    "waiting": GREY.light, "control": SKY.light,
}  # fmt: skip


def draw_plots(report: StudyReport) -> dict[str, Plot]:
    """The plots of a report by name; one without anything to show is left out."""
    plots = {"states": _states(report)}
    if any(group.of_choices.value is not None for group in report.preferred):
        plots["preference"] = _preference(report)
    if report.contrasted:
        plots["contrasted"] = _controls(report)
    if any(sum(score.counts.values()) for score in report.scores):
        plots["quality"] = _quality(report)
    if any(row.answered for row in report.annotators):
        plots["annotators"] = _annotators(report)
    if report.calibration:
        plots["calibration"] = _calibration(report)
    return plots


def _name(group: str) -> str:
    return group.replace("_", " ").removeprefix("mode: ").removeprefix("domain: ")


def _preference(report: StudyReport) -> Plot:
    dots = []
    for group in report.preferred:
        colour = GREEN if group.group.startswith("domain") else BLUE
        label = f"{_name(group.group)}  (n = {group.of_choices.n:,})"
        dots.append(Dot(label, group.of_choices, INK if group.group == "all" else colour))
    return draw_dots(
        dots, unit="Votes for the chosen response, % of votes for either", reference=0.5,
        caption="Preference votes for the chosen response, of the votes for either response, with"
        " 95 % intervals. The dashed line is what a coin gives.",
        name="preference",
    )  # fmt: skip


def _controls(report: StudyReport) -> Plot:
    dots = []
    for found in report.contrasted:
        name, own, control = CONTROLS[found.control], found.own.of_all, found.control_votes.of_all
        dots.append(Dot(f"own posts, beside {name}  (n = {own.n:,})", own))
        dots.append(Dot(f"{name}  (n = {control.n:,})", control, RED, "s"))
    return draw_dots(
        dots, reference=None, name="contrasted",
        unit="Votes for the chosen response, % of all votes on the same pairs",
        caption="The same pairs with the right profile and as controls, with 95 % intervals.",
    )  # fmt: skip


def _annotators(report: StudyReport) -> Plot:
    dots = []
    for row in report.annotators:
        label = f"{row.annotator}{' (excluded)' if row.excluded else ''}"
        for estimate, colour, marker, name in (
            (row.first, BLUE, "o", "response A chosen"),
            (row.with_majority, ORANGE, "s", "agrees with most of the others"),
        ):
            shown = (GREY, marker, "") if row.excluded else (colour, marker, name)
            dots.append(Dot(label, estimate, *shown))
    return draw_dots(
        dots, unit="%", reference=0.5, name="annotators",
        caption="Annotators with 95 % intervals: how often they chose the response shown first, of"
        " their choices of either (sides are balanced, so who reads is near one half), and how"
        " often they voted as most of the others on the same pair.",
    )  # fmt: skip


def _calibration(report: StudyReport) -> Plot:
    bins = report.calibration
    with drawing():
        figure = Figure(figsize=(5.6, 3.4), layout="constrained")
        axes = figure.add_subplot()
        points = [one.mean for one in bins]
        draw_curves(axes, [Curve("votes", points, [one.chosen for one in bins])], scale=100)
        axes.axhline(50, color=GREY.light, linestyle=(0, (4, 3)), linewidth=1.2, zorder=1)
        axes.set_ylim(0, 100)
        axes.set_xlabel("judge's margin of adherence, chosen less rejected")
        axes.set_ylabel("votes for the chosen, %")
        caption = (
            "Votes of people for the chosen response by the judge's margin, with 95 % intervals by"
            " dyad. The dashed line is one half."
        )
        return plot(figure, caption, name="calibration")


def _states(report: StudyReport) -> Plot:
    shown = [
        one for one in report.decisions if one.group == "all" or one.group.startswith("mode: ")
    ]
    with drawing():
        figure = Figure(figsize=(WIDTH, 1.1 + 0.5 * len(shown)), layout="constrained")
        axes = figure.add_subplot()
        for line, group in enumerate(shown):
            left = 0.0
            for state, found in group.states.items():
                width = found.value or 0.0
                axes.barh(
                    line, width, left=left, height=0.62, color=COLOURS[state],
                    edgecolor=PAPER.light, linewidth=1, label=state if line == 0 else None,
                )  # fmt: skip
                if width > 0.04:
                    axes.text(
                        left + width / 2, line, f"{found.k:,}", color="#000000", ha="center",
                        va="center",
                    )  # fmt: skip
                left += width
        labels = [f"{_name(group.group)}  (n = {group.subjects:,})" for group in shown]
        axes.set_yticks(range(len(shown)), labels)
        axes.invert_yaxis()
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        axes.set_xlabel("Share of the sampled twins and pairs")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=5, borderaxespad=0.2)
        caption = "What was decided, by mode: numbers in the bars are counts."
        return plot(figure, caption, name="states")


def _quality(report: StudyReport) -> Plot:
    """A bar for each side of each scale, by mode: its scores from the lowest, and those who could
    not judge."""
    scores = report.scores
    levels = sorted({level for score in scores for level in score.counts})
    shades = mpl.colormaps["Blues"]
    names = [*map(str, levels), "cannot judge"]
    with drawing():
        figure = Figure(figsize=(WIDTH, 0.8 + 0.34 * len(scores)), layout="constrained")
        axes = figure.add_subplot()
        for line, score in enumerate(scores):
            counts = [*(score.counts.get(level, 0) for level in levels), score.cannot_judge]
            left, n = 0.0, max(1, sum(counts))
            for place, (name, count) in enumerate(zip(names, counts, strict=True)):
                last = place == len(levels)
                axes.barh(
                    line, count / n, left=left, height=0.8, edgecolor=GREY.light,
                    color=PAPER.light if last else shades(0.12 + 0.75 * place / len(levels)),
                    hatch="////" if last else None, label=name if line == 0 else None,
                )  # fmt: skip
                left += count / n
            axes.text(1.01, line, score.mean.text(2), va="center", fontsize=9)
        axes.set_yticks(range(len(scores)), [f"{s.mode}, {s.scale}: {s.side}" for s in scores])
        axes.invert_yaxis()
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        axes.set_xlabel("Share of the scores; at the right their mean with its 95 % interval")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(names), borderaxespad=0.2)
        return plot(figure, "Scores of both sides on every scale, by mode.", name="quality")
