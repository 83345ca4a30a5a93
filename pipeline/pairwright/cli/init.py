"""`pairwright init`: a folder to work in."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from pairwright import assets
from pairwright.errors import InputError


def init_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
) -> None:
    """Write a working folder: config, example histories, domains and prompts to edit.

    Example:

      pairwright init study && pairwright build study/pairwright.toml --run study/run
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(
            "exists and is not an empty folder", where=folder, fix="Give the name of a new folder."
        )
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(assets.EXAMPLES / "histories.jsonl", folder / "histories.jsonl")
    shutil.copy(assets.EXAMPLES / "gold.jsonl", folder / "gold.jsonl")
    shutil.copy(assets.EXAMPLES / "pairwright.toml", folder / "pairwright.toml")
    shutil.copytree(assets.PROMPTS, folder / "prompts")
    shutil.copytree(assets.RUBRICS, folder / "rubrics")
    typer.echo(
        f"{folder}: pairwright.toml, histories.jsonl (24 fictional users), "
        "gold.jsonl (12 of them with gold aspects), prompts/, rubrics/\n"
        "Next:\n"
        f"  pairwright build {folder}/pairwright.toml --run {folder}/run   "
        "# with the embedded model, as it stands\n"
        f"  edit [endpoints] and [source] in {folder}/pairwright.toml      # your model and data\n"
        f"  pairwright doctor {folder}/pairwright.toml                     "
        "# does the endpoint fit?\n"
        f"  {assets.DOCS / 'config.md'}   # what every key means"
    )
