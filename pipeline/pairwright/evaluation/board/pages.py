"""The leaderboard as a page, in brief as Markdown to read beside a release, and in short for a
terminal."""

from collections.abc import Iterator

from pairwright.blind_preference import preference_sentence
from pairwright.estimate import p_text, p_value
from pairwright.evaluation.board import plots
from pairwright.evaluation.board.board import Leaderboard, choices_of_others
from pairwright.evaluation.board.findings import TEST_VALUES, found_by_meaning
from pairwright.evaluation.board.flips import clusters_needed
from pairwright.evaluation.board.ranking import gain_over, level_sharers
from pairwright.evaluation.board.rows import OTHERS, figure_text, label, ranking_table
from pairwright.evaluation.conditions import CONDITIONS, CONTROLS
from pairwright.evaluation.measure.accuracy import DATE_SLICES, FLOOR, OVERLAP_SLICES
from pairwright.evaluation.measure.figure import FIGURES, ScorerFigure, figure_names, mode_group
from pairwright.evaluation.release import SOURCES, tie_mark
from pairwright.evaluation.scorers.scorer import MANNER
from pairwright.intervals import LEVEL
from pairwright.modes import is_own_choice, is_twin, mode_pairs, mode_title
from pairwright.pages import Page, render_page
from pairwright.pages.plots import Plot
from pairwright.records import Mode


def board_page(board: Leaderboard, *, brief: bool = False) -> Page:
    """The page; in brief without drawings and folds, which grow with every row."""
    return _render("leaderboard", board, {} if brief else dict(_plots(board)), brief=brief)


def board_notes(board: Leaderboard) -> tuple[str, ...]:
    """What a terminal prints below the tables, in paragraphs of plain text."""
    return _render("leaderboard_notes", board, {}, brief=True).opening


def _render(name: str, board: Leaderboard, drawn: dict[str, Plot], *, brief: bool) -> Page:
    """A template over the board, with the records and functions that its words depend on."""
    return render_page(
        name,
        drawn,
        board=board,
        brief=brief,
        conditions=CONDITIONS,
        controls=[gain_over(control) for control in CONTROLS],
        figures={name: kind.meaning for name, kind in FIGURES.items()},
        floor=FLOOR,
        level=LEVEL,
        manners=MANNER,
        most_sources=SOURCES,
        of_dates=DATE_SLICES,
        of_others=OTHERS,
        of_overlap=OVERLAP_SLICES,
        sharers=level_sharers(board.rankings),
        test_values=TEST_VALUES,
        by_domain=list(_by_domain(board)),
        choices_of_others=choices_of_others,
        clusters_needed=clusters_needed,
        figure_names=figure_names,
        figure_text=figure_text,
        found=found_by_meaning,
        gain_over=gain_over,
        is_own_choice=is_own_choice,
        is_twin=is_twin,
        label=label,
        mode_group=mode_group,
        mode_pairs=mode_pairs,
        mode_title=mode_title,
        p_text=p_text,
        p_value=p_value,
        preference_sentence=preference_sentence,
        ranking_table=ranking_table,
        sources=_sources,
        tie_mark=tie_mark,
    )


def _plots(board: Leaderboard) -> Iterator[tuple[str, Plot]]:
    for mode in board.modes:
        group = mode_group(mode).name
        yield f"accuracy-{group}", plots.accuracies(board, mode)
        if gained := plots.gains(board, mode):
            yield f"gain-{group}", gained
        if margins := plots.calibration_plot(board, mode):
            yield f"calibration-{group}", margins


def _sources(board: Leaderboard, mode: Mode | None) -> tuple[str, ...]:
    """The sources that a mode's rows have an accuracy of; none where there is only one."""
    entries = [board.entries[row] for row in board.rows_of_mode(mode)]
    names = dict.fromkeys(name for one in entries for name in one.groups("source_accuracy", mode))
    return tuple(names) if len(names) > 1 else ()


def _by_domain(board: Leaderboard) -> Iterator[tuple[str, str, ScorerFigure]]:
    """Domain, row and accuracy of the ranked rows, with all modes side by side; nothing where there
    is one domain."""
    found = [
        (domain, row, figure)
        for ranking in board.rankings
        for row in ranking.ranked
        for group, figure in board.entries[row].groups("accuracy", ranking.mode).items()
        if (domain := group.removesuffix(f"-{ranking.mode}")) != group
    ]
    if len({domain for domain, _, _ in found}) > 1:
        yield from sorted(found, key=lambda one: one[:2])
