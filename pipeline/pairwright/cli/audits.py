"""`pairwright audit`: what failed, why it matters and what to do."""

from typing import Annotated

import typer
from rich.console import Console

from pairwright.audits.page.verdict import accuracy_table, audit_verdict, short, warnings
from pairwright.cli.command import Command
from pairwright.cli.printing import print_table, print_words, say
from pairwright.options import Doc
from pairwright.text import number_of
from pairwright.workflows.pair_audit import AuditResult, audit

NAMED, LINES, LISTED = 3, 6, 20
"""Rows that are named of a failed check; its lines; accuracies that are listed."""


def print_audit(
    result: AuditResult,
    as_json: Annotated[bool, Doc("Print audit.json instead of the table.", name="--json")] = False,
) -> int:
    """Print an audit: what failed, why it matters and what to do; then the accuracies."""
    if as_json:
        typer.echo((result.folder / "audit.json").read_text(encoding="utf-8"), nl=False)
        return int(not result.passed)
    console, audit, source = Console(), result.audit, result.audit.source
    verdict = audit_verdict(audit)
    for warning in warnings(audit):
        say(console, warning, "bold red", wrap=True)
    say(console, f"{short(f'{source.name} {source.version}'.strip())}: "
        f"{number_of(source.rows, 'pair')}")  # fmt: skip
    for definition, lines, flags in verdict.findings:
        say(console, definition.title, "bold red", wrap=True)
        print_words(
            "finding", definition=definition, lines=lines, flags=flags[:NAMED], most=LINES,
            short=short,
        )  # fmt: skip
        console.print()
    accuracies = accuracy_table(audit)
    if 0 < len(accuracies.rows) <= LISTED:
        print_table(console, accuracies)
    files = ["report.html", "audit.json", *(["redactions.jsonl"] if audit.redactions else [])]
    sentence = "; ".join(filter(None, (verdict.headline, verdict.overlap)))
    say(console, sentence, "bold", wrap=True)
    for file in files:
        say(console, f"  {result.folder / file}")
    return int(not result.passed)


COMMANDS = {"audit": Command(audit, print_audit)}
