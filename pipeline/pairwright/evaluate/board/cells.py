"""Rows of the leaderboard as they are written, on the page and on the terminal."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from pairwright.estimate import Estimate, p_value
from pairwright.evaluate.board.board import Leaderboard, choices_of_others
from pairwright.evaluate.board.ranking import BoardEntry, Ranking, gain_over
from pairwright.evaluate.conditions import CONDITIONS, ConditionName
from pairwright.evaluate.measure.figure import FIGURES, ScorerFigure, figure_names
from pairwright.evaluate.release import tie_mark
from pairwright.modes import is_twin
from pairwright.records import Mode
from pairwright.report import Table
from pairwright.text import visible


class RankingTable(NamedTuple):
    """A table of a ranking: its best row first, and those that are not ranked below."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    brief: tuple[int, ...]
    """The columns that a terminal has room for."""

    def as_table(self, ranking: Ranking, title: str) -> Table:
        """All columns, below the title of the condition."""
        note = f"{title} (condition {ranking.condition})."
        return Table(self.head, self.rows, left=2 if ranking.ranked else 1, note=note)


OTHERS = "the choices of others (not ranked)"
"""The row of what those who choose like the user tell."""


def ranking_table(board: Leaderboard, ranking: Ranking) -> RankingTable:
    """The entries of a ranking, one a row."""
    mode = ranking.mode
    covered = "whole twins, %" if is_twin(mode) else "scored, %"
    columns: dict[str, Callable[[BoardEntry], str]] = {
        "scorer": label,
        # On one line, however many.
        "group": lambda one: ranking.groups.get(one.name, "").replace(" ", "\N{NO-BREAK SPACE}"),
        "accuracy, %": lambda one: percent(one.figure("accuracy", mode)),
        "n": lambda one: count(one.figure("accuracy", mode)),
    }
    if not ranking.ranked:
        del columns["group"]
    entries = [
        board.entries[name] for name in (*ranking.ranked, *unranked_by_accuracy(board, ranking))
    ]
    if is_twin(mode):
        columns["both right, %"] = lambda one: percent(one.figure("both_right", mode))
        columns["twins"] = lambda one: count(one.figure("both_right", mode))
        columns["interaction, %"] = lambda one: percent(one.figure("interaction", mode))
    for control in CONDITIONS[ranking.condition].compared_with:
        if any(count(one.figure(gain_over(control), mode)) not in ("", "0") for one in entries):
            columns[f"{gain_over(control)}, points"] = partial(_gain, control, mode)
    brief = [n for n, name in enumerate(columns) if name not in ("twins", "interaction, %")]
    columns["clusters"] = lambda one: clusters(one.figure("accuracy", mode))
    if ranking.ranked:
        columns["p, to the next"] = lambda one: _to_next(ranking, one)
    columns["of the scored, %"] = lambda one: percent(one.figure("accuracy_of_scored", mode))
    columns["worst to best case, %"] = lambda one: bounds(one, mode)
    columns[covered] = lambda one: value(one.figure("coverage", mode))
    for name in figure_names("ranking"):
        columns[FIGURES[name].head(name)] = partial(_figure, name, mode)
    if any(not _whole(one, mode) for one in entries):
        # Otherwise they say nothing that the accuracy does not.
        brief += [list(columns).index(name) for name in ("of the scored, %", covered)]
    table_rows = [tuple(cell(one) for cell in columns.values()) for one in entries]
    if others := choices_of_others(board, ranking):
        table_rows.append(others_row(others, tuple(columns)))
    return RankingTable(tuple(columns), tuple(table_rows), tuple(brief))


def others_row(others: Estimate, head: tuple[str, ...]) -> tuple[str, ...]:
    """What the choices of others tell, as a row below scorers; empty in columns that are of scorers
    alone."""
    known = {
        "scorer": OTHERS,
        "accuracy, %": percent(others),
        "n": f"{others.n:,}",
        "clusters": f"{others.clusters:,}",
    }
    return tuple(known.get(name, "") for name in head)


def unranked_by_accuracy(board: Leaderboard, ranking: Ranking) -> list[str]:
    """The rows that are not ranked, in the order that they would have."""

    def accuracy(name: str) -> float:
        figure = board.entries[name].figure("accuracy", ranking.mode)
        return -1.0 if figure is None or figure.value is None else figure.value

    return sorted(ranking.unranked, key=lambda name: (-accuracy(name), name))


def label(entry: BoardEntry) -> str:
    """The scorer's name, with what a reader must know of it."""
    name = f"{entry.about.scorer.name} (baseline)" if entry.baseline else entry.about.scorer.name
    if entry.build_ties:
        name += f" ({tie_mark(entry.build_ties)})"
    return (
        f"{name}, planned by {visible(entry.about.planner.model)}" if entry.about.planner else name
    )


def figure_words(name: str) -> str:
    """A figure's name as it is read."""
    return name.replace("_", " ")


def percent(figure: ScorerFigure | Estimate | None) -> str:
    """`71.2 (65.0 to 76.6)`, or `50.0 by identity`; empty where there is nothing to say."""
    if figure is None or figure.value is None:
        return ""
    if isinstance(figure, ScorerFigure) and figure.by_identity:
        return f"{100 * figure.value:.1f} by identity"
    if figure.low is None or figure.high is None:
        return f"{100 * figure.value:.1f} (no interval)"
    return f"{100 * figure.value:.1f} ({100 * figure.low:.1f} to {100 * figure.high:.1f})"


def in_words(figure: ScorerFigure) -> str:
    """A share as `percent` with its unit, any other figure as a plain number."""
    if figure.value is None:
        return "none"
    if figure.by_identity:
        return f"{100 * figure.value:.1f} % by identity"
    if FIGURES[figure.name].percent:
        return f"{percent(figure)} %"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f} (no interval)"
    return f"{figure.value:.3f} ({figure.low:.3f} to {figure.high:.3f})"


def points_text(figure: ScorerFigure | None) -> str:
    """The same as `percent`, with a sign."""
    if figure is None or figure.value is None:
        return ""
    if figure.by_identity:
        return f"{100 * figure.value:+.1f} by identity"
    if figure.low is None or figure.high is None:
        return ""
    return f"{100 * figure.value:+.1f} ({100 * figure.low:+.1f} to {100 * figure.high:+.1f})"


def value(figure: ScorerFigure | None) -> str:
    """The estimate in percent, without its interval."""
    return "" if figure is None or figure.value is None else f"{100 * figure.value:.1f}"


def count(figure: ScorerFigure | None) -> str:
    """The n of a figure."""
    return "" if figure is None else f"{figure.n:,}"


def clusters(figure: ScorerFigure | None) -> str:
    """The number of clusters behind a figure."""
    return "" if figure is None else f"{figure.clusters:,}"


def bounds(entry: BoardEntry, mode: Mode | None) -> str:
    """Accuracy with all ties and missing scores wrong, and right."""
    worst, best = value(entry.figure("worst_case", mode)), value(entry.figure("best_case", mode))
    return f"{worst} to {best}" if worst and best else ""


def _whole(entry: BoardEntry, mode: Mode | None) -> bool:
    coverage = entry.figure("coverage", mode)
    return coverage is None or coverage.value in (None, 1.0)


def _to_next(ranking: Ranking, entry: BoardEntry) -> str:
    comparison = ranking.next_to(entry.name) if entry.name in ranking.ranked else None
    return p_value(comparison.adjusted) if comparison else ""


def _figure(name: str, mode: Mode | None, entry: BoardEntry) -> str:
    """A figure that FIGURES gives a column; empty where this scorer has none."""
    figure = entry.figure(name, mode)
    if figure is None or figure.value is None:
        return ""
    if not FIGURES[name].interval:
        return value(figure)
    return percent(figure) if FIGURES[name].percent else in_words(figure)


def _gain(control: ConditionName, mode: Mode | None, entry: BoardEntry) -> str:
    return points_text(entry.figure(gain_over(control), mode))
