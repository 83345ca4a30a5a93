"""What `build` prints beside the table of a run: what a dry run expects; after a build what is
missing, what waits, and what to do next."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from pairwright.cli.printing import command, print_commands, say, table_of, warn
from pairwright.cli.run_tables import print_failures
from pairwright.text import number_of

if TYPE_CHECKING:
    from pairwright.construct.estimate import BuildEstimate, PilotEstimate
    from pairwright.models.batch import Round
    from pairwright.workflows.run_status import RunStatus


def print_estimate(console: Console, expected: "BuildEstimate") -> None:
    """Print what a build would cost at the least and at the most."""
    from pairwright.workflows.build_words import (
        ESTIMATE_HEADS,
        estimate_sentences,
        estimate_tables,
    )

    for found in estimate_tables(expected):
        table = table_of(ESTIMATE_HEADS, found.rows, left=2, title=found.title)
        table.add_row(*found.total, style="bold")
        console.print(table)
    for sentence in estimate_sentences(expected):
        say(console, sentence, wrap=True)


def print_pilot_estimate(console: Console, expected: "PilotEstimate", n: int) -> None:
    """Print what a build will take by a pilot's outcome, for `n` kept units or `n` items."""
    from pairwright.construct.estimate import kept_word
    from pairwright.workflows.build_words import pilot_rows, pilot_sentence

    what = kept_word(expected.mode) if expected.given == "kept" else "items"
    heads, title = ("", "expected", "95 % interval"), f"By the pilot: {n:,} {what}"
    console.print(table_of(heads, pilot_rows(expected), title=title))
    say(console, pilot_sentence(expected), wrap=True)
    if expected.simulated:
        console.print("[bold]Simulated:[/bold] the embedded model answered in the pilot.")


def print_shortfalls(console: Console, status: "RunStatus", same_build: str) -> None:
    """Print why a build made less than it could, and what to do; `same_build` is the command that
    goes on with it."""
    from pairwright.workflows.build_words import shortfalls

    for sentence in shortfalls(status):
        warn(console, sentence)
    if status.failed and not status.waiting:
        _print_failed(console, status, same_build)


def _print_failed(console: Console, status: "RunStatus", same_build: str) -> None:
    """Print how much of a run is missing, why, and the command that asks for it."""
    # What reads recordings takes a while to import, and other commands do without.
    from pairwright.models.recorded import NOT_RECORDED

    print_failures(console, status)
    # A recording says the same again; the build has said what to do.
    if any(reason != NOT_RECORDED for _, reason in status.tally.failed):
        print_commands(console, "Ask for them again:", [same_build])


def print_next_steps(out: Console, run: Path) -> None:
    """Print the commands that show what was made, with ids that exist."""
    from pairwright.construct.run_pairs import iterate_pairs

    pair = next(iterate_pairs(run), None)
    look = [] if pair is None else [command("show", run, pair.id)]
    print_commands(out, "Look further:", [*look, command("status", run, "--verify")])
    files = "pairs.jsonl, rejected.jsonl, failed.jsonl, manifest.json"
    out.print(f"  {run}/: {files}", markup=False)


def print_round(out: Console, round_: "Round", run: Path, batch_out: Path, same_build: str) -> None:
    """Print the files that wait for replies, and what to do with them; `same_build` is the command
    that takes the next step once they are answered."""
    # Connections take a while to import, and other commands do without.
    from pairwright.models.batch.rounds import folder_of

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
