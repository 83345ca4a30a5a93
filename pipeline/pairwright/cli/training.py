"""`pairwright train`: planners and policies."""

from collections.abc import Callable
from pathlib import Path

import typer
from rich.console import Console

from pairwright.cli.evaluation import end, listed
from pairwright.cli.printing import print_page, print_words
from pairwright.evaluation.scorers.scorer import COVERAGE
from pairwright.text import number_of
from pairwright.training.plan_scores import PlanScores, plan_scores_page
from pairwright.training.rewards import Health


def print_comparison(scores: PlanScores, out: Path) -> int:
    """Print precision, recall and F1 of each planner, and where too few items are compared."""
    print_page(Console(), plan_scores_page(scores), out / "plan-score.html")
    short = [
        f"{one.planner}: {compared:,} of {number_of(one.items, 'item is', 'items are')} compared"
        f" ({listed(dict(one.reasons))})"
        for one in scores.counts
        if (compared := one.compared_items(scores.matches)) < COVERAGE * one.items
    ]
    return end(short, [why for one in scores.counts for why, _ in one.reasons])


def serve(work: Callable[..., Health]) -> None:
    """Serve rewards, say when they can be asked for, and print what became of all samples."""
    result = work(
        on_loading=lambda url, scorer: typer.echo(f"Serving {url}: {scorer} is loading."),
        on_ready=lambda url: typer.echo(f"{url} is ready. Ctrl-C stops it."),
    )
    print_words("reward_server", result=result)
