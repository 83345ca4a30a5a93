"""What the terminal shows of an audit."""

from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.text import Text

from pairwright.cli.printing import say, table_of
from pairwright.text import number_of

if TYPE_CHECKING:
    from pairwright.audit.page.verdict import FailedCheck
    from pairwright.audit.records import Audit

NAMED, LINES, LISTED = 3, 6, 20
"""Rows that are named of a failed check; its lines; accuracies that are listed."""


def print_audit(console: Console, audit: "Audit", folder: Path) -> None:
    """Print what failed, why it matters and what to do; then the number of checks by outcome."""
    from pairwright.audit.page.formats import short
    from pairwright.audit.page.summary import accuracy_rows, counts_table, undecided_table
    from pairwright.audit.page.verdict import audit_verdict, warnings

    source, result = audit.source, audit_verdict(audit)
    for warning in warnings(audit):
        say(console, warning, "bold red", wrap=True)
    name = short(f"{source.name} {source.version}".strip())
    configs = number_of(len(source.configs), "configuration")
    pairs = f"{number_of(source.rows, 'pair')} in {configs}"
    for line in (f"{name}: {pairs}", source.digest):
        say(console, line)
    for finding in result.findings:
        console.print(_failed(finding), soft_wrap=False)
    if 0 < len(accuracies := accuracy_rows(audit)) <= LISTED:
        heads, title = ("", "configuration", "accuracy", "pairs", ""), "accuracy without the user"
        table = table_of(heads, accuracies, left=2, title=title, lines=box.SIMPLE_HEAD)
        table.columns[-1].justify = "left"
        console.print(table)
    for shown in (*([undecided_table(audit)] if result.open else []), counts_table(audit)):
        table = table_of(shown.head, shown.rows, title=shown.note, lines=box.SIMPLE_HEAD)
        console.print(table)
    say(console, result.headline, "bold", wrap=True)
    files = ["report.html", "audit.json", *(["redactions.jsonl"] if audit.redactions else [])]
    for file in files:
        say(console, f"  {folder / file}")


def _failed(finding: "FailedCheck") -> Text:
    """One check that failed: where, and what to do."""
    lines = [f"  {line}" for line in finding.lines[:LINES]]
    if len(finding.lines) > LINES:
        lines.append(f"  and {len(finding.lines) - LINES} more")
    for n, example in enumerate(finding.examples[:NAMED]):
        where = f"{example.where}: " if example.where not in ("", example.row) else ""
        detail = f" ({example.detail})" if example.detail else ""
        lines.append(f"  {'such as' if n == 0 else '    and'} {where}{example.row}{detail}")
    lines = [finding.title, *lines, f"  Why it matters: {finding.why}", f"  {finding.todo}", ""]
    text = Text("\n".join(lines))
    text.stylize("bold red", 0, len(finding.title))
    return text
