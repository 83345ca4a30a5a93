"""`pairwright doctor`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pairwright.cli.progress import display
from pairwright.text import number_of, visible

if TYPE_CHECKING:
    from pairwright.workflows.doctor import ServerReport

_COLOURS = {"ok": "green", "note": "yellow", "stop": "red"}


def doctor_command(
    config_path: Annotated[
        Path, typer.Argument(metavar="CONFIG.toml", help="The run's configuration.")
    ],
) -> None:
    """Check the servers of the endpoints that the roles name, and say what to change.

    Finds out whether each is reachable and serves the model, how long its context is, whether
    replies follow a JSON schema and what holds them to it, whether the model thinks before it
    replies and how much room that takes, whether a repeated prompt is computed once, and whether
    seeds repeat. Sends about twelve small requests to each server, two of them
    with 2,500 tokens, and prints their number. Exits with 2 if an endpoint cannot be used.

    Example:

      pairwright doctor pairwright.toml
    """
    # What asks endpoints takes a while to import, and other commands do without.
    from pairwright.workflows.doctor import examine_endpoints

    with display() as progress:
        reports = examine_endpoints(config_path, progress=progress)
    console = Console()
    for report in reports:
        print_server(console, report)
    if not all(report.usable for report in reports):
        console.print("A build cannot go on like this: see `stop` above.", style="red")
        raise typer.Exit(2)
    notes = sum(finding.state == "note" for report in reports for finding in report.findings)
    to_consider = f"; {notes} to think about" if notes else ""
    console.print(f"A build can use what was examined{to_consider}.")


def print_server(console: Console, report: "ServerReport") -> None:
    """Print the findings, one a row, with their advice below them.

    What servers say is shown as text.
    """
    if not report.url:
        console.print(
            f"{report.endpoint}: {report.model} runs in the build's own process and is not"
            " examined; `pairwright build --limit 1` tries it",
            markup=False,
        )
        return
    title = Text(visible(f"{report.endpoint}: {report.model} at {report.url}"))
    table = Table(title=title, box=box.SIMPLE, title_justify="left", show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for state, about, finding, advice in report.findings:
        text = Text(visible(finding))
        if advice:
            text.append(f"\n{visible(advice)}", style="dim" if state == "ok" else "")
        table.add_row(Text(state, style=_COLOURS[state]), about, text)
    console.print(table)
    usage = report.usage
    console.print(
        f"  {number_of(usage.sent, 'request')} sent: {usage.prompt_tokens:,} tokens of prompts,"
        f" {usage.completion_tokens:,} of replies"
    )
