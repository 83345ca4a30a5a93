"""`pairwright init`, `status` and `show`: a run from its folder to each of its pairs."""

import json
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from typer import Argument, Option

from pairwright.cli.printing import print_commands, say
from pairwright.construct.folder import RunFolder
from pairwright.construct.outcome_details import call_details, details_of
from pairwright.construct.run_pairs import find_outcome, subject_of
from pairwright.models.store import Store
from pairwright.options import RunPath
from pairwright.text import number_of, visible
from pairwright.workflows.run_status import (
    RunStatus,
    failure_sentence,
    run_sections,
)

WIDE = 72
"""Columns of a terminal in which a run's table fits."""


def print_run(console: Console, found: RunStatus, sent: int | None = None) -> None:
    """Print what a build made: items in, pairs kept, units refused by reason, calls and tokens.

    `sent` is the number of calls that were sent just now.
    """
    table = Table(
        title=escape(str(found.run)), box=box.SIMPLE, title_justify="left", show_header=False
    )
    table.add_column(style="bold", no_wrap=True, min_width=10)
    table.add_column(min_width=14, overflow="fold")
    # In a narrow terminal numbers take two lines rather than the words beside them.
    table.add_column(justify="right", no_wrap=console.width >= WIDE)
    for section in run_sections(found, sent):
        for name, words, number in section:
            style = "red" if name == "failed" and words else None
            table.add_row(Text(name), Text(words), Text(number), style=style)
        table.add_section()
    console.print(table)
    if found.recorded:
        console.print(
            "[bold]Recorded:[/bold] replies written by a language model"
            f" ({escape(', '.join(found.recorded))}) were recorded in an earlier run; this one took"
            " them from the recording."
        )


def print_failures(console: Console, found: RunStatus) -> None:
    """Print how many units failed and why; nothing where none did."""
    if not found.failed:
        return
    say(console, failure_sentence(found), "yellow")


def print_status(
    found: RunStatus,
    run: Path,
    as_json: Annotated[bool, Option("--json", help="Print the manifest instead.")] = False,
) -> int:
    """Print what a run made, or its manifest, and whether it is whole."""
    console = Console(stderr=as_json)
    if as_json:
        manifest = run / "manifest.json"
        if not manifest.exists():
            typer.echo(f"{manifest}: not written yet; the build has not finished", err=True)
            return 1
        # In ASCII, so that it is JSON in a terminal of any encoding.
        typer.echo(json.dumps(json.loads(manifest.read_bytes()), indent=2))
    else:
        print_run(console, found)
        if found.source_problems:
            every = f"{RunFolder(found.run).problems} names every one."
            print_commands(
                console, "Rows and posts of the source:", (*found.source_problems, every), "yellow"
            )
        print_failures(console, found)
    if found.running and not found.finished:
        console.print("The build is running.")
    elif found.waiting:
        waiting = number_of(found.waiting, "unit waits", "units wait")
        console.print(f"{waiting} for the replies of a batch.")
    elif not found.finished:
        console.print("The build has not finished; run it again to go on.")
    if found.waiting:
        return 3
    nothing = found.finished and found.tally.nothing_kept
    return int(bool(found.failed or found.tally.short_of_replies or nothing))


def show(
    run: RunPath,
    wanted: Annotated[
        str | None,
        Argument(
            help="A pair, twin, unit or item id, its beginning, or a call's key [list the units].",
            metavar="ID",
        ),
    ] = None,
) -> None:
    """Show how one pair came about: posts, aspects, responses, drafts, gates, calls.

    Works for dropped and failed units, too. The key of a call, which is listed below a unit, shows
    its prompt and its raw reply. Without an id, every unit is listed with what came of it.

    Examples::

        pairwright show runs/first
        pairwright show runs/first pair-1f2e3d4c5b6a7980
        pairwright show runs/first twin:cooking-01
    """
    console, run = Console(), Path(run)
    with closing(Store(RunFolder(run).calls, writing=False)) as store:
        if wanted is None:
            for row in store.outcomes():
                why = subject_of(row.record) if row.kind == "kept" else row.reason
                say(console, visible(f"{row.unit}  {row.kind}  {why}  user {row.user}"))
            return
        stored = store.call(wanted)
        details = call_details(stored) if stored else details_of(find_outcome(store, wanted, run))
        for line in details:
            say(console, visible(line), wrap=True)
