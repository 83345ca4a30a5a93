"""`pairwright build`: what a dry run expects, what a build made, and what comes next."""

import shlex
from pathlib import Path
from typing import Annotated

from rich.console import Console

from pairwright.cli.command import Command
from pairwright.cli.printing import command, print_commands, say, table_of, warn
from pairwright.cli.runs import print_failures, print_run
from pairwright.construct.estimate import BuildEstimate, PilotEstimate, kept_word
from pairwright.construct.run_pairs import iterate_pairs
from pairwright.errors import InputError
from pairwright.models.batch.rounds import Round, folder_of
from pairwright.models.recorded import NOT_RECORDED
from pairwright.options import Doc
from pairwright.settings.endpoints import MOST_LINES
from pairwright.text import number_of
from pairwright.workflows.build_estimate import (
    ESTIMATE_HEADS,
    estimate,
    estimate_from_pilot,
    estimate_sentences,
    estimate_tables,
    pilot_rows,
    pilot_sentence,
)
from pairwright.workflows.progress import Progress
from pairwright.workflows.run_build import BuildEngine, BuildResult, build
from pairwright.workflows.run_words import shortfalls


def estimate_instead(
    config: Path,
    progress: Progress,
    limit: int | None = None,
    target: int | None = None,
    dry_run: Annotated[bool, Doc("Print calls, tokens and cost; send nothing.")] = False,
    pilot: Annotated[
        Path | None, Doc("With --dry-run: estimate from the outcome of this run.", "RUN")
    ] = None,
) -> int | None:
    """With --dry-run print what a build would cost by its config, and by a pilot if there is one,
    and build nothing."""
    if pilot and not dry_run:
        raise InputError("a pilot is for an estimate", where="--pilot", fix="Add --dry-run.")
    if not dry_run:
        return None
    if target and not pilot:
        raise InputError(
            "only a pilot tells what a target will cost",
            where="--target",
            fix="Build some items into another folder (--limit 20), and add --pilot FOLDER.",
        )
    expected = estimate(config, limit=limit, progress=progress)
    by_pilot = pilot and estimate_from_pilot(
        config, pilot, items=expected.items, target=target, progress=progress
    )
    console = Console()
    _print_estimate(console, expected)
    if by_pilot:
        _print_pilot_estimate(console, by_pilot, target or expected.items)
    return 0


def _print_estimate(console: Console, expected: BuildEstimate) -> None:
    """Print what a build would cost at the least and at the most."""
    for title, rows, total in estimate_tables(expected):
        table = table_of(ESTIMATE_HEADS, rows, left=2, title=title)
        table.add_row(*total, style="bold")
        console.print(table)
    for sentence in estimate_sentences(expected):
        say(console, sentence, wrap=True)


def _print_pilot_estimate(console: Console, expected: PilotEstimate, n: int) -> None:
    """Print what a build will take by a pilot's outcome, for `n` kept units or `n` items."""
    what = kept_word(expected.mode) if expected.given == "kept" else "items"
    heads, title = ("", "expected", "95 % interval"), f"By the pilot: {n:,} {what}"
    console.print(table_of(heads, pilot_rows(expected), title=title))
    say(console, pilot_sentence(expected), wrap=True)
    if expected.simulated:
        console.print("[bold]Simulated:[/bold] a simulated model answered in the pilot.")


def print_build(
    result: BuildResult,
    config: Path,
    run: Path,
    limit: int | None = None,
    target: int | None = None,
    engine: BuildEngine = "local",
    address: str | None = None,
    batch_out: Path | None = None,
    batch_lines: int = MOST_LINES,
) -> int:
    """Print what a build made, what is missing and why, and what comes next."""
    options = {
        "--batch-out": batch_out,
        "--limit": limit,
        "--target": target,
        "--batch-lines": None if batch_lines == MOST_LINES else batch_lines,
        "--engine": None if engine == "local" else engine,
        "--address": address,
    }
    words = [word for name, value in options.items() if value is not None for word in (name, value)]
    same_build = command("build", config, "--run", run, *words)
    out, err, found = Console(), Console(stderr=True), result.status
    print_run(out, found, sent=result.usage.sent)
    if result.round and batch_out:
        _print_round(out, result.round, run, batch_out, same_build)
    else:
        _print_next_steps(out, run)
    for sentence in shortfalls(found):
        warn(err, sentence)
    if found.waiting:
        return 3
    if found.failed:
        print_failures(err, found)
        # A recording says the same again; the build has said what to do.
        if any(reason != NOT_RECORDED for _, reason in found.tally.failed):
            print_commands(err, "Ask for them again:", [same_build])
    return int(not result.whole)


def _print_next_steps(out: Console, run: Path) -> None:
    """Print the commands that show what was made, with ids that exist."""
    pair = next(iterate_pairs(run), None)
    look = [] if pair is None else [command("show", run, pair.id)]
    print_commands(out, "Look further:", [*look, command("status", run, "--verify")])
    files = "pairs.jsonl, rejected.jsonl, failed.jsonl, manifest.json"
    out.print(f"  {run}/: {files}", markup=False)


def _print_round(out: Console, round_: Round, run: Path, batch_out: Path, same_build: str) -> None:
    """Print the files that wait for replies, and what to do with them; `same_build` is the command
    that takes the next step once they are answered."""
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
    print_commands(out, "and go on:", [same_build])


COMMANDS = {"build": Command(build, print_build, first=estimate_instead)}
