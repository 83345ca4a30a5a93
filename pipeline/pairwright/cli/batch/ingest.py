"""`pairwright batch ingest`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from pairwright.cli.batch.opened import RunPath, opened, show_ingested
from pairwright.models.batch.replies import check_readable


def ingest_command(
    run: RunPath,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Replies, as a batch wrote them.")
    ],
) -> None:
    """Put the replies of a batch into the run's store.

    Whatever comes to nothing is named with file and line, in full in the run's
    batch_problems.jsonl, and the exit code is 1; the next round asks again for what has no reply.
    The same file twice changes nothing.

    Examples:

      pairwright batch ingest runs/first batches/round-1/001.replies.jsonl

      pairwright batch ingest runs/first batches/round-1/*.replies.jsonl
    """
    console = Console(stderr=True)
    with opened(run) as there, Progress(console=console, transient=True) as progress:
        for file in files:
            check_readable(file)
        total = sum(file.stat().st_size for file in files)
        reading = progress.add_task("reading replies", total=total)
        with there.ingesting(console, lambda n: progress.advance(reading, n)) as ingest:
            for file in files:
                ingest.file(file)
        show_ingested(Console(), ingest.result)
    if ingest.result.problems:
        raise typer.Exit(1)
