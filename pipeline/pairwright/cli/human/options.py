"""Arguments that the `human` commands share, and what they are read from."""

import os
from pathlib import Path
from typing import Annotated

import typer

from pairwright.errors import InputError
from pairwright_human_eval import AnnotationTool

RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")]
ServerUrl = Annotated[
    str, typer.Option("--url", metavar="URL", help="Where the Label Studio server is.")
]
KnownUrl = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help="The server, if not where tasks were pushed to."),
]
ToolOption = Annotated[
    AnnotationTool,
    typer.Option(
        help="What annotators work with: spreadsheet also writes one CSV file a person, to be"
        " filled in without a server.",
    ),
]
KEY_VARIABLE = "LABEL_STUDIO_API_KEY"


def share_of(given: str | float) -> float:
    """`5%` or `0.05` as 0.05; raises typer.BadParameter."""
    text = str(given)
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise typer.BadParameter(f"{text!r} is not a share such as 5% or 0.05")
    return value


def api_key() -> str:
    """The server's key, from the environment alone, so that no shell history holds it."""
    key = os.environ.get(KEY_VARIABLE, "")
    if not key:
        raise InputError(
            "not set",
            where=f"${KEY_VARIABLE}",
            fix="Put a personal access token or a legacy token of the server's account into it.",
        )
    return key


def cache_folder() -> Path:
    """The folder in which environments of their own are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "pairwright"
