"""`pairwright batch`: calls by files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pairwright.cli.human.options import RunPath
from pairwright.cli.printing import command, print_commands, say
from pairwright.cli.progress import display
from pairwright.text import number_of, visible

if TYPE_CHECKING:
    from pairwright.models.batch import Ingested

OutPath = Annotated[
    Path, typer.Argument(metavar="OUT", help="The folder that --batch-out of the build named.")
]

batch = typer.Typer(
    name="batch",
    help="Have a build's calls answered by files: a Batch API, vllm run-batch, a recording.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@batch.command("ingest")
def ingest_command(
    run: RunPath,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Replies, as a batch wrote them.")
    ],
) -> None:
    """Put the replies of a batch into the run's store.

    A line that cannot be used is named with its file and line number, in full in the run's
    batch_problems.jsonl, and the exit code is 1; the next round asks again for what has no reply.
    The same file twice changes nothing.

    Examples:

      pairwright batch ingest runs/first batches/round-1/001.replies.jsonl

      pairwright batch ingest runs/first batches/round-1/*.replies.jsonl
    """
    from pairwright.workflows.batch_files import ingest_replies

    with display() as progress:
        ingested = ingest_replies(run, files, progress=progress)
    _print_ingested(Console(), ingested)
    if ingested.problems:
        raise typer.Exit(1)


@batch.command("record")
def record_command(
    run: RunPath,
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="A new file; .gz compresses it.")
    ],
    note: Annotated[
        str, typer.Option("--note", metavar="TEXT", help="Who or what wrote the replies.")
    ] = "",
) -> None:
    """Write the replies to all calls of a run into one file, which can answer them again.

    The recording holds what the last build of the run used, with the calls of refused drafts, and
    no request, address or key. An endpoint with base_url = "recording:FILE" answers from it, so
    anyone can build the same pairs without a model. A run whose build has not ended is refused;
    one with failed units is recorded as far as it went, and the exit code is 1.

    Example:

      pairwright batch record runs/first --out replies.jsonl.gz --note "Qwen3-32B, November 2026"
    """
    from pairwright.workflows.recording import record_run

    recorded = record_run(run, out, note=note)
    console = Console()
    units = number_of(recorded.units, "unit")
    say(console, f"{out}: {number_of(recorded.calls, 'call')} of {units}")
    for name, model in recorded.head.models.items():
        simulated = f", {model.simulated:,} of them simulated" if model.simulated else ""
        say(console, f"  {visible(name)}: {number_of(model.calls, 'call')}{simulated}")
    say(console, f'To answer from it: base_url = "recording:{out.name}" beside a config.')
    if recorded.failed:
        failed = number_of(recorded.failed, "unit")
        say(console, f"{failed} failed: their missing calls are not in it.", "yellow")
        raise typer.Exit(1)


@batch.command("submit")
def submit_command(run: RunPath, out: OutPath) -> None:
    """Hand the files of the latest round to the OpenAI Batch API.

    Safe to repeat and to interrupt: no file is submitted twice. Each file goes to the endpoint it
    was written for, with the key that its api_key_env names.

    Example:

      pairwright batch submit runs/first batches
    """
    from pairwright.workflows.batch_files import submit_batches

    with display() as progress:
        submitted = submit_batches(run, out, progress=progress)
    console = Console()
    for shard, batch_id in submitted.new:
        sent = f"{shard.file}: {number_of(shard.lines, 'request')} to {shard.endpoint}"
        say(console, f"{sent} as {batch_id}")
    batches = number_of(len(submitted.new), "new batch", "new batches")
    next_step = command("batch", "poll", run, out, "--wait")
    print_commands(console, f"{batches}, {submitted.before} submitted before. Next:", [next_step])


@batch.command("poll")
def poll_command(
    run: RunPath,
    out: OutPath,
    wait: Annotated[
        bool, typer.Option("--wait", help="Go on asking until every batch has ended.")
    ] = False,
) -> None:
    """Ask how far the submitted batches are, and ingest the replies that have come.

    Exits with 3 while a batch is under way, and with 1 where one has ended without all of its
    replies: what is missing is asked again in the next round.

    Examples:

      pairwright batch poll runs/first batches

      pairwright batch poll runs/first batches --wait
    """
    from pairwright.workflows.batch_files import poll_batches

    with display() as progress:
        polled = poll_batches(run, out, wait=wait, progress=progress)
    console = Console()
    for at in polled.shards:
        requests = number_of(at.shard.lines, "request")
        say(console, f"{at.shard.file}: {at.status}, {at.done:,} of {requests}")
    for line in polled.troubles:
        say(console, line, "yellow")
    if polled.ingested.lines:
        _print_ingested(console, polled.ingested)
    if polled.under_way:
        raise typer.Exit(3)
    if polled.troubles or polled.ingested.problems:
        raise typer.Exit(1)


def _print_ingested(console: Console, ingested: "Ingested") -> None:
    """What became of the lines."""
    # Connections take a while to import, and other commands do without.
    from pairwright.models.batch.ingest import MEANINGS

    lines: list[tuple[str, int]] = [("stored", ingested.stored), ("stored before", ingested.known)]
    lines += [(MEANINGS[kind], n) for kind, n in ingested.problems.most_common()]
    counts = "; ".join(f"{n:,} {what}" for what, n in lines)
    say(console, f"{number_of(ingested.lines, 'line')}: {counts}.")
