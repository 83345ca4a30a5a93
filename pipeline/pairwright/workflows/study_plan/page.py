"""The plan of a study as a page: one table and one plot of its sizes, and what they rest on."""

from collections.abc import Iterator, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

from pairwright.evaluate.board.flips import POWER
from pairwright.modes import MODES
from pairwright.report import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    Block,
    Page,
    Plot,
    Section,
    Table,
    drawing,
    plot,
)
from pairwright.workflows.study_plan.records import Range, SizeEstimate, StudyEstimate
from pairwright_human_eval import LONGEST_MINUTES
from pairwright_human_eval.assign import LIMIT
from pairwright_human_eval.records import KINDS
from pairwright_human_eval.workload import BRIEFING, ReadingRate


def plan_page(plan: StudyEstimate, rate: ReadingRate) -> Page:
    """The whole page. Its hours of reading are counted at `rate`."""
    return Page(
        title="Plan of a study",
        warnings=tuple(plan_warnings(plan)),
        sections=(
            Section("What each size takes and shows", tuple(_sizes_section(plan))),
            Section("Time by kind of task", (_kinds(plan),)),
            Section("What this rests on", tuple(_grounds(plan, rate))),
        ),
    )


def plan_warnings(plan: StudyEstimate) -> Iterator[str]:
    """What must be known before any number is used."""
    if plan.simulated:
        yield (
            "SIMULATED: a program wrote the pairs or gave the answers of the pilot. This shows how"
            " a plan looks; its times and its yield say nothing about people."
        )
    if not plan.pilot:
        yield (
            "NO PILOT: hours are those of reading each task once, and thinking and answering come"
            " on top; what can be verified is taken to be. Real hours are more, and real"
            " differences that can be found are larger."
        )


def size_table(plan: StudyEstimate) -> Table:
    """What each size takes and shows, one row a size."""
    head = [MODES[plan.mode].units, "people", "hours each", "hours"]
    money = plan.wage is not None
    head += [plan.currency] if money else []
    head += ["verified"]
    head += [f"{plan.currency} a verified one" if money else "hours a verified one"]
    # Twins have no such control.
    single = MODES[plan.mode].halves == 1
    head += ["control's power"] if single else []
    head += [
        "two scorers",
        f"two of {plan.scorers}",
        "above 50 %",
        f"{plan.scorers} above 50 %",
    ]
    rows = []
    for size in plan.sizes:
        each = size.cost_per_verified if money else size.hours_per_verified
        hours = _range(size.hours_range, 0) if size.hours_range else f"{size.hours:,.0f}"
        cost = [] if size.cost is None else [f"{size.cost:,.0f}"]
        shown = [f"{size.stranger_power:.2f} (n = {size.strangers:,})"] if single else []
        shown += [
            _points(size.two_alone),
            _points(size.two_of_many),
            _percent(size.above_chance),
            _percent(size.above_chance_of_many),
        ]
        rows.append(
            (
                f"{size.units:,}", f"{size.people:,}", f"{size.hours_each:,.0f}",
                hours, *cost, _range(size.verified, 0), _range(each, 0 if money else 1), *shown,
            )
        )  # fmt: skip
    return Table(tuple(head), tuple(rows), left=0)


def _sizes_section(plan: StudyEstimate) -> Iterator[Block]:
    units = MODES[plan.mode].units
    yield size_table(plan)
    yield (
        f"People: as many as work {plan.hours_limit:g} hours at most, and never fewer than the"
        f" {plan.annotators} that the assignment takes at overlap {plan.overlap}. Hours: all that"
        f" are to be paid, with {BRIEFING:g} hour each for the guidelines and"
        f" {100 * plan.sizes[0].second_round:.0f} % more for a second round. Controls are asked"
        " about, too, and cannot be verified. Intervals are at 95 %: of the hours those of the"
        " pilot's times, of the rest those of its yield alone."
    )
    if MODES[plan.mode].halves == 1:
        yield (
            "The control's power is the probability that the wrong-profile control, with so many"
            f" {units}, shows that strangers' posts tell nothing: that their share of choices for"
            f" the chosen response, which is one half, is below {100 * LIMIT:.0f} %."
        )
    yield (
        f"The last four columns are of a release of the verified {units}: the smallest difference"
        f" between two scorers, in points of accuracy, that the leaderboard's own test finds in"
        f" {100 * POWER:.0f} % of such releases, where it compares these two alone, and where it"
        f" compares {plan.scorers}; and the smallest accuracy whose 95 % interval lies above 50 %,"
        f" of one scorer, and after Holm over {plan.scorers}. “None”: even the largest possible one"
        " is found in fewer."
    )
    yield _plot(plan)


def _kinds(plan: StudyEstimate) -> Table:
    measured = {time.kind: time for time in plan.pilot.times} if plan.pilot else {}
    rows = []
    for kind in KINDS:
        sizes = [next((k for k in size.kinds if k.kind == kind), None) for size in plan.sizes]
        last = sizes[-1]
        if last is None:
            continue
        time = measured.get(kind)
        seconds = (
            f"{_range(Range(value=time.seconds, low=time.low, high=time.high), 0)}, n = {time.n:,}"
            if time
            else f"{last.seconds:,.0f} to read once"
        )
        amounts = [f"{k.tasks:,} / {k.hours:,.1f}" if k else "" for k in sizes]
        rows.append((kind, f"{last.words:,.0f}", seconds, *amounts))
    units = MODES[plan.mode].units
    return Table(
        ("kind", "words", "seconds", *(f"{size.units:,} {units}" for size in plan.sizes)),
        tuple(rows),
        note=(
            "For each size: tasks / hours. Tasks include attention checks, repeats and controls."
            " Words are those of the median task. Seconds are the mean of a task as `human people`"
            f" pays it, {LONGEST_MINUTES:g} minutes at most, with its 95 % interval by person."
        ),
    )


def _grounds(plan: StudyEstimate, rate: ReadingRate) -> Iterator[Block]:
    units = MODES[plan.mode].units
    yield (
        f"The run has {plan.run_units:,} {units}. Their tasks were made as an export makes them; a"
        " larger study takes the same texts again, as other people's, and keeps the run's number of"
        f" {units} to a dyad of users. Reading is counted at {rate}."
    )
    if plan.pilot:
        found = plan.pilot.verified
        share = (
            "none was decided"
            if found.value is None
            else f"{100 * found.value:.0f} % ({100 * (found.low or 0):.0f} to"
            f" {100 * (found.high or 1):.0f}) of {found.n:,} decided {units} of"
            f" {found.clusters:,} dyads were verified, controls left out"
        )
        yield f"The pilot, {plan.pilot_of}, with {plan.pilot.people:,} people: {share}."
    yield (
        f"Power is that of simulated releases in which two scorers disagree on"
        f" {100 * plan.disagreement:.0f} % of the pairs and what they do on two pairs of a dyad"
        f" correlates by {plan.correlation:g}. The dyad is the cluster, as on the leaderboard."
        " Scorers that disagree less are distinguished by smaller differences."
    )


def _plot(plan: StudyEstimate) -> Plot:
    units = MODES[plan.mode].units
    with drawing():
        figure = Figure(figsize=(8.6, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        at = [size.units for size in plan.sizes]
        money = plan.wage is not None
        spent = [size.cost or 0 if money else size.hours for size in plan.sizes]
        left.plot(at, spent, "o-", color=INK.light)
        left.set_ylabel(f"{plan.currency} in all" if money else "hours in all")
        left.set_ylim(0, max(spent) * 1.15)
        left.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        _line(right, plan.sizes, "two_of_many", f"two of {plan.scorers} scorers", BLUE.light, "o")
        _line(right, plan.sizes, "two_alone", "two scorers alone", GREEN.light, "s")
        _line(right, plan.sizes, "above_chance", "one scorer above 50 %", ORANGE.light, "D")
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


def _line(
    axes: Axes, sizes: Sequence[SizeEstimate], name: str, label: str, colour: str, marker: str
) -> None:
    found = [(size.units, getattr(size, name)) for size in sizes]
    floor = 0.5 if name == "above_chance" else 0
    there = [(n, 100 * (value - floor)) for n, value in found if value is not None]
    axes.plot(
        *zip(*there, strict=True) if there else ([], []), f"{marker}-", color=colour, label=label
    )


def _range(estimate: Range | None, digits: int) -> str:
    """`31 (24 to 37)`; a range without an upper end has none."""
    if estimate is None:
        return "n/a"
    value, low = f"{estimate.value:,.{digits}f}", f"{estimate.low:,.{digits}f}"
    if estimate.high is None:
        return f"{value} ({low} or more)"
    return f"{value} ({low} to {estimate.high:,.{digits}f})"


def _points(difference: float | None) -> str:
    return "none" if difference is None else f"{100 * difference:.1f}"


def _percent(accuracy: float | None) -> str:
    return "none" if accuracy is None else f"{100 * accuracy:.1f} %"
