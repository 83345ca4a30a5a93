r"""A ranking as rows of texts, for the page and the terminal; and the rankings as files for other
programs: leaderboard.csv and leaderboard.tex.

A row of the CSV is a scorer in one condition on one mode of pairs, which is empty where the pairs
have none. Shares are from 0 to 1, and an empty cell means that there is no such figure; one that
holds by identity has no interval. A text that a spreadsheet would take for a formula begins with an
apostrophe; numbers are written as they are.

The LaTeX file has one table a ranking, for `\input` in a document that loads `booktabs`. Names are
of strangers: each character that LaTeX gives a meaning to is escaped.
"""

import csv
import io
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Literal, NamedTuple

import pandas as pd

from pairwright.estimate import p_value
from pairwright.evaluation.board.board import Leaderboard, choices_of_others
from pairwright.evaluation.board.ranking import SET_APART, BoardEntry, Ranking, gain_over
from pairwright.evaluation.conditions import CONDITIONS
from pairwright.evaluation.measure.figure import FIGURES, ScorerFigure, figure_names
from pairwright.evaluation.release import tie_mark
from pairwright.modes import PLACEBO, TWIN, is_twin, mode_title
from pairwright.records import Mode
from pairwright.text import visible
from pairwright_human_eval.spreadsheets import guarded

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


GAIN_CONTROLS = tuple(
    dict.fromkeys(
        control for condition in CONDITIONS.values() for control in condition.compared_with
    )
)
"""The conditions that a gain is measured over, in the order of the columns."""
PARTS = ("", "_low", "_high", "_n", "_clusters")
"""The columns of an estimate, by how they end."""
FURTHER = ("both_right", "coverage", "ece_scaled")
"""Further figures of a row."""
COLUMNS = (
    "release", "version", "digest", "mode", "condition", "scorer", "kind", "planner", "mark",
    "rank", "unranked", "groups", "accuracy", "low", "high", "n", "clusters",
    *(
        f"gain_over_{control}{part}".replace("-", "_")
        for control in GAIN_CONTROLS for part in PARTS
    ),
    *(
        f"{name}{part}"
        for name in (*FURTHER, *(name for name, _ in FLIPS.values())) for part in PARTS
    ),
)  # fmt: skip
"""The head of leaderboard.csv."""
_ESCAPED = str.maketrans({
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    # Behind the end of a row these are options of it; two of the others are joined into one.
    **{mark: f"{{{mark}}}" for mark in "[]*-`'"},
    "\N{NO-BREAK SPACE}": "~",
})  # fmt: skip


def csv_table(board: Leaderboard) -> str:
    """The text of leaderboard.csv: one row a scorer, condition and mode, in the order of the page.

    `rank` is 1 plus the number of ranked rows with a higher accuracy, or with more net right flips
    where rows have these; rows that share a letter in `groups` cannot be distinguished.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for ranking in board.rankings:
        for name in board.rows(ranking):
            writer.writerow(_cells(board, ranking, board.entries[name]))
    return file.getvalue()


def _cells(board: Leaderboard, ranking: Ranking, entry: BoardEntry) -> Iterator[str]:
    """One row, in the order of COLUMNS."""
    about, mode, rank = entry.about, ranking.mode, ""
    if entry.name in ranking.ranked:
        values = [
            board.entries[name].value(ranking.ranked_by, mode) or 0.0 for name in ranking.ranked
        ]
        own = values[ranking.ranked.index(entry.name)]
        rank = str(1 + sum(other > own for other in values))
    texts = (
        board.release.name,
        board.release.version,
        board.release.digest,
        mode or "",
        ranking.condition,
        about.scorer.name,
        about.scorer.kind,
        about.planner.model if about.planner else "",
        tie_mark(entry.build_ties),
        rank,
        ranking.unranked.get(entry.name, ""),
        ranking.groups.get(entry.name, ""),
    )
    yield from (guarded(visible(text)) for text in texts)
    figures = [
        entry.figure(name, mode) for name in ("accuracy", *map(gain_over, GAIN_CONTROLS), *FURTHER)
    ]
    by_flips = ranking.ranked_by == "net_right_flips"
    figures += [entry.figure(*flip) if by_flips else None for flip in FLIPS.values()]
    for figure in figures:
        for part in ("value", "low", "high", "n", "clusters"):
            number = getattr(figure, part, None)
            yield "" if number is None else repr(number)


def latex_tables(board: Leaderboard) -> str:
    """The text of leaderboard.tex: a `table` with `booktabs` for each ranking."""
    release = board.release
    source = visible(f"{release.name} {release.version}, {release.digest}")
    head = f"% {' '.join(source.split())}\n% Needs \\usepackage{{booktabs}} and [T1]{{fontenc}}.\n"
    return head + "".join(f"\n{_table(board, ranking)}" for ranking in board.rankings)


def _table(board: Leaderboard, ranking: Ranking) -> str:
    every = ranking_table(board, ranking)
    gains = [head for head in every.head if head.startswith("gain over")]
    table = every.only((*every.main, "accuracy", *gains, "n", "clusters"))
    words = [head in ("scorer", "group") for head in table.head]
    title = f"{mode_title(ranking.mode)}. {CONDITIONS[ranking.condition].title}"
    notes = [
        f"Not ranked: {label(board.entries[name])} ({ranking.unranked[name]})."
        for name in board.rows(ranking)
        if name in ranking.unranked
    ]
    if board.release.trial:
        notes.append("The release is a trial, not a benchmark.")
    caption = (
        f"{title}. In brackets: 95 % intervals by cluster. Rows that share a letter"
        " cannot be distinguished."
    )
    cells = [
        [
            escaped(cell) if text else escaped(cell).replace("{-}", "$-$")
            for cell, text in zip(row, words, strict=True)
        ]
        for row in table.rows
    ]
    return pd.DataFrame(cells, columns=list(map(escaped, table.head))).to_latex(
        index=False,
        escape=False,  # It lets through what opens the options of a row.
        column_format="".join("l" if text else "r" for text in words),
        caption=escaped(" ".join((caption, *notes))),
    )


def escaped(text: str) -> str:
    """A text that LaTeX prints as it is, on one line."""
    return visible(text).replace("\n", " ").translate(_ESCAPED)
