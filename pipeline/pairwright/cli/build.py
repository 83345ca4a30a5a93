"""`pairwright build`."""

import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pairwright.cli.progress import display, interruptible
from pairwright.cli.shell import command, print_commands
from pairwright.cli.tables import estimate_tables, pilot_table, print_failures, result_table
from pairwright.errors import InputError
from pairwright.models.batch import Round
from pairwright.models.batch.rounds import MOST_LINES, folder_of
from pairwright.models.model import CUT_IN_THINKING
from pairwright.text import number_of
from pairwright.workflows.collector import ease

if TYPE_CHECKING:
    from pairwright.workflows.run_status import RunStatus

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
            "--pilot", metavar="RUN", help="With --dry-run: estimate from what this run came to."
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
    # What builds takes a while to import, and other commands do without.
    from pairwright.workflows.build_estimate import estimate, estimate_from_pilot
    from pairwright.workflows.run_build import build

    console, out = Console(stderr=True), Console()
    if pilot and not dry_run:
        raise InputError("a pilot is for an estimate", where="--pilot", fix="Add --dry-run.")
    if dry_run and target and not pilot:
        raise InputError(
            "only a pilot tells what a target will cost",
            where="--target",
            fix="Build some items into another folder (--limit 20), and add --pilot FOLDER.",
        )
    if dry_run:
        with display(console) as progress:
            expected = estimate(config_path, limit=limit, progress=progress)
            by_pilot = pilot and estimate_from_pilot(
                config_path, pilot, items=expected.items, target=target, progress=progress
            )
        estimate_tables(out, expected)
        if by_pilot:
            pilot_table(out, by_pilot, target or expected.items)
        return
    ease()
    with display(console) as progress, interruptible() as stop:
        result = build(
            config_path,
            run,
            limit=limit,
            target=target,
            accept_changes=accept_changes,
            ask_again=ask_again,
            engine=engine.value,
            address=address,
            batch_out=batch_out,
            batch_lines=batch_lines,
            progress=progress,
            stop=stop,
        )
    status = result.status
    result_table(out, status, sent=result.usage.sent)
    options: dict[str, object] = {
        "--batch-out": batch_out,
        "--limit": limit,
        "--target": target,
        "--batch-lines": None if batch_lines == MOST_LINES else batch_lines,
        "--engine": None if engine is EngineName.LOCAL else engine.value,
        "--address": address,
    }
    given = [part for pair in options.items() if pair[1] is not None for part in pair]
    again = command("build", config_path, "--run", run, *given)
    if result.round and batch_out:
        _print_round(out, result.round, run, batch_out, again)
    else:
        _print_next_steps(out, run)
    if cut := sum(n for (*_, why), n in status.tally.rejected.items() if CUT_IN_THINKING in why):
        console.print(
            f"{number_of(cut, 'unit')} refused because a model's thinking left no room for its"
            " reply: `pairwright doctor` says which thinking_tokens to set for its endpoint. With"
            " another number its calls are asked again (--accept-changes).",
            style="yellow",
        )
    if status.budget_spent:
        console.print("The budget is spent: raise [budget] to go on.", style="yellow")
    if status.waiting:
        raise typer.Exit(3)
    if missing := status.target and status.target.missing:
        console.print(
            f"The target is not reached: {missing:,} are missing, and no item is left.",
            style="yellow",
        )
    if status.failed:
        _print_failed(console, status, again)
    if status.failed or missing:
        raise typer.Exit(1)


def _print_failed(console: Console, status: "RunStatus", again: str) -> None:
    """How much of a run is missing, why, and the command that asks for it."""
    # What reads recordings takes a while to import, and other commands do without.
    from pairwright.models.recorded import NOT_RECORDED

    print_failures(console, status)
    # A recording says the same again; the build has said what to do.
    if any(reason != NOT_RECORDED for _, reason in status.tally.failed):
        print_commands(console, "Ask for them again:", [again])


def _print_next_steps(out: Console, run: Path) -> None:
    """What to look at now, with ids that exist."""
    from pairwright.construct.run_pairs import iterate_pairs

    pair = next(iterate_pairs(run), None)
    look = [] if pair is None else [command("show", run, pair.id)]
    print_commands(out, "Look further:", [*look, command("status", run, "--verify")])
    files = "pairs.jsonl, rejected.jsonl, failed.jsonl, manifest.json"
    out.print(f"  {run}/: {files}", markup=False)


def _print_round(out: Console, round_: Round, run: Path, batch_out: Path, goes_on: str) -> None:
    """The files that wait for replies, and what to do with them; `goes_on` is the command that
    takes the next step once they are answered."""
    folder, first = folder_of(batch_out, round_.round), round_.shards[0]
    calls = number_of(round_.lines, "call")
    files = (f"{one.file}: {one.lines:,} to {one.endpoint} ({one.model})" for one in round_.shards)
    print_commands(out, f"Round {round_.round}: {calls} in {folder}/", files)
    replies = folder / f"{first.file.removesuffix('.jsonl')}.replies.jsonl"
    run_batch = shlex.join(
        ["vllm", "run-batch", *("-i", str(folder / first.file)), *("-o", str(replies))]
    )
    # The shell must see the star.
    every_reply = f"{shlex.quote(str(folder))}/*.replies.jsonl"
    print_commands(
        out,
        "Have them answered by a Batch API:",
        [
            command("batch", "submit", run, batch_out),
            command("batch", "poll", run, batch_out, "--wait"),
        ],
    )
    print_commands(
        out,
        "or by vLLM, each file with the model it is for:",
        [
            f"{run_batch} --model {shlex.quote(first.model)}",
            f"{command('batch', 'ingest', run)} {every_reply}",
        ],
    )
    print_commands(out, "and go on:", [goes_on])
