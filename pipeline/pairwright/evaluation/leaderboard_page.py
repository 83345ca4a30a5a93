"""The leaderboard as a page, and the end of an evaluation in a terminal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pairwright.evaluation.benchmark import QUESTIONS
from pairwright.evaluation.conditions import CONDITIONS
from pairwright.evaluation.figures import FIGURES, FOLLOWS, IDENTITY, ScorerFigure
from pairwright.evaluation.leaderboard import BoardRow, Leaderboard, Ranking
from pairwright.evaluation.scorers.baselines import MANNER
from pairwright.modes import MODES, title_of
from pairwright.pages import Page, plots, render_page
from pairwright.pages.plots import Dot, Plot, draw_panel
from pairwright.pairs import blind_bound
from pairwright.stats import ALIKE, p_value
from pairwright.text import number_of

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
    accuracies = [
        (figure.group, name, figure)
        for mode, first in board.firsts.items()
        for name in first.ranked
        for figure in board.entries[name].figures
        if (figure.name, figure.mode) == ("accuracy", mode) and figure.group != mode
    ]
    domains = {group for group, *_ in accuracies} - set(FOLLOWS.values())
    first = next(iter(board.firsts.values()), None)
    return render_page(
        "leaderboard",
        {"first": _plot(board, first)} if first and drawn else {},
        board=board,
        figures=FIGURES,
        verdicts=verdicts(board),
        tables={mode: mode_table(board, mode) for mode in modes_of(board)},
        unranked=unranked,
        exact=exact,
        # One domain alone is the whole table again.
        by_group=[
            one for one in accuracies if one[0] in FOLLOWS.values() or len(domains) > 1
        ],
        found=readings(board),
        p_value=p_value,
        unit_of=unit_of,
        title_of=mode_title,
        heads=HEADS,
    )  # fmt: skip


def modes_of(board: Leaderboard) -> Iterable[str]:
    """The modes that have a table: placebos only if nothing else was scored."""
    return board.firsts or [PLACEBO]


def mode_title(mode: str) -> str:
    """The heading of a mode's table."""
    return title_of(mode) if mode in MODES else mode.capitalize()


def unit_of(mode: str) -> str:
    """The unit that an accuracy of a mode counts, as a word."""
    return "question" if mode == QUESTIONS else "pair"


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


# Verdicts


def verdicts(board: Leaderboard) -> list[str]:
    """A sentence for each mode: which row is best, and whether it is ahead of the next; then why
    there is no interval, if everybody is in one cluster."""
    said = [_verdict(board, first) for first in board.firsts.values()]
    every = [one for row in board.entries.values() for one in row.figures if one.n > 1]
    if every and all(one.clusters == 1 for one in every):
        said.append(
            "All pairs are one cluster, and no figure has an interval: their users share prompts or"
            " answered them both ways, so nothing shows how far other users would differ."
        )
    return said or ["No pair has a label to be right on: see the placebos."]


def _verdict(board: Leaderboard, first: Ranking) -> str:
    mode, best = first.mode, board.entries[first.rows[0]]
    if not first.ranked:
        return f"{mode_title(mode)}: no row is ranked."
    placebos, few = best.figure("placebo_flips", PLACEBO), ""
    if first.ranked_by == "accuracy":
        accuracy = best.figure("accuracy", mode)
        assert accuracy, "what is ranked has an accuracy"
        of = number_of(accuracy.n, unit_of(mode))
        is_best = f"is right in {figure_text(accuracy)} of {of}"
        if accuracy.chance:
            is_best += f" (chance: {100 * accuracy.chance:.1f} %)"
    else:
        value = figure_text(best.figure(first.ranked_by, mode)).replace(" (", " points (", 1)
        is_best = f"has the highest corrected twin accuracy, {value}"
        if placebos and placebos.n < FEW_PLACEBOS:
            there = f"{placebos.n} placebos, fewer than {FEW_PLACEBOS}"
            few = f" With {there}, conclude nothing from this figure."
    shown = CONDITIONS[first.condition].title.lower()
    said = f"{mode_title(mode)}, {shown}: {label(best)} {is_best}"
    if len(first.ranked) == 1:
        return f"{said}.{few}"
    following = first.ranked[1]
    ahead = first.with_above[following]
    if ahead.low is not None and ahead.low > 0:
        return f"{said}, {ahead.percent(1, sign=True)} points ahead of the next row.{few}"
    if ahead.note == ALIKE and ahead.value:
        lead = f"{100 * ahead.value:+.1f} points ahead of the next row in every cluster"
        return f"{said}, {lead}.{few}"
    after = label(board.entries[following])
    return f"{said}. It cannot be distinguished from the next row, {after}.{few}"


# Tables


def mode_table(board: Leaderboard, mode: str, only: Ranking | None = None) -> list[list[str]]:
    """The rows of a mode with their head: by condition, best first and unranked rows last.
    Questions with options end with the row of chance. A condition whose rows are all exact by
    construction is left out if there are others; `only` gives a single ranking."""
    own = [only] if only else [one for one in board.rankings if one.mode == mode]
    rankings = [one for one in own if not exact(board, one)] or own
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
        cells.append([label(row), *shown, *map(figure_text, figures)])
    if chance := _chance(rows, mode):
        at = cells[0].index(HEADS["accuracy"])
        filled = f"{100 * chance:.1f} %"
        cells.append(["chance", *(filled if n == at else "" for n in range(1, len(cells[0])))])
    return cells


def exact(board: Leaderboard, ranking: Ranking) -> bool:
    """Whether every row of a ranking is exact by construction: its table carries no evidence."""
    figures = (board.entries[name].figure("accuracy", ranking.mode) for name in ranking.rows)
    return all(figure is not None and figure.note == IDENTITY for figure in figures)


def unranked(board: Leaderboard, mode: str) -> Mapping[str, str]:
    """The rows of a mode's table that are not ranked, by reason."""
    found: dict[str, list[str]] = {}
    for one in board.rankings:
        for name, why in one.unranked.items() if one.mode == mode else ():
            found.setdefault(why, []).append(name)
    return {why: ", ".join(names) for why, names in found.items()}


def _chance(rows: Sequence[BoardRow], mode: str) -> float | None:
    figures = (row.figure("accuracy", mode) for row in rows)
    return next((one.chance for one in figures if one), None)


def ending(board: Leaderboard) -> dict[str, Any]:
    """The values that a terminal shows at the end of an evaluation: `warnings`, `verdicts`, and the
    best reading of the user (`reads`). Also a `table` of the best rows of the first mode and all of
    MANNER, and the number of rows that it leaves out (`more`)."""
    warnings = [*filter(None, [board.benchmark.warning]), *given_away(board)[:1]]
    first = next(iter(board.firsts.values()), None)
    table = mode_table(board, first.mode if first else PLACEBO, first)
    said, found = verdicts(board), readings(board)
    rows = {label(row): row.about.scorer.name for row in board.entries.values()}
    others = [row for row in table[1:] if rows.get(row[0]) not in MANNER]
    hidden = others[max(0, MOST_ROWS - len(warnings) - (len(table) - 1 - len(others))) :]
    table = [row for row in table if row not in hidden]
    return {
        "warnings": warnings,
        "verdicts": [said[0], *said[len(board.firsts) or 1 :]],
        "reads": next((one for row in table[1:] for one in found if one[0] == row[0]), ()),
        "table": [row[:MOST_COLUMNS] for row in table],
        "more": len(board.entries) - sum(row[0] in rows for row in table[1:]),
    }


def given_away(board: Leaderboard) -> list[str]:
    """A sentence per accuracy without the user that exceeds an audit's bound by more than chance;
    on pairs also if it is as far below 50 %. Rows with too few scores have none."""
    found = []
    for name, row in board.entries.items():
        for mode in board.firsts if row.about.blind else ():
            if (one := row.figure("accuracy", mode)) and not row.unranked(mode):
                bound = blind_bound(one.chance or 0.5)
                if max(one.low or 0, 0 if one.chance else 1 - (one.high or 1)) > bound:
                    found.append(
                        f"{name} is right in {one.percent(1)} of {mode_title(mode).lower()} without"
                        f" the user; the bound of an audit is {100 * bound:.0f} %."
                    )
    return found


def readings(board: Leaderboard) -> list[tuple[str, str, str, ScorerFigure]]:
    """Whether scorers read their users: scorer, mode, control, and the accuracy with the user's
    posts less that in the control. A scorer that is blind is right on 1/2 of complete twins. Rows
    with too few scores to be ranked have none."""
    found = []
    for row in board.entries.values():
        shown = row.about.condition == "profile" and not row.about.blind
        for one in row.figures if shown else ():
            if row.unranked(one.mode):
                continue
            if one.name not in FIGURES and one.n:
                found.append((label(row), one.mode, one.name.removeprefix("gain over "), one))
            elif one.name == "both_right" and one.group == one.mode and one.n:
                accuracy = row.figure("accuracy", one.mode)
                assert accuracy, "twins have both figures"
                own = accuracy.model_dump()
                less = {
                    key: None if own[key] is None else own[key] - 0.5
                    for key in ("value", "low", "high")
                }
                found.append((label(row), one.mode, "chance", ScorerFigure(**own | less)))
    return found


def _plot(board: Leaderboard, first: Ranking) -> Plot:
    """Plot the figure that ranks the rows of a ranking, a line per row."""
    mode, name = first.mode, first.ranked_by
    dots = []
    for row in (board.entries[one] for one in first.ranked or first.rows):
        # What a reader must know of it on a line of its own, or the axes have no room.
        if figure := row.figure(name, mode):
            colour = plots.GREY if row.baseline else plots.BLUE
            dots.append(Dot(label(row).replace(" (", "\n("), figure, colour))
    unit, reference, lowest = (
        "accuracy, %",
        _chance([board.entries[one] for one in first.rows], mode) or 0.5,
        -2.0,
    )
    if name == "net_right_flips":
        unit, reference, lowest = "corrected twin accuracy, points", 0.0, -52.0
    caption = (
        f"{mode_title(mode)}, condition {first.condition}: {HEADS[name]} with its 95 % interval. A"
        " scorer on the dashed line shows nothing of its users."
    )
    return draw_panel(
        dots, unit=unit, reference=reference, ends=(lowest, 102.0), caption=caption,
        name=f"{name}-{mode}",
    )  # fmt: skip
