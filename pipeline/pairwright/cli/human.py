"""`pairwright human`: a study from its hours to what it decides."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Console
from rich.table import Table
from typer import Argument, Option

from pairwright.cli.printing import print_words, say, table_of, warn
from pairwright.modes import MODES
from pairwright.options import RunPath
from pairwright.text import number_of
from pairwright.workflows.annotation_server import (
    KEY_VARIABLE,
    ServerOfStudy,
    server_progress,
    was_pushed,
)
from pairwright.workflows.answers import (
    AnswerCounts,
    import_verdicts,
    last_decisions,
    remove_import,
    study_progress,
)
from pairwright.workflows.progress import Progress
from pairwright_human_eval.decisions import Decision, reason_in_words
from pairwright_human_eval.records import KINDS
from pairwright_human_eval.subjects import mode_of_twin

if TYPE_CHECKING:
    from pairwright.workflows.decision_report import AdjudicationExport, DecisionReport
    from pairwright.workflows.departures import WithdrawnPerson
    from pairwright.workflows.study_plan import PlannedStudy
    from pairwright.workflows.tasks import TaskExport
    from pairwright_human_eval.label_studio.projects import PushResult
    from pairwright_human_eval.records import Kind
    from pairwright_human_eval.simulation import SimulationResult


def print_plan(plan: "PlannedStudy", run: Path) -> None:
    """Print what a study takes."""
    print_words("plan", plan=plan, run=run)


def print_tasks(made: "TaskExport", run: Path) -> None:
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


def print_adjudication(made: "AdjudicationExport", run: Path) -> int:
    """Print what a second round has to decide, who does, and what comes next."""
    print_words("adjudicate", made=made, run=run)
    return int(bool(made.left))


def print_report(found: "DecisionReport", run: Path) -> None:
    """Print the verdict, the decisions by mode, and what comes next."""
    print_words("report", wrap=False, found=found, run=run)


def status(run: RunPath, *, url: ServerOfStudy = None) -> None:
    """Show how many tasks each annotator has answered, and what the last report decided.

    Asks the server that tasks were pushed to, if LABEL_STUDIO_API_KEY is set; otherwise it counts
    what was imported or pulled.

    Examples::

        pairwright human status runs/first
    """
    heads = ["annotator", "kind", "tasks", "answered"]
    if url is None and not (was_pushed(run) and os.environ.get(KEY_VARIABLE)):
        lines = study_progress(run)
    else:
        lines, heads = server_progress(run, url=url), [*heads, "skips", "deleted"]
    rows = []
    for line in lines:
        kind = f"{line.kind}{' (adjudication)' if line.round == 2 else ''}"
        counts = (line.tasks, line.answered, line.skipped, line.deleted)
        rows.append((line.annotator, kind, *(f"{n:,}" for n in counts if n is not None)))
    console = Console()
    console.print(table_of(heads, rows, left=2))
    if decisions := last_decisions(run):
        title = "decisions of the last report"
        console.print(decision_table(decisions, title, lambda one: reason_in_words(one) or one))


def decision_table(
    decisions: Iterable[Decision], title: str, name: Callable[[str], str] = str
) -> Table:
    """Twins, placebos and pairs by state, and by every reason for it, as `name` calls it: one may
    have several."""
    decided = list(decisions)

    def units(subject: str) -> str:
        mode = mode_of_twin(subject)
        return MODES[mode].units if mode else "single pairs"

    states = Counter((decision.state, units(decision.subject)) for decision in decided)
    reasons = Counter((d.state, reason) for d in decided for reason in d.reasons)
    rows: list[tuple[str, str, str]] = []
    rows += [(state, kind, f"{n:,}") for (state, kind), n in sorted(states.items())]
    rows.append(("", "", ""))
    rows += [(state, name(reason), f"{n:,}") for (state, reason), n in sorted(reasons.items())]
    return table_of(("", "", "n"), rows, left=2, title=title)


def take_in(
    run: RunPath,
    files: Annotated[
        list[Path] | None,
        Argument(help="JSON exports of Label Studio, or filled-in CSV files.", metavar="FILE"),
    ] = None,
    *,
    undo: Annotated[
        bool, Option("--undo", help="Take back the last import, or the files named.")
    ] = False,
    progress: Progress,
) -> int:
    """Take in annotations: JSON that was exported from Label Studio, or filled-in spreadsheets.

    Every annotation becomes a verdict or is set aside with its reason. Importing a file again
    changes nothing. A file that cannot be read, or has no task of this study, is named and not
    kept, and the others are taken in (exit code 1).

    --undo removes what the last import added to RUN/human/private/raw, or the named files, and
    derives verdicts.jsonl and set_aside.jsonl from what is left. The decisions and the report stay
    as they are until `human report` runs again; tasks of a second round stay.

    Examples::

        pairwright human import runs/first project-1.json project-2.json
        pairwright human import runs/first annotator-01.csv annotator-02.csv
        pairwright human import runs/first --undo
        pairwright human import runs/first --undo project-2.json
    """
    run = Path(run)
    if undo:
        removed, answers = remove_import(run, files or ())
        for file in removed:
            say(Console(), f"Taken back: {file}")
        print_answers(answers, run)
        return 0
    taken = import_verdicts(run, files or (), progress=progress)
    print_words("import", wrap=False, taken=taken)
    print_answers(taken.answers, run)
    return int(bool(taken.refused))


def print_simulated(done: "tuple[SimulationResult, AnswerCounts]", run: Path) -> None:
    """Print what simulated annotators answered."""
    result, answers = done
    print_words("simulate", done=result, folder=answers.folder)
    print_answers(answers, run)


def print_answers(answers: AnswerCounts, run: Path) -> None:
    """Print what became of the answers, and the tasks without one."""
    if answers.future:
        warn(
            Console(),
            f"{number_of(answers.future, 'answer')} of a time that is to come: is a clock wrong, or"
            " was a file edited? They are counted.",
        )
    print_words("answers", answers=answers, kinds=KINDS, run=run)


def print_pushed(
    result: "tuple[PushResult, Mapping[str, Mapping[Kind, str]]]",
) -> None:
    """Print what a server holds of a study, and each person's links."""
    print_words("push", result=result)


def print_withdrawn(result: "WithdrawnPerson", run: Path) -> None:
    """Print what was removed of a person, and what is to be deleted by hand."""
    print_words("withdraw", wrap=False, result=result, run=run)
