"""The leaderboard as a page."""

from collections.abc import Callable, Iterator, Mapping

from pairwright.evaluation.conditions import CONDITIONS
from pairwright.evaluation.figures import FIGURES, FOLLOWS, ScorerFigure
from pairwright.evaluation.leaderboard import BoardEntry, Leaderboard, Ranking
from pairwright.modes import halves_of, title_of
from pairwright.pages import Page, render_page
from pairwright.pages.plots import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    RED,
    SKY,
    Colour,
    Dot,
    Panel,
    Plot,
    draw_panels,
)
from pairwright.stats import p_value
from pairwright.text import visible

COLOURS: dict[str, Colour] = {
    "blue": BLUE, "green": GREEN, "grey": GREY, "orange": ORANGE, "red": RED, "sky": SKY,
}  # fmt: skip
"""The colours by the names that conditions have for them. Their markers differ, too."""
WHOLE = (-2.0, 102.0)
"""Both ends of an axis of percent."""
Column = Callable[[BoardEntry, str | None], ScorerFigure | None]
"""The figure of a row that a column of a mode's table shows."""


def _of_mode(name: str) -> Column:
    return lambda entry, mode: entry.figure(name, mode)


FLIPS: dict[str, Column] = {
    "net right flips, points": _of_mode("net_right_flips"),
    "right flips": _of_mode("both_right"),
    "flips on placebos": lambda entry, _: entry.first("placebo_flips"),
}
"""The columns of flips."""


def board_page(board: Leaderboard, *, drawn: bool = True) -> Page:
    """The page; a terminal does without the drawings."""
    by_domain = _grouped(board, _domain)
    return render_page(
        "leaderboard",
        dict(_plots(board)) if drawn else {},
        board=board,
        conditions=CONDITIONS,
        figures=FIGURES,
        by_domain=by_domain if len({name for name, _, _ in by_domain}) > 1 else [],
        by_aspects=_grouped(board, lambda _, group: group if group in FOLLOWS.values() else ""),
        gained=[
            (name, figure)
            for name, entry in board.entries.items()
            for figure in entry.figures
            if figure.name not in FIGURES and figure.value is not None
        ],
        consistent=[
            (name, figure)
            for name, entry in board.entries.items()
            for figure in entry.figures
            if figure.name == "swap_consistency"
        ],
        figure_text=figure_text,
        label=label,
        p_value=p_value,
        title_of=title_of,
        ranking_table=ranking_table,
    )


def ranking_table(board: Leaderboard, ranking: Ranking) -> list[list[str]]:
    """The rows of a ranking with its head before them, best first and those that are not ranked
    below."""
    mode = ranking.mode
    entries = [board.entries[name] for name in ranking.rows]
    columns = {"accuracy": _of_mode("accuracy")}
    if ranking.ranked_by == "net_right_flips":
        columns = FLIPS | columns
    elif halves_of(mode) == 2:
        columns["both right"] = _of_mode("both_right")
    if any((one.value("coverage", mode) or 0.0) < 1 for one in entries):
        columns["scored"] = _of_mode("coverage")
    rows = [
        [label(one), *(figure_text(column(one, mode)) for column in columns.values())]
        for one in entries
    ]
    return [["scorer", *columns], *rows]


def label(entry: BoardEntry) -> str:
    """The scorer's name, with what a reader must know of it."""
    about = entry.about
    marks = ["baseline"] * entry.baseline + [about.mark] * bool(about.mark)
    name = f"{about.scorer.name} ({', '.join(marks)})" if marks else about.scorer.name
    return f"{name}, planned by {visible(about.planner.model)}" if about.planner else name


def figure_text(figure: ScorerFigure | None) -> str:
    """A share as `71.2 % (65.0 to 76.6)`, a difference in points as `+3.1 (-0.4 to +6.5)`, coverage
    without an interval; empty where there is nothing to say."""
    if figure is None or figure.value is None:
        return ""
    if figure.name == "coverage":
        return f"{100 * figure.value:.1f} %"
    return figure.percent(1, sign=figure.name not in FIGURES or figure.name == "net_right_flips")


def _grouped(
    board: Leaderboard, named: Callable[[str | None, str], str]
) -> list[tuple[str, str, ScorerFigure]]:
    """Name of the group, row and accuracy of the ranked rows of the first table of each mode, on
    the parts of their pairs that are `named`."""
    found = [
        (name, row, figure)
        for mode in board.modes
        for row in board.first(mode).ranked
        for group, figure in board.entries[row].groups("accuracy", mode).items()
        if (name := named(mode, group))
    ]
    return sorted(found, key=lambda one: one[:2])


def _domain(mode: str | None, group: str) -> str:
    """The domain of a configuration; empty of another group."""
    domain = group.removesuffix(f"-{mode}")
    return "" if domain == group else domain


def _plots(board: Leaderboard) -> Iterator[tuple[str, Plot]]:
    for mode in board.modes:
        first = board.first(mode)
        name = mode or "pairs"
        if first.ranked_by == "net_right_flips":
            yield name, flips_plot(board, first)
        else:
            yield name, accuracies(board, mode)


def accuracies(board: Leaderboard, mode: str | None) -> Plot:
    """A line a scorer, a mark a condition."""
    scorers = _scorers(board, mode)
    dots = [
        Dot(
            name, figure, COLOURS[record.colour], record.marker, condition, bool(one.unranked(mode))
        )
        for condition, record in CONDITIONS.items()
        for name, entries in scorers.items()
        for one in entries
        if one.about.condition == condition and (figure := one.figure("accuracy", mode))
    ]
    caption = (
        f"{title_of(mode)}: accuracy with its 95 % interval. The dashed line is one half. Hollow"
        " marks are not ranked."
    )
    panels = [Panel(dots, "accuracy, %", 0.5, WHOLE)]
    return draw_panels(panels, list(scorers), caption=caption, name=f"accuracy-{mode or 'pairs'}")


def flips_plot(board: Leaderboard, ranking: Ranking) -> Plot:
    """A line a row: right flips and flips on placebos, and beside them what ranks."""
    (net, right, placebos), mode = FLIPS, ranking.mode
    names = [name for name in ranking.rows if FLIPS[net](board.entries[name], mode)]
    labels = {name: label(board.entries[name]).replace(" (", "\n(") for name in names}

    def dots(head: str, colour: Colour = BLUE, marker: str = "o", name: str = "") -> list[Dot]:
        return [
            Dot(labels[row], found, colour, marker, name, hollow=row in ranking.unranked)
            for row in names
            if (found := FLIPS[head](board.entries[row], mode))
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


def _scorers(board: Leaderboard, mode: str | None) -> Mapping[str, list[BoardEntry]]:
    """Entries by scorer, best in its ranked conditions first."""
    scorers: dict[str, list[BoardEntry]] = {}
    for entry in board.entries.values():
        if entry.value("accuracy", mode) is not None:
            # What a reader must know of it on a line of its own, or the axes have no room.
            scorers.setdefault(label(entry).replace(" (", "\n("), []).append(entry)

    def best(entries: list[BoardEntry]) -> float:
        seeing = [one for one in entries if not CONDITIONS[one.about.condition].unranked]
        return max(one.value("accuracy", mode) or 0.0 for one in seeing or entries)

    return dict(sorted(scorers.items(), key=lambda item: (-best(item[1]), item[0])))
