"""`pairwright human people`, `start`, `replace` and `withdraw`: who takes part."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.cli.human.options import RunPath
from pairwright.cli.printing import command, print_commands, say
from pairwright.cli.progress import display
from pairwright.text import number_of, visible
from pairwright_human_eval import LONGEST_MINUTES

if TYPE_CHECKING:
    from pairwright.workflows.participants import Participant

COLUMNS = (
    "annotator", "participant", "state", "tasks", "answered", "skipped", "checks", "hours",
    "pay",
)  # fmt: skip
Person = Annotated[
    str,
    typer.Argument(metavar="PERSON", help="A pseudonym such as annotator-04, or an id you gave."),
]


def people_command(
    run: RunPath,
    join: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="A person's id on the platform that they come from, for the next free seat. May"
            " be given more than once.",
        ),
    ] = None,
    hourly: Annotated[
        float | None, typer.Option(min=0, metavar="RATE", help="Pay of an hour, in your currency.")
    ] = None,
    longest: Annotated[
        float, typer.Option(min=0, metavar="MINUTES", help="What a task counts for at most.")
    ] = LONGEST_MINUTES,
) -> None:
    """List everybody in a study: work, time, pay, and a completion code for who has finished.

    The same goes into RUN/human/private/payout.csv. Time is that with a task open, skipped ones
    too, or what a person noted in their spreadsheet; where none is known, none is invented.

    Examples:

      pairwright human people runs/first --join 5f2b7c --join 60aa19

      pairwright human people runs/first --hourly 14.50
    """
    from pairwright.workflows.participants import list_participants

    listed = list_participants(run, join=join or (), hourly=hourly, longest_minutes=longest)
    rows = [_cells(one) for one in listed.people]
    table = Table(box=box.SIMPLE, padding=0)
    # A column that nobody has anything in is left out.
    shown = [n for n in range(len(COLUMNS)) if any(row[n] for row in rows)]
    for n in shown:
        table.add_column(COLUMNS[n], justify="right" if n >= 3 else "left", overflow="fold")
    for row in rows:
        table.add_row(*(escape(row[n]) for n in shown))
    console = Console()
    console.print(table)
    if coded := [one for one in listed.people if one.code]:
        say(console, "Completion codes:")
    for one in coded:
        say(console, f"  {one.annotator}  {one.code}  {visible(one.participant)}".rstrip())
    say(console, f"Written: {listed.file}")


def _cells(one: "Participant") -> tuple[str, ...]:
    """In the order of COLUMNS."""
    return (
        one.annotator,
        one.participant,
        one.state,
        f"{one.tasks:,}",
        f"{one.answered:,}",
        f"{one.skipped:,}",
        _checks(one),
        "" if one.hours is None else f"{one.hours:.2f}",
        "" if one.pay is None else f"{one.pay:,.2f}",
    )


def _checks(one: "Participant") -> str:
    if not one.checks:
        return ""
    failed = ", failed" if one.passed is False else ""
    return f"{one.checks_right:,} of {one.checks:,}{failed}"


def start_command(run: RunPath) -> None:
    """Write one page a person to begin from: one link, or one file, is all that they need.

    Each page has the consent form, which comes first and has to be agreed to, then the links to the
    person's tasks on the server or the name of their spreadsheet, and the guidelines. Fill in
    RUN/human/consent.md and guidelines.md before. The pages are single files without scripts, for a
    web server of yours or to be sent; nobody can guess their names.

    Run it again after pull or import: the page of a person who has finished then shows their
    completion code.

    Example:

      pairwright human start runs/first
    """
    from pairwright.workflows.start_pages import write_start_pages

    written = write_start_pages(run)
    console = Console()
    for page in written.pages.values():
        console.print(str(page), highlight=False, markup=False, soft_wrap=True)
    if written.coded:
        say(console, f"With the completion code of somebody who has finished: {written.coded:,}.")
    if written.unfilled:
        console.print("consent.md still has brackets to be filled in; then run this again.")


def replace_command(
    run: RunPath,
    person: Person,
    by: Annotated[
        str | None, typer.Option(metavar="ID", help="The newcomer's id, where people have one.")
    ] = None,
) -> None:
    """Give what a person has left undone to somebody new, in the middle of a study.

    What the person answered stays and counts, so nothing is answered twice, unless they failed the
    attention checks or have withdrawn: then the newcomer does all of it. Take in what is answered
    first, with pull or import: an answer to a handed-over task that comes later is set aside. The
    newcomer has a pseudonym, all attention checks, and no task that shows what another one asks.

    Example:

      pairwright human replace runs/first annotator-04 --by 61bc03
    """
    from pairwright.workflows.departures import replace_person

    done = replace_person(run, person, by=by)
    console = Console()
    say(
        console,
        f"{done.annotator} takes over from {done.left}: {number_of(done.tasks, 'task')}."
        f" Answers of {done.left} that stay: {done.kept:,}.",
    )
    if done.sheet:
        say(console, f"Send {done.sheet}")
    print_commands(
        console,
        "Next, where people work on a server:",
        (command("human", "push", run, "--url") + " http://...",),
    )


def withdraw_command(run: RunPath, person: Person) -> None:
    """Take everything that a person answered out of the study, for good.

    Raw files, verdicts, decisions and the report are as if they had not answered, and what is
    pulled or imported later is not kept either. Tasks of the second round that show their answers
    go, too: run adjudicate again. What is written down of it names the seat, not the person. Note
    their time and pay before (human people). Releases that were made before keep the answers:
    make and publish a new one.

    Example:

      pairwright human withdraw runs/first annotator-04
    """
    from pairwright.workflows.departures import withdraw_person

    with display() as progress:
        done = withdraw_person(run, person, progress=progress)
    console = Console()
    say(console, f"{done.annotator} has withdrawn: {number_of(done.answers, 'answer')} removed.")
    if done.adjudications:
        say(
            console,
            f"Tasks of the second round that showed some of them, removed: {done.adjudications:,}."
            " Run `human adjudicate` again.",
        )
    if done.pushed:
        say(
            console,
            f"A server still holds them: delete there the projects of {done.annotator} and the"
            " account, and in your mailbox and folders the files that this person sent.",
        )
    else:
        say(console, "Delete the files that this person sent, too.")
    say(
        console,
        "Releases that were made before keep the answers: make a new one, which is without them.",
    )
    print_commands(
        console,
        "Next, to have the tasks done by somebody else:",
        (command("human", "replace", run, done.annotator),),
    )
