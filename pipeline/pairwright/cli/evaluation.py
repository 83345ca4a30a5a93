"""Scoring: `evaluate`, `leaderboard` and `downstream`."""

from collections.abc import Iterable
from pathlib import Path

from pairwright.cli.printing import phrase, print_page, print_words
from pairwright.evaluation.downstream import Downstream
from pairwright.evaluation.evaluate import EvaluationResult
from pairwright.evaluation.leaderboard import Leaderboard
from pairwright.evaluation.leaderboard_page import board_page, ending
from pairwright.evaluation.scorers.scorer import COVERAGE
from pairwright.text import visible


def print_evaluation(result: EvaluationResult, out: Path) -> int:
    """Print the verdict with the best rows, and which rows have too few scores; the exit code is 1
    then. Pairs of whose users there is nothing to show do not count."""
    print_words("evaluate", **ending(result.board), out=out)
    short, reasons = [], list[str]()
    for name, row in result.board.entries.items():
        reasons += row.unscored
        if row.short:
            # Most frequent first; without numbers, which count pairs and not units.
            order = sorted(row.unscored, key=lambda reason: -row.unscored[reason])
            why = f" ({visible(', '.join(map(phrase, order)))})" if order else ""
            short.append(f"{name}: {row.short}{why}")
    return _end(short, reasons, explained=bool(short))


def _end(short: list[str], reasons: Iterable[str], *, explained: bool = False) -> int:
    """Say where too little was scored; the exit code is 1 then. Calls are asked again, if
    `reasons`, why something was not scored, has such that failed."""
    failed = any("call_failed:" in reason for reason in reasons)
    print_words(
        "uncovered", err=True, short=short, needed=f"{COVERAGE:.0%}", failed=failed,
        explained=explained,
    )  # fmt: skip
    return int(bool(short))


def print_leaderboard(result: Leaderboard, out: Path | None = None) -> None:
    """Print the rankings, and what the page opens with."""
    print_page(board_page(result, drawn=False), out and out / "leaderboard.html")


def print_downstream(result: Downstream, out: Path | None = None) -> int:
    """Print the table of a command of `downstream`, and where too little counts."""
    print_page(result.page(), out and out / f"{result.name}.html")
    short = [visible(one.said) for one in result.parts if one.short]
    return _end(short, [why for one in result.parts for why in one.unscored])
