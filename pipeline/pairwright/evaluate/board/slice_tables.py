"""The leaderboard's tables of slices: word overlap, dates, domains, and what controls test."""

from pairwright.estimate import p_value
from pairwright.evaluate.board.board import Leaderboard
from pairwright.evaluate.board.cells import (
    OTHERS,
    clusters,
    count,
    percent,
    unranked_by_accuracy,
)
from pairwright.evaluate.board.finding_sentences import value_text
from pairwright.evaluate.board.findings import TEST_VALUES
from pairwright.evaluate.board.ranking import Ranking
from pairwright.evaluate.conditions import CONDITIONS
from pairwright.evaluate.measure.accuracy import DATE_SLICES, OVERLAP_SLICES
from pairwright.evaluate.measure.figure import ScorerFigure
from pairwright.evaluate.release import SOURCES
from pairwright.records import Mode
from pairwright.report import Table
from pairwright.text import visible


def slice_table(board: Leaderboard, ranking: Ranking) -> Table:
    """A ranking's rows where word overlap is right, tied and wrong; no rows where it was not
    evaluated."""
    by_row = {name: _slices(board, name, ranking.mode) for name in _rows(board, ranking)}
    there = [name for name in OVERLAP_SLICES if any(name in own for own in by_row.values())]
    head = ("row", *(part for name in there for part in (f"{name}, %", "n", "clusters")))
    lines = tuple(
        (
            row,
            *(
                cell
                for name in there
                for cell in (percent(own.get(name)), count(own.get(name)), clusters(own.get(name)))
            ),
        )
        for row, own in by_row.items()
    )
    note = (
        "Word overlap is the baseline of that name in the same condition; of a twin, both halves"
        " together. A scorer that only follows shared words is near 0 where overlap is wrong, and"
        " at one half where it is tied."
    )
    return Table(head, lines if there else (), note=note)


def source_table(board: Leaderboard, ranking: Ranking) -> Table:
    """A ranking's rows and what the choices of others tell, by source; no rows where there is one
    source."""
    lines: dict[str, list[tuple[str, ...]]] = {}
    for name, found in board.release.neighbours_by_source.items():
        others = (OTHERS, percent(found), f"{found.n:,}", f"{found.clusters:,}")
        lines[name] = [others]
    for row in _rows(board, ranking):
        for figure in board.entries[row].figures:
            if figure.name == "source_accuracy" and figure.mode == ranking.mode:
                own = (row, percent(figure), count(figure), clusters(figure))
                lines.setdefault(figure.group, []).append(own)
    note = (
        "A source is a conversation, named by its question, or else a question. At most"
        f" {SOURCES} with the most pairs are here."
    )
    head = ("source", "row", "accuracy, %", "n", "clusters")
    rows = [(visible(source), *own) for source, of_source in lines.items() for own in of_source]
    return Table(head, tuple(rows) if len(lines) > 1 else (), left=2, note=note)


def date_table(board: Leaderboard, mode: Mode | None) -> Table:
    """Rows of scorers whose cutoff is known, by the dates of the posts; no rows where none is."""
    lines = []
    for ranking in board.rankings:
        if ranking.mode == mode and CONDITIONS[ranking.condition].shows_posts:
            for row in _rows(board, ranking):
                cutoff, own = board.entries[row].about.scorer.cutoff, _slices(board, row, mode)
                lines += [
                    (row, cutoff or "", name, percent(own[name]), count(own[name]),
                     clusters(own[name]))
                    for name in DATE_SLICES
                    if name in own
                ]  # fmt: skip
    note = (
        "Posts from before the cutoff may have been read in training. A scorer that is right on"
        " fewer of those after it may recall, or newer posts may be harder."
    )
    head = ("row", "cutoff", "posts", "accuracy, %", "n", "clusters")
    return Table(head, tuple(lines), left=3, note=note)


def domain_table(board: Leaderboard) -> Table:
    """Rows that are ranked, by domain, with all modes side by side; no rows where there is one
    domain."""
    modes = list(dict.fromkeys(ranking.mode for ranking in board.rankings))
    cells: dict[tuple[str, str], dict[Mode | None, ScorerFigure]] = {}
    for ranking in board.rankings:
        for row in ranking.ranked:
            for figure in board.entries[row].figures:
                domain = figure.group.removesuffix(f"-{ranking.mode}")
                config = domain != figure.group and figure.mode == ranking.mode
                if figure.name == "accuracy" and config:
                    cells.setdefault((domain, row), {})[ranking.mode] = figure
    if len({domain for domain, _ in cells}) < 2:
        return Table(("domain", "row"), ())
    head = ("domain", "row", *(part for mode in modes for part in (f"{mode}, %", "n", "clusters")))
    lines = tuple(
        (
            visible(domain),
            row,
            *(
                cell
                for mode in modes
                for figure in (own.get(mode),)
                for cell in (percent(figure), count(figure), clusters(figure))
            ),
        )
        for (domain, row), own in sorted(cells.items(), key=lambda item: item[0][0])
    )
    note = "Modes are side by side and never averaged with one another."
    return Table(head, lines, left=2, note=note)


def control_test_table(board: Leaderboard, mode: Mode | None) -> Table:
    """Every test of the controls in a mode, found or not."""
    own = [one for one in board.findings if one.mode == mode]
    lines = tuple(
        (
            one.question,
            f"{one.scorer}.{one.condition}",
            value_text(one),
            f"{one.value.n:,}",
            f"{one.value.clusters:,}",
            p_value(one.p),
            p_value(one.adjusted),
        )
        for one in own
    )
    questions = dict.fromkeys(one.question for one in own)
    values = "; ".join(f"{name}: {TEST_VALUES[name]}" for name in questions)
    note = (
        f"The values, by test: {values}. p is of the sign-flip test of this one alone, p (board) of"
        " all tests of the leaderboard together (Holm). Below 5 % it is said in a sentence."
    )
    head = ("test", "row", "value", "n", "clusters", "p", "p (board)")
    return Table(head, lines, left=2, note=note)


def _rows(board: Leaderboard, ranking: Ranking) -> list[str]:
    return [*ranking.ranked, *unranked_by_accuracy(board, ranking)]


def _slices(board: Leaderboard, row: str, mode: Mode | None) -> dict[str, ScorerFigure]:
    return {
        one.group: one
        for one in board.entries[row].figures
        if one.name == "slice_accuracy" and one.mode == mode
    }
