"""What the arguments of public functions mean. The command line and its pages are made from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated


@dataclass(frozen=True)
class Doc:
    """What an argument means, beside its type in `Annotated`, and how it is given to a command.

    A command takes a positional argument as one, and a keyword as an option with the name of the
    keyword, unless `name` gives the option's.
    """

    text: str
    metavar: str | None = None
    name: str = ""
    least: float | None = None
    most: float | None = None
    share: bool = False
    """Whether `5%` may be written for 0.05."""
    hub: bool = False
    """Whether it may be an id on the Hugging Face Hub, which is no path."""


RunPath = Annotated[str | Path, Doc("The run folder.", "RUN")]
ReleasePath = Annotated[str | Path, Doc("A release's folder.", "RELEASE")]
OutPath = Annotated[str | Path, Doc("Folder of the results.", "DIR", name="--out")]
ScorerNames = Annotated[
    Iterable[str] | None,
    Doc("A scorer; again for more [the baselines].", "NAME", name="--scorer"),
]
SubjectSplit = Annotated[str | None, Doc("Only this split's pairs [all].", "NAME")]
ItemLimit = Annotated[int | None, Doc("Only the first N items, to try it.", "N", least=1)]
SubjectLimit = Annotated[int | None, Doc("Only the first N subjects, to try it.", "N", least=1)]
