"""`pairwright build`."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pairwright.cli.build_messages import (
    print_estimate,
    print_next_steps,
    print_pilot_estimate,
    print_round,
    print_shortfalls,
)
from pairwright.cli.printing import command
from pairwright.cli.progress import display, interruptible
from pairwright.cli.run_tables import print_run
from pairwright.errors import InputError
from pairwright.settings.endpoints import MOST_LINES
from pairwright.workflows.collector import ease

if TYPE_CHECKING:
    from pairwright.workflows.run_build import BuildResult

ConfigPath = Annotated[Path, typer.Argument(metavar="CONFIG.toml", help="The run's configuration.")]


class EngineName(StrEnum):
    """What shares the work of a build."""

    LOCAL = "local"
    RAY = "ray"


def build_command(
    config_path: ConfigPath,
    run: Annotated[Path, typer.Option("--run", metavar="DIR", help="The run folder.")],
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first N items.")
    ] = None,
    target: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Stop when N twins are kept; or N pairs, without twins."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print calls, tokens and cost; send nothing.")
    ] = False,
    pilot: Annotated[
        Path | None,
        typer.Option(
            "--pilot", metavar="RUN", help="With --dry-run: estimate from the outcome of this run."
        ),
    ] = None,
    accept_changes: Annotated[
        bool,
        typer.Option(
            "--accept-changes", help="Go on in a folder that was built with another config."
        ),
    ] = False,
    ask_again: Annotated[
        bool,
        typer.Option(
            "--ask-again", help="Send calls again that are missing from the folder's calls.sqlite."
        ),
    ] = False,
    ask_again_for: Annotated[
        list[str] | None,
        typer.Option(
            "--ask-again-for",
            metavar="REASON",
            help="Ask again where units were refused for this reason, such as unparseable.",
        ),
    ] = None,
    batch_out: Annotated[
        Path | None,
        typer.Option(
            "--batch-out", metavar="OUT", help="Send nothing: write the calls to files below OUT."
        ),
    ] = None,
    batch_lines: Annotated[
        int, typer.Option(min=1, max=MOST_LINES, metavar="N", help="Most calls of one such file.")
    ] = MOST_LINES,
    engine: Annotated[
        EngineName,
        typer.Option(help="What `processes` of the config are: of this machine, or actors."),
    ] = EngineName.LOCAL,
    address: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Head of the Ray cluster.")
    ] = None,
) -> None:
    """Build preference pairs from user histories.

    Running the same command again resumes: finished calls are never sent twice.

    Examples:

      pairwright build pairwright.toml --run runs/first --dry-run

      pairwright build pairwright.toml --run runs/first --limit 20

      pairwright build pairwright.toml --run runs/first

      pairwright build pairwright.toml --run runs/first --target 200

      pairwright build pairwright.toml --run runs/first --target 200 --dry-run --pilot runs/pilot

      pairwright build pairwright.toml --run runs/first --batch-out batches

      pairwright build pairwright.toml --run /shared/first --engine ray --address 10.0.0.1:6379
    """
    if pilot and not dry_run:
        raise InputError("a pilot is for an estimate", where="--pilot", fix="Add --dry-run.")
    if dry_run:
        _print_estimate(config_path, limit=limit, target=target, pilot=pilot)
        return
    # What builds takes a while to import, and other commands do without.
    from pairwright.workflows.run_build import build

    console = Console(stderr=True)
    ease()
    with display(console) as progress, interruptible() as stop:
        result = build(
            config_path,
            run,
            limit=limit,
            target=target,
            accept_changes=accept_changes,
            ask_again=ask_again,
            ask_again_for=ask_again_for or (),
            engine=engine.value,
            address=address,
            batch_out=batch_out,
            batch_lines=batch_lines,
            progress=progress,
            stop=stop,
        )
    same_build = _command(
        config_path,
        run,
        {
            "--batch-out": batch_out,
            "--limit": limit,
            "--target": target,
            "--batch-lines": None if batch_lines == MOST_LINES else batch_lines,
            "--engine": None if engine is EngineName.LOCAL else engine.value,
            "--address": address,
        },
    )
    _print_result(Console(), run, result, batch_out, same_build)
    print_shortfalls(console, result.status, same_build)
    if result.status.waiting:
        raise typer.Exit(3)
    if not result.whole:
        raise typer.Exit(1)


def _print_estimate(
    config_path: Path, *, limit: int | None, target: int | None, pilot: Path | None
) -> None:
    """Print what a build would cost by its config, and by a pilot if there is one."""
    if target and not pilot:
        raise InputError(
            "only a pilot tells what a target will cost",
            where="--target",
            fix="Build some items into another folder (--limit 20), and add --pilot FOLDER.",
        )
    from pairwright.workflows.build_estimate import estimate, estimate_from_pilot

    with display(Console(stderr=True)) as progress:
        expected = estimate(config_path, limit=limit, progress=progress)
        by_pilot = pilot and estimate_from_pilot(
            config_path, pilot, items=expected.items, target=target, progress=progress
        )
    out = Console()
    print_estimate(out, expected)
    if by_pilot:
        print_pilot_estimate(out, by_pilot, target or expected.items)


def _print_result(
    out: Console, run: Path, result: "BuildResult", batch_out: Path | None, same_build: str
) -> None:
    """Print what a build made, and what comes next."""
    print_run(out, result.status, sent=result.usage.sent)
    if result.round and batch_out:
        print_round(out, result.round, run, batch_out, same_build)
    else:
        print_next_steps(out, run)


def _command(config_path: Path, run: Path, options: dict[str, object]) -> str:
    """The command that goes on with a build: its options without those that are None."""
    words = [word for option in options.items() if option[1] is not None for word in option]
    return command("build", config_path, "--run", run, *words)
