"""`pairwright audit`: what failed, why it matters and what to do."""

from typing import Annotated

import typer
from rich.console import Console

from pairwright.audits.page.verdict import (
    accuracy_table,
    audit_verdict,
    counts_table,
    short,
    undecided_table,
    warnings,
)
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
    console, audit, source = Console(), result.audit, result.audit.source
    verdict = audit_verdict(audit)
    for warning in warnings(audit):
        say(console, warning, "bold red", wrap=True)
    pairs = number_of(source.rows, "pair")
    configs = number_of(len(source.configs), "configuration")
    say(console, f"{short(f'{source.name} {source.version}'.strip())}: {pairs} in {configs}")
    say(console, source.digest)
    for definition, lines, flags in verdict.findings:
        say(console, definition.title, "bold red", wrap=True)
        print_words(
            "finding", definition=definition, lines=lines, flags=flags[:NAMED], most=LINES,
            short=short,
        )  # fmt: skip
        console.print()
    accuracies = accuracy_table(audit)
    listed = (accuracies,) if len(accuracies.rows) <= LISTED else ()
    for table in (*listed, undecided_table(audit), counts_table(audit)):
        if table.rows:
            print_table(console, table)
    files = ["report.html", "audit.json", *(["redactions.jsonl"] if audit.redactions else [])]
    sentence = "; ".join(filter(None, (verdict.headline, verdict.overlap)))
    say(console, sentence, "bold", wrap=True)
    for file in files:
        say(console, f"  {result.folder / file}")


COMMANDS = {"audit": Command(audit, print_audit)}
