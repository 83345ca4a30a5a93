"""`pairwright init`: a folder to work in."""

from pathlib import Path
from typing import Annotated

import typer

from pairwright.assets import DOCS
from pairwright.cli.printing import command
from pairwright.workflows.example_study import write_example_study


def init_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
    recorded: Annotated[
        bool,
        typer.Option(help="The example of make demo: 18 users, and a language model's replies."),
    ] = False,
    choices: Annotated[
        bool,
        typer.Option(help="An example of people's own choices, for natural twins without a model."),
    ] = False,
) -> None:
    """Write a working folder: config, example histories, domains and prompts to edit.

    Examples:

      pairwright init study && pairwright build study/pairwright.toml --run study/run

      pairwright init demo --recorded && pairwright build demo/pairwright.toml --run demo/run

      pairwright init own --choices && pairwright build own/pairwright.toml --run own/run
    """
    config = write_example_study(folder, recorded=recorded, choices=choices)
    if choices:
        typer.echo(
            f"{folder}: pairwright.toml, choices.csv (what 12 fictional users chose),"
            " texts.csv (what they wrote), rubrics/\n"
            "Next:\n"
            f"  {command('build', config, '--run', folder / 'run')}   # no model is asked\n"
            f"  {DOCS / 'choices.md'}   # your own choices as a benchmark"
        )
        return
    if recorded:
        typer.echo(
            f"{folder}: pairwright.toml, histories.jsonl (18 fictional users), "
            "replies.jsonl.gz (a language model's replies, recorded), prompts/, rubrics/\n"
            "Next:\n"
            f"  {command('build', config, '--run', folder / 'run')}   # from the recording\n"
            f"  {DOCS / 'recordings.md'}   # what a recording answers, and what not"
        )
        return
    typer.echo(
        f"{folder}: pairwright.toml, histories.jsonl (24 fictional users), "
        "gold.jsonl (12 of them with gold aspects), prompts/, rubrics/\n"
        "Next:\n"
        f"  {command('build', config, '--run', folder / 'run')}   "
        "# with the embedded model, unchanged\n"
        f"  edit [endpoints] and [source] in {config}      # your model and data\n"
        f"  {command('doctor', config)}                     # does the endpoint fit?\n"
        f"  {DOCS / 'config.md'}   # what every key means"
    )
