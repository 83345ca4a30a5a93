"""`pairwright downstream best-of-n`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console

from pairwright.cli.printing import say, table_of, warn
from pairwright.cli.progress import display, interruptible
from pairwright.cli.scoring import ReleasePath, ResultFolder, end, least_share, scorers_file
from pairwright.text import number_of, visible

if TYPE_CHECKING:
    from pairwright.evaluate.best_of_n.curves import BestOfN
    from pairwright.workflows.best_samples import SamplingResult


def best_of_n_command(
    release: ReleasePath,
    scorers: Annotated[Path, scorers_file("Its [policy], [judge], scorers and endpoints.")],
    out: ResultFolder,
    scorer: Annotated[
        list[str], typer.Option(metavar="NAME", help="A scorer that picks; again for more.")
    ],
    n: Annotated[int, typer.Option("-n", min=1, max=1000, help="Samples a question.")] = 16,
    k: Annotated[
        list[int] | None,
        typer.Option(
            "-k", metavar="K", help="Samples to pick from; again for more [1, 2, 4, ...]."
        ),
    ] = None,
    split: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this split's questions [all].")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first N questions, to try it.")
    ] = None,
    coverage: Annotated[float, least_share("Least share of questions that must count.")] = 0.95,
) -> None:
    """Sample N answers a question from a policy and let scorers pick the best of k.

    The policy and the scorers are shown the user's posts; the judge reads the aspects that its user
    expects, and never a profile. Every sample is judged. Calls are stored as they come: running the
    same command again goes on, and a larger -n goes on with the samples there are. Writes
    best_of_n.json, .md and .html, samples.jsonl and scores.jsonl.
    Exit code 1: fewer questions count than --coverage asks for.

    Examples:

      pairwright downstream best-of-n releases/1.0.0 --scorers scorers.toml --scorer skywork
      --scorer longer --out best -n 16

      pairwright downstream best-of-n releases/1.0.0 --scorers scorers.toml --scorer rater
      --out best -n 64 -k 1 -k 8 -k 64 --limit 20
    """
    # What reads, retrieves and draws takes a while to import, and other commands do without.
    from pairwright.workflows.best_samples import best_of_n

    with display() as progress, interruptible() as stop:
        result = best_of_n(
            release,
            scorers,
            out,
            scorer,
            n=n,
            ks=k,
            split=split,
            limit=limit,
            progress=progress,
            stop=stop,
        )
    _print(Console(), result.summary, out)
    _end(result, coverage, Console(stderr=True))


def _print(console: Console, summary: "BestOfN", out: Path) -> None:
    from pairwright.evaluate.best_of_n.page import best_of_n_page

    head = ("scorer", "k", "all subsets of k", "gain", "questions", "users")
    cells = (
        (
            visible(line.scorer.name),
            str(point.k),
            point.subsets.text(),
            point.gain.text(sign=True) if point.k > 1 else "",
            f"{point.first.n:,}",
            f"{point.first.clusters:,}",
        )
        for line in summary.lines
        for point in line.points
    )
    console.print(table_of(head, cells, lines=box.SIMPLE_HEAD))
    for paragraph in best_of_n_page(summary, drawn=False).opening:
        say(console, paragraph, wrap=True)
    say(console, f"Open: {out / 'best_of_n.html'}", wrap=True)


def _end(result: "SamplingResult", coverage: float, console: Console) -> None:
    summary, counted = result.summary, result.counted
    short = not summary.questions or counted < coverage * summary.questions
    if short:
        questions = number_of(summary.questions, "question counts", "questions count")
        warn(console, f"{counted:,} of {questions}; --coverage asks for {coverage:.0%}.")
    reasons = [*summary.unscored, *(why for curve in summary.curves for why in curve.unscored)]
    end(console, short=short, reasons=reasons)
