"""`pairwright status`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.source_problems import tell_of_problems
from pairwright.cli.tables import result_table
from pairwright.construct.folder import RunFolder
from pairwright.construct.tally import checks, tally
from pairwright.models.store import Store
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
    personal signal, by its length. Exits with 1 if units failed or `--verify` finds a difference,
    and with 3 if units wait for the replies of a batch.

    Examples:

      pairwright status runs/first

      pairwright status runs/first --verify
    """
    folder = RunFolder(run)
    store = Store(folder.calls, writing=False)
    console = Console(stderr=as_json)
    counted = tally(store)
    if as_json:
        _print_manifest(folder)
    else:
        result_table(console, store, folder.settings(), counted, checks(store, counted), folder)
        tell_of_problems(console, folder)
    if counted.waiting:
        waiting = number_of(counted.waiting.total(), "unit waits", "units wait")
        console.print(f"{waiting} for the replies of a batch.")
    elif not (store.finished and (folder.path / "manifest.json").exists()):
        console.print("The build has not finished; run it again to go on.")
    whole = _verified(store, console) if verify else True
    if counted.waiting and whole:
        raise typer.Exit(3)
    if counted.failed or not whole:
        raise typer.Exit(1)


def _print_manifest(folder: RunFolder) -> None:
    manifest = folder.path / "manifest.json"
    if not manifest.exists():
        typer.echo(f"{manifest}: not written yet; the build has not finished", err=True)
        raise typer.Exit(1)
    typer.echo(manifest.read_text(encoding="utf-8"), nl=False)


def _verified(store: Store, console: Console) -> bool:
    differences = 0
    for difference in store.verify():
        differences += 1
        console.print(difference, style="red", markup=False)
    n = store.totals().calls
    if differences:
        told = f"{number_of(differences, 'difference')} in {number_of(n, 'call')}"
        console.print(f"{told}. Restore the store from a copy.")
        return False
    every = "The 1 call hashes to its key" if n == 1 else f"All {n:,} calls hash to their keys"
    console.print(f"{every}.")
    return True
