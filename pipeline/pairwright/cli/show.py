"""`pairwright show`: how one pair came about."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.printing import say
from pairwright.text import visible


def show_command(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="The run folder.")],
    wanted: Annotated[
        str | None,
        typer.Argument(
            metavar="ID", help="A pair, twin, unit or item id, or its beginning [list the units]."
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Print everything, prompts and raw replies included.")
    ] = False,
    no_calls: Annotated[
        bool, typer.Option("--no-calls", help="Print everything but prompts and raw replies.")
    ] = False,
) -> None:
    """Show how one pair came about, in brief: aspects, responses, drafts, gates, calls.

    With --full, everything: posts, evidence, scores, whole texts, every prompt and raw reply, which
    is hundreds of lines or more. Works for refused and failed units, too. Without an id it lists
    every unit with what came of it.

    Examples:

      pairwright show runs/first

      pairwright show runs/first pair-1f2e3d4c5b6a7980

      pairwright show runs/first pair-1f2e3 --full

      pairwright show runs/first twin:cooking-01 --no-calls
    """
    # What reads outcomes takes a while to import, and other commands do without.
    from pairwright.cli.show_unit import print_details, print_summary
    from pairwright.construct.folder import RunFolder
    from pairwright.construct.outcome_lines import details_of, heading_of
    from pairwright.construct.run_pairs import find_outcome, iterate_results
    from pairwright.models.store import Store

    with closing(Store(RunFolder(run).calls, writing=False)) as store:
        console = Console()
        if wanted is None:
            for one in iterate_results(store):
                say(console, visible(f"{one.unit}  {one.kind}  {one.subject or one.reason}"))
            return
        outcome = find_outcome(store, wanted, run)
        print_details(console, heading_of(outcome))
        if full or no_calls:
            print_details(console, details_of(outcome, None if no_calls else store))
        else:
            print_summary(console, outcome, run, wanted)
