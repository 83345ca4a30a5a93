"""The leaderboard as a page, and the end of an evaluation in a terminal."""

from collections.abc import Sequence
from typing import Any

from pairwright.evaluation.benchmark import QUESTIONS
from pairwright.evaluation.conditions import CONDITIONS
from pairwright.evaluation.figures import FIGURES, FOLLOWS, IDENTITY, ScorerFigure
from pairwright.evaluation.leaderboard import BoardRow, Leaderboard, Ranking
from pairwright.modes import MODES, title_of
from pairwright.pages import Page, plots, render_page
from pairwright.pages.plots import Colour, Dot, Panel, Plot, draw_panel
from pairwright.pairs import blind_bound
from pairwright.stats import ALIKE, p_value
from pairwright.text import number_of

COLOURS: dict[str, Colour] = {
    "blue": plots.BLUE, "green": plots.GREEN, "grey": plots.GREY, "orange": plots.ORANGE,
    "red": plots.RED, "sky": plots.SKY,
}  # fmt: skip
"""The colours by the names that conditions have for them. Their markers differ, too."""
HEADS = {
    "accuracy": "accuracy",
    "both_right": "twin accuracy",
    "net_right_flips": "corrected twin accuracy, points",
    "placebo_flips": "flips on placebos",
    "coverage": "scored",
}
"""What tables call the figures."""
FEW_PLACEBOS = 20
"""Placebos below which nothing is concluded from their flips."""
CITED = "gain over evidence-only"  # No sign of reading: a reader needs the cited posts alone.
MOST_ROWS, MOST_MODES = 5, 2
"""Of the table at the end of an evaluation, so that the end fits into 15 lines."""


def board_page(board: Leaderboard, *, drawn: bool = True) -> Page:
    """The page; a terminal does without the drawings."""
    accuracies = [
        (figure.group, name, figure)
        for mode, first in board.firsts.items()
        for name in first.ranked
        for figure in board.entries[name].figures
        if (figure.name, figure.mode) == ("accuracy", mode) and figure.group != mode
    ]
    aspects = set(FOLLOWS.values())
    domains = {group for group, *_ in accuracies} - aspects
    return render_page(
        "leaderboard",
        {mode: _plot(board, first) for mode, first in board.firsts.items()} if drawn else {},
        board=board,
        conditions=CONDITIONS,
        figures=FIGURES,
        verdicts=verdicts(board),
        # One domain alone is the whole table again.
        by_group=[one for one in accuracies if one[0] in aspects or len(domains) > 1],
        found=readings(board),
        label=label,
        p_value=p_value,
        unit_of=unit_of,
        title_of=mode_title,
        ranking_table=ranking_table,
        exact=exact,
        heads=HEADS,
    )


def mode_title(mode: str) -> str:
    """The heading of a mode's tables."""
    return title_of(mode) if mode in MODES else mode.capitalize()


def exact(board: Leaderboard, ranking: Ranking) -> bool:
    """Whether no row of a ranking could have come out otherwise: its table says nothing."""
    figures = (board.entries[name].figure("accuracy", ranking.mode) for name in ranking.rows)
    return all(figure is not None and figure.note == IDENTITY for figure in figures)


def unit_of(mode: str) -> str:
    """What an accuracy of a mode counts."""
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
    figure, accuracy = best.figure(first.ranked_by, mode), best.figure("accuracy", mode)
    assert figure, "what is ranked has the figure"
    assert accuracy, "and an accuracy"
    is_best = f"has the highest corrected twin accuracy, {figure_text(figure)} points"
    if first.ranked_by == "accuracy":
        of = number_of(accuracy.n, unit_of(mode))
        is_best = f"is right in {figure_text(accuracy)} of {of}"
        if accuracy.chance:
            is_best += f" (chance: {100 * accuracy.chance:.1f} %)"
    shown = CONDITIONS[first.condition].title.lower()
    said = f"{mode_title(mode)}, {shown}: {label(best)} {is_best}"
    placebos, few = best.figure("placebo_flips", "placebo"), ""
    if first.ranked_by != "accuracy" and placebos and placebos.n < FEW_PLACEBOS:
        there = f"{placebos.n} placebos, fewer than {FEW_PLACEBOS}"
        few = f" With {there}, conclude nothing from this figure."
    if not first.ranked[1:]:
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
    heads = [HEADS[column] for column in columns]
    return _table(rows, [(name, mode) for name in columns], heads)


def _table(
    rows: Sequence[BoardRow], columns: Sequence[tuple[str, str]], heads: Sequence[str]
) -> list[list[str]]:
    """A line for each row with its figures of these names and modes, and one of chance for
    questions with options."""
    cells = [["scorer", *heads]]
    for row in rows:
        # Placebos stand beside every mode.
        modes = ("placebo" if name == "placebo_flips" else mode for name, mode in columns)
        figures = [row.figure(name, mode) for (name, _), mode in zip(columns, modes, strict=True)]
        cells.append([label(row), *map(figure_text, figures)])
    chances = [
        next((one.chance for row in rows if (one := row.figure("accuracy", mode))), None)
        if name == "accuracy"
        else None
        for name, mode in columns
    ]
    if any(chances):
        cells.append(["chance", *(f"{100 * one:.1f} %" if one else "" for one in chances)])
    return cells


def ending(board: Leaderboard) -> dict[str, Any]:
    """What a terminal shows at the end of an evaluation: `warnings`, the `verdict` on the first
    mode, whether its best row reads the user, a `table` of the best rows of the first ranking, and
    how many rows it leaves out (`more`)."""
    warnings = [board.benchmark.warning] if board.benchmark.warning else []
    given = given_away(board)
    for name, one in given[:1]:
        more = f", and {len(given) - 1} more are beyond it" if given[1:] else ""
        bound = 100 * blind_bound(one.chance or 0.5)
        warnings.append(
            f"{name} is right in {one.percent(1)} of {mode_title(one.mode).lower()} without the"
            f" user; the bound of an audit is {bound:.0f} %{more}."
        )
    firsts = list(board.firsts.values())[:MOST_MODES]
    names = firsts[0].rows if firsts else tuple(board.entries)
    columns = [(str(one.ranked_by), one.mode) for one in firsts] or [("placebo_flips", "placebo")]
    rows = [board.entries[name] for name in names[: MOST_ROWS - len(warnings)]]
    heads = [f"{mode_title(mode).lower()}, {HEADS[name]}" for name, mode in columns]
    told = {name.partition(" (")[0]: one for name, *one in reversed(readings(board))}
    read = [(name, *told[name]) for name in (row.about.scorer.name for row in rows) if name in told]
    return {
        "warnings": warnings,
        "verdicts": [*verdicts(board)[:1], *verdicts(board)[len(board.firsts) or 1 :]],
        "reads": read[0] if read else (),
        "table": _table(rows, columns, heads),
        "more": len(board.entries) - len(rows),
    }


def given_away(board: Leaderboard) -> list[tuple[str, ScorerFigure]]:
    """The rows with accuracies without the user that are beyond an audit's bound by more than
    chance; of pairs below 1/2 by as much, too."""
    return [
        (name, one)
        for name, row in board.entries.items()
        for one in row.figures
        if row.about.blind and (one.name, one.group) == ("accuracy", one.mode)
        and max(one.low or 0, 0 if one.chance else 1 - (one.high or 1))
        > blind_bound(one.chance or 0.5)
    ]  # fmt: skip


def readings(board: Leaderboard) -> list[tuple[str, str, str, ScorerFigure]]:
    """Whether scorers read their users: scorer, mode, control, and the accuracy with the user's
    posts less that in the control. A scorer that is blind is right on 1/2 of complete twins."""
    found = []
    for row in board.entries.values():
        shown = row.about.condition == "profile" and not row.about.blind
        for one in row.figures if shown else ():
            if one.name not in (*FIGURES, CITED) and one.n:
                found.append((label(row), one.mode, one.name.removeprefix("gain over "), one))
            elif one.name == "both_right" and one.group == one.mode and one.n:
                accuracy = row.figure("accuracy", one.mode)
                own = accuracy.model_dump() if accuracy else {}
                less = {
                    key: None if own[key] is None else own[key] - 0.5
                    for key in ("value", "low", "high")
                }
                found.append((label(row), one.mode, "chance", ScorerFigure(**own | less)))
    return found


def _plot(board: Leaderboard, first: Ranking) -> Plot:
    """A line a scorer, a mark a condition: what ranks its rows."""
    mode, name = first.mode, first.ranked_by
    rows = [row for row in board.entries.values() if row.value(name, mode) is not None]
    rows.sort(key=lambda row: (bool(row.unranked(mode)), -(row.value(name, mode) or 0.0)))
    # What a reader must know of it on a line of its own, or the axes have no room.
    labels = {row.about.stem: label(row).replace(" (", "\n(") for row in rows}
    dots = [
        Dot(
            labels[row.about.stem], figure, COLOURS[condition.colour], condition.marker, shown,
            bool(row.unranked(mode)),
        )
        for shown, condition in CONDITIONS.items()
        for row in rows
        if row.about.condition == shown and (figure := row.figure(name, mode))
    ]  # fmt: skip
    chance = next((one.chance for row in rows if (one := row.figure(name, mode))), None) or 0.5
    panel = Panel(dots, "accuracy, %", chance, (-2.0, 102.0))
    if name == "net_right_flips":
        panel = Panel(dots, "corrected twin accuracy, points", 0, (-52, 102))
    caption = (
        f"{mode_title(mode)}: {HEADS[name]} with its 95 % interval. A scorer on the dashed line"
        " shows nothing of its users. Hollow marks are not ranked."
    )
    names = list(dict.fromkeys(labels.values()))
    return draw_panel(panel, names, caption=caption, name=f"{name}-{mode}")
