"""A ranking as rows of texts, for the page and the terminal."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Literal, NamedTuple

from pairwright.estimate import p_value
from pairwright.evaluation.board.board import Leaderboard, choices_of_others
from pairwright.evaluation.board.ranking import SET_APART, BoardEntry, Ranking, gain_over
from pairwright.evaluation.conditions import CONDITIONS
from pairwright.evaluation.measure.figure import FIGURES, ScorerFigure, figure_names
from pairwright.evaluation.release import tie_mark
from pairwright.modes import PLACEBO, TWIN, is_twin
from pairwright.records import Mode
from pairwright.text import visible

OTHERS = "the choices of others (not ranked)"
"""The row of what those who choose like the user tell."""


class RankingTable(NamedTuple):
    """A table of a ranking: its best row first, and those that are not ranked below."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    main: tuple[str, ...]
    """The heads of the columns that are read first: five at most."""

    def only(self, heads: Collection[str]) -> "RankingTable":
        """The columns of these heads, in their order here."""
        places = [place for place, head in enumerate(self.head) if head in heads]
        rows = tuple(tuple(row[place] for place in places) for row in self.rows)
        return RankingTable(tuple(self.head[place] for place in places), rows, self.main)


def ranking_table(board: Leaderboard, ranking: Ranking) -> RankingTable:
    """The entries of a ranking, one a row, with every column."""
    mode = ranking.mode
    entries = [board.entries[name] for name in board.rows(ranking)]
    by_flips = ranking.ranked_by == "net_right_flips"

    def text(name: str, entry: BoardEntry, of: Mode | None = mode) -> str:
        return figure_text(entry.figure(name, of))

    def count(of: Literal["n", "clusters"], entry: BoardEntry) -> str:
        figure = entry.figure("accuracy", mode)
        return "" if figure is None else f"{getattr(figure, of):,}"

    def to_next(entry: BoardEntry) -> str:
        comparison = ranking.next_to(entry.name) if entry.name in ranking.ranked else None
        return p_value(comparison.adjusted) if comparison else ""

    columns: dict[str, Callable[[BoardEntry], str]] = {"scorer": label}
    if ranking.ranked:
        apart = {name: "apart" for name, why in ranking.unranked.items() if why == SET_APART}
        groups = apart | ranking.groups
        # On one line, however many.
        columns["group"] = lambda one: groups.get(one.name, "").replace(" ", "\N{NO-BREAK SPACE}")
    if by_flips:
        columns |= {head: partial(text, name, of=of) for head, (name, of) in FLIPS.items()}
    columns["accuracy"] = partial(text, "accuracy")
    further = [
        f"{gain_over(control)}, points"
        for control in CONDITIONS[ranking.condition].compared_with
        if any((gain := one.figure(gain_over(control), mode)) and gain.n for one in entries)
    ]
    if is_twin(mode):
        columns["both right"] = partial(text, "both_right")
    columns |= {head: partial(text, head.removesuffix(", points")) for head in further}
    covered = "whole twins" if is_twin(mode) else "scored"
    columns[covered] = partial(text, "coverage")
    if is_twin(mode):
        columns["interaction"] = partial(text, "interaction")
    columns["n"] = partial(count, "n")
    columns["clusters"] = partial(count, "clusters")
    if ranking.ranked:
        columns["p, to the next"] = to_next
    columns["of the scored"] = partial(text, "accuracy_of_scored")
    columns["worst case"] = partial(text, "worst_case")
    columns["best case"] = partial(text, "best_case")
    for name in figure_names("ranking"):
        columns[name.replace("_", " ")] = partial(text, name)
    rows = [tuple(cell(one) for cell in columns.values()) for one in entries]
    if others := choices_of_others(board, ranking):
        known = {
            "scorer": OTHERS,
            "accuracy": others.percent(1),
            "n": f"{others.n:,}",
            "clusters": f"{others.clusters:,}",
        }
        rows.append(tuple(known.get(name, "") for name in columns))
    second = "both right" if is_twin(mode) else next(iter(further), "")
    whole = all(one.value("coverage", mode) in (None, 1.0) for one in entries)
    # Where every score is there, coverage says nothing that the accuracy does not.
    main = ("scorer", "group", "accuracy", second, *(() if whole else (covered,)))
    if by_flips:  # The notes say which rows are short of scores.
        main = ("scorer", "group", *FLIPS)
    return RankingTable(tuple(columns), tuple(rows), main)


FLIPS: dict[str, tuple[str, Mode | None]] = {
    "net right flips, points": ("net_right_flips", TWIN.name),
    "right flips": ("both_right_of_scored", TWIN.name),
    "flips on placebos": ("placebo_flips", PLACEBO.name),
}
"""The columns of flips, each with the figure and the mode that it is of."""


def label(entry: BoardEntry) -> str:
    """The scorer's name, with what a reader must know of it."""
    name = f"{entry.about.scorer.name} (baseline)" if entry.baseline else entry.about.scorer.name
    if entry.build_ties:
        name += f" ({tie_mark(entry.build_ties)})"
    return (
        f"{name}, planned by {visible(entry.about.planner.model)}" if entry.about.planner else name
    )


def figure_text(figure: ScorerFigure | None) -> str:
    """A share as `71.2 % (65.0 to 76.6)`, a gain in points as `+3.1 (-0.4 to +6.5)`, any other
    figure as a plain number; empty where there is nothing to say."""
    if figure is None or figure.value is None:
        return ""
    kind = FIGURES.get(figure.name, FIGURES["gain"])
    if kind.difference:
        return figure.percent(1, sign=True)
    if kind.interval:
        return figure.percent(1) if kind.percent else figure.text()
    return f"{100 * figure.value:.1f} %" if kind.percent else f"{figure.value:.3f}"
