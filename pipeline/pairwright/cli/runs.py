"""`pairwright init`, `status` and `show`: a run from its folder to each of its pairs."""

import json
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from typer import Argument, Option

from pairwright.cli.printing import print_words, say
from pairwright.construct.folder import RunFolder
from pairwright.construct.show import lines_of
from pairwright.construct.status import RunStatus
from pairwright.models.store import Store
from pairwright.modes import STAGES
from pairwright.options import RunPath
from pairwright.text import visible


def print_status(
    found: RunStatus,
    run: Path,
    as_json: Annotated[bool, Option("--json", help="Print the manifest instead.")] = False,
) -> int:
    """Print what a run made, or its manifest, and whether it is whole."""
    if as_json:
        manifest = run / "manifest.json"
        if not manifest.exists():
            typer.echo(f"{manifest}: not written yet; the build has not finished", err=True)
            return 1
        # In ASCII, so that it is JSON in a terminal of any encoding.
        typer.echo(json.dumps(json.loads(manifest.read_bytes()), indent=2))
    else:
        print_words("status", found=found, names=STAGES, problems=RunFolder(run).problems)
        print_words("shortfalls", err=True, found=found)
    if found.waiting:
        return 3
    nothing = found.finished and found.nothing_kept
    return int(bool(found.failed or found.short_of_replies or nothing))


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
        for line in lines_of(store, wanted, run):
            say(console, visible(line), wrap=wanted is not None)
