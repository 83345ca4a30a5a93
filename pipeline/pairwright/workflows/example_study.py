"""A folder to work in: a config, an example's data, domains and prompts to edit."""

import shutil
from pathlib import Path
from typing import Annotated

from pairwright import assets
from pairwright.errors import InputError
from pairwright.options import Doc


def write_example_study(
    folder: Annotated[str | Path, Doc("A new or empty folder.", "DIR")],
    *,
    choices: Annotated[
        bool, Doc("An example of people's own choices, for natural twins without a model.")
    ] = False,
) -> Path:
    """Write a working folder, and return the path of its config.

    The folder gets `pairwright.toml`, `histories.jsonl` (21 fictional users), `replies.jsonl.gz`
    (what a language model replied to every call of their build, recorded), `gold.jsonl` (12 other
    users with gold aspects), `prompts/` and `rubrics/`. With `choices` it gets what 12 fictional
    users wrote, and chose of two answers each, of which natural twins are built without a model.
    Raises InputError where `folder` is a file, or a folder that is not empty.

        config = write_example_study("study")
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
