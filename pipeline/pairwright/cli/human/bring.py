"""`pairwright human import` and `pull`: answers in."""

from collections import Counter
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
from pairwright.cli.program import program
from pairwright.text import number_of
from pairwright_human_eval.accept import Accepted
from pairwright_human_eval.exports import store_raw
from pairwright_human_eval.records import KINDS


def import_command(
    run: RunPath,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="JSON exports of Label Studio.")
    ],
) -> None:
    """Take in annotations that were exported by hand, as JSON.

    Every annotation becomes a verdict or is set aside with its reason. Importing a file again
    changes nothing.

    Example:

      pairwright human import runs/first project-1.json project-2.json
    """
    with opened(run) as study:
        for file in files:
            store_raw(file, study.folder)
        tell(Console(), study, study.answers())


def pull_command(run: RunPath, url: KnownUrl = None) -> None:
    """Fetch what is annotated from the server that tasks were pushed to.

    Safe to repeat and to interrupt. The key is read from LABEL_STUDIO_API_KEY.

    Example:

      pairwright human pull runs/first
    """
    from pairwright_human_eval.label_studio import Server, pull, pushed_state

    with opened(run) as study:
        console = Console(stderr=True)
        where = url or pushed_state(study.folder).url
        with closing(Server(where, api_key())) as server, Progress(console=console) as progress:
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


def tell(console: Console, study: Opened, answers: Accepted) -> None:
    """Counts that add up: annotations in, verdicts, set aside by reason, tasks without answer."""
    verdicts = Counter((v.kind, v.purpose) for v in answers.verdicts)
    aside = Counter(s.reason for s in answers.set_aside)
    answered = {v.task for v in answers.verdicts}
    table = Table(box=box.SIMPLE, show_header=False, title=escape(str(study.folder.path)))
    table.add_column(style="bold")
    table.add_column()
    table.add_column(justify="right")
    table.add_row("answers in", "", f"{len(answers.verdicts) + len(answers.set_aside):,}")
    if answers.copies:
        table.add_row("in several files", "counted once", f"{answers.copies:,}")
    for (kind, purpose), n in sorted(verdicts.items(), key=lambda of: (KINDS.index(of[0][0]), of)):
        table.add_row("verdicts", f"{kind}: {purpose}", f"{n:,}")
    for reason, n in aside.most_common():
        table.add_row("set aside", reason, f"{n:,}", style="yellow")
    table.add_row("still open", "tasks", f"{len(study.fixed.key.keys() - answered):,}")
    console.print(table)
    if any(v.simulated for v in answers.verdicts):
        console.print("Simulated annotators answered: this verifies nothing.")
    console.print(f"Next:\n  {program()} human report {study.folder.run}", highlight=False)
