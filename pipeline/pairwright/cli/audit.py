"""`pairwright audit`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.audit_tables import print_audit
from pairwright.cli.progress import display
from pairwright.workflows import collector


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
            " without it, that is only noted.",
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
            against=against,
            corpora=corpus or (),
            columns=column or (),
            against_columns=against_column or (),
            progress=progress,
        )
    if as_json:
        typer.echo((result.folder / "audit.json").read_text(encoding="utf-8"), nl=False)
    else:
        print_audit(Console(), result.audit, result.folder)
    if result.differs:
        typer.echo(
            f"The release's own audit/{result.differs} is not what this audit gave: it was changed,"
            " or another version of Pairwright or of a library made it. `pairwright verify` says"
            " which.",
            err=True,
        )
    elif result.differs is not None:
        typer.echo("The release's own audit is the same, byte for byte.", err=True)
    if not result.passed:
        raise typer.Exit(1)
