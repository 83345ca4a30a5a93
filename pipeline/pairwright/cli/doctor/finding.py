"""What was found about a server, and the table that says so."""

from typing import Literal, NamedTuple

from rich import box
from rich.table import Table
from rich.text import Text

from pairwright.text import visible

State = Literal["ok", "note", "stop"]
_COLOURS: dict[State, str] = {"ok": "green", "note": "yellow", "stop": "red"}


class Finding(NamedTuple):
    """One thing that a build depends on. `stop` means that a build cannot use the server."""

    state: State
    about: str
    found: str
    advice: str = ""
    """What it means for a build, and what to do."""


def table(title: str, findings: list[Finding]) -> Table:
    """The findings, one a row, with their advice below them. What servers say is shown as text."""
    made = Table(
        title=Text(visible(title)), box=box.SIMPLE, title_justify="left", show_header=False
    )
    made.add_column(no_wrap=True)
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    for state, about, found, advice in findings:
        told = Text(visible(found))
        if advice:
            told.append(f"\n{visible(advice)}", style="dim" if state == "ok" else "")
        made.add_row(Text(state, style=_COLOURS[state]), about, told)
    return made
