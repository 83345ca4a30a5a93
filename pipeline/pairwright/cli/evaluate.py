"""`pairwright evaluate`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.printing import command, print_commands
from pairwright.cli.progress import display, interruptible
from pairwright.cli.scoring import (
    PairSplit,
    ReleasePath,
    ResultFolder,
    ScorerNames,
    SubjectLimit,
    end_by_coverage,
    least_share,
    print_result,
    scorers_file,
)


def evaluate_command(
    release: ReleasePath,
    out: ResultFolder,
    scorer: ScorerNames = None,
    condition: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COND",
            help="none, profile, planner, rubric; or a control: wrong-profile,"
            " partner-profile, evidence-only, profile-without-evidence; again for"
            " more [none, profile, wrong-profile].",
        ),
    ] = None,
    scorers: Annotated[Path | None, scorers_file("The file of scorers and endpoints.")] = None,
    split: PairSplit = None,
    limit: SubjectLimit = None,
    coverage: Annotated[
        float, least_share("Least share of twins and other pairs that must get a score.")
    ] = 0.95,
) -> None:
    """Score a release's pairs with reward models and judges, shown more or less of the user.

    Scores are stored as they come: running the same command again goes on, and scores nothing
    twice. The baselines longer, constant, overlap and similarity need no file and no model, nor do
    own-length and own-markup, which are for histories that hold choices.
    Exit code 1: a scorer left more twins and other pairs without a score than --coverage allows,
    not counting those for which the release has nothing to show.

    Examples:

      pairwright evaluate releases/1.0.0 --out results

      pairwright evaluate releases/1.0.0 --out results --scorers scorers.toml --scorer skywork

      pairwright evaluate releases/1.0.0 --out results --scorers scorers.toml --scorer judge
      --condition none --condition profile --condition planner --condition rubric

      pairwright evaluate releases/1.0.0 --out results --condition profile
      --condition profile-without-evidence --condition evidence-only

      pairwright leaderboard results theirs --out board
    """
    # What reads and retrieves takes a while to import, and other commands do without.
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
