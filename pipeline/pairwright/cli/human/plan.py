"""`pairwright human plan`: hours, money and power of a study, before anybody is paid."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pairwright.cli.human.options import RunPath, share_of
from pairwright.cli.printing import command, print_commands, say, table_of
from pairwright.cli.progress import display
from pairwright.errors import InputError
from pairwright.modes import MODES, Mode

if TYPE_CHECKING:
    from pairwright.report import Table as SizeTable
    from pairwright.workflows.study_plan import StudyEstimate


def plan_command(
    run: RunPath,
    pilot: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="A run whose study people have answered; else RUN's own."),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(metavar="MODE", help="Which pairs: twin (where there are any) or violate."),
    ] = None,
    sizes: Annotated[
        list[int],
        typer.Option("--size", min=1, metavar="N", help="A study of N twins or pairs; repeatable."),
    ] = [50, 100, 200, 500],  # noqa: B006
    overlap: Annotated[
        int, typer.Option(min=1, metavar="N", help="People who answer each question.")
    ] = 3,
    hours: Annotated[
        float, typer.Option(min=2, metavar="H", help="The most hours that one person works.")
    ] = 20,
    wage: Annotated[
        float | None, typer.Option(metavar="MONEY", help="What an hour costs, with fees and taxes.")
    ] = None,
    currency: Annotated[str, typer.Option(metavar="CODE", help="The currency of --wage.")] = "EUR",
    scorers: Annotated[
        int, typer.Option(min=2, metavar="M", help="Scorers on the leaderboard to come.")
    ] = 10,
    disagreement: Annotated[
        float,
        typer.Option(
            parser=share_of,
            metavar="SHARE",
            help="Share of pairs on which one of two scorers is right and the other wrong.",
        ),
    ] = 0.3,
) -> None:
    """Print what studies of several sizes take and show, before anybody is paid.

    Hours and money, people, how many twins or pairs are verified and what each costs, and the
    smallest differences between scorers that the leaderboard can then find. Times and yield are
    those of a pilot: a small study that people have answered. Without one the hours are those of
    reading. RUN/human/ gets plan.html, plan.md and plan.json; no task is written.

    Examples:

      pairwright human plan runs/first --wage 18

      pairwright human plan runs/second --pilot runs/first --size 150 --wage 18 --currency GBP
    """
    # Simulation takes a while to import, and other commands do without.
    from pairwright.workflows.study_plan import plan_study

    with display() as progress:
        plan = plan_study(
            run, pilot=pilot, mode=_mode(mode), sizes=sizes, overlap=overlap, hours_each=hours,
            wage=wage, currency=currency, scorers=scorers, disagreement=disagreement,
            progress=progress,
        )  # fmt: skip
    _print(Console(), run, plan)


def _mode(name: str | None) -> Mode | None:
    found = next((mode for mode in MODES if mode == name), None)
    if name is not None and found is None:
        raise InputError(
            f"{name!r} is not a mode", where="--mode", fix=f"Give {' or '.join(MODES)}."
        )
    return found


def _print(console: Console, run: Path, plan: "StudyEstimate") -> None:
    from pairwright.workflows.study_plan.page import plan_warnings, size_table

    for warning in plan_warnings(plan):
        say(console, warning, "bold red", wrap=True)
    sizes = size_table(plan)
    # In two parts, for a terminal of 80 columns.
    shown = len(sizes.head) - 5
    _print_columns(console, "What it takes", sizes, list(range(shown)))
    _print_columns(console, "What it shows", sizes, [0, *range(shown, len(sizes.head))])
    say(console, f"Each column is explained in the page:\n  {run / 'human' / 'plan.html'}")
    if not plan.pilot:
        print_commands(
            console,
            "For a pilot, copy the run folder, export a few, and plan with --pilot:",
            (command("human", "export", f"{run}-pilot", "--sample", "10"),),
        )


def _print_columns(console: Console, title: str, sizes: "SizeTable", columns: list[int]) -> None:
    heads = [sizes.head[place] for place in columns]
    rows = ([row[place] for place in columns] for row in sizes.rows)
    console.print(table_of(heads, rows, left=0, title=title, padding=(0, 0)))
