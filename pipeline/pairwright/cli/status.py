"""`pairwright status`."""

import json
import tomllib
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.build.checks import checks
from pairwright.build.folder import RunFolder
from pairwright.build.tally import tally
from pairwright.cli.tables import result_table
from pairwright.config import validate
from pairwright.store import Store


def status_command(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="The run folder.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Re-derive the key of every stored call.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest instead.")] = False,
) -> None:
    """Show what a run has made so far; works while it is running.

    The table says what was kept, refused and failed, and how often a history showed no
    personal signal, by its length. Exits with 1 if units failed or `--verify` finds a difference.

    Examples:

      pairwright status runs/first

      pairwright status runs/first --verify
    """
    folder = RunFolder(run)
    store = Store(folder.calls, writing=False)
    console = Console()
    if as_json:
        manifest = folder.path / "manifest.json"
        if not manifest.exists():
            typer.echo(f"{manifest}: not written yet; the build has not finished", err=True)
            raise typer.Exit(1)
        typer.echo(manifest.read_text(encoding="utf-8"), nl=False)
        raise typer.Exit(0 if json.loads(manifest.read_bytes())["state"] == "whole" else 1)
    saved = tomllib.loads(folder.config.read_text(encoding="utf-8"))
    saved.pop("content", None)
    counted = tally(store)
    result_table(
        console, store, validate(saved, folder.config), counted, checks(store, counted), folder
    )
    if not (folder.path / "manifest.json").exists():
        console.print("The build has not finished; run it again to go on.")
    if verify:
        _verify(store, console)
    if counted.failed:
        raise typer.Exit(1)


def _verify(store: Store, console: Console) -> None:
    differences = 0
    for difference in store.verify():
        differences += 1
        console.print(difference, style="red", markup=False)
    n = store.totals().calls
    if differences:
        console.print(f"{differences} differences in {n:,} calls. Restore the store from a copy.")
        raise typer.Exit(1)
    console.print(f"All {n:,} calls hash to their keys.")
