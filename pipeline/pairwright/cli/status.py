"""`pairwright status`."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.run_tables import (
    print_failures,
    print_run,
    print_source_problems,
    print_waits,
)
from pairwright.text import number_of


def status_command(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="The run folder.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Re-derive the key of every stored call.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest instead.")] = False,
) -> None:
    """Show what a run has made so far; works while it is running.

    The table says what was kept, refused and failed, and how often a history showed no
    personal signal, by its length. Exits with 1 if units failed, if more than a tenth of them had
    no usable reply, if nothing was kept, a target was not reached or `--verify` finds a
    difference, and with 3 if units wait for the replies of a batch.

    Examples:

      pairwright status runs/first

      pairwright status runs/first --verify
    """
    console = Console(stderr=as_json)
    # What reads outcomes takes a while to import, and other commands do without.
    from pairwright.workflows.run_status import status

    found = status(run)
    if as_json:
        _print_manifest(run)
    else:
        print_run(console, found)
        print_source_problems(console, found)
        print_failures(console, found)
        print_waits(console, found)
    if found.running and not found.finished:
        console.print("The build is running.")
    elif found.waiting:
        waiting = number_of(found.waiting, "unit waits", "units wait")
        console.print(f"{waiting} for the replies of a batch.")
    elif not found.finished:
        console.print("The build has not finished; run it again to go on.")
    whole = _verified(run, found.stored.calls, console) if verify else True
    if found.waiting and whole:
        raise typer.Exit(3)
    missing = found.target is not None and found.target.missing
    nothing = found.finished and found.tally.nothing_kept
    if found.failed or found.tally.short_of_replies or missing or nothing or not whole:
        raise typer.Exit(1)


def _print_manifest(run: Path) -> None:
    manifest = run / "manifest.json"
    if not manifest.exists():
        typer.echo(f"{manifest}: not written yet; the build has not finished", err=True)
        raise typer.Exit(1)
    # In ASCII, so that it is JSON in a terminal of any encoding.
    typer.echo(json.dumps(json.loads(manifest.read_bytes()), indent=2))


def _verified(run: Path, calls: int, console: Console) -> bool:
    from pairwright.workflows.run_status import verify_calls

    differences = verify_calls(run)
    for difference in differences:
        console.print(difference, style="red", markup=False)
    if differences:
        summary = f"{number_of(len(differences), 'difference')} in {number_of(calls, 'call')}"
        console.print(f"{summary}. Restore the store from a copy.")
        return False
    every = (
        "The 1 call hashes to its key" if calls == 1 else f"All {calls:,} calls hash to their keys"
    )
    console.print(f"{every}.")
    return True
