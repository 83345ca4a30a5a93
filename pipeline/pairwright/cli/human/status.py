"""`pairwright human status`: how far a study is."""

import os

from rich.console import Console

from pairwright.cli.human.options import KEY_VARIABLE, KnownUrl, RunPath, api_key
from pairwright.cli.printing import table_of


def status_command(run: RunPath, url: KnownUrl = None) -> None:
    """Show how many tasks each annotator has answered.

    Asks the server that tasks were pushed to, if LABEL_STUDIO_API_KEY is set; otherwise it counts
    what was imported or pulled.

    Example:

      pairwright human status runs/first
    """
    from pairwright.workflows.answers import study_progress
    from pairwright.workflows.label_studio import server_progress, was_pushed

    if url is None and not (was_pushed(run) and os.environ.get(KEY_VARIABLE)):
        lines = study_progress(run)
        heads = ["annotator", "kind", "tasks", "answered"]
    else:
        lines = server_progress(run, api_key(), url=url)
        heads = ["annotator", "kind", "tasks", "answered", "skips", "deleted"]
    rows = []
    for line in lines:
        kind = line.kind if line.round == 1 else f"{line.kind} (adjudication)"
        counts = (line.tasks, line.answered, line.skipped, line.deleted)
        rows.append((line.annotator, kind, *(f"{n:,}" for n in counts if n is not None)))
    Console().print(table_of(heads, rows, left=2))
