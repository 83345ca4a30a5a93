"""Arguments that several commands have, as Typer reads them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

RunPath = Annotated[Path | str, Argument(help="The run folder.", metavar="RUN")]
ReleasePath = Annotated[Path | str, Argument(help="A release's folder.", metavar="RELEASE")]
OutPath = Annotated[Path | str, Option("--out", help="Folder of the results.", metavar="DIR")]
ScorerNames = Annotated[
    Iterable[str] | None,
    Option("--scorer", help="A scorer; repeatable [the baselines].", metavar="NAME"),
]
ColumnMap = Annotated[
    Iterable[str],
    Option("--column", help="Column that holds WHAT; repeatable.", metavar="WHAT=COLUMN"),
]
LabelMap = Annotated[
    Iterable[str],
    Option("--label", help="Label of first, second or tie.", metavar="PLACE=LABEL,..."),
]
SubjectSplit = Annotated[str | None, Option(help="Only this split's pairs [all].", metavar="NAME")]
AnnotatorCount = Annotated[int, Option(help="Number of annotators.", min=2, max=999)]
Overlap = Annotated[int, Option(help="Answers per question; [human] may ask for more.", min=1)]
SampleSize = Annotated[
    int | None, Option(help="Only N units: twins, placebos, single pairs.", metavar="N", min=1)
]
ItemLimit = Annotated[int | None, Option(help="Only the first N items, to try it.", min=1)]
SubjectLimit = Annotated[int | None, Option(help="Only the first N units, to try it.", min=1)]
