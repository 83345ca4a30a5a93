"""`pairwright human plan`, `qualify`, `export`, `adjudicate` and `report`: a study from its hours
to what it decides."""

from pathlib import Path

from rich.console import Console

from pairwright.cli.answers import decision_table
from pairwright.cli.command import Command
from pairwright.cli.printing import (
    command,
    print_commands,
    print_page,
    say,
)
from pairwright.modes import MODES
from pairwright.pages import render_page
from pairwright.text import number_of
from pairwright.text.languages import LANGUAGES
from pairwright.workflows.decision_report import (
    AdjudicationExport,
    DecisionReport,
    decide,
    export_adjudication,
)
from pairwright.workflows.qualification import Qualification, export_qualification
from pairwright.workflows.study_plan import StudyEstimate, plan_study
from pairwright.workflows.study_plan.page import plan_page
from pairwright.workflows.tasks import TaskExport, export_tasks
from pairwright_human_eval.records import KINDS
from pairwright_human_eval.report.page import page_of


def print_plan(plan: StudyEstimate, run: Path) -> None:
    """Print what each size takes, and what it shows."""
    console = Console()
    print_page(console, plan_page(plan, drawn=False), run / "human" / "plan.html")
    if not plan.pilot:
        print_commands(
            console,
            "For a pilot, copy the run folder, export a few, and plan with --pilot:",
            (command("human", "export", f"{run}-pilot", "--sample", "10"),),
        )


def print_qualification(made: Qualification, run: Path) -> None:
    """Print what passes a qualification, and what comes next."""
    console, tasks = Console(), number_of(made.checks, "task")
    say(console, f"{number_of(len(made.people), 'person', 'people')}, {tasks} each.")
    say(
        console,
        f"{100 * made.floor:.0f} % right passes: {100 * made.nonreader:.1f} % of those who do not"
        " read do.",
        wrap=True,
    )
    steps = ("start", "people") if made.sheets else ("serve", "start", "people")
    print_commands(console, "Next:", [command("human", step, made.folder) for step in steps])
    again = command("human", "export", run, "--qualified")
    say(console, f"Afterwards, with those who passed: {again}")


def print_tasks(made: TaskExport, run: Path) -> None:
    """Print what was written, what the study cannot stand, and what comes next."""
    console, policy = Console(), made.study.policy
    page = render_page(
        "study_tasks",
        made=made,
        needed=max(policy.votes, policy.quality_votes, policy.rubric_votes),
        preferences=sum(n for (kind, _), n in made.tasks.items() if kind == "preference"),
        kinds=KINDS,
        modes=MODES,
        languages=LANGUAGES,
    )
    print_page(console, page)
    say(console, f"Fill in the end of {made.guidelines}, and send it to every annotator.")
    if made.sheets:
        say(
            console,
            f"Send each annotator the guidelines and only their own file of {made.sheets[0].parent}"
            f" ({number_of(len(made.sheets), 'file')}). What comes back is imported.",
        )
    print_commands(
        console,
        "Next, one of:",
        (
            command("human", "serve", run),
            command("human", "push", run, "--url") + " http://...",
            command("human", "import", run) + " FILE...",
            command("human", "simulate", run),
        ),
    )


def print_adjudication(made: AdjudicationExport, run: Path) -> int:
    """Print what a second round has to decide, who does, and what comes next."""
    console = Console()
    added = f"Tasks added: {made.added}, for {', '.join(made.adjudicators)}."
    added = added if made.added else "Nothing new to adjudicate."
    say(console, f"Disputed: {made.disputed}. {added}", wrap=True)
    if made.waiting:
        console.print(f"Waiting for answers of the first round: {made.waiting}.")
    if made.added:
        print_commands(
            console,
            "Next, one of:",
            (
                command("human", "push", run, "--round", 2, "--url") + " http://...",
                command("human", "serve", run),
                f"load {made.folder}/ by hand",
            ),
        )
    if made.left:
        say(
            console,
            "Too few adjudicators, who did not answer in the first round, for:"
            f" {len(made.left):,}, such as {made.left[0]}."
            " Add people who took no part (--adjudicators).",
        )
    return int(bool(made.left))


def print_report(found: DecisionReport, run: Path) -> None:
    """Print decisions and agreement, what the report opens with, and what follows from it."""
    console, page = Console(), page_of(found.report, brief=True)
    console.print(decision_table(found.decisions.values(), "decisions"))
    agreement = tuple(table for table in page.tables if table.note == "Agreement")
    print_page(console, page._replace(tables=agreement))
    console.print("Look further:")
    for name in ("report.html", "report.md", "report.json", "decisions.jsonl"):
        say(console, f"  {found.folder / name}")
    if found.to_adjudicate:
        say(console, f"  {command('human', 'adjudicate', run)}   # {found.to_adjudicate} disputed")


COMMANDS = {
    "human plan": Command(plan_study, print_plan),
    "human qualify": Command(export_qualification, print_qualification),
    "human export": Command(export_tasks, print_tasks),
    "human adjudicate": Command(export_adjudication, print_adjudication),
    "human report": Command(decide, print_report),
}
