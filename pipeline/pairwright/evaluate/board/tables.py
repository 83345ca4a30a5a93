"""The leaderboard's other tables: configurations, calibration, comparisons, costs."""

from collections.abc import Sequence
from itertools import chain

from pairwright.estimate import p_value
from pairwright.evaluate.board.board import Leaderboard
from pairwright.evaluate.board.cells import (
    clusters,
    count,
    figure_words,
    in_words,
    label,
    percent,
    points_text,
    unranked_by_accuracy,
)
from pairwright.evaluate.board.ranking import RowComparison, gain_over
from pairwright.evaluate.conditions import CONTROLS
from pairwright.evaluate.measure.figure import figure_names
from pairwright.modes import is_twin
from pairwright.records import Mode
from pairwright.report import Table
from pairwright.text import number_of, visible


def configuration_table(board: Leaderboard, mode: Mode | None) -> Table:
    """All pairs of the mode, the halves of twins, and each configuration, a row each."""
    twins = figure_names("twins") if is_twin(mode) else ()
    further = (*twins, *map(gain_over, CONTROLS))
    lines: list[tuple[str, ...]] = []
    for name in _names(board, mode):
        entry = board.entries[name]
        every = [figure for figure in (*entry.figures, *entry.gains) if figure.mode == mode]
        by_name = {(figure.group, figure.name): figure for figure in every}
        for accuracy in (figure for figure in every if figure.name == "accuracy"):
            more = [by_name.get((accuracy.group, figure)) for figure in further]
            cells = [
                cell
                for one in more
                for cell in (
                    percent(one) if one and one.name in twins else points_text(one),
                    count(one),
                )
            ]
            own = (name, visible(accuracy.group), percent(accuracy), count(accuracy))
            lines.append((*own, *cells, clusters(accuracy)))
    units = ["%" if figure in twins else "points" for figure in further]
    named = [
        (f"{figure_words(figure)}, {unit}", "n")
        for figure, unit in zip(further, units, strict=True)
    ]
    head = ("row", "pairs", "accuracy, %", "n", *chain.from_iterable(named), "clusters")
    # Every second of these columns is the n of the one before.
    known = [n for n in range(4, len(head) - 1, 2) if any(row[n] for row in lines)]
    shown = [0, 1, 2, 3, *(place for n in known for place in (n, n + 1)), len(head) - 1]
    rows = tuple(tuple(row[n] for n in shown) for row in lines)
    return Table(tuple(head[n] for n in shown), rows, left=2)


def calibration_table(board: Leaderboard, mode: Mode | None) -> Table:
    """Distance from people's votes, calibration error, and the accuracy of the surer half."""
    table = _named(board, mode, figure_names("calibration"))
    return Table(
        table.head,
        table.rows,
        left=2,
        note="A probability is the logistic of the margin between two scores, and the mean of a"
        " comparing judge's two verdicts. Scores of a reward model have no unit, so the error is"
        " after temperature scaling; brier is not scaled. Intervals take the bins as given.",
    )


def order_table(board: Leaderboard, mode: Mode | None) -> Table:
    """How far comparing judges keep to a verdict when the responses change places; no rows where
    nobody compares."""
    return _named(board, mode, figure_names("judges"))


def _named(board: Leaderboard, mode: Mode | None, names: tuple[str, ...]) -> Table:
    figures = [
        (name, board.entries[name].figure(figure, mode))
        for figure in names
        for name in _names(board, mode)
    ]
    rows = tuple(
        (figure_words(one.name), name, in_words(one), count(one), clusters(one), one.note)
        for name, one in figures
        if one is not None
    )
    return Table(("figure", "row", "value", "n", "clusters", "note"), rows, left=2)


def comparison_table(board: Leaderboard, mode: Mode | None) -> Table:
    """Every two ranked rows."""
    lines = [
        (
            comparison.first,
            comparison.second,
            _difference(comparison),
            f"{comparison.n:,}",
            f"{comparison.clusters:,}",
            p_value(comparison.p),
            p_value(comparison.adjusted),
        )
        for ranking in board.rankings
        if ranking.mode == mode
        for comparison in ranking.comparisons
    ]
    head = ("row", "less row", "difference, points", "n", "clusters", "p", "p (board)")
    note = (
        "Each interval, and p, is of its own comparison alone; p (board) is of the step-down test"
        " of all comparisons of a table, times the number of tables that can distinguish rows."
    )
    return Table(head, tuple(lines), left=2, note=note)


def _difference(comparison: RowComparison) -> str:
    value = f"{100 * comparison.difference:+.1f}"
    if comparison.low is None or comparison.high is None:
        return f"{value} (no interval)"
    return f"{value} ({100 * comparison.low:+.1f} to {100 * comparison.high:+.1f})"


def cost_table(board: Leaderboard, names: Sequence[str] = ()) -> Table:
    """Tokens, price and time of the rows that asked a model: of these, or of all."""
    lines = []
    for name in names or board.entries:
        entry = board.entries[name]
        about, timing = entry.about, entry.about.timing
        if not about.tokens and not timing:
            continue
        has_both = about.prompt_tokens is not None
        per = [
            "" if n is None or not about.pairs else f"{n / about.pairs:,.0f}"
            for n in (
                about.prompt_tokens,
                about.completion_tokens,
                None if has_both else about.tokens,
            )
        ]
        cost = "" if about.cost is None else f"{1000 * about.cost / about.pairs:,.2f}"
        latency = f"{timing.latency_s:.3g}" if timing else ""
        rate = f"{timing.calls_per_s:.3g}" if timing else ""
        calls = f"{timing.calls:,}" if timing else ""
        lines.append(
            (name, *per, cost, latency, rate, calls, f"{about.shortened:,}", f"{about.pairs:,}")
        )
    head = (
        "row", "tokens in, a pair", "tokens out, a pair", "tokens, a pair", "cost, 1,000 pairs",
        "seconds a call", "calls a second", "n calls", "histories shortened", "of pairs",
    )  # fmt: skip
    known = [n for n in range(len(head)) if any(row[n] for row in lines)]
    return Table(
        tuple(head[n] for n in known),
        tuple(tuple(row[n] for n in known) for row in lines),
        note="Baselines ask no model. Each call counts once, with draws that gave nothing; older"
        " results have tokens in and out together. The cost is by price_in and price_out of the"
        " endpoints, in their currency, and is empty where a model that was asked has none. Times"
        " are those of the last run that sent calls, with as many in flight as its endpoint's"
        " concurrency lets.",
    )


def scorer_table(board: Leaderboard) -> Table:
    """The models behind the names."""
    refs = {entry.about.scorer.name: entry for entry in board.entries.values()}
    return Table(
        ("scorer", "kind", "model", "revision", "settings"),
        tuple(
            (label(one), *map(visible, (s.kind, s.model, s.revision or "", s.settings)))
            for one in refs.values()
            for s in (one.about.scorer,)
        ),
        left=5,
        note=f"{number_of(board.release.pairs, 'pair')}; the release's digest is"
        f" {visible(board.release.digest)}.",
    )


def _names(board: Leaderboard, mode: Mode | None) -> list[str]:
    """All rows of a mode, in the order of its tables."""
    return [
        name
        for ranking in board.rankings
        if ranking.mode == mode
        for name in (*ranking.ranked, *unranked_by_accuracy(board, ranking))
    ]
