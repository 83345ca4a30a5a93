"""`pairwright init`: a folder to work in."""

from pathlib import Path
from typing import Annotated

import typer

from pairwright.assets import DOCS
from pairwright.cli.printing import command
from pairwright.workflows.example_study import write_example_study


def init_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
    choices: Annotated[
        bool,
        typer.Option(help="An example of people's own choices, for natural twins without a model."),
    ] = False,
    recorded: Annotated[  # noqa: ARG001 - what earlier versions needed for this example
        bool, typer.Option("--recorded", hidden=True)
    ] = False,
) -> None:
    """Write a working folder: config, example histories, domains and prompts to edit.

    A language model's replies to the calls of the example come with it, recorded.

    Examples:

      pairwright init study && pairwright build study/pairwright.toml --run study/run

      pairwright init own --choices && pairwright build own/pairwright.toml --run own/run
    """
    config = write_example_study(folder, choices=choices)
    if choices:
        typer.echo(
            f"{folder}: pairwright.toml, choices.csv (what 12 fictional users chose),"
            " texts.csv (what they wrote), rubrics/\n"
            "Next:\n"
            f"  {command('build', config, '--run', folder / 'run')}   # no model is asked\n"
            f"  {DOCS / 'choices.md'}   # your own choices as a benchmark"
        )
        return
    typer.echo(
        f"{folder}: pairwright.toml, histories.jsonl (18 fictional users), replies.jsonl.gz"
        " (a language model's replies, recorded), gold.jsonl (12 other users with gold aspects),"
        " prompts/, rubrics/\n"
        "Next:\n"
        f"  {command('build', config, '--run', folder / 'run')}   # from the recording, unchanged\n"
        f"  edit [endpoints], [roles] and [source] in {config}   # your model and data\n"
        f"  {command('doctor', config)}   # does the endpoint fit?\n"
        f"  {DOCS / 'config.md'}   # what every key means\n"
        f"  {DOCS / 'recordings.md'}   # what a recording answers, and what not"
    )
