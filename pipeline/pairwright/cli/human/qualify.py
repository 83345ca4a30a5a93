"""`pairwright human qualify`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.human.options import RunPath, ToolOption
from pairwright.cli.printing import command, print_commands, say
from pairwright.cli.scoring import new_folder
from pairwright.text import number_of
from pairwright_human_eval import SERVER_TOOL


def qualify_command(
    run: RunPath,
    out: Annotated[Path, new_folder("Folder of the qualification; it is like a run's.")],
    people: Annotated[
        int, typer.Option(min=1, max=999, metavar="N", help="How many people may try.")
    ] = 20,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Not drawn at random: to try it, not to use it.")
    ] = None,
    tool: ToolOption = SERVER_TOOL,
    language: Annotated[
        str, typer.Option(metavar="CODE", help="Of the forms and guidelines: en or de.")
    ] = "en",
) -> None:
    """Write a short qualification: attention checks alone, for people who want to take part.

    They look like the run's tasks and hold none of its texts. The other `human` commands work on
    DIR, and `human people DIR` says who passed. Export the study with --qualified then: its checks
    are others.

    Examples:

      pairwright human qualify runs/first --out runs/first-people --people 30

      pairwright human qualify runs/first --out runs/first-people --tool spreadsheet

      pairwright human people runs/first-people
    """
    # What draws checks takes a while to import, and other commands do without.
    from pairwright.workflows.qualification import export_qualification

    made = export_qualification(run, out, people=people, seed=seed, tool=tool, language=language)
    console = Console()
    tasks = number_of(made.checks, "task")
    say(console, f"{number_of(len(made.people), 'person', 'people')}, {tasks} each.")
    say(
        console,
        f"{100 * made.floor:.0f} % right passes: {100 * made.nonreader:.1f} % of those who do not"
        " read do.",
        wrap=True,
    )
    steps = ("start", "people") if made.sheets else ("serve", "start", "people")
    print_commands(console, "Next:", [command("human", step, made.folder) for step in steps])
    again = command("human", "export", run, "--qualified")
    say(console, f"Afterwards, with those who passed: {again}")
