"""Scoring: `evaluate`, `leaderboard` and `downstream`."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from rich.console import Console

from pairwright.cli.printing import print_page, print_words, say
from pairwright.errors import CALL_FAILED
from pairwright.evaluation.best_of_n import BestOfN, best_of_n_page
from pairwright.evaluation.completions import Completions, completions_page
from pairwright.evaluation.correlation.correlations import Correlations, correlation_page
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.guided import PolicyAccuracy, policy_page
from pairwright.evaluation.leaderboard import COVERAGE, Leaderboard
from pairwright.evaluation.leaderboard_page import board_page
from pairwright.evaluation.outputs import OutputScores
from pairwright.evaluation.results import TRIAL, ResultSummary, summary_lines
from pairwright.text import number_of, visible
from pairwright.workflows.evaluation import EvaluationResult


def print_result(about: ResultSummary, decisions: list[PairDecision]) -> None:
    """Print a result of a scorer in a condition."""
    console = Console()
    for line in summary_lines(about, decisions):
        say(console, line, wrap=True)


def print_evaluation(work: Callable[..., EvaluationResult], out: Path) -> int:
    """Print each result as it is written, what comes next, and what has too few scores."""
    result = work(on_result=print_result)
    print_words("evaluate", out=out)
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
    """Say where a result covers too few twins and pairs; the exit code is 1 then. That a release
    has nothing to show of a user is printed with the result, and does not count."""
    lines = [
        f"{one.stem}: {one.scored:,} of {number_of(one.pairs, 'pair has', 'pairs have')} a score"
        f" ({listed(one.unscored) or 'no pair is of this kind'}). Of {one.units:,} twins and other"
        f" pairs {one.units_scored:,} are whole"
        for one in result.short()
    ]
    reasons = [why for one in result.results for why in one.about.unscored]
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
    print_words("judge_outputs", scores=scores, trial=TRIAL)
    short = [
        f"{visible(one.model)}: {one.scored:,} of"
        f" {number_of(one.outputs, 'output has', 'outputs have')} a score ({listed(one.unscored)})"
        for one in scores.models
        if one.scored < COVERAGE * one.outputs
    ]
    return end(short, [why for one in scores.models for why in one.unscored])


def print_policies(work: Callable[..., tuple[PolicyAccuracy, EvaluationResult]], out: Path) -> int:
    """Print the accuracy of each guided policy, and Kendall's tau over rewards."""
    accuracy, evaluation = work(on_result=print_result)
    print_page(Console(), policy_page(accuracy, drawn=False), out / "policy.html")
    return uncovered(evaluation)


def print_completions(summary: Completions, out: Path) -> int:
    """Print how near each condition came to what users wrote, and where too few items count."""
    print_words("completions", summary=summary)
    print_page(Console(), completions_page(summary, drawn=False), out / "completions.html")
    items = number_of(summary.asked, "item counts", "items count")
    short = summary.counted < COVERAGE * summary.asked
    return end([f"{summary.counted:,} of {items}"] if short else [], summary.unscored)


def print_correlations(result: Correlations, out: Path | None = None) -> None:
    """Print every measure of every benchmark."""
    print_page(Console(), correlation_page(result), out and out / "report.html")
