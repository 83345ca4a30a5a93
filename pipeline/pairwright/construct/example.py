"""A folder to work in: a config, an example's data, domains and prompts to edit."""

import shutil
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from pairwright import assets
from pairwright.errors import InputError


def write_example_study(
    folder: Annotated[Path | str, Argument(help="A new or empty folder.", metavar="DIR")],
    *,
    choices: Annotated[
        bool, Option("--choices", help="People's own choices, for natural twins.")
    ] = False,
) -> Path:
    """Write a working folder: config, example histories, domains and prompts to edit.

    It holds 21 fictional users, 12 others with gold aspects, and a language model's recorded
    replies to every call of their build; with `choices`, what 12 fictional users wrote and chose.

    Raises InputError if `folder` is a file, or is not empty. Returns the path of the config.

    Examples::

        pairwright init study && pairwright build study/pairwright.toml --run study/run
        pairwright init own --choices && pairwright build own/pairwright.toml --run own/run
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(
            "exists and is not an empty folder", where=folder, fix="Give the name of a new folder."
        )
    source = assets.EXAMPLES / ("choices" if choices else "recorded")
    shutil.copytree(source, folder, dirs_exist_ok=True)
    if not choices:
        shutil.copytree(assets.PROMPTS, folder / "prompts")
    shutil.copytree(assets.RUBRICS, folder / "rubrics")
    return folder / "pairwright.toml"
