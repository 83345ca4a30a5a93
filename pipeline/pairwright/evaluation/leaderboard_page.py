"""The leaderboard as a page, and the end of an evaluation in a terminal: the tables and plot, for
templates that have the sentences."""

from collections.abc import Iterable
from typing import Any

from pairwright.evaluation.benchmark import QUESTIONS
from pairwright.evaluation.conditions import CONDITIONS
from pairwright.evaluation.leaderboard import BoardRow, Leaderboard, Ranking
from pairwright.evaluation.scores import FIGURES, ScorerFigure
from pairwright.modes import MODES, title_of
from pairwright.pages import Page, plots, render_page
from pairwright.pages.plots import Dot, Plot, draw_panel
from pairwright.pairs import blind_bound
from pairwright.stats import ALIKE, p_value

HEADS = {
    "accuracy": "accuracy",
    "both_right": "twin accuracy",
    "net_right_flips": "corrected twin accuracy",
    "placebo_flips": "flips on placebos",
    "coverage": "scored",
}
"""The names of the figures in tables."""
FEW_PLACEBOS = 20
"""The least number of placebos whose flips support a conclusion."""
MOST_ROWS, MOST_COLUMNS = 5, 3
"""The size of the table at the end of an evaluation: the end fits into 15 terminal lines."""
PLACEBO = "placebo"


def board_page(board: Leaderboard, *, drawn: bool = True) -> Page:
    """The page; a terminal does without the drawing."""
    by_group = [
        (figure.group, name, figure)
        for mode, first in board.firsts.items()
        for name in first.ranked
        for figure in board.entries[name].figures
        if (figure.name, figure.mode) == ("accuracy", mode) and figure.group != mode
    ]
    first = next(iter(board.firsts.values()), None)
    return render_page(
        "leaderboard",
        {"first": _plot(board, first)} if first and drawn else {},
        **_common(board),
        # Placebos have a table only if nothing else was scored.
        tables={mode: mode_table(board, mode) for mode in board.firsts or [PLACEBO]},
        figures=FIGURES,
        by_group=by_group,
        readings=readings(board),
        p_value=p_value,
        heads=HEADS,
    )


def ending(board: Leaderboard) -> dict[str, Any]:
    """The values for the end of an evaluation in a terminal: a `table` of the best rows of the
    first mode, the number of rows that it leaves out (`more`), and the best reading of the user in
    it (`reads`)."""
    first = next(iter(board.firsts.values()), None)
    table = mode_table(board, first.mode if first else PLACEBO, first)
    rows, given = {label(row) for row in board.entries.values()}, given_away(board)[:1]
    table = table[: 1 + MOST_ROWS - bool(board.benchmark.warning) - len(given)]
    found = readings(board)
    return {
        **_common(board),
        "given_away": given,
        "reads": next((one for row in table[1:] for one in found if one[0] == row[0]), None),
        "table": [row[:MOST_COLUMNS] for row in table],
        "more": len(board.entries) - sum(row[0] in rows for row in table[1:]),
    }


def _common(board: Leaderboard) -> dict[str, Any]:
    """The values that sentences on a leaderboard need, on a page and in a terminal."""
    every = [one for row in board.entries.values() for one in row.figures if one.n > 1]
    return {
        "one_cluster": bool(every) and all(one.clusters == 1 for one in every),
        "board": board, "conditions": CONDITIONS, "few_placebos": FEW_PLACEBOS, "alike": ALIKE,
        "label": label, "title_of": mode_title, "shown": figure_text,
        "unit_of": lambda mode: "question" if mode == QUESTIONS else "pair",
    }  # fmt: skip


def mode_title(mode: str) -> str:
    """The heading of a mode's table."""
    return title_of(mode) if mode in MODES else mode.capitalize()


def label(row: BoardRow) -> str:
    """The scorer's name, with what a reader must know of it."""
    marks = ["baseline"] * row.baseline + [row.mark] * bool(row.mark)
    name = row.about.scorer.name
    return f"{name} ({', '.join(marks)})" if marks else name


def figure_text(figure: ScorerFigure | None) -> str:
    """A share as `71.2 % (65.0 to 76.6)`, a difference in points as `+3.1 (-0.4 to +6.5)`, coverage
    without an interval; empty if there is nothing to say."""
    if figure is None or figure.value is None:
        return ""
    if figure.name == "coverage":
        return f"{100 * figure.value:.1f} %"
    return figure.percent(1, sign=figure.name not in FIGURES or figure.name == "net_right_flips")


def mode_table(board: Leaderboard, mode: str, only: Ranking | None = None) -> list[list[str]]:
    """The rows of a mode with their head: by condition, best first and unranked rows last.
    Questions with options end with the row of chance. A condition whose rows are all exact by
    construction is left out if there are others; `only` gives a single ranking."""
    own = [only] if only else [one for one in board.rankings if one.mode == mode]
    rankings = [one for one in own if not board.exact(one)] or own
    rows = [board.entries[name] for one in rankings for name in one.rows]
    columns = ["accuracy"]
    if mode == PLACEBO:
        rows, columns = [*board.entries.values()], ["placebo_flips"]
    elif any(one.ranked_by == "net_right_flips" for one in rankings):
        columns = ["net_right_flips", "both_right", "placebo_flips", "accuracy"]
    elif mode in MODES and MODES[mode].halves == 2:
        columns.append("both_right")
    if any((row.value("coverage", mode) or 0.0) < 1 for row in rows):
        columns.append("coverage")
    several = len({row.about.condition for row in rows}) > 1
    cells = [["scorer", *["shown"] * several, *(HEADS[name] for name in columns)]]
    for row in rows:
        # Placebos stand beside every mode.
        figures = [row.figure(of, PLACEBO if of == "placebo_flips" else mode) for of in columns]
        shown = [row.about.condition] * several
        mark = ", not ranked" if not only and mode != PLACEBO and row.unranked(mode) else ""
        cells.append([label(row) + mark, *shown, *map(figure_text, figures)])
    if chance := _chance(rows, mode):
        at = cells[0].index(HEADS["accuracy"])
        filled = f"{100 * chance:.1f} %"
        cells.append(["chance", *(filled if n == at else "" for n in range(1, len(cells[0])))])
    return cells


def _chance(rows: Iterable[BoardRow], mode: str) -> float | None:
    figures = (row.figure("accuracy", mode) for row in rows)
    return next((one.chance for one in figures if one), None)


def given_away(board: Leaderboard) -> list[tuple[str, ScorerFigure, float]]:
    """The rows whose accuracy without the user exceeds an audit's bound by more than chance, with
    that bound; on pairs also if it is as far below 50 %. Rows with too few scores do not count."""
    found = []
    for row in board.entries.values():
        for mode in board.firsts if row.about.blind else ():
            if (one := row.figure("accuracy", mode)) and not row.unranked(mode):
                bound = blind_bound(one.chance or 0.5)
                if max(one.low or 0, 0 if one.chance else 1 - (one.high or 1)) > bound:
                    found.append((f"{label(row)} (condition {row.about.condition})", one, bound))
    return found


def readings(board: Leaderboard) -> list[tuple[str, str, str, ScorerFigure]]:
    """Whether scorers read their users: scorer, mode, control, and the accuracy with the user's
    posts less that in the control. A scorer that is blind is right on 1/2 of complete twins. Rows
    that are not ranked have none."""
    found = []
    ranked = {(name, ranking.mode) for ranking in board.rankings for name in ranking.ranked}
    for name, row in board.entries.items():
        shown = row.about.condition == "profile" and not row.about.blind
        for one in row.figures if shown else ():
            if not one.n or (name, one.mode) not in ranked:
                continue
            if one.name not in FIGURES:
                control = one.name.removeprefix("gain over ")
                found.append((label(row), one.mode, control, one))
            elif one == row.figure("accuracy", one.mode) and row.figure("both_right", one.mode):
                ends = {"value": one.value, "low": one.low, "high": one.high}
                less = {key: None if end is None else end - 0.5 for key, end in ends.items()}
                over = ScorerFigure(**one.model_dump() | less)
                found.append((label(row), one.mode, "chance", over))
    return found


def _plot(board: Leaderboard, first: Ranking) -> Plot:
    """Plot the figure that ranks the rows of a ranking, a line per row."""
    mode, name = first.mode, first.ranked_by
    rows = [board.entries[one] for one in first.ranked or first.rows]
    dots = []
    for row in rows:
        # What a reader must know of it on a line of its own, or the axes have no room.
        if figure := row.figure(name, mode):
            colour = plots.GREY if row.baseline else plots.BLUE
            dots.append(Dot(label(row).replace(" (", "\n("), figure, colour))
    unit, reference, ends = "accuracy, %", _chance(rows, mode) or 0.5, (-2.0, 102.0)
    if name == "net_right_flips":
        unit, reference, ends = "corrected twin accuracy, points", 0.0, (-52.0, 102.0)
    caption = (
        f"{mode_title(mode)}, condition {first.condition}: {HEADS[name]} with its 95 % interval. A"
        " scorer on the dashed line shows nothing of its users."
    )
    return draw_panel(
        dots, unit=unit, reference=reference, ends=ends, caption=caption, name=f"{name}-{mode}"
    )
