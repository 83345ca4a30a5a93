"""Scoring: `evaluate`, `leaderboard` and `downstream`."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from rich.console import Console

from pairwright.cli.printing import print_page, print_words
from pairwright.errors import CALL_FAILED
from pairwright.evaluation.best_of_n import BestOfN, best_of_n_page
from pairwright.evaluation.completions import Completions, completions_page
from pairwright.evaluation.correlate import Correlations, correlation_page
from pairwright.evaluation.evaluate import EvaluationResult
from pairwright.evaluation.leaderboard import COVERAGE, Leaderboard
from pairwright.evaluation.leaderboard_page import board_page, mode_title, readings, summary_table
from pairwright.evaluation.outputs import OutputScores
from pairwright.evaluation.policy import PolicyAccuracy, policy_page
from pairwright.pairs import blind_bound
from pairwright.text import number_of, visible


def print_evaluation(result: EvaluationResult, out: Path) -> int:
    """Print a table with a line for each scorer and condition, and what has too few scores."""
    heads, *rows = summary_table(result.board)
    print_words(
        "evaluate", board=result.board, heads=heads, rows=rows, out=out, title_of=mode_title,
        blind_bound=blind_bound, found=readings(result.board),
    )  # fmt: skip
    return uncovered(result)


def end(short: list[str], reasons: Iterable[str], *, explained: bool = False) -> int:
    """Say where too little was scored; the exit code is 1 then. Calls are asked again, if
    `reasons`, why something was not scored, has such that failed."""
    failed = any(CALL_FAILED in reason for reason in reasons)
    print_words(
        "uncovered", err=True, short=short, needed=f"{COVERAGE:.0%}", failed=failed,
        explained=explained,
    )  # fmt: skip
    return int(bool(short))


def listed(reasons: Mapping[str, int]) -> str:
    """How many there are of each reason."""
    return visible(", ".join(f"{n:,} {reason}" for reason, n in reasons.items()))


def uncovered(result: EvaluationResult) -> int:
    """Say which rows have too few scored twins and pairs; the exit code is 1 then. Pairs of whose
    users there is nothing to show do not count."""
    lines = [
        f"{name}: {row.units_scored:,} of {row.units:,} twins and other pairs have a score"
        f" ({listed(row.unscored) or 'no pair is part of this condition'})"
        for name, row in result.board.entries.items()
        if row.short
    ]
    reasons = [why for row in result.board.entries.values() for why in row.unscored]
    return end(lines, reasons, explained=bool(lines))


def print_leaderboard(board: Leaderboard, out: Path | None = None) -> None:
    """Print the rankings, and what the page opens with."""
    page = board_page(board, drawn=False)
    print_page(Console(), page, out and out / "leaderboard.html")


def print_samples(summary: BestOfN, out: Path) -> int:
    """Print what each scorer's pick gains, and where too few questions count."""
    print_page(Console(), best_of_n_page(summary, drawn=False), out / "best_of_n.html")
    questions = number_of(summary.questions, "question counts", "questions count")
    # A question counts that is in every curve.
    counted = min((curve.questions for curve in summary.curves), default=0)
    short = not summary.questions or counted < COVERAGE * summary.questions
    reasons = [*summary.unscored, *(why for curve in summary.curves for why in curve.unscored)]
    return end([f"{counted:,} of {questions}"] if short else [], reasons)


def print_scores(scores: OutputScores) -> int:
    """Print the adherence of each model, what keeps it from being a result, and where too few
    outputs have a score."""
    print_words("judge_outputs", scores=scores)
    short = [
        f"{visible(one.model)}: {one.scored:,} of"
        f" {number_of(one.outputs, 'output has', 'outputs have')} a score ({listed(one.unscored)})"
        for one in scores.models
        if one.scored < COVERAGE * one.outputs
    ]
    return end(short, [why for one in scores.models for why in one.unscored])


def print_policies(result: tuple[PolicyAccuracy, EvaluationResult], out: Path) -> int:
    """Print what each reward makes of the policy."""
    accuracy, evaluation = result
    print_page(Console(), policy_page(accuracy), out / "policy.html")
    return uncovered(evaluation)


def print_completions(summary: Completions, out: Path) -> int:
    """Print how near each condition came to what users wrote, and where too few items count."""
    print_words("completions", summary=summary)
    print_page(Console(), completions_page(summary), out / "completions.html")
    items = number_of(summary.asked, "item counts", "items count")
    short = summary.counted < COVERAGE * summary.asked
    return end([f"{summary.counted:,} of {items}"] if short else [], summary.unscored)


def print_correlations(result: Correlations, out: Path | None = None) -> None:
    """Print every measure of every benchmark."""
    print_page(Console(), correlation_page(result), out and out / "report.html")
