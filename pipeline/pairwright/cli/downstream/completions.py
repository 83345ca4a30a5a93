"""`pairwright downstream completions`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.cli.printing import say, warn
from pairwright.cli.progress import display, interruptible
from pairwright.cli.scoring import ItemLimit, ResultFolder, end, least_share, scorers_file
from pairwright.text import number_of

if TYPE_CHECKING:
    from pairwright.train.completions import Completions


def completions_command(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A file of items, or a Hugging Face id.")
    ],
    scorers: Annotated[Path, scorers_file("Its [policy], endpoints and scorers.")],
    out: ResultFolder,
    k: Annotated[
        list[int] | None,
        typer.Option("-k", min=1, metavar="K", help="Posts in context; again for more [1, 4, 16]."),
    ] = None,
    scorer: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A scorer that picks the best of N; again for more."),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option("-n", min=1, max=1000, help="Texts to pick from [8 with --scorer, else 1]."),
    ] = None,
    config: Annotated[
        str | None, typer.Option(metavar="NAME", help="Configuration of a Hugging Face dataset.")
    ] = None,
    split: Annotated[
        str, typer.Option(metavar="NAME", help="Split of a Hugging Face dataset.")
    ] = "test",
    limit: ItemLimit = None,
    coverage: Annotated[
        float, least_share("Least share of the items asked that must count.")
    ] = 0.95,
) -> None:
    """Have a policy write the body of each item's question as its user would, given the title.

    Held to what the user wrote (`narrative`) by ROUGE-1 and ROUGE-L: without posts, with another
    user's, with K of the user's own in context, and with a scorer's pick of N texts. It measures
    imitation of the user's writing, and is not evidence about answers. Items with an empty body,
    or one that is part of what is shown, are refused and counted. Calls are stored as they come:
    running the same command again goes on. Writes completions.json, .md, .html and .jsonl, and
    picks.jsonl.
    Exit code 1: fewer items count than --coverage asks for.

    Examples:

      pairwright downstream completions histories.jsonl --scorers scorers.toml --out completions

      pairwright downstream completions alireza7/LaMP-QA --config Art_and_Entertainment
      --split validation --scorers scorers.toml --out completions -k 1 -k 4 -k 16
      --scorer skywork -n 16
    """
    # What reads, retrieves and draws takes a while to import, and other commands do without.
    from pairwright.settings.source_rules import SourceRules
    from pairwright.workflows.body_writing import KS, completions

    with display() as progress, interruptible() as stop:
        result = completions(
            SourceRules(path=source, config=config, split=split),
            scorers,
            out,
            names=scorer or (),
            ks=k or KS,
            n=n,
            limit=limit,
            progress=progress,
            stop=stop,
        )
    _print(Console(), result.summary, out)
    _end(result.summary, coverage, Console(stderr=True))


def _print(console: Console, summary: "Completions", out: Path) -> None:
    from pairwright.train.completion_page import (
        DIFFERENCES,
        HEAD,
        NO_EVIDENCE,
        differences,
        missing,
        rows,
        warnings,
    )

    for head, body in ((HEAD, rows(summary)), (DIFFERENCES, differences(summary))):
        # In 80 columns: two of them are on the page alone, and a long name takes more lines.
        shown = [n for n, name in enumerate(head) if name not in ("posts", "words")]
        table = Table(box=None, padding=(0, 1, 0, 0))
        for n in shown:
            table.add_column(
                head[n], justify="right" if n else "left", no_wrap=n > 0, overflow="fold"
            )
        for row in body:
            table.add_row(*(escape(row[n]) for n in shown))
        console.print(table, "", highlight=False)
    for line in (NO_EVIDENCE, *warnings(summary), *missing(summary)):
        warn(console, line)
    say(console, f"Open: {out / 'completions.html'}", wrap=True)


def _end(summary: "Completions", coverage: float, console: Console) -> None:
    short = summary.counted < coverage * summary.asked
    if short:
        items = number_of(summary.asked, "item counts", "items count")
        warn(console, f"{summary.counted:,} of {items}; --coverage asks for {coverage:.0%}.")
    end(console, short=short, reasons=summary.unscored)
