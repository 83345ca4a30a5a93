"""`pairwright human status` and `report`: how far a study is, and what it decides and claims."""

import os
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table

from pairwright.cli.human.options import KEY_VARIABLE, KnownUrl, RunPath, api_key
from pairwright.cli.printing import command, say, table_of
from pairwright.cli.progress import display
from pairwright.modes import units_in_words, verified_modes

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
        console.print(_last_decided(decisions))


def _last_decided(decisions: Iterable["Decision"]) -> Table:
    """Twins and pairs by state, and by each reason in words."""
    from pairwright_human_eval.decisions import reason_in_words

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


def report_command(run: RunPath) -> None:
    """Decide every pair and report on the study: Markdown, JSON and an HTML page with plots.

    All claims are estimated on all sampled pairs, before decisions. The rule is [human] of
    RUN/config.toml: change it there and report again, and the same answers are decided again; the
    report then says that it is not the rule that was fixed at export.

    Example:

      pairwright human report runs/first
    """
    # Plots and statistics take a while to import, and other commands do without.
    from pairwright.workflows.decision_report import decide
    from pairwright_human_eval.report.words import (
        agreement_in_brief,
        brief_warnings,
        label_error_sentence,
        look_lines,
    )

    with display() as progress:
        found = decide(run, progress=progress)
    console, report = Console(), found.report
    for warning in brief_warnings(report):
        say(console, warning, "bold red", wrap=True)
    console.print(_decided(found.decisions.values()))
    agreement = agreement_in_brief(report)
    title = "agreement (95 % intervals)"
    console.print(table_of(agreement.head, agreement.rows, title=title, padding=(0, 0)))
    say(console, label_error_sentence(report), wrap=True)
    for line in look_lines(report):
        say(console, line, wrap=True)
    if report.head.simulated_verdicts:
        console.print("Simulated annotators answered: this verifies nothing.")
    elif not report.head.verdicts:
        console.print("Nothing is answered yet.")
    console.print("Look further:")
    for name in ("report.html", "report.md", "report.json", "decisions.jsonl"):
        say(console, f"  {found.folder / name}")
    if found.to_adjudicate:
        say(console, f"  {command('human', 'adjudicate', run)}   # {found.to_adjudicate} disputed")


def _decided(decisions: Iterable["Decision"]) -> Table:
    """Subjects by state, and by every reason for it: one may have several."""
    decided = list(decisions)
    kinds = {d.subject: units_in_words(verified_modes(len(d.pairs))) for d in decided}
    states = Counter((d.state, kinds[d.subject]) for d in decided)
    reasons = Counter((d.state, reason) for d in decided for reason in d.reasons)
    table = Table(box=box.SIMPLE, show_header=False, title="decisions", title_justify="left")
    for (state, kind), n in sorted(states.items()):
        table.add_row(state, kind, f"{n:,}")
    table.add_section()
    for (state, reason), n in sorted(reasons.items()):
        table.add_row(state, reason, f"{n:,}")
    return table
