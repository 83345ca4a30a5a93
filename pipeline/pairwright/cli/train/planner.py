"""`pairwright train planner` and `score`: a planner trained, and planners compared."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.cli.printing import say, warn
from pairwright.cli.progress import display, interruptible
from pairwright.cli.scoring import ItemLimit, ResultFolder, end, least_share, new_folder
from pairwright.text import number_of

if TYPE_CHECKING:
    from pairwright.train.plan_scores import PlanScores
    from pairwright.workflows.plan_scoring import PlanComparison


def train_planner_command(
    settings: Annotated[
        Path, typer.Argument(metavar="SETTINGS.toml", help="What is trained, on what, and how.")
    ],
    out: Annotated[Path, new_folder("Folder of checkpoints and adapter.")],
    merge: Annotated[
        bool, typer.Option("--merge", help="Also write the model with the adapter in its weights.")
    ] = False,
) -> None:
    """Train a planner: posts and a question in, the gold aspects out (extra [train]).

    Supervised fine-tuning with LoRA. The loss counts the target's tokens alone. Items without gold
    aspects are refused and counted. The checkpoint whose plans match the gold aspects of validation
    items best is kept in DIR/adapter. Running the same command again goes on where it stopped.

    Examples:

      pairwright train planner planner.toml --out planner

      pairwright train planner planner.toml --out planner --merge

      vllm serve MODEL --enable-lora --lora-modules planner=planner/adapter

      pairwright train score score.toml --out scores
    """
    from pairwright.train.pages import planner_page
    from pairwright.workflows.planner_training import train_planner

    console = Console(stderr=True)
    with display(console) as progress, interruptible() as stop:
        done = train_planner(settings, out, merge=merge, progress=progress, stop=stop)
    for line in (
        *planner_page(done.report, drawn=False).opening,
        f"Serve {done.merged or done.adapter}",
        f"Open: {out / 'report.html'}",
    ):
        say(console, line)


def score_planners_command(
    settings: Annotated[
        Path, typer.Argument(metavar="SETTINGS.toml", help="Planners, source, judge.")
    ],
    out: ResultFolder,
    limit: ItemLimit = None,
    coverage: Annotated[float, least_share("Least share of items that must be compared.")] = 0.95,
) -> None:
    """Compare planners on held-out gold aspects: precision, recall and F1, with intervals by user.

    Planners are endpoints or files of plans. Aspects are matched by a judge, by embeddings and by
    shared words, whichever are set. Calls are stored: running the same command again goes on, and
    asks nothing twice. Exit code 1: a planner left more items open than --coverage allows.

    Examples:

      pairwright train score score.toml --out scores

      pairwright train score score.toml --out scores --limit 20
    """
    # What reads and retrieves takes a while to import, and other commands do without.
    from pairwright.workflows.plan_scoring import score_planners

    with display() as progress, interruptible() as stop:
        result = score_planners(settings, out, limit=limit, progress=progress, stop=stop)
    _print(Console(), result.scores)
    typer.echo(f"Open: {out / 'plan-score.html'}")
    _end(result, coverage, Console(stderr=True))


def _print(console: Console, scores: "PlanScores") -> None:
    from pairwright.train.gold import format_interval
    from pairwright.train.pages import WORDS, plan_scores_page

    for match in scores.matches:
        table = Table(box=None, padding=(0, 1, 0, 0))
        table.add_column(f"by {match}", overflow="fold")
        table.add_column()
        table.add_column("mean, 95 % interval", justify="right", no_wrap=True)
        for name, figures in scores.of(match).items():
            for figure, words in WORDS.items():
                table.add_row(escape(name), words, format_interval(figures[figure].mean))
            if missing := figures["f1"].missing:
                table.add_row(escape(name), "missing", f"{missing:,}")
        for one in scores.differences:
            if (one.match, one.name) == (match, "f1"):
                less = f"{one.first} less {one.second}"
                table.add_row(escape(less), WORDS[one.name], format_interval(one.mean))
        console.print(table, "", highlight=False)
    for paragraph in plan_scores_page(scores, drawn=False).opening:
        say(console, paragraph, wrap=True)


def _end(result: "PlanComparison", coverage: float, console: Console) -> None:
    covered = result.coverage()
    short = [one for one in covered if one.compared < coverage * one.items]
    for one in short:
        why = ", ".join(f"{n:,} {name}" for name, n in one.reasons.items())
        items = number_of(one.items, "item is", "items are")
        warn(
            console,
            f"{one.planner}: {one.compared:,} of {items} compared ({why});"
            f" --coverage asks for {coverage:.0%}.",
        )
    end(console, short=bool(short), reasons=[why for one in covered for why in one.reasons])
