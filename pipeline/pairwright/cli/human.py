"""`pairwright human`: a study from its hours to what it decides."""

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from pairwright.cli.printing import print_words
from pairwright.modes import MODES
from pairwright.options import RunPath
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
from pairwright_human_eval.decisions import reason_in_words
from pairwright_human_eval.subjects import mode_of_twin

if TYPE_CHECKING:
    from pairwright.workflows.decision_report import AdjudicationExport
    from pairwright.workflows.tasks import TaskExport
    from pairwright_human_eval.simulation import SimulationResult


def print_tasks(result: "TaskExport", run: Path) -> None:
    """Print what was written, what the study cannot stand, and what comes next."""
    print_words("export", result=result, run=run, modes=MODES)


def print_adjudication(made: "AdjudicationExport", run: Path) -> int:
    """Print what a second round has to decide, who does, and what comes next."""
    print_words("adjudicate", made=made, run=run)
    return int(bool(made.left))


def status(run: RunPath, *, url: ServerOfStudy = None) -> None:
    """Show how many tasks each annotator has answered, and what the last report decided.

    Asks the server that tasks were pushed to, if LABEL_STUDIO_API_KEY is set; otherwise it counts
    what was imported or pulled.

    Examples::

        pairwright human status runs/first
    """
    on_server = url is not None or (was_pushed(run) and KEY_VARIABLE in os.environ)
    lines = server_progress(run, url=url) if on_server else study_progress(run)
    decisions = last_decisions(run)
    states = Counter((one.state, units_of(one.subject)) for one in decisions)
    reasons = Counter(
        (one.state, reason_in_words(why) or why) for one in decisions for why in one.reasons
    )
    print_words("progress", lines=lines, on_server=on_server, states=states, reasons=reasons)


def units_of(subject: str) -> str:
    """What such subjects are called."""
    mode = mode_of_twin(subject)
    return MODES[mode].units if mode else "single pairs"


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
        print_words("import", removed=removed)
        print_answers(answers, run)
        return 0
    taken = import_verdicts(run, files or (), progress=progress)
    print_words("import", taken=taken)
    print_answers(taken.answers, run)
    return int(bool(taken.refused))


def print_simulated(done: "tuple[SimulationResult, AnswerCounts]", run: Path) -> None:
    """Print what simulated annotators answered."""
    result, answers = done
    print_words("simulate", done=result, folder=answers.folder)
    print_answers(answers, run)


def print_answers(answers: AnswerCounts, run: Path) -> None:
    """Print what became of the answers, and the tasks without one."""
    print_words("answers", answers=answers, run=run)
