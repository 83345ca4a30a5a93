"""`pairwright show`: how one pair came about."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.rule import Rule

from pairwright.cli.printing import say
from pairwright.text import visible


def show_command(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="The run folder.")],
    wanted: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            help="A pair, twin, unit or item id, its beginning, or a call's key [list the units].",
        ),
    ] = None,
) -> None:
    """Show how one pair came about: posts, aspects, responses, drafts, gates, calls.

    Works for refused and failed units, too. The key of a call, which is listed below a unit, shows
    its prompt and its raw reply. Without an id it lists every unit with what came of it.

    Examples:

      pairwright show runs/first

      pairwright show runs/first pair-1f2e3d4c5b6a7980

      pairwright show runs/first twin:cooking-01
    """
    # What reads outcomes takes a while to import, and other commands do without.
    from pairwright.construct.folder import RunFolder
    from pairwright.construct.outcome_details import (
        Box,
        Heading,
        call_details,
        details_of,
        heading_of,
    )
    from pairwright.construct.run_pairs import find_outcome, iterate_results
    from pairwright.models.store import Store

    console = Console()
    with closing(Store(RunFolder(run).calls, writing=False)) as store:
        if wanted is None:
            for one in iterate_results(store):
                say(console, visible(f"{one.unit}  {one.kind}  {one.subject or one.reason}"))
            return
        if (stored := store.call(wanted)) is not None:
            details = [*call_details(stored)]
        else:
            outcome = find_outcome(store, wanted, run)
            details = [*heading_of(outcome), *details_of(outcome)]
    for part in details:
        if isinstance(part, Heading):
            console.print(Rule(escape(part.text)))
        elif isinstance(part, Box):
            console.print(Panel(escape(part.text), title=escape(part.title)))
        elif part.label:
            label = f"[{part.style}]{escape(part.label)}[/{part.style}]"
            console.print(f"{part.indent}{label}{escape(part.rest)}")
        else:
            console.print(escape(part.rest))
