"""How a command ends that asked models: what failed, and whether enough was scored."""

from collections.abc import Iterable

import typer
from rich.console import Console


def warn(line: str, console: Console) -> None:
    """Print a line that says what is missing."""
    console.print(line, style="yellow", markup=False, highlight=False)


def end(console: Console, *, short: bool, reasons: Iterable[str]) -> None:
    """Exit with 1 where too little was scored; `reasons` are all reasons why something was not."""
    if any("call_failed" in reason for reason in reasons):
        console.print("Calls that failed are asked again when you run the same command again.")
    if short:
        raise typer.Exit(1)
