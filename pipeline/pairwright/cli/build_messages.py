"""What `build` prints beside the table of a run: what a dry run expects; after a build what is
missing, what waits, and what to do next."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from pairwright.cli.printing import command, print_commands, table_of
from pairwright.cli.run_tables import print_failures
from pairwright.models.batch import Round
from pairwright.models.batch.rounds import folder_of
from pairwright.models.model import CUT_IN_THINKING
from pairwright.text import number_of

if TYPE_CHECKING:
    from pairwright.construct.estimate import BuildEstimate
    from pairwright.construct.pilot import PilotEstimate
    from pairwright.workflows.run_status import RunStatus


def print_estimate(console: Console, expected: "BuildEstimate") -> None:
    """Print what a build would cost at the least and at the most."""
    for title, lines in (
        ("if every first draft is accepted", expected.first_draft),
        ("at most, if every draw is used", expected.at_most),
    ):
        rows = [
            (
                line.role,
                f"{line.model} ({line.endpoint})",
                *(f"{n:,}" for n in (line.calls, line.prompt_tokens, line.completion_tokens)),
                _range(line.cost_with_cache, line.cost),
            )
            for line in lines
        ]
        heads = ("role", "model", "calls", "prompt tokens", "reply tokens", "cost")
        items = number_of(expected.items, "item")
        table = table_of(heads, rows, left=2, title=f"{items}, {title}")
        sums = (
            sum(getattr(line, name) for line in lines)
            for name in ("calls", "prompt_tokens", "completion_tokens")
        )
        dearest = sum(line.cost for line in lines)
        price = _range(sum(line.cost_with_cache for line in lines), dearest)
        table.add_row("all", "", *(f"{total:,}" for total in sums), price, style="bold")
        console.print(table)
    console.print(
        "Nothing was sent. Items that show no personal signal stop early and cost less;"
        " reply lengths are assumptions."
    )
    cached = [sum(line.cached_tokens for line in lines) for lines in expected[2:]]
    if any(cached):
        least, most = (f"{tokens:,}" for tokens in cached)
        console.print(
            f"Up to {least if least == most else f'{least} to {most}'} of the prompt tokens are"
            " histories that were sent before, which an endpoint's cache may hold; price_cached"
            " of an endpoint is their price."
        )


def _range(low: float, high: float) -> str:
    """Two amounts of money, or one where they are the same."""
    return f"{high:,.2f}" if low == high else f"{low:,.2f} to {high:,.2f}"


def print_pilot_estimate(console: Console, expected: "PilotEstimate", n: int) -> None:
    """Print what a build will take by a pilot's outcome, for `n` kept units or `n` items."""
    from pairwright.construct.pilot import kept_word

    kept = kept_word(expected.mode)
    words = {"kept": f"{kept} kept", "prompt_tokens": "prompt tokens",
             "completion_tokens": "reply tokens"}  # fmt: skip
    rows = []
    for one in expected.expected:
        places = 2 if one.name == "cost" else 0
        high = f"{one.high:,.{places}f}" if one.high < float("inf") else "no upper end"
        value, interval = f"{one.value:,.{places}f}", f"{one.low:,.{places}f} to {high}"
        rows.append((words.get(one.name, one.name), value, interval))
    title = f"By the pilot: {n:,} {kept if expected.given == 'kept' else 'items'}"
    console.print(table_of(("", "expected", "95 % interval"), rows, title=title))
    console.print(
        f"Of {number_of(expected.users, 'user')} of the pilot with"
        f" {number_of(expected.items, 'item')} and {expected.kept:,} {kept} kept; intervals are of"
        " bootstrap draws of users. It holds for users like those of the pilot."
    )
    if expected.simulated:
        console.print("[bold]Simulated:[/bold] the embedded model answered in the pilot.")


def print_shortfalls(console: Console, status: "RunStatus", same_build: str) -> None:
    """Print why a build made less than it could, and what to do; `same_build` is the command that
    goes on with it. While units wait for a batch, what is missing in the end is not known yet."""
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
        return
    if status.target and (missing := status.target.missing):
        console.print(
            f"The target is not reached: {missing:,} are missing, and no item is left.",
            style="yellow",
        )
    if status.failed:
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


def print_round(out: Console, round_: Round, run: Path, batch_out: Path, same_build: str) -> None:
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
