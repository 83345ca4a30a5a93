"""`pairwright forget`."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pairwright.cli.human.options import RunPath
from pairwright.cli.printing import table_of
from pairwright.cli.progress import display
from pairwright.workflows import collector

if TYPE_CHECKING:
    from pairwright.workflows.removal import Removals


def forget_command(
    run: RunPath,
    user: Annotated[
        list[str] | None,
        typer.Option(
            metavar="USER", help="A user's id in the source, or pseudonym in a release; repeatable."
        ),
    ] = None,
    url: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="The address of a post or question; repeatable."),
    ] = None,
) -> None:
    """Record who or what is to be forgotten: the next release goes without it.

    Every pair made of that user's or that address's posts, or with a response by that user, is left
    out, twins whole, with the verdicts on it; the changelog counts them. RUN/forgotten.jsonl holds
    hashes only; recording somebody again is harmless. The run folder itself still holds the posts.
    Exits with 1 if somebody or something named is nowhere in the run.

    Examples:

      pairwright forget runs/first --user 4711

      pairwright forget runs/first --url https://cooking.stackexchange.com/q/123
    """
    from pairwright.workflows.removal import forget

    collector.ease()
    with display() as progress:
        removals = forget(run, users=user or (), urls=url or (), progress=progress)
    _print(Console(), removals)
    if removals.missing:
        names = ", ".join(map(repr, removals.missing))
        typer.echo(
            f"Nowhere in this run, perhaps misspelt: {names}. Recorded all the same.", err=True
        )
        raise typer.Exit(1)


def _print(console: Console, removals: "Removals") -> None:
    rows = [
        (
            removal.given,
            "recorded" if removal.new else "was recorded before",
            *(f"{n:,}" for n in (removal.items, removal.posts, removal.pairs, 2 * removal.twins)),
        )
        for removal in removals.removals
    ]
    heads = ("to be forgotten", "", "items", "posts", "pairs", "of them in twins")
    console.print(table_of(heads, rows, left=2, title=str(removals.file)))
    console.print("The next release of this run goes without them.")
