"""commands.md: what every command does, its arguments, its options and examples."""

from collections.abc import Iterator
from textwrap import dedent
from typing import Any

import typer

from pairwright.cli import command_tree
from reference.markdown import page_of, table


def commands_page() -> str:
    sections = [
        part for name, one in command_tree().commands.items() for part in _command((name,), one)
    ]
    return page_of(
        "# Commands",
        "`--help`, or `-h`, prints the same in a terminal. [Exit codes](how_it_works.md#exit-codes)"
        " are the same for all commands.",
        *sections,
    )


def _command(path: tuple[str, ...], command: Any) -> Iterator[str]:
    """The section of a command, and of every command it groups."""
    yield f"## pairwright {' '.join(path)}"
    yield command.help
    for name, below in getattr(command, "commands", {}).items():
        yield from _command((*path, name), below)
    if command.epilog:
        examples = dedent(command.epilog.partition("Examples:\n")[2])
        yield f"```sh\n{examples}\n```"
        yield table(("argument", "meaning"), list(_rows(command)))


def _rows(command: Any) -> Iterator[tuple[str, str]]:
    context = typer.Context(command)
    for parameter in command.params:
        typed, meaning = parameter.get_help_record(context)
        yield f"`{typed}`", meaning
