"""The command: planners in, one page out."""

import asyncio
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.errors import on_disk
from pairwright.text import number_of
from pairwright.workflows.output import output_folder

if TYPE_CHECKING:
    from pairwright.train.plan_score.report_page import PlanScores


def plan_score_command(
    settings: Annotated[
        Path, typer.Argument(metavar="SETTINGS.toml", help="Planners, source, judge.")
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of the results.", callback=output_folder)
    ],
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first N items, to try it.")
    ] = None,
    coverage: Annotated[
        float, typer.Option(min=0, max=1, help="Least share of items that must be compared.")
    ] = 0.95,
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
    from pairwright.cli.plan_score.session import Session
    from pairwright.models.client import Meter
    from pairwright.models.store import Store
    from pairwright.train.plan_score.report_page import page
    from pairwright.train.plan_score.spec import load_scoring
    from pairwright.workflows.output import write_report

    scoring, base = load_scoring(settings), settings.resolve().parent
    console = Console(stderr=True)
    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    with closing(Store(out / "calls.sqlite")) as store:
        session = Session(scoring, base, out, limit, store, Meter(), console)
        scores = asyncio.run(session.run())
    made = page(scores)
    write_report(out, "plan-score", made, scores)
    _tell(Console(), scores)
    typer.echo(f"Open: {out / 'plan-score.html'}")
    _end(scores, coverage, console)


def _tell(console: Console, scores: "PlanScores") -> None:
    from pairwright.train.gold import format_interval
    from pairwright.train.plan_score.report_page import WORDS, warnings

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
        for of in scores.differences:
            if (of.match, of.name) == (match, "f1"):
                less = f"{of.first} less {of.second}"
                table.add_row(escape(less), WORDS[of.name], format_interval(of.mean))
        console.print(table, "", highlight=False)
    for warning in warnings(scores):
        console.print(warning, style="yellow", markup=False, highlight=False, soft_wrap=True)


def _end(scores: "PlanScores", coverage: float, console: Console) -> None:
    short, failed = False, False
    for of in scores.counts:
        missing = max(of.missing(match) for match in scores.matches) if scores.matches else of.items
        reasons = Counter(of.unplanned) + Counter(of.unjudged)
        failed = failed or any(why.startswith("call_failed") for why in reasons)
        if of.items - missing < coverage * of.items:
            short = True
            why = ", ".join(f"{n:,} {name}" for name, n in reasons.items())
            items = number_of(of.items, "item is", "items are")
            console.print(
                f"{of.planner}: {of.items - missing:,} of {items} compared ({why});"
                f" --coverage asks for {coverage:.0%}.",
                style="yellow", markup=False, highlight=False,
            )  # fmt: skip
    if failed:
        console.print("Calls that failed are asked again when you run the same command again.")
    if short:
        raise typer.Exit(1)
