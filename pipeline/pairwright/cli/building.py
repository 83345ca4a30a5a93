"""`pairwright build`: what a dry run expects, what a build made, and what comes next."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from typer import Option

from pairwright.cli.printing import command, print_words
from pairwright.cli.progress import display
from pairwright.construct.build import BuildResult, estimate
from pairwright.construct.outcomes import iterate_pairs
from pairwright.models.recording import NOT_RECORDED
from pairwright.modes import MODES


def print_build(
    work: Callable[[], BuildResult],
    config: Path,
    run: Path,
    limit: int | None = None,
    address: str | None = None,
    batch: bool = False,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Print calls, tokens and cost; send nothing.")
    ] = False,
) -> int:
    """Print what a build made, what is missing and why, and what comes next; with `dry_run` what it
    would cost, and build nothing."""
    if dry_run:
        with display() as progress:
            expected = estimate(config, limit=limit, progress=progress)
        print_words("estimate", expected=expected)
        return 0
    options = {"--limit": limit, "--address": address}
    words = [word for name, value in options.items() if value is not None for word in (name, value)]
    words += ["--batch"] if batch else []
    return _print_result(work(), run, command("build", config, "--run", run, *words))


def _print_result(result: BuildResult, run: Path, same_build: str) -> int:
    found = result.status
    pair = None if result.requests else next(iterate_pairs(run), None)
    print_words(
        "build",
        found=found,
        units={mode: MODES[mode].units for mode in found.config.modes},
        sent=result.usage.sent,
        run=run,
        shown=pair and f"{pair.mode}:{pair.item_id}",
        requests=result.requests,
        same_build=same_build,
    )
    # A recording says the same again; the build has said what to do.
    worth = not found.waiting and any(why != NOT_RECORDED for why in found.reasons("failed"))
    print_words("shortfalls", err=True, found=found, again=same_build if worth else "")
    return 3 if found.waiting else int(not result.whole)
