"""commands.md: what every command does, its arguments, its options and examples."""

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Literal, get_args, get_origin

from pairwright.cli.command import Option, options_of
from pairwright.cli.groups import EVERYDAY, command_words
from reference.markdown import page_of, table


def commands_page() -> str:
    words = command_words()
    advanced = [name for name in words if name not in EVERYDAY]
    sections = [
        "# Commands",
        "`--help`, or `-h`, says the same in a terminal. Exit codes: 0 whole; 1 finished"
        " but short; 2 wrong input or a refusing endpoint; 3 waiting for batch replies; 130"
        " interrupted, run again to go on.",
        *(_list(title, {name: words[name] for name in names})
          for title, names in (("Every study needs:", EVERYDAY), ("Advanced:", advanced))),
    ]  # fmt: skip
    for name, one in words.items():
        sections += _command((name,), one)
    return page_of(*sections)


def _list(title: str, words: dict[str, Any]) -> str:
    links = (f"- [{name}](#pairwright-{name}): {one['summary']}" for name, one in words.items())
    return "\n".join([title, "", *links])


def _command(path: tuple[str, ...], words: dict[str, Any]) -> Iterator[str]:
    """The section of a command, and of every command it groups."""
    yield f"## pairwright {' '.join(path)}"
    yield words["summary"]
    yield words.get("about", "").strip()
    if examples := words.get("examples", "").strip():
        yield f"```sh\n{examples}\n```"
    if "module" in words:
        commands = import_module(f"pairwright.cli.{words['module']}").COMMANDS
        options = sorted(options_of(commands[" ".join(path)]), key=lambda one: one.flag != "")
        yield table(("argument", "meaning"), [_row(one) for one in options])
        return
    for part, below in words.items():
        if isinstance(below, dict):
            yield from _command((*path, part), below)


def _row(option: Option) -> tuple[str, str]:
    """What is typed, and what it means."""
    doc, default = option.doc, option.default
    choices = get_args(option.kind) if get_origin(option.kind) is Literal else ()
    value = "" if option.kind is bool else doc.metavar or "VALUE"
    if isinstance(default, list):
        default = ", ".join(map(str, default))
    notes = (
        " or ".join(f"`{one}`" for one in choices),
        "" if doc.least is None else f"from {doc.least}",
        "" if doc.most is None else f"up to {doc.most}",
        "" if default in (None, False, "", inspect.Parameter.empty) else f"default {default}",
        "required" if default is inspect.Parameter.empty and option.flag else "",
    )
    brackets = f" ({', '.join(filter(None, notes))})" if any(notes) else ""
    return f"`{f'{option.flag} {value}'.strip()}`", f"{doc.text}{brackets}"
