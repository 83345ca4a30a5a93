"""`pairwright diff`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pairwright.cli.printing import say, table_of
from pairwright.cli.progress import display
from pairwright.text import visible
from pairwright.workflows import collector

if TYPE_CHECKING:
    from pairwright.workflows.releases import ReleaseDiff

LISTED = 20
"""Subjects that the terminal names."""


def diff_command(
    before: Annotated[Path, typer.Argument(metavar="A", help="The folder of a release.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="The folder of a later one.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print every subject, as JSON.")] = False,
) -> None:
    """Show which pairs one release has and another has not, or has otherwise, and why.

    A twin is one subject: its halves are added, removed and changed together. The reasons are those
    that the two releases hold themselves. No release names who asked to be forgotten; how many
    pairs left for that is known if B follows A directly.

    Example:

      pairwright diff releases/1.0.0 releases/1.1.0
    """
    # What reads rows and verdicts takes a while to import, and other commands do without.
    from pairwright.workflows.releases import diff

    collector.ease()
    with display() as progress:
        comparison = diff(before, after, progress=progress)
    if as_json:
        typer.echo(json.dumps(comparison.as_json(), indent=2))
    else:
        _print(Console(), comparison)


def _print(console: Console, comparison: "ReleaseDiff") -> None:
    from pairwright.release.changes import EITHER

    names = (
        f"{release.name} {release.version}" for release in (comparison.before, comparison.after)
    )
    say(console, visible(" to ".join(names)), "bold", wrap=True)
    if not comparison.same_dataset:
        console.print("These are releases of two datasets, not two of one.", style="yellow")
    if comparison.reversed:
        console.print("A is the later one: what is called added here was removed.", style="yellow")
    if not comparison.subjects:
        console.print("No pair was added, removed or changed.")
        return
    rows = (
        (*map(visible, (change.config, change.what, change.reason)), f"{change.pairs:,}")
        for change in comparison.counts
    )
    console.print(table_of(("configuration", "what", "reason", "pairs"), rows, left=3))
    for subject in comparison.subjects[:LISTED]:
        line = visible(f"{subject.subject}  {subject.what}: {subject.reason}")
        say(console, line)
    if len(comparison.subjects) > LISTED:
        console.print(f"... and {len(comparison.subjects) - LISTED:,} more; --json has them all.")
    if any(subject.reason == EITHER for subject in comparison.subjects):
        console.print(
            f"{EITHER}: a release names nobody who is to be forgotten, so which of the two it is"
            " cannot be known for one twin or pair.",
            highlight=False,
        )
