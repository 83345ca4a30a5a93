"""The leaderboard on one page to read: a table for each mode of pairs, and short sections. What it
leaves out stands on the whole page, and in the file for programs."""

from collections.abc import Callable, Iterator

from pairwright.evaluate.board.board import Leaderboard, gain_over
from pairwright.evaluate.board.cells import (
    MODES,
    SHOWN,
    by_accuracy,
    count,
    label,
    percent,
    points,
    value,
)
from pairwright.evaluate.board.entry import Entry
from pairwright.evaluate.board.page import floor, test_in_words, warnings, why_unranked
from pairwright.evaluate.board.ranking import Ranking
from pairwright.evaluate.board.tables import costs
from pairwright.evaluate.shown import Condition
from pairwright.records import Mode
from pairwright.report import Block, Page, Section, Table
from pairwright.text import visible


def summary(board: Leaderboard) -> Page:
    """The page."""
    first = [_first(board, mode) for mode in dict.fromkeys(of.mode for of in board.rankings)]
    names = dict.fromkeys(name for of in first for name in (*of.ranked, *of.unranked))
    asked = costs(board, tuple(names))
    return Page(
        title=f"Leaderboard of {visible(f'{board.release.name} {board.release.version}')}",
        warnings=tuple(warnings(board)),
        sections=(
            *(Section(MODES[of.mode], tuple(_mode(board, of))) for of in first),
            *((Section("What it takes", (asked,)),) if asked.rows else ()),
            Section("How to read it", tuple(_method(board))),
        ),
    )


def _first(board: Leaderboard, mode: Mode | None) -> Ranking:
    """The ranking that a mode's table is in the order of: the first that ranks anything."""
    of_mode = [of for of in board.rankings if of.mode == mode]
    return next((of for of in of_mode if of.ranked), of_mode[0])


def _mode(board: Leaderboard, of: Ranking) -> Iterator[Block]:
    yield f"{SHOWN[of.condition]} (condition {of.condition}); other conditions stand beside."
    yield _table(board, of)
    yield from why_unranked(board, of)
    if of.test:
        yield floor(of)


def _table(board: Leaderboard, of: Ranking) -> Table:
    """A row a scorer; those that were not evaluated in the table's own condition come last."""
    mode = of.mode
    by_condition = {
        one.condition: {board.entries[name].about.scorer.name: board.entries[name]
                        for name in (*one.ranked, *by_accuracy(board, one))}
        for one in board.rankings if one.mode == mode
    }  # fmt: skip
    own = by_condition.pop(of.condition)
    scorers = dict.fromkeys([*own, *(name for some in by_condition.values() for name in some)])
    columns: dict[str, Callable[[Entry], str]] = {
        "group": lambda one: of.groups.get(one.name, ""),
        "accuracy, %": lambda one: percent(one.figure("accuracy", mode)),
        "n": lambda one: count(one.figure("accuracy", mode)),
    }
    if mode == "twin":
        columns["both right, %"] = lambda one: percent(one.figure("both_right", mode))
    elif of.condition == "profile" and "none" in by_condition:
        columns["gain over none, points"] = lambda one: points(one.figure(gain_over("none"), mode))
    columns["whole twins, %" if mode == "twin" else "scored, %"] = lambda one: value(
        one.figure("coverage", mode)
    )
    rows = [
        (
            label(next(some[name] for some in (own, *by_condition.values()) if name in some)),
            *(cell(own[name]) if name in own else "" for cell in columns.values()),
            *(_accuracy(mode, some.get(name)) for some in by_condition.values()),
        )
        for name in scorers
    ]
    head = ("scorer", *columns, *map(_in_condition, by_condition))
    return Table(head, tuple(rows), left=2)


def _accuracy(mode: Mode | None, entry: Entry | None) -> str:
    return "" if entry is None else percent(entry.figure("accuracy", mode))


def _in_condition(condition: Condition) -> str:
    return f"{condition}, %"


def _method(board: Leaderboard) -> Iterator[Block]:
    yield board.rule
    yield test_in_words()
    yield (
        "In brackets: 95 % intervals by cluster. A tie counts one half, a pair without a score as"
        " wrong. leaderboard.html has plots, every condition's own table, configurations, halves"
        " of twins, users, votes, judges' consistency and every comparison; leaderboard.json has"
        " all of it for a program."
    )
