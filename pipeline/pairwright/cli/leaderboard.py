"""`pairwright leaderboard`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pairwright.cli.printing import say, warn
from pairwright.cli.progress import display, interruptible
from pairwright.cli.scoring import new_folder, scorers_file
from pairwright.errors import InputError
from pairwright.text import number_of, visible

if TYPE_CHECKING:
    from pairwright.evaluate.board.board import Leaderboard
    from pairwright.workflows.ranking import ResultCheck

SHOWN_DIFFERENCES = 20
"""Differences that are printed; the count is of all."""


def leaderboard_command(
    results: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULTS...",
            help="Folders of `pairwright evaluate` or .json files; the scorers of team=FOLDER are"
            " called “team: NAME”.",
        ),
    ],
    out: Annotated[
        Path | None, new_folder("Write leaderboard.html, .md, .csv, .tex, .json.")
    ] = None,
    verify: Annotated[
        Path | None,
        typer.Option(
            metavar="RELEASE", help="Derive every decision again from this and the stored replies."
        ),
    ] = None,
    scorers: Annotated[
        Path | None, scorers_file("With --verify: the file of scorers that was used.")
    ] = None,
) -> None:
    """Rank scorers by what they got right on one release, and say which can be distinguished.

    One table for each mode of pairs and each condition. Rows that share a letter cannot
    be distinguished. All results must be of the same release, the same pairs and the same limit.
    With --verify nothing is ranked where a result is not what the replies beside it give.
    Exit code 1: --verify found a difference.

    Examples:

      pairwright leaderboard results

      pairwright leaderboard results team=theirs others/skywork.profile.json --out board

      pairwright leaderboard results --verify releases/1.0.0 --scorers scorers.toml
    """
    # Statistics and plots take a while to import, and other commands do without.
    from pairwright.workflows.ranking import check_results, leaderboard

    console = Console(stderr=True)
    with display(console) as progress, interruptible() as stop:
        if verify:
            check = check_results(results, verify, scorers, progress=progress, stop=stop)
            _end_on_difference(check, console)
        elif scorers:
            raise InputError(
                "is only for --verify",
                where="--scorers",
                fix="Name the release, too, or leave it out.",
            )
        board = leaderboard(results, out, release=verify, progress=progress)
    _print(Console(), board)
    if out:
        typer.echo(f"Open: {out / 'leaderboard.html'}")


def _end_on_difference(check: "ResultCheck", console: Console) -> None:
    """Exit with 1, naming files and pairs, where results are not what their replies give."""
    for line in check.differences[:SHOWN_DIFFERENCES]:
        say(console, visible(line))
    if check.differences:
        warn(
            console, f"{number_of(len(check.differences), 'difference')} in all: nothing is ranked."
        )
        raise typer.Exit(1)
    results_are = number_of(check.results, "result is", "results are")
    console.print(f"{results_are} what the stored replies give.", highlight=False)


def _print(console: Console, board: "Leaderboard") -> None:
    from pairwright.evaluate.board.cells import ranking_table
    from pairwright.evaluate.board.finding_sentences import found_sentences
    from pairwright.evaluate.board.sentences import (
        closing_sentences,
        ranking_sentences,
        warnings,
    )
    from pairwright.evaluate.conditions import CONDITIONS
    from pairwright.modes import mode_title

    title = visible(f"{board.release.name} {board.release.version}, {board.release.digest}")
    say(console, title)
    for ranking in board.rankings:
        text_table = ranking_table(board, ranking)
        console.print(
            f"{mode_title(ranking.mode)}. {CONDITIONS[ranking.condition].title}", style="italic"
        )
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for place in text_table.brief:
            words = text_table.head[place] in ("scorer", "group")
            table.add_column(text_table.head[place], justify="left" if words else "right")
        for row in text_table.rows:
            table.add_row(*(Text(row[place]) for place in text_table.brief))
        console.print(table)
        for sentence in ranking_sentences(board, ranking):
            say(console, sentence, wrap=True)
    for mode in dict.fromkeys(ranking.mode for ranking in board.rankings):
        for found in found_sentences(board, mode):
            say(console, found, wrap=True)
    for warning in warnings(board):
        say(console, warning, "yellow")
    for sentence in closing_sentences(board):
        say(console, sentence, wrap=True)
