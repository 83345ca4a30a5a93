"""commands.md: the help of every command."""

import os
from collections.abc import Iterator
from typing import Any

from reference.markdown import page_of

# Read when the help is laid out, so before typer is imported.
os.environ.update(COLUMNS="80", TERM="dumb", NO_COLOR="1")

from pairwright import cli


def commands_page() -> str:
    cli._register()
    group = cli.command_tree()
    context = group.make_context("pairwright", [], resilient_parsing=True)
    sections = ["# Commands", "What `--help` says, at 80 columns.", *_helps("pairwright", context)]
    return page_of(*sections)


def _helps(name: str, context: Any) -> Iterator[str]:
    """A command's help, and that of every command it groups."""
    yield _help(name, context)
    for part, command in getattr(context.command, "commands", {}).items():
        yield from _helps(f"{name} {part}", type(context)(command, context, part))


def _help(name: str, context: Any) -> str:
    lines = context.command.get_help(context).strip().splitlines()
    text = "\n".join(line.rstrip() for line in lines)
    return f"## {name}\n\n```text\n{text}\n```"
