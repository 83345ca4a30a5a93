"""The plan of a study: its record, plan.json, and its page, which shows the record's values and
computes none: two tables and one plot of its sizes, and what they rest on."""

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

from pairwright.estimate import Estimate
from pairwright.evaluation.board.sign_flips import POWER
from pairwright.modes import MODES, Mode
from pairwright.pages import Page, render_page
from pairwright.pages.plots import BLUE, GREEN, INK, ORANGE, WIDTH, Plot, drawing, plot
from pairwright.records import Record
from pairwright_human_eval import LONGEST_MINUTES
from pairwright_human_eval.assign import LIMIT
from pairwright_human_eval.small_study import SmallStudy
from pairwright_human_eval.workload import StudyLoad, StudyPilot


class SizeEstimate(StudyLoad):
    """What a study of some size takes, and what can be shown with what it verifies."""

    hours_range: Estimate | None
    """Its hours with the ends that the intervals of the pilot's times give together; None where a
    kind was not timed. n: tasks that were timed; clusters: the pilot's people."""
    cost: float | None
    """None without a wage."""
    verified: Estimate | None
    """How many are verified at the pilot's yield, whose n and clusters it has; None without one,
    but in a study of a few people: then as many as simulated readers verify of sound ones.
    There is no upper end where the pilot may have verified next to nothing. The same for the next
    two."""
    hours_per_verified: Estimate | None
    cost_per_verified: Estimate | None
    pairs: int
    """Pairs of the release: of all that are verified, or of all that can be without a pilot."""
    clusters: int
    """Their dyads of users."""
    two_alone: float | None
    """The smallest difference between two scorers that is found in 8 of 10 releases; None where
    even the greatest possible one is found in fewer. The same for the next three."""
    two_of_many: float | None
    """The same in a leaderboard of `scorers`."""
    above_chance: float | None
    """The smallest accuracy of a single scorer that is found to be above one half."""
    above_chance_of_many: float | None
    """The same where `scorers` are compared with one half."""
    flips: float | None
    """Half of the width of the 95 % interval of the flips of a scorer that flips on 10 % of the
    release's placebos; None in another mode, and where nothing is verified."""


class StudyEstimate(Record):
    """What studies of several sizes take, and what they could show."""

    mode: Mode
    run_units: int
    """Twins, or pairs of another mode, that the run has: their texts are counted."""
    reading: str
    """How fast they are read, and what the rate is of."""
    pilot: StudyPilot | None
    """None where nobody has answered yet: then hours are those of reading, and all that can be
    verified is taken to be."""
    pilot_of: str
    """The run whose study is the pilot; empty without one."""
    simulated: bool
    """Whether the pilot's answers come from a program: then the numbers plan nothing real."""
    annotators: int
    """The fewest people that the assignment takes."""
    few: SmallStudy | None
    """What a study of a few people asks and shows; None where there are as many as it takes."""
    overlap: int
    hours_limit: float
    wage: float | None
    currency: str
    scorers: int
    disagreement: float
    correlation: float
    sizes: tuple[SizeEstimate, ...]


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
