"""The leaderboard as two pages: the whole one, and a summary of one page to read."""

from collections.abc import Callable, Iterator

from pairwright.evaluate.board import plots
from pairwright.evaluate.board.board import Leaderboard, choices_of_others
from pairwright.evaluate.board.cells import (
    count,
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
from pairwright.evaluate.board.plots import calibration_plot
from pairwright.evaluate.board.ranking import BoardEntry, Ranking, gain_over
from pairwright.evaluate.board.sentences import (
    blind_sentences,
    identity_sentences,
    independent_units,
    least_p,
    manner_sentences,
    not_part,
    others_sentences,
    posts_sentences,
    test_in_words,
    warnings,
    why_unranked,
)
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
from pairwright.evaluate.conditions import CONDITIONS, ConditionName
from pairwright.evaluate.measure.figure import FIGURES
from pairwright.modes import is_twin, mode_title
from pairwright.records import Mode
from pairwright.report import Block, Fold, Page, Section, Table
from pairwright.text import visible


def board_page(board: Leaderboard) -> Page:
    """The whole page."""
    modes = dict.fromkeys(ranking.mode for ranking in board.rankings)
    return Page(
        title=f"Leaderboard of {visible(f'{board.release.name} {board.release.version}')}",
        warnings=tuple(warnings(board)),
        sections=(
            *(Section(mode_title(mode), tuple(_mode_blocks(board, mode))) for mode in modes),
            *_domain_sections(board),
            Section("What it takes", (cost_table(board),)),
            Section("How to read it", tuple(_whole_method(board))),
            Section("What was evaluated", (scorer_table(board),)),
        ),
    )


def _mode_blocks(board: Leaderboard, mode: Mode | None) -> Iterator[Block]:
    yield plots.accuracies(board, mode)
    if gained := plots.gains(board, mode):
        yield gained
    yield from found_sentences(board, mode)
    for ranking in board.rankings:
        if ranking.mode == mode:
            table = ranking_table(board, ranking)
            note = " ".join(
                (
                    *independent_units(board, ranking),
                    *manner_sentences(board, ranking),
                    *blind_sentences(board, ranking),
                    *not_part(ranking),
                    *why_unranked(board, ranking),
                )
            )
            yield f"{CONDITIONS[ranking.condition].title} (condition {ranking.condition})."
            yield Table(table.head, table.rows, left=2 if ranking.ranked else 1, note=note)
    yield from _part_blocks(board, mode)
    yield Fold("Gains, configurations and halves", (configuration_table(board, mode),))
    margins = calibration_plot(board, mode)
    yield Fold(
        "Calibration and margins",
        (*((margins,) if margins else ()), calibration_table(board, mode)),
    )
    judges = order_table(board, mode)
    if judges.rows:
        yield Fold("Judges, and the order of the responses", (judges,))
    yield Fold("Every two ranked rows", (comparison_table(board, mode),))


def _domain_sections(board: Leaderboard) -> Iterator[Section]:
    by_domain = domain_table(board)
    if by_domain.rows:
        fold = Fold("Every ranked row, with all modes side by side", (by_domain,))
        yield Section("By domain", (fold,))


def _part_blocks(board: Leaderboard, mode: Mode | None) -> Iterator[Block]:
    """Slices, dates and the tests of the controls, each where there are any."""
    overlap = [
        block
        for ranking in board.rankings
        if ranking.mode == mode and (table := slice_table(board, ranking)).rows
        for block in (f"{CONDITIONS[ranking.condition].title} ({ranking.condition}).", table)
    ]
    if overlap:
        yield Fold("Where word overlap is right, tied and wrong", tuple(overlap))
    by_source = [
        table
        for ranking in board.rankings
        if ranking.mode == mode and (table := source_table(board, ranking)).rows
    ]
    if by_source:
        yield Fold("By source, in each condition", tuple(by_source))
    by_date = date_table(board, mode)
    if by_date.rows:
        yield Fold("Posts before and after a model's cutoff", (by_date,))
    tested = control_test_table(board, mode)
    if tested.rows:
        yield Fold("What the controls test", (tested,))


def _whole_method(board: Leaderboard) -> Iterator[Block]:
    yield board.rule
    yield (
        "Intervals are 95 % Wilson intervals at the effective number of pairs, by cluster: the two"
        " users of a twin, the user, or the prompt. Those of natural twins take couples and"
        " responses as crossed (Cameron, Gelbach and Miller 2011): other couples chose between the"
        " same."
    )
    yield test_in_words()
    yield "The p to the next row is one of these."
    yield from (least_p(board, ranking) for ranking in board.rankings if ranking.test)
    yield from posts_sentences(board)
    yield from others_sentences(board)
    yield from identity_sentences(board)
    yield (
        "What the controls find is said in sentences: each is a sign-flip test by cluster, and all"
        " of the leaderboard together find something where there is nothing in at most 5 % of"
        " leaderboards (Holm)."
    )
    yield (
        "A tie counts one half. A pair without a score counts as wrong, so that leaving out what is"
        " hard does not pay; the accuracy of the scored is beside it. Coverage is of twins with"
        " both halves scored, or of pairs. Below 95 % a row is not ranked."
    )
    meanings = tuple((figure_words(name), kind.meaning) for name, kind in FIGURES.items())
    yield Table(("figure", "what it is"), meanings, left=2)


def summary_page(board: Leaderboard) -> Page:
    """One table for each mode: the first ranking that ranks any row, beside other conditions."""
    first = [
        _first(board, mode) for mode in dict.fromkeys(ranking.mode for ranking in board.rankings)
    ]
    names = dict.fromkeys(name for one in first for name in (*one.ranked, *one.unranked))
    table = cost_table(board, tuple(names))
    return Page(
        title=f"Leaderboard of {visible(f'{board.release.name} {board.release.version}')}",
        warnings=tuple(warnings(board)),
        sections=(
            *(Section(mode_title(one.mode), tuple(_mode_summary(board, one))) for one in first),
            *((Section("What it takes", (table,)),) if table.rows else ()),
            Section("How to read it", tuple(_brief_method(board))),
        ),
    )


def _first(board: Leaderboard, mode: Mode | None) -> Ranking:
    """The ranking that a mode's table is in the order of: the first that ranks anything."""
    of_mode = [ranking for ranking in board.rankings if ranking.mode == mode]
    return next((one for one in of_mode if one.ranked), of_mode[0])


def _mode_summary(board: Leaderboard, ranking: Ranking) -> Iterator[Block]:
    title = CONDITIONS[ranking.condition].title
    yield f"{title} (condition {ranking.condition}); other conditions are beside it."
    yield _table(board, ranking)
    yield from independent_units(board, ranking)
    yield from manner_sentences(board, ranking)
    yield from blind_sentences(board, ranking)
    yield from found_sentences(board, ranking.mode)
    yield from why_unranked(board, ranking)
    if ranking.test:
        yield least_p(board, ranking)


def _table(board: Leaderboard, ranking: Ranking) -> Table:
    """A row a scorer; those that were not evaluated in the table's own condition come last."""
    mode = ranking.mode
    by_condition = {
        one.condition: {board.entries[name].about.scorer.name: board.entries[name]
                        for name in (*one.ranked, *unranked_by_accuracy(board, one))}
        for one in board.rankings if one.mode == mode
    }  # fmt: skip
    own = by_condition.pop(ranking.condition)
    names = dict.fromkeys([*own, *(name for some in by_condition.values() for name in some)])
    columns: dict[str, Callable[[BoardEntry], str]] = {
        "group": lambda one: ranking.groups.get(one.name, ""),
        "accuracy, %": lambda one: percent(one.figure("accuracy", mode)),
        "n": lambda one: count(one.figure("accuracy", mode)),
    }
    if is_twin(mode):
        columns["both right, %"] = lambda one: percent(one.figure("both_right", mode))
    elif (controls := CONDITIONS[ranking.condition].compared_with) and controls[0] in by_condition:
        gain = gain_over(controls[0])
        columns[f"{gain}, points"] = lambda one: points_text(one.figure(gain, mode))
    columns["whole twins, %" if is_twin(mode) else "scored, %"] = lambda one: value(
        one.figure("coverage", mode)
    )
    lines = [
        (
            label(next(some[name] for some in (own, *by_condition.values()) if name in some)),
            *(cell(own[name]) if name in own else "" for cell in columns.values()),
            *(_accuracy(mode, some.get(name)) for some in by_condition.values()),
        )
        for name in names
    ]
    head = ("scorer", *columns, *map(_in_condition, by_condition))
    if others := choices_of_others(board, ranking):
        lines.append(others_row(others, head))
    return Table(head, tuple(lines), left=2)


def _accuracy(mode: Mode | None, entry: BoardEntry | None) -> str:
    return "" if entry is None else percent(entry.figure("accuracy", mode))


def _in_condition(condition: ConditionName) -> str:
    return f"{condition}, %"


def _brief_method(board: Leaderboard) -> Iterator[Block]:
    yield board.rule
    yield test_in_words()
    yield from posts_sentences(board)
    yield from others_sentences(board)
    yield from identity_sentences(board)
    yield (
        "In brackets: 95 % intervals by cluster. A tie counts one half, a pair without a score as"
        " wrong. leaderboard.html has plots, every condition's own table, configurations, halves"
        " of twins, votes, judges' consistency and every comparison; leaderboard.json has"
        " all of it for a program."
    )
