"""`pairwright release`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.human.options import RunPath, share_of
from pairwright.cli.progress import display
from pairwright.cli.scoring import new_folder
from pairwright.cli.verify import Public, Push, push_release
from pairwright.workflows import collector


def release_command(
    run: RunPath,
    out: Annotated[Path, new_folder("A new folder, for the release.")],
    version: Annotated[
        str, typer.Option(metavar="X.Y.Z", help="The version, higher than any before.")
    ],
    previous: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The release before this one; none for the first."),
    ] = None,
    trial: Annotated[
        bool,
        typer.Option(
            "--trial",
            help="For trying out: simulated and unverified pairs, too. Not a benchmark.",
        ),
    ] = False,
    validation: Annotated[
        float,
        typer.Option(
            parser=share_of,
            metavar="SHARE",
            help="Share of users, such as 10%, whose pairs are in the split `validation`.",
        ),
    ] = 0.0,
    push: Push = None,
    public: Public = False,
) -> None:
    """Release what people verified, as a dataset folder that proves what it says.

    Holds the pairs as Parquet and as message lists, raw verdicts by pseudonym, the audit, card,
    datasheet, Croissant, licences, manifest, changelog and checksums. The rule is [human] of
    RUN/config.toml; what the pages say of the dataset is [release]. Nothing simulated and nothing
    unverified is in it, unless it is a --trial, which says so everywhere.

    The same run, version and previous release give the same bytes.

    Examples:

      pairwright release runs/first --out releases/1.0.0 --version 1.0.0

      pairwright release runs/first --out releases/1.1.0 --version 1.1.0 --previous releases/1.0.0

      pairwright release runs/demo --out releases/demo --version 0.1.0 --trial
    """
    # Statistics and plots take a while to import, and other commands do without.
    from pairwright.cli.release_tables import print_release
    from pairwright.workflows.new_release import release
    from pairwright.workflows.releases import check_publication

    collector.ease()
    if push:
        check_publication(push, trial=trial)
    with display() as progress:
        result = release(
            run, out, version, previous=previous, trial=trial, validation_share=validation,
            progress=progress,
        )  # fmt: skip
    print_release(Console(), run, result)
    if push:
        push_release(out, push, public=public)
