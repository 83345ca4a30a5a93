"""`pairwright build`: what a dry run expects, what a build made, and what comes next."""

from pathlib import Path
from typing import Annotated

from rich.console import Console

from pairwright.cli.command import Command
from pairwright.cli.printing import command, print_commands, print_words, warn
from pairwright.cli.runs import print_failures, print_run
from pairwright.construct.run_pairs import iterate_pairs
from pairwright.models.batch.rounds import folder_of
from pairwright.models.recorded import NOT_RECORDED
from pairwright.options import Doc
from pairwright.workflows.progress import Progress
from pairwright.workflows.run_build import BuildResult, build, estimate
from pairwright.workflows.run_status import shortfalls


def estimate_instead(
    config: Path,
    progress: Progress,
    limit: int | None = None,
    dry_run: Annotated[bool, Doc("Print calls, tokens and cost; send nothing.")] = False,
) -> int | None:
    """With --dry-run print what a build would cost by its config, and build nothing."""
    if not dry_run:
        return None
    print_words("estimate", expected=estimate(config, limit=limit, progress=progress))
    return 0


def print_build(
    result: BuildResult,
    config: Path,
    run: Path,
    limit: int | None = None,
    address: str | None = None,
    batch_out: Path | None = None,
) -> int:
    """Print what a build made, what is missing and why, and what comes next."""
    options = {
        "--batch-out": batch_out,
        "--limit": limit,
        "--address": address,
    }
    words = [word for name, value in options.items() if value is not None for word in (name, value)]
    same_build = command("build", config, "--run", run, *words)
    out, err, found = Console(), Console(stderr=True), result.status
    print_run(out, found, sent=result.usage.sent)
    pair = None if result.round else next(iterate_pairs(run), None)
    print_words(
        "build",
        run=run,
        pair=pair and pair.id,
        round=result.round,
        batch_out=batch_out,
        folder=result.round and batch_out and folder_of(batch_out, result.round.round),
        same_build=same_build,
    )
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


COMMANDS = {"build": Command(build, print_build, first=estimate_instead)}
