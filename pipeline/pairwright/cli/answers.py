"""`pairwright human push`, `pull`, `status`, `import`, `simulate` and `withdraw`: tasks to people,
and their answers back."""

import os
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

from rich.console import Console
from rich.table import Table

from pairwright.cli.command import Command
from pairwright.cli.printing import by_template, print_words, say, table_of, warn
from pairwright.modes import MODES
from pairwright.options import Doc, RunPath
from pairwright.text import number_of
from pairwright.workflows.annotation_server import (
    KEY_VARIABLE,
    ServerOfStudy,
    pull_verdicts,
    push_tasks,
    server_progress,
    was_pushed,
)
from pairwright.workflows.answers import (
    AnswerCounts,
    import_verdicts,
    last_decisions,
    remove_import,
    simulate_verdicts,
    study_progress,
)
from pairwright.workflows.departures import withdraw_person
from pairwright.workflows.progress import Progress
from pairwright_human_eval.decisions import Decision, reason_in_words
from pairwright_human_eval.records import KINDS
from pairwright_human_eval.simulation import SimulationResult
from pairwright_human_eval.subjects import mode_of_twin


def status(run: RunPath, *, url: ServerOfStudy = None) -> None:
    """Print how many tasks each annotator has answered, and what the last report decided."""
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
        list[Path] | None, Doc("JSON exports of Label Studio, or filled-in CSV files.", "FILE...")
    ] = None,
    *,
    undo: Annotated[bool, Doc("Take back the last import, or the files named.")] = False,
    progress: Progress,
) -> int:
    """Import answers, or take back an import; print what became of them."""
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


def print_simulated(done: tuple[SimulationResult, AnswerCounts], run: Path) -> None:
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


COMMANDS = {
    "human push": Command(push_tasks, by_template("push")),
    "human pull": Command(pull_verdicts, print_answers),
    "human status": Command(status),
    "human import": Command(take_in),
    "human simulate": Command(simulate_verdicts, print_simulated),
    "human withdraw": Command(withdraw_person, by_template("withdraw", wrap=False)),
}
