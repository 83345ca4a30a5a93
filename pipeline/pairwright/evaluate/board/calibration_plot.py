"""How far the margins of ranked scorers can be trusted, in two panels."""

from collections.abc import Iterator, Sequence
from itertools import cycle

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from pairwright.evaluate.board.board import Leaderboard
from pairwright.evaluate.board.cells import label
from pairwright.evaluate.measure import Calibration, mode_group
from pairwright.modes import mode_title
from pairwright.records import Mode
from pairwright.report import (
    BLUE,
    FAINT,
    GREEN,
    GREY,
    ORANGE,
    RED,
    SKY,
    Colour,
    Plot,
    drawing,
    plot,
)
from pairwright.text import number_of

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
