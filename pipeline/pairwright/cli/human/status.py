"""`pairwright human status`: how far a study is."""

import os
from collections import Counter
from contextlib import closing

from rich import box
from rich.console import Console
from rich.table import Table

from pairwright.cli.human.opened import Opened, opened
from pairwright.cli.human.options import KEY_VARIABLE, KnownUrl, RunPath, api_key
from pairwright_human_eval.records import KINDS


def status_command(run: RunPath, url: KnownUrl = None) -> None:
    """Show how many tasks each annotator has answered.

    Asks the server that tasks were pushed to, if LABEL_STUDIO_API_KEY is set; otherwise it counts
    what was imported or pulled.

    Example:

      pairwright human status runs/first
    """
    with opened(run) as study:
        console = Console()
        if url is None and not (study.folder.server.exists() and os.environ.get(KEY_VARIABLE)):
            _imported(console, study)
        else:
            _on_server(console, study, url)


def _imported(console: Console, study: Opened) -> None:
    assigned = Counter((k.annotator, k.round, k.kind) for k in study.fixed.key.values())
    answered = Counter((v.annotator, v.round, v.kind) for v in study.answers().verdicts)
    table = _table("annotator", "kind", "tasks", "answered")
    order = sorted(assigned, key=lambda part: (*part[:2], KINDS.index(part[2])))
    for annotator, round, kind in order:
        table.add_row(
            annotator,
            _named(kind, round),
            f"{assigned[annotator, round, kind]:,}",
            f"{answered[annotator, round, kind]:,}",
        )
    console.print(table)


def _on_server(console: Console, study: Opened, url: str | None) -> None:
    from pairwright_human_eval.label_studio import LabelStudioClient, pushed_state, status

    table = _table("annotator", "kind", "tasks", "answered", "skips", "deleted")
    with closing(LabelStudioClient(url or pushed_state(study.folder).url, api_key())) as server:
        for row in status(server, study.folder):
            deleted = row.assigned - row.tasks
            table.add_row(
                row.annotator, _named(row.kind, row.round), f"{row.assigned:,}", f"{row.done:,}",
                f"{row.skipped:,}", f"{deleted:,}",
            )  # fmt: skip
    console.print(table)


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE)
    for n, column in enumerate(columns):
        table.add_column(column, justify="left" if n < 2 else "right")
    return table


def _named(kind: str, round: int) -> str:
    return kind if round == 1 else f"{kind} (adjudication)"
