"""`pairwright show`: how one pair came about."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console


def show_command(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="The run folder.")],
    wanted: Annotated[str, typer.Argument(metavar="ID", help="A pair, twin, unit or item id.")],
    full: Annotated[
        bool, typer.Option("--full", help="Print everything, prompts and raw replies included.")
    ] = False,
    no_calls: Annotated[
        bool, typer.Option("--no-calls", help="Print everything but prompts and raw replies.")
    ] = False,
) -> None:
    """Show how one pair came about, in brief: aspects, responses, drafts, gates, calls.

    With --full, everything: posts, evidence, scores, whole texts, every prompt and raw reply, which
    is hundreds of lines or more. Works for refused and failed ids, too: they are in rejected.jsonl
    and failed.jsonl.

    Examples:

      pairwright show runs/first pair-1f2e3d4c5b6a7980

      pairwright show runs/first pair-1f2e3d4c5b6a7980 --full

      pairwright show runs/first twin:cooking-01 --no-calls
    """
    # What reads outcomes takes a while to import, and other commands do without.
    from pairwright.cli.show_unit import print_details, print_summary
    from pairwright.construct.folder import RunFolder
    from pairwright.construct.outcome_details import details_of, heading_of
    from pairwright.construct.unit_results import find_outcome
    from pairwright.models.store import Store

    with closing(Store(RunFolder(run).calls, writing=False)) as store:
        outcome = find_outcome(store, wanted, run)
        console = Console()
        print_details(console, heading_of(outcome))
        if full or no_calls:
            print_details(console, details_of(outcome, None if no_calls else store))
        else:
            print_summary(console, outcome, run, wanted)
