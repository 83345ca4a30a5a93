"""`pairwright human plan`, `qualify`, `export`, `adjudicate` and `report`: a study from its hours
to what it decides."""

from pathlib import Path

from pairwright.cli.command import Command
from pairwright.cli.printing import (
    by_template,
    print_words,
)
from pairwright.modes import MODES, units_in_words
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
        asked=units_in_words([mode for mode, n in made.units.items() if n]),
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
    "human qualify": Command(export_qualification, by_template("qualify", wrap=False)),
    "human export": Command(export_tasks, print_tasks),
    "human adjudicate": Command(export_adjudication, print_adjudication),
    "human report": Command(decide, print_report),
}
