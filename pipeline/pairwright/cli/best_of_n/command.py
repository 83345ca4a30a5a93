"""The command: what is sampled, which k, and whether enough questions count."""

import asyncio
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pairwright.errors import InputError, on_disk
from pairwright.models.store import Store
from pairwright.text import number_of
from pairwright.workflows.output import output_folder

if TYPE_CHECKING:
    from pairwright.evaluate.best_of_n.records import BestOfN


def best_of_n_command(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A release's folder.")],
    scorers: Annotated[
        Path,
        typer.Option(
            "--scorers", metavar="FILE.toml", help="Its [policy], [judge], scorers and endpoints."
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of the results.", callback=output_folder)
    ],
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
    coverage: Annotated[
        float, typer.Option(min=0, max=1, help="Least share of questions that must count.")
    ] = 0.95,
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
    from pairwright.cli.best_of_n.session import Session, Wanted
    from pairwright.cli.scorers import prompts_of
    from pairwright.dataset import write_lines
    from pairwright.evaluate.best_of_n.page import best_of_n_page
    from pairwright.evaluate.release import Release
    from pairwright.evaluate.scorers.spec import load_scorers
    from pairwright.workflows.output import write_report

    settings = load_scorers(scorers)
    prompts = prompts_of(settings, scorers.resolve().parent)
    wanted = Wanted(Release(release, split), tuple(dict.fromkeys(scorer)), n, _ks(k, n), limit)
    console = Console(stderr=True)
    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    with closing(Store(out / "calls.sqlite")) as store:
        made = asyncio.run(Session(wanted, settings, prompts, store, console).run())
    report = best_of_n_page(made.about)
    # The summary comes last, so that it never stands beside lines that it is not of.
    (out / "best_of_n.json").unlink(missing_ok=True)
    write_lines(out / "samples.jsonl", made.samples)
    write_lines(out / "scores.jsonl", made.scores)
    write_report(out, "best_of_n", report, made.about)
    _tell(Console(), made.about, out)
    _end(made.about, coverage, console)


def _ks(given: list[int] | None, n: int) -> tuple[int, ...]:
    from pairwright.evaluate.best_of_n.curves import powers

    ks = tuple(sorted(set(given or powers(n))))
    if wrong := [k for k in ks if not 1 <= k <= n]:
        raise InputError(
            f"the best of {wrong[0]} cannot be picked from {n} samples",
            where=f"-k {wrong[0]}",
            fix=f"Raise -n to {wrong[0]}: samples are never used twice."
            if wrong[0] > n
            else "k is 1 or more.",
        )
    return ks


def _tell(console: Console, of: "BestOfN", out: Path) -> None:
    from pairwright.evaluate.best_of_n.page import GAIN_SAYS, HEAD, missing, rows, warnings

    table = Table(box=box.SIMPLE_HEAD)
    # The best of the first k stands in the files.
    brief = [place for place, name in enumerate(HEAD) if name != "first k"]
    for place in brief:
        table.add_column(HEAD[place], justify="right" if place else "left")
    for row in rows(of):
        table.add_row(*(Text(row[place]) for place in brief))
    console.print(table)
    console.print(GAIN_SAYS, markup=False, highlight=False)
    for line in (*warnings(of), *missing(of)):
        console.print(line, style="yellow", markup=False, highlight=False)
    console.print(f"Open: {out / 'best_of_n.html'}", markup=False, highlight=False)


def _end(of: "BestOfN", coverage: float, console: Console) -> None:
    reasons = [*of.unscored, *(why for curve in of.curves for why in curve.unscored)]
    if any(why.startswith("call_failed") for why in reasons):
        console.print("Calls that failed are asked again when you run the same command again.")
    counted = min((curve.questions for curve in of.curves), default=0)
    if not of.questions or counted < coverage * of.questions:
        questions = number_of(of.questions, "question counts", "questions count")
        console.print(
            f"{counted:,} of {questions}; --coverage asks for {coverage:.0%}.",
            style="yellow", markup=False, highlight=False,
        )  # fmt: skip
        raise typer.Exit(1)
