"""`pairwright downstream spread`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.printing import say
from pairwright.cli.progress import display, interruptible
from pairwright.cli.scoring import (
    PairSplit,
    ReleasePath,
    ResultFolder,
    SubjectLimit,
    end_by_coverage,
    least_share,
    scorers_file,
)


def spread_command(
    release: ReleasePath,
    out: ResultFolder,
    scorers: Annotated[Path, scorers_file("The file of scorers and endpoints.")],
    scorer: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A scorer; again for more [all of the file]."),
    ] = None,
    wordings: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="A folder a wording, with prefer.md and rate.md [shipped]."
        ),
    ] = None,
    split: PairSplit = None,
    limit: SubjectLimit = None,
    coverage: Annotated[
        float, least_share("Least share of twins and other pairs that must get a score.")
    ] = 0.95,
) -> None:
    """Score a release in every wording and layout: how much does accuracy depend on them?

    A presentation is one wording with one of three layouts of the history. Printed are mean,
    deviation, lowest and highest accuracy over the presentations, and whether the order of the
    scorers holds. Calls are stored as they come: running the same command again goes on.
    Exit code 1: in some presentation a scorer left more twins and other pairs without a score than
    --coverage allows.

    Example:

      pairwright downstream spread releases/1.0.0 --scorers scorers.toml --scorer judge --out spread
    """
    # What reads and retrieves takes a while to import, and other commands do without.
    from pairwright.evaluate.spread.report_page import sentences, warnings
    from pairwright.workflows.spread_scoring import score_spread

    console = Console()
    with display() as progress, interruptible() as stop:
        done = score_spread(
            release, scorers, out, names=scorer or (), wordings=wordings, split=split, limit=limit,
            progress=progress, stop=stop,
        )  # fmt: skip
    for line in sentences(done.scores):
        say(console, line, wrap=True)
    for warning in warnings(done.scores):
        say(console, warning, "yellow", wrap=True)
    typer.echo(f"Open: {out / 'spread.html'}")
    end_by_coverage(done.evaluation, coverage, Console(stderr=True))
