"""`pairwright human plan`, `qualify`, `export`, `adjudicate` and `report`: a study from its hours
to what it decides."""

from pathlib import Path

from rich.console import Console

from pairwright.cli.answers import decision_table
from pairwright.cli.command import Command
from pairwright.cli.printing import (
    by_template,
    command,
    print_commands,
    print_page,
    print_words,
    say,
)
from pairwright.modes import MODES, units_in_words
from pairwright.workflows.answers import rule_weakness
from pairwright.workflows.decision_report import (
    AdjudicationExport,
    DecisionReport,
    decide,
    export_adjudication,
)
from pairwright.workflows.qualification import export_qualification
from pairwright.workflows.study_plan import PlannedStudy, plan_study
from pairwright.workflows.tasks import TaskExport, export_tasks
from pairwright_human_eval.records import KINDS
from pairwright_human_eval.report.page import page_of


def print_plan(plan: PlannedStudy, run: Path) -> None:
    """Print what a study takes."""
    print_words("plan", plan=plan, run=run)


def print_tasks(made: TaskExport, run: Path) -> None:
    """Print what was written, what the study cannot stand, and what comes next."""
    policy = made.study.policy
    print_words(
        "export",
        made=made,
        run=run,
        needed=max(policy.votes, policy.quality_votes, policy.rubric_votes),
        preferences=sum(n for (kind, _), n in made.tasks.items() if kind == "preference"),
        kinds=KINDS,
        modes=MODES,
        weakness="" if made.own else rule_weakness(run),
        asked=units_in_words([mode for mode, n in made.units.items() if n]),
    )


def print_adjudication(made: AdjudicationExport, run: Path) -> int:
    """Print what a second round has to decide, who does, and what comes next."""
    print_words("adjudicate", made=made, run=run)
    return int(bool(made.left))


def print_report(found: DecisionReport, run: Path) -> None:
    """Print decisions and agreement, what the report opens with, and what follows from it."""
    console, page = Console(), page_of(found.report, brief=True)
    console.print(decision_table(found.decisions.values(), "decisions"))
    agreement = tuple(table for table in page.tables if table.note == "Agreement")
    print_page(console, page._replace(tables=agreement))
    names = ("report.html", "report.md", "report.json", "decisions.jsonl")
    print_commands(console, "Look further:", [str(found.folder / name) for name in names])
    if found.to_adjudicate:
        say(console, f"  {command('human', 'adjudicate', run)}   # {found.to_adjudicate} disputed")


COMMANDS = {
    "human plan": Command(plan_study, print_plan),
    "human qualify": Command(export_qualification, by_template("qualify", wrap=False)),
    "human export": Command(export_tasks, print_tasks),
    "human adjudicate": Command(export_adjudication, print_adjudication),
    "human report": Command(decide, print_report),
}
