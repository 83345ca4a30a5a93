"""`pairwright train accepted`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.printing import say, table_of
from pairwright.cli.progress import display, interruptible
from pairwright.cli.scoring import ItemLimit, ResultFolder, end
from pairwright.errors import CALL_FAILED


def accepted_answers_command(
    config: Annotated[
        Path,
        typer.Argument(metavar="CONFIG.toml", help="A build's file; its source is a site's dump."),
    ],
    out: ResultFolder,
    limit: ItemLimit = None,
) -> None:
    """Test a planner by accepted answers: whether they serve the aspects that it infers.

    From a Stack Exchange dump: the answer that the user who asked accepted, and its match, an
    answer with as many votes or more and of about the same length. The planner of CONFIG.toml
    infers aspects from the user's earlier posts, and its judge says how far each answer serves
    them. A stranger's aspects for the same question are the control. Calls are stored: running
    the same command again goes on, and asks nothing twice. Exit code 1: a call failed.

    Examples:

      pairwright train accepted study/pairwright.toml --out accepted

      pairwright train accepted study/pairwright.toml --out accepted --limit 100
    """
    # What reads and retrieves takes a while to import, and other commands do without.
    from pairwright.train.accepted.report_page import count_sentences, rows, warnings
    from pairwright.workflows.accepted_answers import compare_accepted

    with display() as progress, interruptible() as stop:
        result = compare_accepted(config, out, limit=limit, progress=progress, stop=stop)
    console, scores = Console(), result.scores
    console.print(table_of(("accepted less match", "mean, 95 % interval"), rows(scores), left=1))
    for sentence in count_sentences(scores):
        say(console, sentence, wrap=True)
    for warning in warnings(scores):
        say(console, warning, "yellow")
    typer.echo(f"Open: {out / 'accepted.html'}")
    reasons = (*scores.reasons, *scores.stranger_reasons)
    failed = [reason for reason in reasons if reason.startswith(CALL_FAILED)]
    end(Console(stderr=True), short=bool(failed), reasons=failed)
