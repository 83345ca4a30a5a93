"""The files of a report: its page, a template over the record with plots, and sentences of it that
release cards have, too. Each number has its interval and its n, and what is unknown is never a 0.
"""

from collections.abc import Iterable

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from pairwright.dataset import write_one
from pairwright.estimate import p_value
from pairwright.files import write_whole
from pairwright.modes import MODES, units_in_words
from pairwright.pages import Page, render_page
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
    Colour,
    Curve,
    Dot,
    Plot,
    draw_counts,
    draw_curves,
    draw_dots,
    drawing,
    plot,
)
from pairwright.settings.rules import HumanRules
from pairwright.text import number_of
from pairwright_human_eval.decisions import reason_in_words
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.report.aspects import DELIVERS
from pairwright_human_eval.report.calibration import ENOUGH_DYADS
from pairwright_human_eval.report.claims import (
    ByChance,
    no_signal_share,
)
from pairwright_human_eval.report.findings import StudyReport
from pairwright_human_eval.report.people import rule_rows
from pairwright_human_eval.report.quality import MEAN

COLOURS: dict[str, Colour] = {
    "verified": GREEN, "refused": RED, "disputed": ORANGE, "waiting": GREY, "control": SKY,
}  # fmt: skip
WEAK = 0.1
"""A rule is weak that may verify more of the twins of which one half's posts say nothing."""


def write_report(folder: HumanFolder, report: StudyReport) -> None:
    """Write report.json, report.md and report.html: the same report gives the same bytes. Raises
    StoreError where they cannot be written."""
    page = page_of(report)
    write_one(folder.path / "report.json", report)
    write_whole(folder.path / "report.md", page.markdown)
    write_whole(folder.path / "report.html", page.html)


def page_of(report: StudyReport, *, brief: bool = False) -> Page:
    """The whole report, which opens with its verdict; `brief`: without plots, for a terminal."""
    return render_page(
        "study_report", {} if brief else _plots(report), report=report, brief=brief,
        delivers=DELIVERS, enough_dyads=ENOUGH_DYADS,
        mean_scale=MEAN, modes=MODES, no_signal_share=no_signal_share,
        in_words=reason_in_words,
        p_value=p_value, rule=list(rule_rows(report.fixed, report.policy)),
        units=units_in_words(),
        weakness=weakness_of(report.by_chance, report.policy, report.head.annotators),
    )  # fmt: skip


def weakness(votes: int, rules: HumanRules, halves: int, people: int) -> str:
    """That a rule is weaker than the default one, and how weak; empty where it is not."""
    found, default = no_signal_share(votes, rules, halves), HumanRules()
    if found <= WEAK:
        return ""
    what, fault = "pair", "pairs whose posts say nothing"
    if halves == 2:
        what, fault = "half of a twin", "twins of which one half's posts say nothing"
    asked = f"{number_of(votes, 'vote')} on each {what}"
    most = "most of " if rules.rule == "majority" and votes > 1 else ""
    usual = no_signal_share(default.votes, default, halves)
    return (
        f"Decided by {number_of(people, 'annotator')}, {most}{asked}. This rule is WEAKER than the"
        f" default one: it verifies up to {100 * found:.0f} % of {fault}, the default one up to"
        f" {100 * usual:.0f} %."
    )


def weakness_of(chances: Iterable[ByChance], rules: HumanRules, people: int) -> str:
    """The same of a study, for the first of its modes whose rule is weaker."""
    found = (weakness(one.votes, rules, one.halves, people) for one in chances)
    return next(filter(None, found), "")


def _plots(report: StudyReport) -> dict[str, Plot]:
    """The plots of a report by name; one without anything to show is left out."""
    plots = {"states": _states(report)}
    if any(group.of_choices.value is not None for group in report.preferred):
        plots["preference"] = _preference(report)
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
    return draw_counts(
        {
            _name(group.group): {state: found.k for state, found in group.states.items()}
            for group in shown
        },
        COLOURS,
        unit="Share of the sampled twins and pairs",
        caption="What was decided, by mode: numbers in the bars are counts.",
        name="states",
    )


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
