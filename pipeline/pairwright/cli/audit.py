"""`pairwright audit`, and what the terminal shows of an audit."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.text import Text

from pairwright.cli.printing import say, table_of
from pairwright.cli.progress import display
from pairwright.text import number_of
from pairwright.workflows import collector

if TYPE_CHECKING:
    from pairwright.audit.page.verdict import FailedCheck
    from pairwright.audit.records import Audit
    from pairwright.workflows.pair_audit import AuditResult

NAMED, LINES, LISTED = 3, 6, 20
"""Rows that are named of a failed check; its lines; accuracies that are listed."""


def audit_command(
    given: Annotated[
        str,
        typer.Argument(
            metavar="PATH_OR_HF_ID",
            help="A release, a run folder, a file or folder of pairs, or a Hugging Face id.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            file_okay=False,
            help="Where to write; RUN/audit for a run folder, else ./audit-NAME.",
        ),
    ] = None,
    max_shortcut: Annotated[
        float,
        typer.Option(
            "--max-shortcut", min=0.5, max=1, help="The bound on accuracy without the user."
        ),
    ] = 0.58,
    max_overlap: Annotated[
        float | None,
        typer.Option(
            "--max-overlap",
            min=0.5,
            max=1,
            help="The bound on how often word overlap with the posts picks the chosen response;"
            " without it, that of the release or run, else that is only noted.",
        ),
    ] = None,
    max_aspects_overlap: Annotated[
        float | None,
        typer.Option(
            "--max-aspects-overlap",
            min=0.5,
            max=1,
            help="The same for word overlap with the aspects.",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="PATH_OR_HF_ID",
            help="Pairs whose figures are shown beside, such as QiyaoMa/Personalized-RewardBench.",
        ),
    ] = None,
    corpus: Annotated[
        list[Path] | None,
        typer.Option(
            "--corpus", metavar="FILE", help="Texts the pairs are compared with; may be repeated."
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="WHAT=COLUMN",
            help="Which column of somebody's file holds what; may be repeated.",
        ),
    ] = None,
    against_column: Annotated[
        list[str] | None,
        typer.Option(
            "--against-column", metavar="WHAT=COLUMN", help="The same for the pairs of --against."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print audit.json instead of the table.")
    ] = False,
) -> None:
    """Audit pairs: what a scorer can tell without the user, leaks, integrity, people, balance.

    Reads a release, a run folder, the official benchmark's schema, and plain prompt, chosen and
    rejected in JSON, JSONL, CSV, TSV (each packed as .gz, too) or Parquet. Responses may be texts,
    messages, lists of messages, transcripts ("Human: ... Assistant: ..."), or lists of as many
    texts, which give a pair for each place. Questions with several options and a key are read, too.
    Writes audit.json, report.html, one page with plots and a browser of pairs that needs no
    network, and redactions.jsonl, the places of personal data. Exits with 1 if a check fails, or if
    a release holds another audit than this one.

    WHAT is prompt, chosen, rejected, id, domain, category, user, narrative, profile,
    rubric_aspects, generator, created, source_url, licence or split; or first, second and label
    (1, 2 or tie: which is better); or, of questions with several options, options (a list, or
    columns with commas between) and key (a letter or the option's text), key_from_0 or key_from_1
    (a number). An empty COLUMN leaves a column alone.

    Examples:

      pairwright audit runs/first

      pairwright audit runs/first --max-overlap 0.8

      pairwright audit releases/1.0.0 --against QiyaoMa/Personalized-RewardBench

      pairwright audit theirs.jsonl --column chosen=better_text --column rejected=worse_text

      pairwright audit questions.csv --column prompt=user_question_or_message
      --column key=correct_answer --column user=persona_id

      pairwright audit llmbar.json --column prompt=input --column first=output_1
      --column second=output_2 --column label=label
    """
    # Statistics and plots take a while to import, and other commands do without.
    from pairwright.workflows.pair_audit import audit

    collector.ease()
    with display() as progress:
        result = audit(
            given,
            out=out,
            max_shortcut=max_shortcut,
            max_overlap=max_overlap,
            max_aspects_overlap=max_aspects_overlap,
            against=against,
            corpora=corpus or (),
            columns=column or (),
            against_columns=against_column or (),
            progress=progress,
        )
    if as_json:
        typer.echo((result.folder / "audit.json").read_text(encoding="utf-8"), nl=False)
    else:
        _print(Console(), result.audit, result.folder)
    _print_comparison(result)
    if not result.passed:
        raise typer.Exit(1)


def _print_comparison(result: "AuditResult") -> None:
    """Say whether a release's own audit is the same, where a release was audited."""
    if result.differs:
        typer.echo(
            f"The release's own audit/{result.differs} is not what this audit gave: it was changed,"
            " or another version of Pairwright or of a library made it. `pairwright verify` says"
            " which.",
            err=True,
        )
    elif result.differs is not None:
        typer.echo("The release's own audit is the same, byte for byte.", err=True)


def _print(console: Console, audit: "Audit", folder: Path) -> None:
    """Print what failed, why it matters and what to do; then the number of checks by outcome."""
    from pairwright.audit.page.verdict import (
        accuracy_rows,
        audit_verdict,
        counts_table,
        short,
        undecided_table,
        warnings,
    )

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
