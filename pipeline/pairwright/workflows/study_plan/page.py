"""The plan of a study as a page: two tables and one plot of its sizes, and what they rest on."""

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

from pairwright.evaluation.board.sign_flips import POWER
from pairwright.modes import MODES
from pairwright.pages import Page, render_page
from pairwright.pages.plots import BLUE, GREEN, INK, ORANGE, WIDTH, Plot, drawing, plot
from pairwright.workflows.study_plan.records import SizeEstimate, StudyEstimate
from pairwright_human_eval import LONGEST_MINUTES
from pairwright_human_eval.assign import LIMIT


def plan_page(plan: StudyEstimate, *, drawn: bool = True) -> Page:
    """The whole page; a terminal does without the drawing, and so does a plan of placebos, by which
    no accuracy is found."""
    labelled = not MODES[plan.mode].no_preference
    return render_page(
        "study_plan", {"sizes": _plot(plan)} if drawn and labelled else {}, plan=plan,
        units=MODES[plan.mode].units, single=MODES[plan.mode].halves == 1, power=POWER,
        limit=LIMIT, longest=LONGEST_MINUTES, labelled=labelled,
    )  # fmt: skip


def _plot(plan: StudyEstimate) -> Plot:
    units, money = MODES[plan.mode].units, plan.wage is not None
    at = [size.units for size in plan.sizes]
    spent = [size.cost or 0 if money else size.hours for size in plan.sizes]
    found = (
        (f"two of {plan.scorers} scorers", "o-", BLUE, [one.two_of_many for one in plan.sizes], 0),
        ("two scorers alone", "s-", GREEN, [one.two_alone for one in plan.sizes], 0),
        ("one scorer above 50 %", "D-", ORANGE, [one.above_chance for one in plan.sizes], 0.5),
    )
    with drawing():
        figure = Figure(figsize=(WIDTH, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        left.plot(at, spent, "o-", color=INK.light)
        left.set_ylabel(f"{plan.currency} in all" if money else "hours in all")
        left.set_ylim(0, max(spent) * 1.15)
        left.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        for label, form, colour, values, floor in found:
            heights = [None if value is None else 100 * (value - floor) for value in values]
            there = [
                (n, height) for n, height in zip(at, heights, strict=True) if height is not None
            ]
            xs, ys = [n for n, _ in there], [height for _, height in there]
            right.plot(xs, ys, form, color=colour.light, label=label)
        right.set_ylabel("smallest difference found, points")
        right.set_ylim(bottom=0)
        right.legend()
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_xlim(min(at) * 0.7, max(at) * 1.4)
            axes.xaxis.set_major_locator(FixedLocator(at))
            axes.xaxis.set_minor_locator(NullLocator())
            axes.set_xticklabels([_tick(size) for size in plan.sizes], fontsize=8.5)
            axes.set_xlabel(f"{units} that people are asked about")
            axes.grid()
        caption = (
            f"What a study costs, with how many {units} it verifies, and the smallest difference in"
            f" accuracy that the leaderboard then finds in {100 * POWER:.0f} % of releases."
        )
        return plot(figure, caption, name="sizes")


def _tick(size: SizeEstimate) -> str:
    """The size, and below it what of it is verified."""
    found = size.verified
    if found is None or found.high is None:
        return f"{size.units:,}"
    return f"{size.units:,}\n{found.value:,.0f} verified\n({found.low:,.0f} to {found.high:,.0f})"
