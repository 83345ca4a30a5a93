"""`pairwright evaluate`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pairwright.assets import DOCS
from pairwright.cli.coverage import end, warn
from pairwright.cli.progress import display, interruptible
from pairwright.cli.shell import command, print_commands
from pairwright.text import number_of
from pairwright.workflows.output import output_folder

if TYPE_CHECKING:
    from pairwright.workflows.evaluation import EvaluationResult


def evaluate_command(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A release's folder.")],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of the results.", callback=output_folder)
    ],
    scorer: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A scorer; again for more [the baselines]."),
    ] = None,
    condition: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COND",
            help="none, profile, wrong-profile, planner or rubric; again for more"
            " [none, profile, wrong-profile].",
        ),
    ] = None,
    scorers: Annotated[
        Path | None,
        typer.Option(
            "--scorers", metavar="FILE.toml", help="What scorers, endpoints and so on are."
        ),
    ] = None,
    split: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this split's pairs [all].")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first N subjects, to try it.")
    ] = None,
    coverage: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="Least share of twins and other pairs that must get a score."
        ),
    ] = 0.95,
) -> None:
    """Score a release's pairs with reward models and judges, shown more or less of the user.

    Scores are stored as they come: running the same command again goes on, and scores nothing
    twice. The baselines longer, constant, overlap and similarity need no file and no model.
    Exit code 1: a scorer left more twins and other pairs without a score than --coverage allows,
    not counting those for which the release has nothing to show.

    Examples:

      pairwright evaluate releases/1.0.0 --out results

      pairwright evaluate releases/1.0.0 --out results --scorers scorers.toml --scorer skywork

      pairwright evaluate releases/1.0.0 --out results --scorers scorers.toml --scorer judge
      --condition none --condition profile --condition planner --condition rubric

      pairwright leaderboard results --out board
    """
    # What reads and retrieves takes a while to import, and other commands do without.
    from pairwright.cli.evaluate_tables import print_result
    from pairwright.workflows.evaluation import evaluate

    with display() as progress, interruptible() as stop:
        result = evaluate(
            release,
            scorers,
            out,
            names=scorer,
            conditions=condition,
            split=split,
            limit=limit,
            progress=progress,
            stop=stop,
            on_result=print_result,
        )
    print_commands(Console(), "Next:", [command("leaderboard", out, "--out", "board")])
    end_by_coverage(result, coverage, Console(stderr=True))


def end_by_coverage(result: "EvaluationResult", coverage: float, console: Console) -> None:
    """Exit with 1, and say why, where a result covers too few twins and pairs. That a release has
    nothing to show of a user is printed with the result, and does not count."""
    short = result.short(coverage)
    for one in short:
        why = ", ".join(f"{n} {reason}" for reason, n in one.unscored.items())
        pairs = number_of(one.pairs, "pair has", "pairs have")
        warn(
            f"{one.stem}: {one.scored:,} of {pairs} a score"
            f" ({why or 'no pair is of this kind'}). Of {one.units or 0:,} twins and other"
            f" pairs {one.units_scored or 0:,} are whole; --coverage asks for {coverage:.0%}.",
            console,
        )
    if short:
        page = f'What each reason means: {DOCS / "evaluate.md"}, "What it leaves behind".'
        console.print(page, markup=False, highlight=False, soft_wrap=True)
    reasons = [reason for one in result.results for reason in one.about.unscored]
    end(console, short=bool(short), reasons=reasons)
