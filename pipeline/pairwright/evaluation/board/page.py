"""The leaderboard as a page, in brief as Markdown to read beside a release, and in short for a
terminal."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pairwright.blind_preference import preference_sentence
from pairwright.estimate import p_text, p_value
from pairwright.evaluation.board.board import Leaderboard, choices_of_others
from pairwright.evaluation.board.findings import TEST_VALUES, found_by_meaning
from pairwright.evaluation.board.ranking import BoardEntry, Ranking, gain_over, level_sharers
from pairwright.evaluation.board.sign_flips import clusters_needed
from pairwright.evaluation.board.tables import FLIPS, OTHERS, figure_text, label, ranking_table
from pairwright.evaluation.conditions import CONDITIONS, CONTROLS, ConditionName
from pairwright.evaluation.measure.figure import FIGURES, ScorerFigure, figure_names, mode_group
from pairwright.evaluation.measure.slices import (
    DATE_SLICES,
    FLOOR,
    FOLLOWS_SLICES,
    OVERLAP_SLICES,
    OWN_SLICES,
)
from pairwright.evaluation.release import SOURCES, tie_mark
from pairwright.evaluation.scorers.scorer import MANNER
from pairwright.intervals import LEVEL
from pairwright.modes import PLACEBO, is_own_choice, is_twin, mode_pairs, mode_title
from pairwright.pages import Page, render_page
from pairwright.pages.plots import (
    BLUE,
    FAINT,
    GREEN,
    GREY,
    ORANGE,
    RED,
    SKY,
    WIDTH,
    Colour,
    Dot,
    Panel,
    Plot,
    draw_dots,
    draw_panels,
    drawing,
    plot,
)  # fmt: skip
from pairwright.records import Mode
from pairwright.text import number_of


def board_page(board: Leaderboard, *, brief: bool = False) -> Page:
    """The page; in brief without drawings and most folds, which grow with every row."""
    return _render("leaderboard", board, {} if brief else dict(_plots(board)), brief=brief)


def board_notes(board: Leaderboard) -> tuple[str, ...]:
    """What a terminal prints below the tables, in paragraphs of plain text."""
    return _render("leaderboard_notes", board, {}, brief=True).opening


def _render(name: str, board: Leaderboard, drawn: dict[str, Plot], *, brief: bool) -> Page:
    """A template over the board, with the records and functions that its words depend on."""
    return render_page(
        name,
        drawn,
        board=board,
        brief=brief,
        conditions=CONDITIONS,
        controls=[gain_over(control) for control in CONTROLS],
        figures={name: kind.meaning for name, kind in FIGURES.items()},
        floor=FLOOR,
        level=LEVEL,
        manners=MANNER,
        most_sources=SOURCES,
        of_aspects=tuple(FOLLOWS_SLICES.values()),
        of_dates=DATE_SLICES,
        of_others=OTHERS,
        placebo=PLACEBO.name,
        of_overlap=OVERLAP_SLICES,
        of_own=OWN_SLICES,
        sharers=level_sharers(board.rankings),
        test_values=TEST_VALUES,
        by_domain=list(_by_domain(board)),
        choices_of_others=choices_of_others,
        clusters_needed=clusters_needed,
        figure_names=figure_names,
        figure_text=figure_text,
        found=found_by_meaning,
        gain_over=gain_over,
        is_own_choice=is_own_choice,
        is_twin=is_twin,
        label=label,
        mode_group=mode_group,
        mode_pairs=mode_pairs,
        mode_title=mode_title,
        p_text=p_text,
        p_value=p_value,
        preference_sentence=preference_sentence,
        ranking_table=ranking_table,
        sources=_sources,
        tie_mark=tie_mark,
    )


def _plots(board: Leaderboard) -> Iterator[tuple[str, Plot]]:
    if board.flips_ranking:
        yield "flips", flips_plot(board, board.flips_ranking)
    for mode in board.modes:
        group = mode_group(mode).name
        yield f"accuracy-{group}", accuracies(board, mode)
        if gained := gains(board, mode):
            yield f"gain-{group}", gained
        if margins := calibration_plot(board, mode):
            yield f"calibration-{group}", margins


def _sources(board: Leaderboard, mode: Mode | None) -> tuple[str, ...]:
    """The sources that a mode's rows have an accuracy of; none where there is only one."""
    entries = [board.entries[row] for row in board.rows_of_mode(mode)]
    names = dict.fromkeys(name for one in entries for name in one.groups("source_accuracy", mode))
    return tuple(names) if len(names) > 1 else ()


def _by_domain(board: Leaderboard) -> Iterator[tuple[str, str, ScorerFigure]]:
    """Domain, row and accuracy of the ranked rows, with all modes side by side; nothing where there
    is one domain."""
    found = [
        (domain, row, figure)
        for ranking in board.rankings
        for row in ranking.ranked
        for group, figure in board.entries[row].groups("accuracy", ranking.mode).items()
        if (domain := group.removesuffix(f"-{ranking.mode}")) != group
    ]
    if len({domain for domain, _, _ in found}) > 1:
        yield from sorted(found, key=lambda one: one[:2])


COLOURS: dict[str, Colour] = {
    "blue": BLUE, "green": GREEN, "grey": GREY, "orange": ORANGE, "red": RED, "sky": SKY,
}  # fmt: skip
"""The colours by the names that conditions have for them. Their markers differ, too."""


WHOLE = (-2.0, 102.0)
"""Both ends of an axis of percent."""


def accuracies(board: Leaderboard, mode: Mode | None) -> Plot:
    """A line a scorer, a mark a condition; of twins a second panel with both halves right."""
    panels = [Panel(_dots(board, "accuracy", mode), "accuracy, %", 0.5, WHOLE)]
    caption = (
        f"{mode_title(mode)}: accuracy with its 95 % interval, which a figure by identity does"
        " not have. The dashed line is one half. Hollow marks are not ranked."
    )
    if is_twin(mode):
        right = _dots(board, "both_right", mode)
        panels.append(Panel(right, "both halves right, %", ends=WHOLE))
        caption += " A scorer that cannot see the user has 0 % of twins with both halves right."
    name = f"accuracy-{mode_group(mode).name}"
    return draw_panels(panels, list(_scorers(board, mode)), caption=caption, name=name)


def flips_plot(board: Leaderboard, ranking: Ranking) -> Plot:
    """A line a row: right flips and flips on placebos, and beside them what ranks."""
    net, right, placebos = FLIPS
    names = [name for name in board.rows(ranking) if board.entries[name].figure(*FLIPS[net])]
    labels = {name: label(board.entries[name]).replace(" (", "\n(") for name in names}

    def dots(head: str, colour: Colour = BLUE, marker: str = "o", name: str = "") -> list[Dot]:
        return [
            Dot(labels[row], found, colour, marker, name, hollow=row in ranking.unranked)
            for row in names
            if (found := board.entries[row].figure(*FLIPS[head]))
        ]

    both = [*dots(right, BLUE, "o", right), *dots(placebos, ORANGE, "X", placebos)]
    return draw_panels(
        [
            Panel(both, "of twins, and of placebos, %", ends=WHOLE),
            Panel(dots(net), net, 0, (-52, 102)),
        ],
        list(labels.values()),
        caption="Left, right flips on twins and flips on placebos; right, the right flips less half"
        " of the flips on placebos, with 95 % intervals. On the dashed line a scorer tells nothing"
        " of its users. Hollow marks are not ranked.",
        name="flips",
    )


def gains(board: Leaderboard, mode: Mode | None) -> Plot | None:
    """What the profile adds to each scorer; None where no controls were evaluated."""
    dots = [
        _dot(name, gain, control)
        for name, entries in _scorers(board, mode).items()
        for control in CONTROLS
        for one in entries
        if (gain := one.figure(gain_over(control), mode)) and gain.value is not None
    ]
    if not dots:
        return None
    controls = [control for control in CONTROLS if any(dot.name == control for dot in dots)]
    shown = "; ".join(f"{control}: {CONDITIONS[control].shows}" for control in controls)
    return draw_dots(
        dots,
        unit="gain, points",
        reference=0,
        caption=f"{mode_title(mode)}: accuracy with the user's posts, less accuracy in each control"
        f" on the same pairs, with 95 % intervals ({shown}).",
        name=f"gain-{mode_group(mode).name}",
    )


def _dots(board: Leaderboard, name: str, mode: Mode | None) -> list[Dot]:
    """The figures of one name by condition, in the order of legends, each best scorer first."""
    scorers = _scorers(board, mode).items()
    return [
        _dot(label, figure, condition, hollow=bool(one.unranked(mode)))
        for condition in CONDITIONS
        for label, entries in scorers
        for one in entries
        if one.about.condition == condition and (figure := one.figure(name, mode))
    ]


def _dot(
    label: str, figure: ScorerFigure, condition: ConditionName, *, hollow: bool = False
) -> Dot:
    record = CONDITIONS[condition]
    return Dot(label, figure, COLOURS[record.colour], record.marker, condition, hollow)


def _scorers(board: Leaderboard, mode: Mode | None) -> dict[str, list[BoardEntry]]:
    """Entries by scorer, best in its ranked conditions first."""
    scorers: dict[str, list[BoardEntry]] = {}
    for entry in board.entries.values():
        if entry.value("accuracy", mode) is not None:
            # What a reader must know of it on a line of its own, or the axes have no room.
            scorers.setdefault(label(entry).replace(" (", "\n("), []).append(entry)

    def best(entries: Sequence[BoardEntry]) -> float:
        records = [(CONDITIONS[one.about.condition], one) for one in entries]
        seeing = [one for record, one in records if record.about_user and not record.unranked]
        return max(one.value("accuracy", mode) or 0.0 for one in seeing or entries)

    return dict(sorted(scorers.items(), key=lambda item: (-best(item[1]), item[0])))


MOST = 6
"""Scorers that are drawn: more lines than these cannot be told apart."""


def calibration_plot(board: Leaderboard, mode: Mode | None) -> Plot | None:
    """Reliability and accuracy by margin, of the best ranked rows of the mode's first table that
    ranks any; None where none does."""
    ranked = next((one.ranked for one in board.of_mode(mode) if one.ranked), ())
    rows = [
        (label(board.entries[name]), found)
        for name in ranked
        for found in board.entries[name].calibrations
        if found.mode == mode and found.scaled
    ]
    if not rows:
        return None
    drawn = rows[:MOST]
    looks = zip((BLUE, ORANGE, GREEN, RED, SKY, GREY), "osD^vP", strict=True)
    with drawing():
        figure = Figure(figsize=(WIDTH, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2)
        for (name, found), (colour, marker) in zip(drawn, looks, strict=False):
            bins = [(one.confidence, one.right, one.low, one.high) for one in found.scaled]
            _draw_line(left, bins, colour, marker, name)
            kept = [(one.coverage, one.accuracy, one.low, one.high) for one in found.by_margin]
            _draw_line(right, kept, colour, marker)
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


def _draw_line(
    axes: Axes,
    points: Sequence[tuple[float, float, float, float]],
    colour: Colour,
    marker: str,
    name: str = "",
) -> None:
    """Shares x and y with the low and the high end of y, in percent."""
    x, y, low, high = (100 * np.array(points).T).tolist()
    below = [max(0.0, at - end) for at, end in zip(y, low, strict=True)]
    above = [max(0.0, end - at) for at, end in zip(y, high, strict=True)]
    axes.errorbar(
        x, y, yerr=(below, above), color=colour.light, marker=marker, markersize=4, linewidth=1.2,
        elinewidth=0.8, label=name,
    )  # fmt: skip
