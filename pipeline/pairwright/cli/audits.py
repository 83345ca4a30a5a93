"""`pairwright audit`: what failed, why it matters and what to do."""

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from pairwright.audits.page.verdict import (
    FailedCheck,
    accuracy_rows,
    audit_verdict,
    counts_table,
    short,
    undecided_table,
    warnings,
)
from pairwright.cli.command import Command
from pairwright.cli.printing import say, table_of
from pairwright.options import Doc
from pairwright.text import number_of
from pairwright.workflows.pair_audit import AuditResult, audit

NAMED, LINES, LISTED = 3, 6, 20
"""Rows that are named of a failed check; its lines; accuracies that are listed."""


def print_audit(
    result: AuditResult,
    as_json: Annotated[bool, Doc("Print audit.json instead of the table.", name="--json")] = False,
) -> int:
    """Print an audit, and whether a release's own audit is the same, where one was audited."""
    if as_json:
        typer.echo((result.folder / "audit.json").read_text(encoding="utf-8"), nl=False)
    else:
        _print_checks(result)
    if result.differs:
        typer.echo(
            f"The release's own audit/{result.differs} is not what this audit gave: it was changed,"
            " or another version of Pairwright or of a library made it. `pairwright verify` says"
            " which.",
            err=True,
        )
    elif result.differs is not None:
        typer.echo("The release's own audit is the same, byte for byte.", err=True)
    return int(not result.passed)


def _print_checks(result: AuditResult) -> None:
    """Print what failed, why it matters and what to do; then the number of checks by outcome."""
    console, audit, folder = Console(), result.audit, result.folder
    source, verdict = audit.source, audit_verdict(audit)
    for warning in warnings(audit):
        say(console, warning, "bold red", wrap=True)
    name = short(f"{source.name} {source.version}".strip())
    configs = number_of(len(source.configs), "configuration")
    pairs = f"{number_of(source.rows, 'pair')} in {configs}"
    for line in (f"{name}: {pairs}", source.digest):
        say(console, line)
    for finding in verdict.findings:
        console.print(_failed(finding), soft_wrap=False)
    if 0 < len(accuracies := accuracy_rows(audit)) <= LISTED:
        heads, title = ("", "configuration", "accuracy", "pairs", ""), "accuracy without the user"
        table = table_of(heads, accuracies, left=2, title=title)
        table.columns[-1].justify = "left"
        console.print(table)
    for shown in (*([undecided_table(audit)] if verdict.open else []), counts_table(audit)):
        table = table_of(shown.head, shown.rows, title=shown.note)
        console.print(table)
    say(console, verdict.headline, "bold", wrap=True)
    files = ["report.html", "audit.json", *(["redactions.jsonl"] if audit.redactions else [])]
    for file in files:
        say(console, f"  {folder / file}")


def _failed(finding: FailedCheck) -> Text:
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


COMMANDS = {"audit": Command(audit, print_audit)}
