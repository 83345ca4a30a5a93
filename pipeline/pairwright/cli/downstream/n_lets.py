"""`pairwright downstream n-lets`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pairwright.cli.printing import say, warn
from pairwright.cli.progress import display, interruptible
from pairwright.cli.scoring import (
    PairSplit,
    ReleasePath,
    ResultFolder,
    ScorerNames,
    SubjectLimit,
    end,
    least_share,
    scorers_file,
)
from pairwright.text import number_of

if TYPE_CHECKING:
    from pairwright.evaluate.n_lets import NLetScores


def n_lets_command(
    release: ReleasePath,
    out: ResultFolder,
    users: Annotated[int, typer.Option(min=2, metavar="K", help="Users in each n-let.")] = 5,
    scorer: ScorerNames = None,
    scorers: Annotated[Path | None, scorers_file("The file of scorers and endpoints.")] = None,
    split: PairSplit = None,
    limit: SubjectLimit = None,
    coverage: Annotated[
        float, least_share("Least share of pairs with K users that must get a score.")
    ] = 0.95,
) -> None:
    """Hold one response against K users: does a scorer pick the one whom it is for?

    The others are the partner of a twin and strangers of the category. The control is the pair's
    other response, which is not for this user. It takes scorers that score one response. Calls are
    stored as they come: running the same command again goes on.
    Exit code 1: a scorer left more pairs without a score than --coverage allows, or no pair has K
    users.

    Example:

      pairwright downstream n-lets releases/1.0.0 --out n-lets --users 5 --scorers scorers.toml
      --scorer skywork
    """
    # What reads and retrieves takes a while to import, and other commands do without.
    from pairwright.evaluate.n_lets.report_page import sentences, warnings
    from pairwright.workflows.n_let_scoring import score_n_lets

    console = Console()
    with display() as progress, interruptible() as stop:
        done = score_n_lets(
            release, scorers, out, users=users, names=scorer, split=split, limit=limit,
            progress=progress, stop=stop,
        )  # fmt: skip
    for line in sentences(done.scores):
        say(console, line, wrap=True)
    for warning in warnings(done.scores):
        say(console, warning, "yellow", wrap=True)
    typer.echo(f"Open: {out / 'n_lets.html'}")
    _end(done.scores, coverage, Console(stderr=True))


def _end(scores: "NLetScores", coverage: float, console: Console) -> None:
    short = False
    for one in scores.scorers:
        scored = one.due - one.unscored
        if not one.due or scored < coverage * one.due:
            short = True
            users = f"with {scores.users} users"
            pairs = number_of(one.due, f"pair {users} has", f"pairs {users} have")
            what = f"{one.scorer.name}: {scored:,} of {pairs} a score"
            warn(console, f"{what}; --coverage asks for {coverage:.0%}.")
    reasons = [why for one in scores.scorers for figure in one.figures for why in figure.unscored]
    end(console, short=short, reasons=reasons)
