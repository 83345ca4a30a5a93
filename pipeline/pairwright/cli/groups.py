"""The tree of commands, with the words of their help from commands.toml.

A command's module is imported when its options or its work are asked for: what works and prints
takes a while to import, and help and completion of names do without.
"""

import tomllib
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from typing import Any

from typer.core import TyperCommand, TyperGroup

from pairwright.cli.command import Command, typer_command

EVERYDAY = (
    "init", "build", "status", "show", "human", "release", "audit", "evaluate", "leaderboard",
)  # fmt: skip
"""The commands that every study needs; the others are listed below them."""


class CommandGroup(TyperGroup):
    """A group of commands that lists everyday ones first."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands: those of every study first, where this group has any."""
        shown = {name: str(one.short_help) for name, one in self.commands.items()}
        everyday = () if ctx.parent else EVERYDAY
        advanced = [name for name in shown if name not in everyday]
        sections = {"Commands": everyday, "Advanced": advanced} if everyday else {"Commands": shown}
        for title, names in sections.items():
            with formatter.section(title):
                # One column for the names of both sections.
                width = max(map(len, shown))
                formatter.write_dl([(name.ljust(width), shown[name]) for name in names])


class LazyCommand(TyperCommand):
    """A command that is made when its options or its work are asked for."""

    def __init__(self, path: tuple[str, ...], words: dict[str, Any]) -> None:
        self._path, self._module = path, f"pairwright.cli.{words['module']}"
        super().__init__(
            name=path[-1],
            help=help_of(words),
            short_help=words["summary"],
            callback=lambda **given: self._made.callback(**given),  # type: ignore[misc]
            rich_markup_mode=None,
        )

    @cached_property
    def _made(self) -> TyperCommand:
        found: dict[str, Command] = import_module(self._module).COMMANDS
        return typer_command(self._path[-1], self.help or "", found[" ".join(self._path)])

    @property
    def params(self) -> Any:
        return self._made.params

    @params.setter
    def params(self, _: Any) -> None:
        """Those of the command as it is made count."""


def commands() -> dict[str, Any]:
    """All commands and groups of the top level, by name."""
    return dict(_below((), command_words()))


def command_words() -> dict[str, Any]:
    """The words of each command: `summary`, `about`, `examples`, and those of the commands below.

    The order is that of the help.
    """
    return tomllib.loads(
        files("pairwright.cli").joinpath("commands.toml").read_text(encoding="utf-8")
    )


def help_of(words: dict[str, Any]) -> str:
    """The help of a command or group from its words."""
    parts = [words["summary"], words.get("about", "").strip()]
    if examples := words.get("examples", "").rstrip():
        # \b keeps the lines of a paragraph as they are, so that they can be copied.
        parts.append("\b\nExamples:\n  " + examples.replace("\n", "\n  "))
    return "\n\n".join(filter(None, parts))


def _below(path: tuple[str, ...], words: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, one in words.items():
        if not isinstance(one, dict):
            continue
        if "module" in one:
            yield name, LazyCommand((*path, name), one)
        else:
            group = CommandGroup(
                name=name,
                help=help_of(one),
                short_help=one["summary"],
                no_args_is_help=True,
                rich_markup_mode=None,
            )
            group.commands = dict(_below((*path, name), one))
            yield name, group
