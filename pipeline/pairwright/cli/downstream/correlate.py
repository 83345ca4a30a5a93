"""`pairwright downstream correlate`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pairwright.cli.printing import say, warn
from pairwright.cli.progress import display
from pairwright.cli.scoring import new_folder

if TYPE_CHECKING:
    from pairwright.evaluate.correlation.correlations import Correlations
    from pairwright.evaluate.correlation.table import ModelTable


def correlate_command(
    table: Annotated[Path, typer.Argument(metavar="TABLE.csv", help="One row a model, a header.")],
    benchmark: Annotated[
        list[str], typer.Option(metavar="COL", help="A benchmark's scores; twice to compare two.")
    ],
    downstream: Annotated[
        str, typer.Option(metavar="COL", help="Column with the downstream scores.")
    ],
    model: Annotated[
        str | None, typer.Option(metavar="COL", help="Names of the models [first column].")
    ] = None,
    lineage: Annotated[
        str | None,
        typer.Option(
            metavar="COL", help="Which models descend from one another: left out together."
        ),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Who judged the downstream outputs.")
    ] = None,
    overlap: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Questions that benchmark and downstream share."),
    ] = None,
    gain: Annotated[
        Literal["rank", "score"],
        typer.Option(help="Gain of a model in NDCG: its downstream rank or score."),
    ] = "rank",
    p: Annotated[
        float, typer.Option(help="Persistence p of RBO: the weight of lower ranks, 0 to 1.")
    ] = 0.9,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random orders.")] = 0,
    out: Annotated[Path | None, new_folder("Write report.html, report.md and .json.")] = None,
) -> None:
    """Correlate benchmark scores with downstream scores over the same models.

    Spearman, weighted tau, NDCG and RBO, each with its interval, and beside what chance gives with
    so many models. (Pearson and Kendall are in scipy.stats, as pearsonr and kendalltau.) Below 10
    models the numbers are printed and nothing is claimed. Greater scores must be better in every
    column.

    Examples:

      pairwright downstream correlate models.csv --benchmark accuracy --downstream best_of_16

      pairwright downstream correlate models.csv --benchmark ours --benchmark theirs
      --downstream ppo --judge "Qwen2.5-32B-Instruct, 0 to 2 per aspect" --overlap none
      --lineage family --out report
    """
    # Statistics and plots take a while to import, and other commands do without.
    from pairwright.workflows.correlation import correlate

    console = Console()
    with display() as progress:
        result = correlate(
            table,
            benchmark,
            downstream,
            out,
            model=model,
            lineage=lineage,
            judge=judge,
            overlap=overlap,
            gain=gain,
            p=p,
            seed=seed,
            progress=progress,
        )
    if result.models.has_row_numbers:
        ignored = "The first column numbers the rows and has no name of its own: it is ignored."
        console.print(ignored, highlight=False)
    _print(console, result.models, result.correlations)
    if out:
        typer.echo(f"Open: {out / 'report.html'}")


def _print(console: Console, models: "ModelTable", result: "Correlations") -> None:
    from pairwright.evaluate.correlation.page import (
        correlation_head,
        interval_in_words,
        measure_cells,
        no_claim,
        warnings,
    )

    for name, correlations in result.found.items():
        title = f"{name} against {result.downstream}, n = {result.n} models"
        # A column's name may hold what rich would take for markup.
        shown = Table(
            *correlation_head(correlations),
            title=Text(title),
            title_justify="left",
            box=box.SIMPLE_HEAD,
        )
        for column in shown.columns[1:]:
            column.justify = "right"
        for correlation in correlations:
            shown.add_row(*measure_cells(correlation, correlations))
        console.print(shown)
    for difference in result.differences:
        names = f"{difference.first} less {difference.second}, {difference.measure}:"
        numbers = f"{difference.value:+.4f} ({interval_in_words(difference.interval, '+')})"
        say(console, f"{names} {numbers}", wrap=True)
    for warning in warnings(models, result):
        warn(console, warning)
    for sentence in result.claims or (no_claim(result),):
        say(console, sentence, wrap=True)
