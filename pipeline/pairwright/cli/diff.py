"""`pairwright diff`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.text import visible
from pairwright.workflows import collector

if TYPE_CHECKING:
    from pairwright.release.diff import Difference
    from pairwright.release.records import Change
    from pairwright.release.told import Told

SHOWN = 20
"""Subjects that the terminal names."""


def diff_command(
    before: Annotated[Path, typer.Argument(metavar="A", help="The folder of a release.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="The folder of a later one.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print every subject, as JSON.")] = False,
) -> None:
    """Show which pairs one release has and another has not, or has otherwise, and why.

    A twin is one: its halves come, go and change together. The reasons are those that the two
    releases hold themselves. Who asked to be forgotten stands nowhere; how many pairs left for that
    does, if B follows A directly.

    Example:

      pairwright diff releases/1.0.0 releases/1.1.0
    """
    # What reads rows and verdicts takes a while to import, and other commands do without.
    from pairwright.release.diff import differences, sides_of, sketches_of
    from pairwright.release.history import settled
    from pairwright.release.told import read_release

    collector.ease()
    old, new = read_release(before), read_release(after)
    with Console(stderr=True).status("reading rows"):
        sides = sides_of(old, new)
        found = differences(sketches_of(old.layout), sketches_of(new.layout), sides)
        listed, counts = settled(found, old, new)
    if as_json:
        typer.echo(json.dumps(_json(old, new, listed, counts), indent=2))
    else:
        _tell(Console(), old, new, listed, counts)


def _json(
    old: "Told", new: "Told", listed: "Sequence[Difference]", counts: "Sequence[Change]"
) -> dict[str, JsonValue]:
    sides: list[JsonValue] = [
        {"name": of.stated.name, "version": of.stated.version, "digest": of.digest}
        for of in (old, new)
    ]
    return {
        "before": sides[0],
        "after": sides[1],
        "counts": [change.model_dump() for change in counts],
        "subjects": [{**of._asdict(), "pairs": list(of.pairs)} for of in listed],
    }


def _tell(
    console: Console,
    old: "Told",
    new: "Told",
    listed: "Sequence[Difference]",
    counts: "Sequence[Change]",
) -> None:
    from pairwright.release.diff import EITHER
    from pairwright.release.versions import TRIAL, check_version

    console.print(visible(f"{old.name} to {new.name}"), style="bold", markup=False, highlight=False)
    if old.stated.info.name != new.stated.info.name:
        console.print("These are releases of two datasets, not two of one.", style="yellow")
    first, second = (check_version(of.stated.version.removesuffix(TRIAL)) for of in (old, new))
    if second < first:
        console.print("A is the later one: what is called added here was removed.", style="yellow")
    if not listed:
        console.print("No pair was added, removed or changed.")
        return
    table = Table(box=box.SIMPLE)
    for n, head in enumerate(("configuration", "what", "reason", "pairs")):
        table.add_column(head, justify="right" if n == 3 else "left", overflow="fold")
    for of in counts:
        words = (escape(visible(word)) for word in (of.config, of.what, of.reason))
        table.add_row(*words, f"{of.pairs:,}")
    console.print(table)
    for difference in listed[:SHOWN]:
        told = visible(f"{difference.subject}  {difference.what}: {difference.reason}")
        console.print(told, markup=False, highlight=False, soft_wrap=True)
    if len(listed) > SHOWN:
        console.print(f"... and {len(listed) - SHOWN:,} more; --json has them all.")
    if any(of.reason == EITHER for of in listed):
        console.print(
            f"{EITHER}: a release names nobody who is to be forgotten, so of one twin or pair this"
            " cannot be told.",
            highlight=False,
        )
