"""What `release` prints at its end."""

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.assets import DOCS
from pairwright.cli.printing import command, print_commands, say
from pairwright.workflows.release_advice import advise

if TYPE_CHECKING:
    from pairwright.workflows.new_release import ReleaseResult


def print_release(console: Console, run: Path, result: "ReleaseResult") -> None:
    """Print what was released, what was not and why, and what to do next."""
    provenance = result.provenance
    if provenance.kind == "trial":
        because = "; ".join(provenance.trial_because)
        console.print(f"A trial, not a benchmark: {because}.", style="bold red", markup=False)
    console.print(_released(result))
    if result.left_out:
        console.print(_left_out(result))
    for line in advise(result, run):
        say(console, line, "yellow")
    config, out = result.summary.configs[0].config, result.folder
    say(console, f"Root digest: {result.digest}")
    print_commands(
        console,
        "Next:",
        (
            command("verify", out, "--digest", result.digest),
            str(out / "audit" / "report.html"),
            command("evaluate", out, "--out", "results")
            + f"   # the baselines; {DOCS / 'evaluate.md'} has more",
            f"datasets.load_dataset({json.dumps(str(out))}, {json.dumps(config)})   # in Python",
        ),
    )


def _released(result: "ReleaseResult") -> Table:
    """By configuration: twins and pairs, of those in the run; rows by split; users."""
    splits = Counter[tuple[str, str]]()
    for part in result.summary.parts:
        splits[part.config, part.split] += part.rows
    names = sorted({split for _, split in splits})
    table = Table(
        box=box.SIMPLE, title=escape(f"{result.provenance.name} {result.provenance.version}"),
        title_justify="left", caption="released, of: twins and pairs; then rows by split",
        caption_justify="left",
    )  # fmt: skip
    table.add_column("configuration", overflow="fold")
    for head in ("released", "of", *names, "users"):
        table.add_column(head, justify="right", no_wrap=True)
    summaries = {summary.config: summary for summary in result.summary.configs}
    for config, n in sorted(result.subjects.items()):
        summary = summaries.get(config)
        rows = (f"{splits[config, name]:,}" for name in names)
        subjects, users = (summary.subjects, summary.users) if summary else (0, 0)
        table.add_row(escape(config), f"{subjects:,}", f"{n:,}", *rows, f"{users:,}")
    return table


def _left_out(result: "ReleaseResult") -> Table:
    """Subjects by the reason why they are not released."""
    table = Table(
        box=box.SIMPLE, title="not released (twins and pairs)", title_justify="left",
        show_header=False,
    )  # fmt: skip
    for reason, n in sorted(result.left_out.items(), key=lambda row: (-row[1], row[0])):
        table.add_row(escape(reason), f"{n:,}")
    return table
