"""`pairwright downstream completions`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console

from pairwright.cli.printing import say, table_of, warn
from pairwright.cli.progress import display, interruptible
from pairwright.cli.scoring import ItemLimit, ResultFolder, end, least_share, scorers_file
from pairwright.text import number_of, visible

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
    from pairwright.train.pages import completions_page

    head = ("", "ROUGE-1", "ROUGE-L", "items", "users")
    means = [(one.condition, one, "") for one in summary.means]
    less = [(f"{one.first} less {one.second}", one, "+") for one in summary.differences]
    for some in (means, less):
        cells = (
            (
                visible(name),
                one.rouge_1.text(sign=bool(sign)),
                one.rouge_l.text(sign=bool(sign)),
                f"{one.rouge_1.n:,}",
                f"{one.rouge_1.clusters:,}",
            )
            for name, one, sign in some
        )
        console.print(table_of(head, cells, lines=box.SIMPLE_HEAD))
    for paragraph in completions_page(summary, drawn=False).opening:
        warn(console, paragraph)
    for reason, n in summary.refused.items():
        warn(console, f"{number_of(n, 'item was', 'items were')} not asked, {reason}.")
    for reason, n in summary.unscored.items():
        warn(console, f"{number_of(n, 'item does', 'items do')} not count, {visible(reason)}.")
    if summary.shortened:
        texts = number_of(summary.shortened, "text was", "texts were")
        warn(console, f"{texts} written with fewer posts than chosen: not all fitted.")
    say(console, f"Open: {out / 'completions.html'}", wrap=True)


def _end(summary: "Completions", coverage: float, console: Console) -> None:
    short = summary.counted < coverage * summary.asked
    if short:
        items = number_of(summary.asked, "item counts", "items count")
        warn(console, f"{summary.counted:,} of {items}; --coverage asks for {coverage:.0%}.")
    end(console, short=short, reasons=summary.unscored)
