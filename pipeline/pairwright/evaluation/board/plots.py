"""The leaderboard in pictures: every row's accuracy in every condition, what a profile adds, and
how far the margins of ranked scorers can be trusted."""

from collections.abc import Iterator, Sequence
from itertools import cycle

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from pairwright.evaluation.board.board import Leaderboard
from pairwright.evaluation.board.ranking import BoardEntry, gain_over
from pairwright.evaluation.board.rows import label
from pairwright.evaluation.conditions import CONDITIONS, CONTROLS, ConditionName
from pairwright.evaluation.measure.calibration import Calibration
from pairwright.evaluation.measure.figure import ScorerFigure, mode_group
from pairwright.modes import is_twin, mode_title
from pairwright.pages.plots import (
    BLUE,
    FAINT,
    GREEN,
    GREY,
    ORANGE,
    PAPER,
    RED,
    SKY,
    Colour,
    Plot,
    drawing,
    plot,
)
from pairwright.records import Mode
from pairwright.text import number_of

COLOURS: dict[str, Colour] = {
    "blue": BLUE, "green": GREEN, "grey": GREY, "orange": ORANGE, "red": RED, "sky": SKY,
}  # fmt: skip
"""The colours by the names that conditions have for them. Their markers differ, too."""
WIDTH = 8.6


def accuracies(board: Leaderboard, mode: Mode | None) -> Plot:
    """A line a scorer, a mark a condition; of twins a second panel with both halves right."""
    twins = is_twin(mode)
    scorers = _scorers(board, "accuracy", mode)
    with drawing():
        figure = _sheet(len(scorers))
        axes = figure.add_subplot(1, 2, 1) if twins else figure.add_subplot()
        _panel(axes, scorers, "accuracy", mode)
        axes.axvline(50, color=FAINT.light, linestyle=(0, (4, 3)), zorder=0)
        axes.set_xlabel("accuracy, %")
        if twins:
            right = figure.add_subplot(1, 2, 2, sharey=axes)
            _panel(right, scorers, "both_right", mode)
            right.tick_params(labelleft=False)
            right.set_xlabel("both halves right, %")
        _legend(figure, [one.about.condition for entries in scorers.values() for one in entries])
        caption = (
            f"{mode_title(mode)}: accuracy with its 95 % interval, which a figure by identity does"
            " not have. The dashed line is one half. Hollow marks are not ranked."
        )
        if twins:
            caption += " A scorer that cannot see the user has 0 % of twins with both halves right."
        return plot(figure, caption, name=f"accuracy-{mode_group(mode).name}")


def gains(board: Leaderboard, mode: Mode | None) -> Plot | None:
    """What the profile adds to each scorer; None where no controls were evaluated."""
    every = _scorers(board, "accuracy", mode)
    controls = [
        control
        for control in CONTROLS
        if any(_gained(one, control, mode) for entries in every.values() for one in entries)
    ]
    scorers = {
        name: entries
        for name, entries in every.items()
        if any(_gained(one, control, mode) for one in entries for control in controls)
    }
    if not scorers:
        return None
    with drawing():
        figure = _sheet(len(scorers))
        axes = figure.add_subplot()
        for line, entries in enumerate(scorers.values()):
            for step, control in enumerate(controls):
                at = line + 0.6 * ((step + 0.5) / len(controls) - 0.5)
                for one in entries:
                    _mark(axes, one.figure(gain_over(control), mode), at, control)
        axes.axvline(0, color=FAINT.light, linestyle=(0, (4, 3)), zorder=0)
        _lines(axes, scorers)
        axes.set_xlabel("gain, points")
        _legend(figure, controls)
        shown = "; ".join(f"{control}: {CONDITIONS[control].shows}" for control in controls)
        caption = (
            f"{mode_title(mode)}: accuracy with the user's posts, less accuracy in each control on"
            f" the same pairs, with 95 % intervals ({shown})."
        )
        return plot(figure, caption, name=f"gain-{mode_group(mode).name}")


def _gained(entry: BoardEntry, control: ConditionName, mode: Mode | None) -> bool:
    gain = entry.figure(gain_over(control), mode)
    return gain is not None and gain.value is not None


def _scorers(board: Leaderboard, name: str, mode: Mode | None) -> dict[str, list[BoardEntry]]:
    """Entries by scorer, best in its ranked conditions first."""
    scorers: dict[str, list[BoardEntry]] = {}
    for entry in board.entries.values():
        figure = entry.figure(name, mode)
        if figure is not None and figure.value is not None:
            # What a reader must know of it on a line of its own, or the axes have no room.
            scorers.setdefault(label(entry).replace(" (", "\n("), []).append(entry)

    def best(entries: Sequence[BoardEntry]) -> float:
        values = [
            (_sees_user(one.about.condition), figure.value)
            for one in entries
            if (figure := one.figure(name, mode)) and figure.value is not None
        ]
        seeing = [value for sees, value in values if sees]
        return max(seeing or [value for _, value in values])

    return dict(sorted(scorers.items(), key=lambda item: (-best(item[1]), item[0])))


def _sees_user(condition: ConditionName) -> bool:
    """Whether its rows are ranked: the condition shows something about the user."""
    return CONDITIONS[condition].about_user and not CONDITIONS[condition].unranked


def _look(condition: ConditionName) -> tuple[str, Colour]:
    record = CONDITIONS[condition]
    return record.marker, COLOURS[record.colour]


def _sheet(lines: int) -> Drawing:
    return Drawing(figsize=(WIDTH, 1.2 + 0.42 * lines), layout="constrained")


def _panel(axes: Axes, scorers: dict[str, list[BoardEntry]], name: str, mode: Mode | None) -> None:
    for line, entries in enumerate(scorers.values()):
        order = sorted(entries, key=lambda one: list(CONDITIONS).index(one.about.condition))
        for step, one in enumerate(order):
            at = line + 0.6 * ((step + 0.5) / len(order) - 0.5)
            shown, hollow = one.figure(name, mode), bool(one.unranked(mode))
            _mark(axes, shown, at, one.about.condition, hollow=hollow)
    _lines(axes, scorers)
    axes.set_xlim(-2, 102)


def _mark(
    axes: Axes,
    figure: ScorerFigure | None,
    at: float,
    condition: ConditionName,
    *,
    hollow: bool = False,
) -> None:
    if figure is None or figure.value is None:
        return
    marker, colour = _look(condition)
    if figure.low is not None and figure.high is not None:
        axes.hlines(at, 100 * figure.low, 100 * figure.high, color=colour.light, linewidth=1.8)
    axes.plot(
        100 * figure.value, at, marker, color=colour.light, markersize=5, clip_on=False,
        markerfacecolor=PAPER.light if hollow else colour.light,
    )  # fmt: skip


def _lines(axes: Axes, scorers: dict[str, list[BoardEntry]]) -> None:
    axes.set_yticks(range(len(scorers)), list(scorers))
    axes.set_ylim(len(scorers) - 0.4, -0.6)
    axes.grid(axis="x")


def _legend(figure: Drawing, conditions: Sequence[ConditionName]) -> None:
    there = [condition for condition in CONDITIONS if condition in conditions]
    looks = {condition: _look(condition) for condition in there}
    handles = [
        figure.axes[0].plot([], [], marker, color=colour.light, linestyle="", label=name)[0]
        for name, (marker, colour) in looks.items()
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=min(4, len(handles)))


MOST = 6
"""Scorers that are drawn: more lines than these cannot be told apart."""
_COLOURS = (BLUE, ORANGE, GREEN, RED, SKY, GREY)
_MARKERS = "osD^vP"


def calibration_plot(board: Leaderboard, mode: Mode | None) -> Plot | None:
    """Reliability and accuracy by margin, of the best ranked rows of the mode's first table that
    ranks any; None where none does."""
    rows = list(_rows(board, mode))
    if not rows:
        return None
    drawn = rows[:MOST]
    with drawing():
        figure = Drawing(figsize=(8.6, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2)
        for (name, found), colour, marker in zip(drawn, cycle(_COLOURS), cycle(_MARKERS)):
            _draw_reliability(left, found, name, colour, marker)
            _draw_coverage(right, found, colour, marker)
        left.plot([50, 100], [50, 100], color=FAINT.light, linestyle=(0, (4, 3)), zorder=0)
        left.set_xlabel("probability of the preferred response, scaled, %")
        left.set_ylabel("preferred response is the chosen one, %")
        left.set_xlim(48, 102)
        right.axhline(50, color=FAINT.light, linestyle=(0, (4, 3)), zorder=0)
        right.set_xlabel("pairs with the largest margins, % of the scored")
        right.set_ylabel("accuracy, %")
        right.set_xlim(0, 104)
        for axes in (left, right):
            axes.set_ylim(-2, 102)
            axes.grid()
        figure.legend(loc="outside upper left", ncols=min(3, len(drawn)))
        caption = (
            f"{mode_title(mode)}: left, how often the preferred response is the chosen one, by the"
            " scorer's probability after temperature scaling; on the dashed line a scorer is"
            " calibrated. Right, accuracy on the pairs with the largest margins: it rises to the"
            " left where margins tell how sure a scorer may be. Bars are 95 % intervals by cluster."
        )
        if len(rows) > MOST:
            caption += f" The best {MOST} of {number_of(len(rows), 'ranked row')} are drawn."
        return plot(figure, caption, name=f"calibration-{mode_group(mode).name}")


def _rows(board: Leaderboard, mode: Mode | None) -> Iterator[tuple[str, Calibration]]:
    """The ranked rows of the mode's first table that ranks any, best first."""
    of_mode = [ranking for ranking in board.rankings if ranking.mode == mode and ranking.ranked]
    for name in of_mode[0].ranked if of_mode else ():
        entry = board.entries[name]
        for found in entry.calibrations:
            if found.mode == mode and found.scaled:
                yield label(entry), found


def _draw_reliability(
    axes: Axes, found: Calibration, name: str, colour: Colour, marker: str
) -> None:
    x = [100 * one.confidence for one in found.scaled]
    y = [100 * one.right for one in found.scaled]
    ends = _bars(y, [(one.low, one.high) for one in found.scaled])
    axes.errorbar(
        x, y, yerr=ends, color=colour.light, marker=marker, markersize=4, linewidth=1.2,
        elinewidth=0.8, label=name,
    )  # fmt: skip


def _draw_coverage(axes: Axes, found: Calibration, colour: Colour, marker: str) -> None:
    x = [100 * one.coverage for one in found.by_margin]
    y = [100 * one.accuracy for one in found.by_margin]
    ends = _bars(y, [(one.low, one.high) for one in found.by_margin])
    axes.errorbar(
        x, y, yerr=ends, color=colour.light, marker=marker, markersize=4, linewidth=1.2,
        elinewidth=0.8,
    )  # fmt: skip


def _bars(
    values: Sequence[float], ends: Sequence[tuple[float, float]]
) -> tuple[list[float], list[float]]:
    """How far an interval goes below and above each value, in percent."""
    below = [max(0.0, value - 100 * low) for value, (low, _) in zip(values, ends, strict=True)]
    above = [max(0.0, 100 * high - value) for value, (_, high) in zip(values, ends, strict=True)]
    return below, above
