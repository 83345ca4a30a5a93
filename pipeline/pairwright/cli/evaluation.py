"""`pairwright evaluate` and `leaderboard`, and how every command ends that scores something."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from rich.console import Console

from pairwright.assets import DOCS
from pairwright.cli.command import Command
from pairwright.cli.printing import command, print_commands, print_page, say, warn
from pairwright.errors import CALL_FAILED
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.leaderboard import COVERAGE, Leaderboard
from pairwright.evaluation.leaderboard_page import board_page
from pairwright.evaluation.results import ResultSummary, summary_lines
from pairwright.text import number_of
from pairwright.workflows.evaluation import EvaluationResult, evaluate
from pairwright.workflows.ranking import leaderboard


def print_result(about: ResultSummary, decisions: list[PairDecision]) -> None:
    """Print a result of a scorer in a condition."""
    console = Console()
    for line in summary_lines(about, decisions):
        say(console, line, wrap=True)


def print_evaluation(result: EvaluationResult, out: Path) -> int:
    """Say what comes next, and what has too few scores."""
    print_commands(Console(), "Next:", [command("leaderboard", out, "--out", "board")])
    return uncovered(result)


def end(short: list[str], reasons: Iterable[str]) -> int:
    """Say where too little was scored; the exit code is 1 then. Calls are asked again, if
    `reasons`, why something was not scored, has such that failed."""
    console = Console(stderr=True)
    for line in short:
        warn(console, f"{line}; {COVERAGE:.0%} are needed.")
    if any(CALL_FAILED in reason for reason in reasons):
        console.print("Calls that failed are asked again when you run the same command again.")
    return int(bool(short))


def uncovered(result: EvaluationResult) -> int:
    """Say where a result covers too few twins and pairs; the exit code is 1 then. That a release
    has nothing to show of a user is printed with the result, and does not count."""
    lines = []
    for one in result.short():
        why = ", ".join(f"{n} {reason}" for reason, n in one.unscored.items())
        lines.append(
            f"{one.stem}: {one.scored:,} of {number_of(one.pairs, 'pair has', 'pairs have')} a"
            f" score ({why or 'no pair is of this kind'}). Of {one.units:,} twins and other pairs"
            f" {one.units_scored:,} are whole"
        )
    if lines:
        page = f'What each reason means: {DOCS / "evaluate.md"}, "What it leaves behind".'
        say(Console(stderr=True), page)
    return end(lines, [why for one in result.results for why in one.about.unscored])


def print_leaderboard(board: Leaderboard, out: Path | None = None) -> None:
    """Print the rankings, and what the page opens with."""
    page = board_page(board, drawn=False)
    print_page(Console(), page, out and out / "leaderboard.html")


COMMANDS = {
    "evaluate": Command(partial(evaluate, on_result=print_result), print_evaluation),
    "leaderboard": Command(leaderboard, print_leaderboard),
}
