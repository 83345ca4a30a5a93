"""`pairwright human import` and `pull`: answers in."""

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from pairwright.cli.human.opened import Opened, opened
from pairwright.cli.human.options import KnownUrl, RunPath, api_key
from pairwright.cli.shell import program
from pairwright.errors import InputError
from pairwright.text import number_of
from pairwright_human_eval.accept import Acceptance
from pairwright_human_eval.exports import ImportResult, import_files, undo_import
from pairwright_human_eval.records import KINDS


def import_command(
    run: RunPath,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE...", help="JSON exports of Label Studio."),
    ] = None,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take back the last import, or the files named.")
    ] = False,
) -> None:
    """Take in annotations that were exported by hand, as JSON.

    Every annotation becomes a verdict or is set aside with its reason. Importing a file again
    changes nothing. A file that cannot be read, or has no task of this study, is named and not
    kept, and the others are taken in (exit code 1).

    --undo removes what the last import added to RUN/human/private/raw, or the named files, and
    derives verdicts.jsonl and set_aside.jsonl from what is left. The decisions and the report stay
    as they are until `human report` runs again; tasks of a second round stay.

    Examples:

      pairwright human import runs/first project-1.json project-2.json

      pairwright human import runs/first --undo

      pairwright human import runs/first --undo project-2.json
    """
    with opened(run) as study:
        console = Console()
        if undo:
            _undo(console, study, files or [])
            return
        if not files:
            raise InputError("no file is named", where="FILE", fix="Name the exported files.")
        result = import_files(files, study.folder, study.fixed.key)
        if result.refused and not (result.added or result.repeated):
            *others, last = result.refused
            _complain(others)
            raise last
        _files(console, result)
        tell(console, study, study.answers())
        _complain(result.refused)
        if result.refused:
            raise typer.Exit(1)


def _undo(console: Console, study: Opened, files: list[Path]) -> None:
    gone = undo_import(study.folder, [file.name for file in files])
    answers = study.answers()
    for file in gone:
        line = f"Taken back: {file.file} (raw/{file.raw})"
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    tell(console, study, answers)


def _files(console: Console, result: ImportResult) -> None:
    """How many files were given, and what became of each."""
    console.print(f"Files taken in: {len(result.added):,}.", highlight=False)
    for name in result.repeated:
        line = f"{name} holds what an imported file holds: nothing was added."
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    if result.refused:
        console.print(f"Files not taken in: {len(result.refused):,}.", highlight=False)


def _complain(errors: Sequence[InputError]) -> None:
    console = Console(stderr=True)
    for error in errors:
        console.print(str(error), highlight=False, markup=False, soft_wrap=True)


def pull_command(run: RunPath, url: KnownUrl = None) -> None:
    """Fetch what is annotated from the server that tasks were pushed to.

    Safe to repeat and to interrupt. The key is read from LABEL_STUDIO_API_KEY.

    Example:

      pairwright human pull runs/first
    """
    from pairwright_human_eval.label_studio import LabelStudioClient, pull, pushed_state

    with opened(run) as study:
        console = Console(stderr=True)
        where = url or pushed_state(study.folder).url
        with (
            closing(LabelStudioClient(where, api_key())) as server,
            Progress(console=console) as progress,
        ):
            fetching = progress.add_task("fetching projects", total=None)
            pulled = pull(
                server,
                study.folder,
                progress=lambda done, of: progress.update(fetching, completed=done, total=of),
            )
        for title, tasks in pulled.gone.items():
            console.print(
                f"{number_of(len(tasks), 'task was', 'tasks were')} deleted on the server in"
                f" {title}, such as {tasks[0]}:"
                " push again to have them answered.",
                style="yellow",
                markup=False,
            )
        tell(Console(), study, study.answers())


def tell(console: Console, study: Opened, answers: Acceptance) -> None:
    """Counts that add up: annotations in, copies, verdicts, set aside by reason; tasks without
    answer."""
    verdicts = Counter((v.kind, v.purpose) for v in answers.verdicts)
    aside = Counter(s.reason for s in answers.set_aside)
    answered = {v.task for v in answers.verdicts}
    table = Table(box=box.SIMPLE, show_header=False, title=escape(str(study.folder.path)))
    table.add_column(style="bold")
    table.add_column()
    table.add_column(justify="right")
    counted = len(answers.verdicts) + len(answers.set_aside)
    table.add_row("answers in", "", f"{counted + answers.copies:,}")
    if answers.copies:
        table.add_row("copies", "of answers that are counted", f"{answers.copies:,}")
    for (kind, purpose), n in sorted(
        verdicts.items(), key=lambda row: (KINDS.index(row[0][0]), row)
    ):
        table.add_row("verdicts", f"{kind}: {purpose}", f"{n:,}")
    for reason, n in aside.most_common():
        table.add_row("set aside", reason, f"{n:,}", style="yellow")
    table.add_row("still open", "tasks", f"{len(study.fixed.key.keys() - answered):,}")
    console.print(table)
    if any(v.simulated for v in answers.verdicts):
        console.print("Simulated annotators answered: this verifies nothing.")
    console.print(f"Next:\n  {program()} human report {study.folder.run}", highlight=False)
