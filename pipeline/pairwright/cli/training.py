"""`pairwright train score`: what it prints."""

from pathlib import Path

from rich.console import Console

from pairwright.cli.evaluation import end, listed
from pairwright.cli.printing import print_page
from pairwright.evaluation.scorers.scorer import COVERAGE
from pairwright.text import number_of
from pairwright.training.score_planners import PlanScores, plan_scores_page


def print_comparison(scores: PlanScores, out: Path) -> int:
    """Print precision, recall and F1 of each planner, and which left too many items open."""
    print_page(Console(), plan_scores_page(scores), out / "plan-score.html")
    short = [
        f"{one.name}: {compared:,} of {number_of(one.items, 'item is', 'items are')} compared"
        f" ({listed(one.missing)})"
        for one in scores.planners
        if (compared := one.items - sum(one.missing.values())) < COVERAGE * one.items
    ]
    return end(short, [why for one in scores.planners for why in one.missing])
