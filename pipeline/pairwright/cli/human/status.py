"""`pairwright human status`: how far a study is."""

import os
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table

from pairwright.cli.human.options import KEY_VARIABLE, KnownUrl, RunPath, api_key
from pairwright.cli.printing import table_of

if TYPE_CHECKING:
    from pairwright_human_eval.decisions import Decision


def status_command(run: RunPath, url: KnownUrl = None) -> None:
    """Show how many tasks each annotator has answered, and what the last report decided.

    Asks the server that tasks were pushed to, if LABEL_STUDIO_API_KEY is set; otherwise it counts
    what was imported or pulled. Nothing is decided again: that would be a further look at the
    answers.

    Example:

      pairwright human status runs/first
    """
    from pairwright.workflows.annotation_server import server_progress, was_pushed
    from pairwright.workflows.answers import last_decisions, study_progress

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
    console = Console()
    console.print(table_of(heads, rows, left=2))
    if decisions := last_decisions(run):
        console.print(_decided(decisions))


def _decided(decisions: Iterable["Decision"]) -> Table:
    """Twins and pairs by state, and by each reason in words."""
    from pairwright_human_eval.reasons import reason_in_words

    decided = list(decisions)
    states = Counter(decision.state for decision in decided)
    reasons = Counter((d.state, reason) for d in decided for reason in d.reasons)
    title = "decisions of the last report"
    table = Table(box=box.SIMPLE, show_header=False, title=title, title_justify="left")
    for state, n in sorted(states.items()):
        table.add_row(state, "", f"{n:,}")
    table.add_section()
    for (state, reason), n in sorted(reasons.items()):
        table.add_row(state, reason_in_words(reason) or reason, f"{n:,}")
    return table
