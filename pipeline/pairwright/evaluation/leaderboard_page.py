"""The leaderboard as a page, and as the one table that a terminal shows."""

from collections.abc import Callable, Iterable

from pairwright.evaluation.benchmark import QUESTIONS
from pairwright.evaluation.conditions import CONDITIONS
from pairwright.evaluation.figures import FIGURES, FOLLOWS, ScorerFigure
from pairwright.evaluation.leaderboard import BoardRow, Leaderboard, Ranking
from pairwright.modes import MODES, title_of
from pairwright.pages import Page, plots, render_page
from pairwright.pages.plots import Colour, Dot, Panel, Plot, draw_panels
from pairwright.stats import p_value

COLOURS: dict[str, Colour] = {
    "blue": plots.BLUE, "green": plots.GREEN, "grey": plots.GREY, "orange": plots.ORANGE,
    "red": plots.RED, "sky": plots.SKY,
}  # fmt: skip
"""The colours by the names that conditions have for them. Their markers differ, too."""
HEADS = {
    "accuracy": "accuracy",
    "both_right": "both right",
    "net_right_flips": "net right flips, points",
    "placebo_flips": "flips on placebos",
    "coverage": "scored",
}
"""What tables call the figures."""


def board_page(board: Leaderboard, *, drawn: bool = True) -> Page:
    """The page; a terminal does without the drawings."""
    every = [(name, one) for name, row in board.entries.items() for one in row.figures]
    by_domain = _grouped(board, lambda group: group not in FOLLOWS.values())
    return render_page(
        "leaderboard",
        {mode: _plot(board, mode) for mode in board.modes} if drawn else {},
        board=board,
        conditions=CONDITIONS,
        figures=FIGURES,
        by_domain=by_domain if len({name for name, _, _ in by_domain}) > 1 else [],
        by_aspects=_grouped(board, lambda group: group in FOLLOWS.values()),
        found=readings(board),
        consistent=[(name, one) for name, one in every if one.name == "swap_consistency"],
        label=label,
        p_value=p_value,
        unit_of=lambda mode: "question" if mode == QUESTIONS else "pair",
        title_of=mode_title,
        ranking_table=ranking_table,
    )


def _figure(row: BoardRow, name: str, mode: str) -> ScorerFigure | None:
    return row.first(name) if name == "placebo_flips" else row.figure(name, mode)


def ranking_table(board: Leaderboard, ranking: Ranking) -> list[list[str]]:
    """The rows of a ranking with its head before them, best first and those that are not ranked
    below."""
    mode, columns = ranking.mode, ["accuracy"]
    rows = [board.entries[name] for name in ranking.rows]
    if ranking.ranked_by == "net_right_flips":
        columns = ["net_right_flips", "both_right", "placebo_flips", "accuracy"]
    elif mode in MODES and MODES[mode].halves == 2:
        columns.append("both_right")
    if any((row.value("coverage", mode) or 0.0) < 1 for row in rows):
        columns.append("coverage")
    cells = [[label(row), *(figure_text(_figure(row, c, mode)) for c in columns)] for row in rows]
    if chance := _chance(rows, mode):
        cells.append(["chance", *(chance if c == "accuracy" else "" for c in columns)])
    return [["scorer", *(HEADS[column] for column in columns)], *cells]


def _chance(rows: Iterable[BoardRow], mode: str) -> str:
    """How often blind choosing is right of the questions of a mode; empty of other pairs."""
    found = [one.chance for row in rows if (one := row.figure("accuracy", mode)) and one.chance]
    return f"{100 * found[0]:.1f} %" if found else ""


def summary_table(board: Leaderboard) -> list[list[str]]:
    """What a terminal shows of an evaluation: the heads of the columns, one a mode, and a line for
    each row."""
    figures = {one.mode: "accuracy" for row in board.entries.values() for one in row.figures}
    for row in board.entries.values():
        figures |= {one.mode: one.name for one in row.figures if one.name == "placebo_flips"}
    rows = [
        [
            f"{label(row)}, {row.about.condition}",
            *(figure_text(row.figure(name, mode)) for mode, name in figures.items()),
        ]
        for row in board.entries.values()
    ]
    chances = [_chance(board.entries.values(), mode) for mode in figures]
    rows += [["chance", *chances]] if any(chances) else []
    return [[f"{mode_title(m).lower()}, {HEADS[name]}" for m, name in figures.items()], *rows]


def readings(board: Leaderboard) -> list[tuple[str, str, str, ScorerFigure]]:
    """Whether scorers read their users: scorer, mode, control, and the accuracy with the user's
    posts less that in the control. A scorer that is blind is right on one half of whole twins."""
    found = []
    for row in board.entries.values():
        shown = row.about.condition == "profile" and not row.about.blind
        for one in row.figures if shown else ():
            if one.name not in FIGURES and one.n:
                found.append((label(row), one.mode, one.name.removeprefix("gain over "), one))
            elif one.name == "both_right" and one.group == one.mode and one.n:
                own = row.groups("accuracy", one.mode)[one.mode].model_dump()
                less = {key: own[key] - 0.5 for key in ("value", "low", "high")}
                found.append((label(row), one.mode, "one half", ScorerFigure(**own | less)))
    return found


def label(row: BoardRow) -> str:
    """The scorer's name, with what a reader must know of it."""
    about = row.about
    marks = ["baseline"] * row.baseline + [row.mark] * bool(row.mark)
    return f"{about.scorer.name} ({', '.join(marks)})" if marks else about.scorer.name


def figure_text(figure: ScorerFigure | None) -> str:
    """A share as `71.2 % (65.0 to 76.6)`, a difference in points as `+3.1 (-0.4 to +6.5)`, coverage
    without an interval; empty where there is nothing to say."""
    if figure is None or figure.value is None:
        return ""
    if figure.name == "coverage":
        return f"{100 * figure.value:.1f} %"
    return figure.percent(1, sign=figure.name not in FIGURES or figure.name == "net_right_flips")


def _grouped(
    board: Leaderboard, taken: Callable[[str], bool]
) -> list[tuple[str, str, ScorerFigure]]:
    """Name of the group, row and accuracy of the ranked rows of the first table of each mode, on
    the parts of their pairs that are `taken`."""
    found = [
        (group, row, figure)
        for mode in board.modes
        for row in board.first(mode).ranked
        for group, figure in board.entries[row].groups("accuracy", mode).items()
        if group != mode and taken(group)
    ]
    return sorted(found, key=lambda one: one[:2])


def mode_title(mode: str) -> str:
    """The heading of a mode's tables."""
    return title_of(mode) if mode in MODES else mode.capitalize()


def _plot(board: Leaderboard, mode: str) -> Plot:
    """A line a scorer, a mark a condition: what ranks its rows."""
    name = board.first(mode).ranked_by
    flips = name == "net_right_flips"
    rows = [row for row in board.entries.values() if row.value(name, mode) is not None]
    rows.sort(key=lambda row: (bool(row.unranked(mode)), -(row.value(name, mode) or 0.0)))
    # What a reader must know of it on a line of its own, or the axes have no room.
    labels = {row.about.stem: label(row).replace(" (", "\n(") for row in rows}
    dots = [
        Dot(
            labels[row.about.stem],
            figure,
            COLOURS[condition.colour],
            condition.marker,
            row.about.condition,
            bool(row.unranked(mode)),
        )
        for row in sorted(rows, key=lambda row: list(CONDITIONS).index(row.about.condition))
        for condition in [CONDITIONS[row.about.condition]]
        if (figure := row.figure(name, mode))
    ]
    chance = next((one.chance for row in rows if (one := row.figure(name, mode))), None) or 0.5
    panel = (
        Panel(dots, "net right flips, points", 0, (-52, 102))
        if flips
        else Panel(dots, "accuracy, %", chance, (-2.0, 102.0))
    )
    caption = (
        f"{mode_title(mode)}: {HEADS[name]} with its 95 % interval. On the dashed line a scorer"
        " tells nothing of its users. Hollow marks are not ranked."
    )
    names = list(dict.fromkeys(labels.values()))
    return draw_panels([panel], names, caption=caption, name=f"{name}-{mode}")
