"""Arguments that the commands share which score something of a release."""

from pathlib import Path
from typing import Annotated

import typer

from pairwright.workflows.output import output_folder

ReleasePath = Annotated[Path, typer.Argument(metavar="RELEASE", help="A release's folder.")]
ResultFolder = Annotated[
    Path, typer.Option(metavar="DIR", help="Folder of the results.", callback=output_folder)
]
PairSplit = Annotated[
    str | None, typer.Option(metavar="NAME", help="Only this split's pairs [all].")
]
SubjectLimit = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Only the first N subjects, to try it.")
]
