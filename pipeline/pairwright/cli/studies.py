"""`pairwright human plan`, `export`, `adjudicate` and `report`: a study from its hours
to what it decides."""

from pathlib import Path

from pairwright.cli.command import Command
from pairwright.cli.printing import (
    print_words,
)
from pairwright.modes import MODES
from pairwright.workflows.decision_report import (
    AdjudicationExport,
    DecisionReport,
    decide,
    export_adjudication,
)
from pairwright.workflows.study_plan import PlannedStudy, plan_study
from pairwright.workflows.tasks import TaskExport, export_tasks
from pairwright_human_eval.records import KINDS


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
        kinds=KINDS,
        modes=MODES,
    )


def print_adjudication(made: AdjudicationExport, run: Path) -> int:
    """Print what a second round has to decide, who does, and what comes next."""
    print_words("adjudicate", made=made, run=run)
    return int(bool(made.left))


def print_report(found: DecisionReport, run: Path) -> None:
    """Print the verdict, the decisions by mode, and what comes next."""
    print_words("report", wrap=False, found=found, run=run)


COMMANDS = {
    "human plan": Command(plan_study, print_plan),
    "human export": Command(export_tasks, print_tasks),
    "human adjudicate": Command(export_adjudication, print_adjudication),
    "human report": Command(decide, print_report),
}
