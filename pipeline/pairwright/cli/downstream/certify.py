"""`pairwright downstream certify`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.printing import say, table_of
from pairwright.cli.progress import display
from pairwright.cli.scoring import new_folder


def certify_command(
    generated: Annotated[
        Path, typer.Argument(metavar="GENERATED", help="Results on a release with twins.")
    ],
    natural: Annotated[
        Path, typer.Argument(metavar="NATURAL", help="Results on a release with natural twins.")
    ],
    condition: Annotated[
        str, typer.Option(metavar="NAME", help="The condition that is compared.")
    ] = "profile",
    families: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", help="CSV file with the columns scorer and family."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random orders.")] = 0,
    out: Annotated[Path | None, new_folder("Write certificate.html, .md and .json.")] = None,
) -> None:
    """Compare generated twins with people's own choices: do both rank the same scorers alike?

    GENERATED and NATURAL are folders of `pairwright evaluate`. The scorers that are ranked on both
    count, and baselines do not. Printed are rank correlations with p by family, the difference of
    accuracies of each scorer, and how many scorers it takes; below 10 nothing is claimed. With no
    scorer on both it ends with code 1.

    Examples:

      pairwright downstream certify results/generated results/natural --out certificate

      pairwright downstream certify results/generated results/natural --families families.csv
    """
    # Statistics and plots take a while to import, and other commands do without.
    from pairwright.evaluate.certificate.report_page import scorer_head, scorer_rows
    from pairwright.evaluate.certificate.sentences import (
        NEEDED_HEAD,
        claims,
        needed_note,
        needed_rows,
        posts_sentence,
        warnings,
    )
    from pairwright.evaluate.correlation.page import correlation_head, measure_cells
    from pairwright.workflows.certificate import certify

    console = Console()
    with display() as progress:
        certificate = certify(
            generated,
            natural,
            out,
            condition=condition,
            families=families,
            seed=seed,
            progress=progress,
        )
    left = 2 if certificate.has_families else 1
    rows = scorer_rows(certificate)
    if certificate.scorers:
        console.print(table_of(scorer_head(certificate), rows, left=left))
    if certificate.correlations:
        (measures,) = certificate.correlations.found.values()
        lines = [measure_cells(one, measures) for one in measures]
        console.print(table_of(correlation_head(measures), lines))
    for name, why in certificate.left_out.items():
        say(console, f"{name} is not compared: {why}.", wrap=True)
    for warning in warnings(certificate):
        say(console, warning, "yellow", wrap=True)
    for sentence in (posts_sentence(certificate), *claims(certificate)):
        say(console, sentence, wrap=True)
    console.print(table_of(NEEDED_HEAD, needed_rows(), left=0))
    say(console, needed_note(), wrap=True)
    if out:
        typer.echo(f"Open: {out / 'certificate.html'}")
    if not certificate.scorers:
        raise typer.Exit(1)
