"""Printing for all commands: lines as they are, commands to paste into a shell, and tables."""

import shlex
import shutil
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from pairwright.assets import DOCS

if TYPE_CHECKING:
    from pairwright.pages import Page
    from pairwright.pages import Table as Content


def say(console: Console, text: str, style: str = "", *, wrap: bool = False) -> None:
    """Print a text as it is: no markup, no colours but `style`.

    Its lines stay whole, so that paths and commands can be copied, unless `wrap` breaks them at
    the width of the terminal.
    """
    console.print(text, style=style, markup=False, highlight=False, soft_wrap=not wrap)


def command(*parts: object) -> str:
    """A command of Pairwright with its arguments quoted, so that it can be pasted into a shell.

    `command("status", run, "--json")` gives `pairwright status 'my runs/first' --json`.
    """
    program = ["pairwright"]
    if shutil.which("pairwright") is None:
        # What it was called by, where the shell would not find the name.
        is_module = Path(sys.argv[0]).stem == "__main__"
        program = ["python", "-m", "pairwright"] if is_module else [sys.argv[0]]
    return shlex.join(map(str, (*program, *parts)))


@cache
def _phrases() -> dict[str, str]:
    return tomllib.loads(Path(__file__).with_name("reasons.toml").read_text(encoding="utf-8"))


def phrase(reason: str) -> str:
    """The phrase of a reason: `no_partner` gives "no suitable second user"."""
    return _phrases().get(reason, reason.replace("_", " "))


def print_page(page: "Page", file: Path | None = None) -> None:
    """Print the tables of a page, the paragraphs that it opens with, and where its file is."""
    console = Console()
    for content in page.tables:
        print_table(console, content)
        console.print()
    for paragraph in page.opening:
        say(console, paragraph, wrap=True)
    if file:
        say(console, f"Open: {file}")


def print_words(name: str, /, *, err: bool = False, **values: object) -> None:
    """Print the content of the template `terminal/NAME`: tables, commands, which stay whole, and
    paragraphs. One that begins with an exclamation mark warns."""
    # What only counts a run does without templates, which take a while to import.
    from pairwright.pages import render_words

    console = Console(stderr=err)
    fixed = {"command": command, "docs": DOCS, "phrase": phrase, "quote": shlex.quote}
    before: object = ""
    for one in render_words(f"terminal/{name}", **fixed, **values):
        if not isinstance(one, str):
            if not isinstance(before, str):
                console.print()
            print_table(console, one)
        elif one.startswith("! "):
            say(console, one[2:], "yellow", wrap=True)
        else:
            say(console, one, wrap=not one.startswith("  "))
        before = one


def print_table(console: Console, content: "Content") -> None:
    """Print the table of a page. Where it is too wide, intervals go below their values, and heads
    and cells break at words."""
    table = _table(content, " ", padding=(0, 1))
    wide = console.options.update(width=10 * console.width)
    if console.measure(table, options=wide).maximum > console.width:
        table = _table(content, "\n", padding=(0, 0))
    console.print(table)


def _table(content: "Content", gap: str, *, padding: tuple[int, int]) -> Table:
    """Cells as they are, with a gap before what is in brackets. A word that is longer than its
    column takes several lines."""
    headed = any(content.head)
    table = Table(
        box=box.SIMPLE_HEAD if headed else box.SIMPLE, title=escape(content.note) or None,
        title_justify="left", padding=padding, show_header=headed, show_edge=False,
    )  # fmt: skip
    for n, head in enumerate(content.head):
        justify: JustifyMethod = "left" if n < content.left else "right"
        table.add_column(head, justify=justify, overflow="fold")
    for row in content.rows:
        table.add_row(*(Text(cell.replace(" (", f"{gap}(", 1)) for cell in row))
    return table
