"""What the terminal shows of an audit."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from pairwright.audit.page.verdict import Finding
    from pairwright.audit.records import Audit, Status

NAMED = 3
"""Rows that are named of a failed check."""


def tell(console: Console, found: "Audit", folder: Path) -> None:
    """What failed, why it matters and what to do; then how many checks came to what."""
    from pairwright.audit.page.shown import short
    from pairwright.audit.page.verdict import verdict, warnings

    source, said = found.source, verdict(found)
    for warning in warnings(found):
        console.print(warning, style="bold red", markup=False, highlight=False)
    name = short(f"{source.name} {source.version}".strip())
    pairs = f"{source.rows:,} pairs in {len(source.configs):,} configurations"
    for line in (f"{name}: {pairs}", source.digest):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if said.findings:
        console.print(_failed(said.findings))
    if said.open:
        console.print(_undecided(found))
    console.print(_counts(found))
    console.print(said.headline, style="bold", markup=False, highlight=False)
    for file in ("report.html", "audit.json"):
        console.print(f"  {folder / file}", markup=False, highlight=False, soft_wrap=True)


def _failed(findings: Iterable["Finding"]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title="failed", title_justify="left", show_lines=True)
    for head in ("what", "why it matters", "what to do"):
        table.add_column(head, ratio=2 if head == "what" else 1)
    for finding in findings:
        rows = [f"e.g. {example.row}" for example in finding.examples[:NAMED]]
        what = Text("\n".join((finding.title, *finding.lines, *rows)))
        what.stylize("bold red", 0, len(finding.title))
        table.add_row(what, Text(finding.why), Text(finding.todo))
    return table


def _undecided(found: "Audit") -> Table:
    """By check: in how many configurations, and the pairs that the least settled of them needs."""
    from pairwright.audit.explain import explained

    needs: dict[str, list[int | None]] = {}
    for check in found.checks:
        if check.status == "too_few":
            needs.setdefault(explained(check).title, []).append(check.needed)
    table = Table(box=box.SIMPLE_HEAD, title="too few pairs to decide", title_justify="left")
    for n, head in enumerate(("", "configurations", "pairs of each that would settle it, about")):
        table.add_column(head, justify="right" if n else "left")
    for title, given in needs.items():
        known = [n for n in given if n is not None]
        most = f"{max(known):,}" if len(known) == len(given) else "unknown"
        table.add_row(title, f"{len(given):,}", most)
    return table


def _counts(found: "Audit") -> Table:
    """Checks by family and status; `told` ones decide nothing."""
    counts = Counter((check.family, check.status) for check in found.checks)
    table = Table(box=box.SIMPLE_HEAD, title="checks", title_justify="left")
    for n, head in enumerate(("", "failed", "too few pairs", "passed", "told")):
        table.add_column(head, justify="right" if n else "left")
    for family in dict.fromkeys(check.family for check in found.checks):
        statuses: tuple[Status, ...] = ("fail", "too_few", "pass", "note")
        table.add_row(family, *(f"{counts[family, status]:,}" for status in statuses))
    return table
