"""`pairwright human import` and `simulate`: answers in."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pairwright.cli.human.options import RunPath
from pairwright.cli.printing import command, counts_of, print_commands, say, warn
from pairwright.cli.progress import display
from pairwright.text import number_of
from pairwright_human_eval.records import KINDS

if TYPE_CHECKING:
    from pairwright.workflows.answers import AnswerCounts


def import_command(
    run: RunPath,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE...", help="JSON exports of Label Studio, or CSV."),
    ] = None,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take back the last import, or the files named.")
    ] = False,
) -> None:
    """Take in annotations: JSON that was exported from Label Studio, or filled-in spreadsheets.

    Every annotation becomes a verdict or is set aside with its reason. Importing a file again
    changes nothing. A file that cannot be read, or has no task of this study, is named and not
    kept, and the others are taken in (exit code 1).

    --undo removes what the last import added to RUN/human/private/raw, or the named files, and
    derives verdicts.jsonl and set_aside.jsonl from what is left. The decisions and the report stay
    as they are until `human report` runs again; tasks of a second round stay.

    Examples:

      pairwright human import runs/first project-1.json project-2.json

      pairwright human import runs/first annotator-01.csv annotator-02.csv

      pairwright human import runs/first --undo

      pairwright human import runs/first --undo project-2.json
    """
    from pairwright.workflows.answers import import_verdicts, remove_import

    console = Console()
    if undo:
        removed = remove_import(run, files or ())
        for name, raw in removed.files.items():
            say(console, f"Taken back: {name} (raw/{raw})")
        print_answers(console, run, removed.answers)
        return
    with display() as progress:
        taken = import_verdicts(run, files or (), progress=progress)
    console.print(f"Files taken in: {len(taken.added):,}.", highlight=False)
    for name in taken.repeated:
        say(console, f"{name} holds what an imported file holds: nothing was added.")
    if taken.refused:
        console.print(f"Files not taken in: {len(taken.refused):,}.", highlight=False)
    print_answers(console, run, taken.answers)
    if taken.refused:
        raise typer.Exit(1)


def simulate_command(
    run: RunPath,
    accuracy: Annotated[
        float, typer.Option(help="Share of right answers among A and B, 0.5 to 1.")
    ] = 0.9,
    bias: Annotated[
        float, typer.Option(help="How far guesses lean to A: 0 not, 1 always.", min=0, max=1)
    ] = 0.0,
    careless: Annotated[
        float, typer.Option(help="Share of annotators who tick anything.", min=0, max=1)
    ] = 0.0,
    cannot_tell: Annotated[
        float, typer.Option(help="Share of `cannot tell` and `cannot judge`.", min=0, max=1)
    ] = 0.05,
    seed: Annotated[int, typer.Option(help="Another seed, other answers.")] = 0,
) -> None:
    """Answer every open task with simulated annotators, by the same import as people's answers.

    For trying out, and for checking the statistics against a known truth. Everything that comes
    of it is marked as simulated and verifies nothing. A study with people's answers refuses it.

    A task that has an answer keeps it: after `human adjudicate` only the second round is answered.
    To answer again with other options, move RUN/human/private/raw/simulated-*.json away first.

    Examples:

      pairwright human simulate runs/first

      pairwright human simulate runs/first --accuracy 0.7 --bias 0.3 --careless 0.2
    """
    from pairwright.workflows.answers import simulate_verdicts

    done = simulate_verdicts(
        run, accuracy=accuracy, bias=bias, careless=careless, cannot_tell=cannot_tell, seed=seed
    )
    console = Console()
    if done.answered:
        console.print(f"Answered: {number_of(done.answered, 'open task')}.")
    else:
        say(
            console,
            "Nothing is open: every task has an answer, and none was changed. To answer again,"
            f" move {done.answers.folder}/private/raw/simulated-*.json away first.",
        )
    if done.careless:
        say(console, f"Careless: {', '.join(done.careless)}", wrap=True)
    print_answers(console, run, done.answers)


def print_answers(console: Console, run: Path, answers: "AnswerCounts") -> None:
    """Print counts that add up: annotations in, copies, verdicts, set aside by reason; then the
    tasks without an answer."""
    table = counts_of(str(answers.folder))
    table.add_row("answers in", "", f"{answers.annotations:,}")
    if answers.copies:
        table.add_row("copies", "of answers that are counted", f"{answers.copies:,}")
    for (kind, purpose), n in sorted(
        answers.verdicts.items(), key=lambda row: (KINDS.index(row[0][0]), row)
    ):
        table.add_row("verdicts", f"{kind}: {purpose}", f"{n:,}")
    for reason, n in sorted(answers.set_aside.items(), key=lambda row: -row[1]):
        table.add_row("set aside", reason, f"{n:,}", style="yellow")
    table.add_row("still open", "tasks", f"{answers.open_tasks:,}")
    console.print(table)
    if answers.future:
        warn(
            console,
            f"{number_of(answers.future, 'answer')} of a time that is to come: is a clock wrong, or"
            " was a file edited? They are counted.",
        )
    if answers.simulated:
        console.print("Simulated annotators answered: this verifies nothing.")
    print_commands(console, "Next:", [command("human", "report", run)])
