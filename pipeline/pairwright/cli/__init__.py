"""The command line: options, help and printing. Its work is done in `pairwright.workflows`."""

import asyncio
import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from pairwright import __version__
from pairwright.cli.previous_commands import CommandGroup
from pairwright.errors import PairwrightError

app = typer.Typer(
    name="pairwright",
    cls=CommandGroup,
    help="Build personalized preference benchmarks: gated pairs from user histories.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Plain help keeps its lines and examples as they are written.
    rich_markup_mode=None,
    epilog="Exit codes: 0 whole; 1 finished but short; 2 wrong input or a refusing endpoint;"
    " 3 waiting for batch replies; 130 interrupted, run again to go on.",
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def _register() -> None:
    from pairwright.cli.audit import audit_command
    from pairwright.cli.batch import batch
    from pairwright.cli.build import build_command
    from pairwright.cli.diff import diff_command
    from pairwright.cli.doctor import doctor_command
    from pairwright.cli.downstream import downstream
    from pairwright.cli.evaluate import evaluate_command
    from pairwright.cli.forget import forget_command
    from pairwright.cli.human import human
    from pairwright.cli.init import init_command
    from pairwright.cli.leaderboard import leaderboard_command
    from pairwright.cli.release import release_command
    from pairwright.cli.show import show_command
    from pairwright.cli.status import status_command
    from pairwright.cli.train import train
    from pairwright.cli.verify import verify_command

    app.command("init")(init_command)
    app.command("doctor")(doctor_command)
    app.command("build")(build_command)
    app.add_typer(batch)
    app.command("status")(status_command)
    app.command("show")(show_command)
    app.add_typer(human)
    app.command("audit")(audit_command)
    app.command("release")(release_command)
    app.command("verify")(verify_command)
    app.command("diff")(diff_command)
    app.command("forget")(forget_command)
    app.command("evaluate")(evaluate_command)
    app.command("leaderboard")(leaderboard_command)
    app.add_typer(train)
    app.add_typer(downstream)


def main() -> None:
    """Run a command. What a user can mend is one message and an exit code; a bug is a traceback."""
    if isinstance(sys.stdout, TextIOWrapper):
        # A terminal whose encoding lacks a character shows its code, as Python does for errors.
        sys.stdout.reconfigure(errors="backslashreplace")
    _register()
    try:
        app()
    except PairwrightError as error:
        typer.echo(str(error), err=True)
        sys.exit(error.exit_code)
    except OSError as error:
        # A full disk, a folder without leave to write: nothing that a traceback explains.
        typer.echo(f"{error.filename or 'input or output'}: {error.strerror}", err=True)
        sys.exit(2)
    except (KeyboardInterrupt, asyncio.CancelledError):
        typer.echo("Stopped. Every finished call is stored; run again to go on.", err=True)
        sys.exit(130)
