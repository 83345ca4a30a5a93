"""Commands as they are to be typed that another command prints."""

import shlex
import shutil
import sys
from collections.abc import Iterable

from rich.console import Console

from pairwright.cli.printing import say


def program() -> str:
    """`pairwright`, or the path it was called by where the shell would not find it."""
    return "pairwright" if shutil.which("pairwright") else shlex.quote(sys.argv[0])


def command(*parts: object) -> str:
    """A command of Pairwright with its arguments quoted, so that it can be pasted into a shell.

    `command("status", run, "--verify")` gives `pairwright status 'my runs/first' --verify`.
    """
    return " ".join([program(), *(shlex.quote(str(part)) for part in parts)])


def print_commands(console: Console, title: str, commands: Iterable[str]) -> None:
    """Print commands below a title, each on one line however long it is."""
    say(console, title, wrap=True)
    for line in commands:
        say(console, f"  {line}")
