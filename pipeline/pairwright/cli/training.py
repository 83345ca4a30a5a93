"""`pairwright train`: planners and policies."""

from collections.abc import Callable
from pathlib import Path

import typer
from rich.console import Console

from pairwright.cli.evaluation import end
from pairwright.cli.printing import print_page, print_words, say, warn
from pairwright.evaluation.leaderboard import COVERAGE
from pairwright.text import number_of
from pairwright.training.plan_scores import PlanScores, plan_scores_page
from pairwright.training.planner_checkpoints import TrainingReport
from pairwright.training.rewards import Health
from pairwright.training.rl_data import RlExport


def print_training(report: TrainingReport, out: Path) -> None:
    """Print what a training's reader must know, and which checkpoint it chose."""
    console, best = Console(stderr=True), report.best
    if not report.readable:
        warn(
            console,
            "No checkpoint wrote a plan that can be read: the earliest is kept. Train for longer,"
            " or raise [selection] new_tokens if plans are cut short.",
        )
    say(
        console,
        f"checkpoint-{report.chosen} is chosen: its F1 over all"
        f" {number_of(best.items, 'validation item')} is highest, {best.worst:.3f}, a plan that"
        " cannot be read counting 0.",
    )
    say(console, f"Serve {out / 'adapter'}")


def print_comparison(scores: PlanScores, out: Path) -> int:
    """Print precision, recall and F1 of each planner, and where too few items are compared."""
    print_page(Console(), plan_scores_page(scores), out / "plan-score.html")
    short = []
    for one in scores.counts:
        compared = one.compared_items(scores.matches)
        if compared < COVERAGE * one.items:
            why = ", ".join(f"{n:,} {name}" for name, n in one.reasons)
            items = number_of(one.items, "item is", "items are")
            short.append(f"{one.planner}: {compared:,} of {items} compared ({why})")
    return end(short, [why for one in scores.counts for why, _ in one.reasons])


def print_export(done: RlExport, release: Path) -> None:
    """Print how many prompts there are for each part of a training, and what comes next."""
    print_words("export_rl", wrap=False, done=done, release=release)
    if done.split == "test":
        warn(
            Console(stderr=True),
            "These are test questions: what is trained on them is contaminated, and cannot be"
            " evaluated on this release.",
        )


def serve(work: Callable[..., Health]) -> None:
    """Serve rewards, say when they can be asked for, and print what became of all samples."""
    result = work(
        on_loading=lambda url, scorer: typer.echo(f"Serving {url}: {scorer} is loading."),
        on_ready=lambda url: typer.echo(f"{url} is ready. Ctrl-C stops it."),
    )
    print_words("reward_server", wrap=False, result=result)
