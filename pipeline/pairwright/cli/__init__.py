"""The command line: a table of commands (command.py), and what prints their results."""

import asyncio
import sys
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from pairwright.assets import __version__
from pairwright.cli.command import CommandGroup, LazyCommands
from pairwright.errors import Interrupted, PairwrightError

INTERRUPTED = Interrupted.exit_code
_app = typer.Typer(
    name="pairwright",
    cls=CommandGroup,
    help="Build personalized preference benchmarks: gated pairs from user histories.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Plain help keeps its lines and examples as they are written.
    rich_markup_mode=None,
    add_completion=False,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="Exit codes: 0 whole; 1 finished but short; 2 wrong input or a refusing endpoint;"
    " 3 waiting for batch replies; 130 interrupted, run again to go on.",
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@_app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def command_tree() -> Any:
    """The group of all commands, which can be called."""
    tree: Any = typer.main.get_command(_app)
    tree.commands = LazyCommands()
    return tree


UsageError: Any = typer.BadParameter.__base__
"""The exception that Typer raises for arguments that it cannot use."""


def _refuse(error: Any) -> None:
    """Say which word of the command line is wrong; of a command without any, its help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        sys.exit(2)
    path, said = error.ctx.command_path if error.ctx else "pairwright", error.format_message()
    if type(error.__cause__).__name__ == "ValidationError":
        given = repr(str(error.__cause__.errors()[0]["input"]))
        said = said.replace("Input should", f"{given} should").split(", unable")[0]
    _end(said, f"`{path} --help` has all options.", 2)


def _end(what: str, hint: str, code: int) -> None:
    typer.echo(f"error: {what}" + (f"\nhint: {hint}" if hint else ""), err=True)
    sys.exit(code)


def main() -> None:
    """Run a command. What a user can correct is an error with a hint; a bug is a traceback."""
    if isinstance(sys.stdout, TextIOWrapper):
        # A terminal whose encoding lacks a character shows its code, as Python does for errors.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = command_tree()(prog_name="pairwright", standalone_mode=False) or 0
        if code == INTERRUPTED:
            # Typer returns it for a Ctrl-C, and says nothing.
            raise KeyboardInterrupt
        sys.exit(code)
    except UsageError as wrong:
        _refuse(wrong)
    except (KeyboardInterrupt, asyncio.CancelledError, Interrupted) as stopped:
        finished = "Stopped. Every finished call is stored; run again to go on."
        typer.echo(str(stopped) or finished, err=True)
        sys.exit(INTERRUPTED)
    except PairwrightError as error:
        what, _, hint = str(error).partition("\n  ")
        _end(what, hint, error.exit_code)
    except OSError as error:
        # A full disk, a folder without leave to write: nothing that a traceback explains.
        what = f"{error.filename or 'input or output'}: {error.strerror}"
        _end(what, "Make room, or name a place that you may read and write.", 2)
