"""`pairwright doctor` and `batch`: what answers the calls of a build."""

from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pairwright.cli.printing import command, print_commands, say
from pairwright.models.batch_replies import MEANINGS, Ingest
from pairwright.models.doctor import ServerReport
from pairwright.text import number_of, visible
from pairwright.workflows.batch_files import PolledRound, Submitted

_COLOURS = {"ok": "green", "note": "yellow", "stop": "red"}


def print_examination(reports: tuple[ServerReport, ...]) -> int:
    """Print what was found of each server, and whether a build can use them all."""
    console = Console()
    for report in reports:
        print_server(console, report)
    if not all(report.usable for report in reports):
        console.print("A build cannot go on like this: see `stop` above.", style="red")
        return 2
    notes = sum(finding.state == "note" for report in reports for finding in report.findings)
    to_consider = f"; {notes} to think about" if notes else ""
    console.print(f"A build can use what was examined{to_consider}.")
    return 0


def print_server(console: Console, report: ServerReport) -> None:
    """Print the findings, one a row, with their advice below them.

    What servers say is shown as text.
    """
    if not report.url:
        console.print(
            f"{report.endpoint}: {report.model} runs in the build's own process and is not"
            " examined; `pairwright build --limit 1` tries it",
            markup=False,
        )
        return
    title = Text(visible(f"{report.endpoint}: {report.model} at {report.url}"))
    table = Table(title=title, box=box.SIMPLE, title_justify="left", show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for state, about, finding, advice in report.findings:
        text = Text(visible(finding))
        if advice:
            text.append(f"\n{visible(advice)}", style="dim" if state == "ok" else "")
        table.add_row(Text(state, style=_COLOURS[state]), about, text)
    console.print(table)


def print_recording(calls: int, out: Path) -> None:
    """Print how many calls a recording has, and how to answer from it."""
    say(Console(), f"{out}: {number_of(calls, 'call')}")
    say(Console(), f'To answer from it: base_url = "recording:{out.name}" beside a config.')


def print_submitted(submitted: Submitted, run: Path, out: Path) -> None:
    """Print what was handed over, and what comes next."""
    console, (new, before) = Console(), submitted
    for one in new:
        sent = f"{one.file}: {number_of(one.lines, 'request')} to {one.endpoint}"
        say(console, f"{sent} as {one.batch}")
    batches = number_of(len(new), "new batch", "new batches")
    next_step = command("batch", "poll", run, out, "--wait")
    print_commands(console, f"{batches}, {before} submitted before. Next:", [next_step])


def print_polled(polled: PolledRound) -> int:
    """Print how far each batch is, and what became of its replies."""
    console = Console()
    for one in polled.files:
        requests = number_of(one.lines, "request")
        say(console, f"{one.file}: {one.status}, {polled.done[one.file]:,} of {requests}")
    for line in polled.troubles:
        say(console, line, "yellow")
    problems = print_ingested(polled.ingested) if polled.ingested.lines else 0
    if polled.under_way:
        return 3
    return 1 if polled.troubles else problems


def print_ingested(ingested: Ingest) -> int:
    """Print what became of the lines of replies."""
    lines: list[tuple[str, int]] = [("stored", ingested.stored), ("stored before", ingested.known)]
    lines += [(MEANINGS[kind], n) for kind, n in ingested.faults().most_common()]
    counts = "; ".join(f"{n:,} {what}" for what, n in lines)
    say(Console(), f"{number_of(ingested.lines, 'line')}: {counts}.")
    return int(bool(ingested.problems))
