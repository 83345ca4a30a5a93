"""A folder to work in: a config, example histories, domains and prompts to edit."""

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Annotated

from pairwright import assets
from pairwright.errors import InputError
from pairwright.options import Doc

FILES = ("histories.jsonl", "gold.jsonl", "pairwright.toml")
RECORDED_FILES = ("histories.jsonl", "replies.jsonl.gz", "pairwright.toml")
CHOICES_FILES = ("choices.csv", "texts.csv", "pairwright.toml")


def write_example_study(
    folder: Annotated[str | Path, Doc("A new or empty folder.", "DIR")],
    *,
    recorded: Annotated[
        bool, Doc("The example of make demo: 18 users, and a language model's replies.")
    ] = False,
    choices: Annotated[
        bool, Doc("An example of people's own choices, for natural twins without a model.")
    ] = False,
) -> Path:
    """Write a working folder, and return the path of its config.

    The folder gets `pairwright.toml`, `histories.jsonl` (24 fictional users), `gold.jsonl` (12 of
    them with gold aspects), `prompts/` and `rubrics/`: an example for the embedded model. With
    `recorded` it gets the example of the demo: 18 other users, and `replies.jsonl.gz`, what a
    language model replied to every call of their build. With `choices` it gets what 12 fictional
    users wrote, and chose of two answers each, of which natural twins are built without a model.
    Raises InputError where `folder` is a file, or a folder that is not empty.

        config = write_example_study("study")
    """
    folder = Path(folder)
    if recorded and choices:
        raise InputError(
            "there is one example a folder", where="--recorded --choices", fix="Give one of them."
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(
            "exists and is not an empty folder", where=folder, fix="Give the name of a new folder."
        )
    folder.mkdir(parents=True, exist_ok=True)
    source, files = assets.EXAMPLES, FILES
    if recorded or choices:
        source = source / ("recorded" if recorded else "choices")
        files = RECORDED_FILES if recorded else CHOICES_FILES
    for name in files:
        shutil.copy(source / name, folder / name)
    if not choices:
        shutil.copytree(assets.PROMPTS, folder / "prompts")
    shutil.copytree(assets.RUBRICS, folder / "rubrics")
    return folder / "pairwright.toml"


@cache
def bundled_users() -> frozenset[str]:
    """The users of the bundled histories, whom the embedded model can read."""
    lines = (assets.EXAMPLES / "histories.jsonl").read_text(encoding="utf-8").splitlines()
    return frozenset(json.loads(line)["user"] for line in lines)
