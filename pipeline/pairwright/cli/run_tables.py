"""What commands print of a run: what it made, what failed, and what its source lacks."""

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from pairwright.cli.printing import say, warn

if TYPE_CHECKING:
    from pairwright.workflows.run_status import RunStatus


WIDE = 72
"""Columns of a terminal in which a run's table fits."""


def print_run(console: Console, status: "RunStatus", sent: int | None = None) -> None:
    """Print what a build made: items in, pairs kept, units refused by reason, calls and tokens.

    `sent` is the number of calls that were sent just now.
    """
    # What reads outcomes takes a while to import, and other commands do without.
    from pairwright.workflows.run_table import recorded_models, run_sections

    table = Table(
        title=escape(str(status.run)), box=box.SIMPLE, title_justify="left", show_header=False
    )
    table.add_column(style="bold", no_wrap=True, min_width=10)
    table.add_column(min_width=14)
    # In a narrow terminal numbers take two lines rather than the words beside them.
    table.add_column(justify="right", no_wrap=console.width >= WIDE)
    for section in run_sections(status, sent):
        for row in section:
            style = "red" if row.name == "failed" and row.words else None
            table.add_row(*map(Text, row), style=style)
        table.add_section()
    console.print(table)
    if status.simulated:
        console.print(
            "[bold]Simulated:[/bold] the embedded model answered. This shows how the tool works"
            " and is not a benchmark; every pair is marked so."
        )
    if status.recorded:
        console.print(
            f"[bold]Recorded:[/bold] replies written by {escape(recorded_models(status))} were"
            " recorded in an earlier run; this one took them from the recording."
        )


def print_failures(console: Console, status: "RunStatus") -> None:
    """Print how many units failed and why; nothing where none did."""
    if not status.failed:
        return
    from pairwright.workflows.build_words import failure_sentence, short_sentence

    if short := short_sentence(status):
        console.print(short, style="bold red", highlight=False)
    say(console, failure_sentence(status), "yellow")


def print_waits(console: Console, status: "RunStatus") -> None:
    """Print which endpoints ask to be left alone, and for how long; nothing where none does."""
    if status.waits:
        from pairwright.workflows.build_words import wait_sentences

        for sentence in wait_sentences(status):
            warn(console, sentence)


def print_source_problems(console: Console, status: "RunStatus") -> None:
    """Print why rows and posts of the source were refused or repaired; nothing where none was."""
    if not status.source_problems:
        return
    from pairwright.construct.folder import RunFolder

    console.print("Rows and posts of the source:", style="yellow")
    every = f"{RunFolder(status.run).problems} names every one."
    for line in (*status.source_problems, every):
        say(console, f"  {line}", "yellow")
