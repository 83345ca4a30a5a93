"""The command: what is to be scored, how it is shown, and whether enough of it was."""

import asyncio
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pairwright.cli.shell import program
from pairwright.errors import InputError, on_disk
from pairwright.models.store import Store
from pairwright.text import number_of
from pairwright.workflows.output import output_folder

if TYPE_CHECKING:
    from pairwright.evaluate.conditions import ConditionName
    from pairwright.evaluate.release import Release
    from pairwright.evaluate.results import ResultSummary


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
    from pairwright.cli.evaluate.session import Session, Wanted
    from pairwright.cli.evaluate.shown import tell
    from pairwright.cli.scorers import prompts_of
    from pairwright.evaluate.release import Release
    from pairwright.evaluate.scorers.baselines import BASELINES
    from pairwright.evaluate.scorers.spec import Scorers, load_scorers
    from pairwright.models.client import Meter

    settings = load_scorers(scorers) if scorers else Scorers()
    base = scorers.resolve().parent if scorers else Path.cwd()
    prompts = prompts_of(settings, base)
    names = tuple(dict.fromkeys(scorer or BASELINES))
    held_to, console = Release(release, split), Console(stderr=True)
    conditions = conditions_named(condition) if condition else _usual(held_to, limit, console)
    wanted = Wanted(held_to, names, conditions, limit)
    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    with closing(Store(out / "calls.sqlite")) as store:
        session = Session(wanted, settings, prompts, out, store, Meter(), console)
        made = asyncio.run(session.run(tell))
    typer.echo(f"Next:\n  {program()} leaderboard {out} --out board")
    end(made, coverage, console)


def _usual(release: "Release", limit: int | None, console: Console) -> "tuple[ConditionName, ...]":
    """The conditions that are tried where none is named."""
    from pairwright.evaluate.conditions import CONDITIONS, usual_conditions

    usual = usual_conditions(release.rows(limit))
    for name, condition in CONDITIONS.items():
        if condition.usual and name not in usual:
            console.print(
                f"Condition {name} is left out: it is not of twins, and all pairs here are."
            )
    return usual


def conditions_named(given: list[str]) -> "tuple[ConditionName, ...]":
    """Each once. Raises InputError for a name that is none."""
    from pairwright.evaluate.conditions import CONDITIONS

    known = {name: name for name in CONDITIONS}
    if wrong := [name for name in given if name not in known]:
        raise InputError(
            f"there is no condition {wrong[0]!r}",
            where="--condition",
            fix=f"One of: {', '.join(known)}.",
        )
    return tuple(known[name] for name in dict.fromkeys(given) if name in known)


def end(made: "list[ResultSummary]", coverage: float, console: Console) -> None:
    """Exit with 1, saying why, where a result covers too few twins and pairs. That a release has
    nothing to show of a user is told with the result, and no scorer's fault."""
    short = [of for of in made if not of.units or (of.units_scored or 0) < coverage * of.units]
    for of in short:
        told = (
            ", ".join(f"{n} {why}" for why, n in of.unscored.items()) or "no pair is of this kind"
        )
        pairs = number_of(of.pairs, "pair has", "pairs have")
        console.print(
            f"{of.stem}: {of.scored:,} of {pairs} a score ({told}). Of {of.units or 0:,} twins and"
            f" other pairs {of.units_scored or 0:,} are whole; --coverage asks for {coverage:.0%}.",
            style="yellow", markup=False, highlight=False,
        )  # fmt: skip
    if short:
        console.print('What each reason means: docs/evaluate.md, "What it leaves behind".')
    if any(why.startswith("call_failed") for of in made for why in of.unscored):
        console.print("Calls that failed are asked again when you run the same command again.")
    if short:
        raise typer.Exit(1)
