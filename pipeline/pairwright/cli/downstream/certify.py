"""`pairwright downstream certify`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.downstream.correlate import print_measures
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
    count, and baselines do not. Printed are rank correlations with p by family, and the difference
    of accuracies of each scorer; below 10 scorers nothing is claimed, and the page says how many it
    takes. With no scorer on both it ends with code 1.

    Examples:

      pairwright downstream certify results/generated results/natural --out certificate

      pairwright downstream certify results/generated results/natural --families families.csv
    """
    # Statistics and plots take a while to import, and other commands do without.
    from pairwright.evaluate.certificate.page import certificate_page
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
    if certificate.scorers:
        head = ("scorer", "generated twins", "natural twins", "natural less generated", "pairs")
        rows = (
            (
                one.scorer,
                one.generated.estimate.text(),
                one.natural.estimate.text(),
                one.in_words,
                f"{one.generated.n:,} and {one.natural.n:,}",
            )
            for one in certificate.scorers
        )
        console.print(table_of(head, rows))
    if certificate.measures:
        print_measures(console, "", certificate.measures)
    for name, why in certificate.left_out.items():
        say(console, f"{name} is not compared: {why}.", wrap=True)
    for paragraph in certificate_page(certificate, drawn=False).opening:
        say(console, paragraph, wrap=True)
    if out:
        typer.echo(f"Open: {out / 'certificate.html'}")
    if not certificate.scorers:
        raise typer.Exit(1)
