"""`pairwright batch poll`."""

import time
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from pairwright.cli.batch.opened import OutPath, RunPath, opened, show_ingested
from pairwright.models.batch import Ingest
from pairwright.models.batch.rounds import latest_round
from pairwright.models.batch.service import Polled, poll
from pairwright.text import number_of

EVERY_S = 30.0


def poll_command(
    run: RunPath,
    out: OutPath,
    wait: Annotated[
        bool, typer.Option("--wait", help="Go on asking until every batch has ended.")
    ] = False,
) -> None:
    """Ask how far the submitted batches are, and ingest what has come.

    Exits with 3 while a batch is under way, and with 1 where one has ended without all of its
    replies: what is missing is asked again in the next round.

    Examples:

      pairwright batch poll runs/first batches

      pairwright batch poll runs/first batches --wait
    """
    console = Console(stderr=True)
    with opened(run) as there, there.apis() as api_of:
        made = latest_round(out)
        with (
            there.ingesting(console, lambda _: None) as ingest,
            Progress(console=console, transient=True) as progress,
        ):
            waiting = progress.add_task("requests answered", total=made.lines)
            polled = poll(out, made, api_of, ingest)
            trouble = _troubles(polled)
            while True:
                progress.update(waiting, completed=sum(shard.done for shard in polled))
                if not (wait and any(shard.under_way for shard in polled)):
                    break
                time.sleep(EVERY_S)
                polled = poll(out, made, api_of, ingest)
                trouble += _troubles(polled)
    _show(polled, trouble, ingest)
    if any(shard.under_way for shard in polled):
        raise typer.Exit(3)
    if trouble or ingest.result.problems:
        raise typer.Exit(1)


def _troubles(polled: list[Polled]) -> list[str]:
    return [f"{shard.shard.file}: {shard.trouble}" for shard in polled if shard.trouble]


def _show(polled: list[Polled], trouble: list[str], ingest: Ingest) -> None:
    console = Console()
    for at in polled:
        line = (
            f"{at.shard.file}: {at.status}, {at.done:,} of {number_of(at.shard.lines, 'request')}"
        )
        console.print(line, highlight=False, markup=False)
    for line in dict.fromkeys(trouble):
        console.print(line, style="yellow", highlight=False, markup=False, soft_wrap=True)
    if ingest.result.lines:
        show_ingested(console, ingest.result)
