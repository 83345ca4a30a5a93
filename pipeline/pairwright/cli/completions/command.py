"""The command: what is written, with how many posts, and whether enough items count."""

import asyncio
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.errors import on_disk
from pairwright.models.store import Store
from pairwright.text import number_of
from pairwright.workflows.output import output_folder

if TYPE_CHECKING:
    from pairwright.train.completions.records import Completions

N = 8


def completions_command(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A file of items, or a Hugging Face id.")
    ],
    scorers: Annotated[
        Path,
        typer.Option("--scorers", metavar="FILE.toml", help="Its [policy], endpoints and scorers."),
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of the results.", callback=output_folder)
    ],
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
        typer.Option(
            "-n", min=1, max=1000, help=f"Texts to pick from [{N} with --scorer, else 1]."
        ),
    ] = None,
    config: Annotated[
        str | None, typer.Option(metavar="NAME", help="Configuration of a Hugging Face dataset.")
    ] = None,
    split: Annotated[str, typer.Option(metavar="NAME", help="Split of one.")] = "test",
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first N items, to try it.")
    ] = None,
    coverage: Annotated[
        float, typer.Option(min=0, max=1, help="Least share of the items asked that must count.")
    ] = 0.95,
) -> None:
    """Have a policy write the body of each item's question as its user would, given the title.

    Held to what the user wrote (`narrative`) by ROUGE-1 and ROUGE-L: without posts, with another
    user's, with K of the user's own in context, and with a scorer's pick of N texts. It measures
    imitation of the user's writing, and is no evidence about answers. Items with an empty body, or
    one that stands in what is shown, are refused and counted. Calls are stored as they come:
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
    from pairwright.cli.completions.session import Session, Wanted
    from pairwright.cli.completions.source import asked
    from pairwright.cli.scorers import prompts_of
    from pairwright.dataset import write_lines
    from pairwright.evaluate.scorers.spec import load_scorers
    from pairwright.settings.rules import SourceRules
    from pairwright.train.completions.report_page import page
    from pairwright.workflows.output import write_report

    settings = load_scorers(scorers)
    prompts = prompts_of(settings, scorers.resolve().parent)
    policy = SourceRules(path=source, config=config, split=split)
    names = tuple(dict.fromkeys(scorer or ()))
    wanted = Wanted(
        asked=asked(policy, settings.seed, limit),
        ks=tuple(sorted(set(k or (1, 4, 16)))),
        n=n or (N if names else 1),
        scorers=names,
        limit=limit,
    )
    console = Console(stderr=True)
    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    with closing(Store(out / "calls.sqlite")) as store:
        made = asyncio.run(Session(wanted, settings, prompts, store, console).run())
    report = page(made.about)
    # The summary comes last, so that it never stands beside lines that it is not of.
    (out / "completions.json").unlink(missing_ok=True)
    write_lines(out / "completions.jsonl", made.completions)
    write_lines(out / "picks.jsonl", made.picks)
    write_report(out, "completions", report, made.about)
    _tell(Console(), made.about, out)
    _end(made.about, coverage, console)


def _tell(console: Console, of: "Completions", out: Path) -> None:
    from pairwright.train.completions.report_page import (
        DIFFERENCES,
        HEAD,
        NO_EVIDENCE,
        differences,
        missing,
        rows,
        warnings,
    )

    for head, body in ((HEAD, rows(of)), (DIFFERENCES, differences(of))):
        # In 80 columns: two of them stand on the page alone, and a long name takes more lines.
        shown = [n for n, name in enumerate(head) if name not in ("posts", "words")]
        table = Table(box=None, padding=(0, 1, 0, 0))
        for n in shown:
            table.add_column(
                head[n], justify="right" if n else "left", no_wrap=n > 0, overflow="fold"
            )
        for row in body:
            table.add_row(*(escape(row[n]) for n in shown))
        console.print(table, "", highlight=False)
    for line in (NO_EVIDENCE, *warnings(of), *missing(of)):
        console.print(line, style="yellow", markup=False, highlight=False)
    console.print(f"Open: {out / 'completions.html'}", markup=False, highlight=False)


def _end(of: "Completions", coverage: float, console: Console) -> None:
    if any("call_failed" in why for why in of.unscored):
        console.print("Calls that failed are asked again when you run the same command again.")
    if of.counted < coverage * of.asked:
        items = number_of(of.asked, "item counts", "items count")
        console.print(
            f"{of.counted:,} of {items}; --coverage asks for {coverage:.0%}.",
            style="yellow", markup=False, highlight=False,
        )  # fmt: skip
        raise typer.Exit(1)
