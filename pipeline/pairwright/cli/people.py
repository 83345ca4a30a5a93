"""`pairwright human people`, `start`, `replace` and `withdraw`: who takes part."""

from pathlib import Path

from rich.console import Console

from pairwright.cli.command import Command
from pairwright.cli.printing import command, print_commands, say, table_of
from pairwright.text import number_of, visible
from pairwright.workflows.departures import (
    ReplacedPerson,
    WithdrawnPerson,
    replace_person,
    withdraw_person,
)
from pairwright.workflows.participants import ParticipantList, list_participants
from pairwright.workflows.person_pages import StartPages, write_start_pages


def print_people(listed: ParticipantList) -> None:
    """Print everybody's work, time and pay, and the codes of those who have finished."""
    people = listed.people
    columns: dict[str, list[str]] = {
        "annotator": [one.annotator for one in people],
        "participant": [one.participant for one in people],
        "state": [one.state for one in people],
        "tasks": [f"{one.tasks:,}" for one in people],
        "answered": [f"{one.answered:,}" for one in people],
        "skipped": [f"{one.skipped:,}" for one in people],
        "checks": [
            f"{one.checks_right:,} of {one.checks:,}{', failed' if one.passed is False else ''}"
            if one.checks
            else ""
            for one in people
        ],
        "hours": ["" if one.hours is None else f"{one.hours:.2f}" for one in people],
        "pay": ["" if one.pay is None else f"{one.pay:,.2f}" for one in people],
    }
    # A column that nobody has anything in is left out.
    shown = {head: cells for head, cells in columns.items() if any(cells)}
    left = 3 if "participant" in shown else 2
    console, rows = Console(), zip(*shown.values(), strict=True)
    console.print(table_of(tuple(shown), rows, left=left, padding=(0, 0)))
    if coded := [one for one in listed.people if one.code]:
        say(console, "Completion codes:")
    for one in coded:
        say(console, f"  {one.annotator}  {one.code}  {visible(one.participant)}".rstrip())
    say(console, f"Written: {listed.file}")


def print_start_pages(written: StartPages) -> None:
    """Print each page, and what is still to be filled in."""
    console = Console()
    for page in written.pages.values():
        say(console, str(page))
    if written.coded:
        say(console, f"With the completion code of somebody who has finished: {written.coded:,}.")
    if written.unfilled:
        console.print("consent.md still has brackets to be filled in; then run this again.")


def print_replaced(done: ReplacedPerson, run: Path) -> None:
    """Print who takes over what."""
    console = Console()
    say(
        console,
        f"{done.annotator} takes over from {done.left}: {number_of(done.tasks, 'task')}."
        f" Answers of {done.left} that stay: {done.kept:,}.",
    )
    for sheet in done.sheets:
        say(console, f"Send {sheet}")
    print_commands(
        console,
        "Next, where people work on a server:",
        (command("human", "push", run, "--url") + " http://...",),
    )


def print_withdrawn(done: WithdrawnPerson, run: Path) -> None:
    """Print what was removed, and what is to be deleted by hand."""
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


COMMANDS = {
    "human people": Command(list_participants, print_people),
    "human start": Command(write_start_pages, print_start_pages),
    "human replace": Command(replace_person, print_replaced),
    "human withdraw": Command(withdraw_person, print_withdrawn),
}
