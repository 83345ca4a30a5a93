r"""The rankings as files for other programs: leaderboard.csv and leaderboard.tex.

A row of the CSV is a scorer in one condition on one mode of pairs, which is empty where the pairs
have none. Shares are from 0 to 1, and an empty cell means that there is no such figure; one that
holds by identity has no interval. A text that a spreadsheet would take for a formula begins with an
apostrophe; numbers are written as they are.

The LaTeX file has one table a ranking, for `\input` in a document that loads `booktabs`. Names are
of strangers: each character that LaTeX gives a meaning to is escaped.
"""

import csv
import io
from collections.abc import Iterator

import pandas as pd

from pairwright.evaluation.board.board import Leaderboard
from pairwright.evaluation.board.ranking import BoardEntry, Ranking, gain_over
from pairwright.evaluation.board.rows import label, ranking_table
from pairwright.evaluation.conditions import CONDITIONS
from pairwright.evaluation.measure.figure import ScorerFigure
from pairwright.evaluation.release import tie_mark
from pairwright.modes import mode_title
from pairwright.text import visible
from pairwright_human_eval.sheet_answers import guarded

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
        for name in FURTHER for part in PARTS
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

    `rank` is 1 plus the number of ranked rows with a higher accuracy; rows that share a letter in
    `groups` cannot be distinguished.
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
    about, mode = entry.about, ranking.mode
    texts = (
        board.release.name,
        board.release.version,
        board.release.digest,
        mode or "",
        ranking.condition,
        about.scorer.name,
        about.scorer.kind,
        about.planner.model if about.planner else "",
        tie_mark(entry.build_ties) if entry.build_ties else "",
        _rank(board, ranking, entry),
        ranking.unranked.get(entry.name, ""),
        ranking.groups.get(entry.name, ""),
    )
    yield from (guarded(visible(text)) for text in texts)
    yield from _numbers(entry.figure("accuracy", mode))
    for control in GAIN_CONTROLS:
        yield from _numbers(entry.figure(gain_over(control), mode))
    for name in FURTHER:
        yield from _numbers(entry.figure(name, mode))


def _rank(board: Leaderboard, ranking: Ranking, entry: BoardEntry) -> str:
    if entry.name not in ranking.ranked:
        return ""
    own = _accuracy(entry, ranking)
    return str(1 + sum(_accuracy(board.entries[one], ranking) > own for one in ranking.ranked))


def _accuracy(entry: BoardEntry, ranking: Ranking) -> float:
    figure = entry.figure("accuracy", ranking.mode)
    assert figure, "a ranked row has an accuracy"
    assert figure.value is not None, "a ranked row has an accuracy"
    return figure.value


def _numbers(figure: ScorerFigure | None) -> tuple[str, str, str, str, str]:
    """Value, low, high, n and clusters."""
    if figure is None:
        return "", "", "", "", ""
    value, low, high = (
        "" if number is None else repr(number) for number in (figure.value, figure.low, figure.high)
    )
    return value, low, high, str(figure.n), str(figure.clusters)


def latex_tables(board: Leaderboard) -> str:
    """The text of leaderboard.tex: a `table` with `booktabs` for each ranking."""
    release = board.release
    source = visible(f"{release.name} {release.version}, {release.digest}")
    head = f"% {' '.join(source.split())}\n% Needs \\usepackage{{booktabs}} and [T1]{{fontenc}}.\n"
    return head + "".join(f"\n{_table(board, ranking)}" for ranking in board.rankings)


def _table(board: Leaderboard, ranking: Ranking) -> str:
    every = ranking_table(board, ranking)
    gains = [head for head in every.head if head.startswith("gain over")]
    table = every.only((*every.main, *gains, "n", "clusters"))
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
