"""What the terminal shows of an audit."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pairwright.cli.printing import say, table_of
from pairwright.text import number_of

if TYPE_CHECKING:
    from pairwright.audit.page.verdict import FailedCheck
    from pairwright.audit.records import Audit, Status

NAMED, LINES, LISTED = 3, 6, 20
"""Rows that are named of a failed check; its lines; accuracies that are listed."""


def print_audit(console: Console, audit: "Audit", folder: Path) -> None:
    """Print what failed, why it matters and what to do; then the number of checks by outcome."""
    from pairwright.audit.page.formats import short
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
    if blind := _accuracies(audit):
        console.print(blind)
    if result.open:
        console.print(_undecided(audit))
    console.print(_counts(audit))
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


def _accuracies(audit: "Audit") -> Table | None:
    """How often blind rules pick the chosen response, where they are few enough to be read."""
    from pairwright.audit.page.formats import short

    trials = [
        check
        for check in audit.checks
        if check.family == "shortcuts" and check.found and check.limit
    ]
    if not 0 < len(trials) <= LISTED:
        return None
    rows = []
    for check in trials:
        if check.found is None or check.found.value is None:
            continue
        value, low, high = check.found.value, check.found.low, check.found.high
        interval = "" if low is None or high is None else f" ({low:.2f} to {high:.2f})"
        name, status = (text.replace("_", " ") for text in (check.name, check.status))
        accuracy, pairs = f"{value:.3f}{interval}", f"{check.found.n:,}"
        rows.append((name, short(check.config), accuracy, pairs, status))
    heads, title = ("", "configuration", "accuracy", "pairs", ""), "accuracy without the user"
    table = table_of(heads, rows, left=2, title=title, lines=box.SIMPLE_HEAD)
    table.columns[-1].justify = "left"
    return table


def _undecided(audit: "Audit") -> Table:
    """By check: in how many configurations, and the pairs that the least settled of them needs."""
    from pairwright.audit.catalogue import definition_of

    needs: dict[str, list[int | None]] = {}
    for check in audit.checks:
        if check.status == "too_few":
            needs.setdefault(definition_of(check).title, []).append(check.needed)
    rows = []
    for title, needed in needs.items():
        numbers = [n for n in needed if n is not None]
        most = f"{max(numbers):,}" if len(numbers) == len(needed) else "unknown"
        rows.append((title, f"{len(needed):,}", most))
    heads = ("", "configurations", "pairs of each that would settle it, about")
    return table_of(heads, rows, title="too few pairs to decide", lines=box.SIMPLE_HEAD)


def _counts(audit: "Audit") -> Table:
    """Checks by family and status; those of the last column decide nothing."""
    counts = Counter((check.family, check.status) for check in audit.checks)
    statuses: tuple[Status, ...] = ("fail", "too_few", "pass", "note")
    rows = (
        (family, *(f"{counts[family, status]:,}" for status in statuses))
        for family in dict.fromkeys(check.family for check in audit.checks)
    )
    heads = ("", "failed", "too few pairs", "passed", "noted")
    return table_of(heads, rows, title="checks", lines=box.SIMPLE_HEAD)
