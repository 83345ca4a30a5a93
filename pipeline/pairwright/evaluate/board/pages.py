"""The leaderboard as a page, and in brief as Markdown to read beside a release."""

from collections.abc import Callable, Iterator

from pairwright.evaluate.board import plots, sentences
from pairwright.evaluate.board.board import Leaderboard, choices_of_others
from pairwright.evaluate.board.cells import (
    figure_words,
    label,
    others_row,
    percent,
    points_text,
    ranking_table,
    unranked_by_accuracy,
    value,
)
from pairwright.evaluate.board.finding_sentences import found_sentences
from pairwright.evaluate.board.ranking import BoardEntry, Ranking, gain_over
from pairwright.evaluate.board.slice_tables import (
    control_test_table,
    date_table,
    domain_table,
    slice_table,
    source_table,
)
from pairwright.evaluate.board.tables import (
    calibration_table,
    comparison_table,
    configuration_table,
    cost_table,
    order_table,
    scorer_table,
)
from pairwright.evaluate.conditions import CONDITIONS
from pairwright.evaluate.measure.figure import FIGURES, mode_group
from pairwright.modes import is_twin, mode_title
from pairwright.pages import Page, render_page
from pairwright.pages.plots import Plot
from pairwright.records import Mode
from pairwright.report import Table


def board_page(board: Leaderboard, *, brief: bool = False) -> Page:
    """The page; in brief without drawings and folds, which grow with every row."""
    warnings, standing = list(sentences.warnings(board)), list(sentences.standing(board))
    # One box: that it is no result, or else the first thing that a reader must know.
    boxed = len(standing) or 1
    return render_page(
        "leaderboard",
        {} if brief else dict(_plots(board)),
        board=board,
        brief=brief,
        box=" ".join(warnings[:boxed]),
        caveats=(*warnings[boxed:], *sentences.advice(board)),
        conditions=CONDITIONS,
        figures={figure_words(name): kind.meaning for name, kind in FIGURES.items()},
        findings={mode: list(found_sentences(board, mode)) for mode in board.modes},
        folds={} if brief else {mode: dict(_folds(board, mode)) for mode in board.modes},
        domains=domain_table(board),
        costs=cost_table(board, _names(board) if brief else ()),
        scorers=scorer_table(board),
        ranked=_ranked,
        mode_title=mode_title,
        mode_group=mode_group,
        notes=_notes,
        says=sentences,
        label=label,
        percent=percent,
    )


def _plots(board: Leaderboard) -> Iterator[tuple[str, Plot]]:
    for mode in board.modes:
        group = mode_group(mode).name
        yield f"accuracy-{group}", plots.accuracies(board, mode)
        if gained := plots.gains(board, mode):
            yield f"gain-{group}", gained
        if margins := plots.calibration_plot(board, mode):
            yield f"calibration-{group}", margins


def _names(board: Leaderboard) -> tuple[str, ...]:
    """The rows of the first ranking of each mode."""
    first = [board.first(mode) for mode in board.modes]
    return tuple(dict.fromkeys(name for one in first for name in (*one.ranked, *one.unranked)))


def _ranked(board: Leaderboard, ranking: Ranking) -> Table:
    """A ranking in five columns: its best row first, and those that are not ranked below."""
    mode = ranking.mode
    columns: dict[str, Callable[[BoardEntry], str]] = {
        "scorer": label,
        "group": lambda one: ranking.groups.get(one.name, ""),
        "accuracy, %": lambda one: percent(one.figure("accuracy", mode)),
    }
    controls = CONDITIONS[ranking.condition].compared_with
    if is_twin(mode):
        columns["both right, %"] = lambda one: percent(one.figure("both_right", mode))
    elif controls and any(one.condition == controls[0] for one in board.of_mode(mode)):
        gain = gain_over(controls[0])
        columns[f"{gain}, points"] = lambda one: points_text(one.figure(gain, mode))
    columns["whole twins, %" if is_twin(mode) else "scored, %"] = lambda one: value(
        one.figure("coverage", mode)
    )
    if not ranking.ranked:
        del columns["group"]
    names = (*ranking.ranked, *unranked_by_accuracy(board, ranking))
    rows = [tuple(cell(board.entries[name]) for cell in columns.values()) for name in names]
    if others := choices_of_others(board, ranking):
        rows.append(others_row(others, tuple(columns)))
    return Table(tuple(columns), tuple(rows), left=2 if ranking.ranked else 1)


def _notes(board: Leaderboard, ranking: Ranking) -> Iterator[str]:
    """What is said below a ranking's table."""
    yield from sentences.independent_units(board, ranking)
    yield from sentences.manner_sentences(board, ranking)
    if ranking == board.first(ranking.mode):
        yield from sentences.blind_sentences(board, ranking)
    yield from sentences.not_part(ranking)
    yield from sentences.why_unranked(board, ranking)


def _folds(board: Leaderboard, mode: Mode | None) -> Iterator[tuple[str, list[Table]]]:
    """The tables that are folded, by title: those that have rows."""
    rankings = board.of_mode(mode)
    folds = {
        "Every column of these tables": [
            ranking_table(board, one).as_table(one, CONDITIONS[one.condition].title)
            for one in rankings
        ],
        "Where word overlap is right, tied and wrong": [
            slice_table(board, one) for one in rankings
        ],
        "By source, in each condition": [source_table(board, one) for one in rankings],
        "Posts before and after a model's cutoff": [date_table(board, mode)],
        "What the controls test": [control_test_table(board, mode)],
        "Gains, configurations and halves": [configuration_table(board, mode)],
        "Calibration and margins": [calibration_table(board, mode)],
        "Judges, and the order of the responses": [order_table(board, mode)],
        "Every two ranked rows": [comparison_table(board, mode)],
    }
    for title, tables in folds.items():
        if full := [table for table in tables if table.rows]:
            yield title, full
