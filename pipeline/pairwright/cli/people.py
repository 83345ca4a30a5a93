"""`pairwright human people`, `start`, `replace` and `withdraw`: who takes part."""

from pathlib import Path

from rich.console import Console

from pairwright.cli.command import Command
from pairwright.cli.printing import by_template, print_commands, say, table_of
from pairwright.text import visible
from pairwright.workflows.departures import replace_person, withdraw_person
from pairwright.workflows.participants import Participant, list_participants
from pairwright.workflows.person_pages import write_start_pages
from pairwright_human_eval.folder import HumanFolder


def print_people(people: tuple[Participant, ...], run: Path) -> None:
    """Print everybody's work, time and pay, and the codes of those who have finished."""
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
    codes = [
        visible(f"{one.annotator}  {one.code}  {one.participant}").rstrip()
        for one in people
        if one.code
    ]
    if codes:
        print_commands(console, "Completion codes:", codes)
    say(console, f"Written: {HumanFolder(run).payout}")


COMMANDS = {
    "human people": Command(list_participants, print_people),
    "human start": Command(write_start_pages, by_template("start", wrap=False)),
    "human replace": Command(replace_person, by_template("replace", wrap=False)),
    "human withdraw": Command(withdraw_person, by_template("withdraw", wrap=False)),
}
