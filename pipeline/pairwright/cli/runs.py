"""`pairwright status` and `show`: a run, and each of its pairs."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from typer import Option

from pairwright.cli.printing import print_words, say
from pairwright.construct.folder import RunFolder
from pairwright.construct.status import RunStatus
from pairwright.modes import STAGES
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


def print_lines(lines: list[str], wanted: str | None = None) -> None:
    """Print what became of a unit, or a line for each of them."""
    for line in lines:
        say(Console(), visible(line), wrap=wanted is not None)
