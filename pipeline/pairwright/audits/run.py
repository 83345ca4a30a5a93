"""The command `pairwright audit`."""

import re
from pathlib import Path
from typing import Annotated, NamedTuple

from typer import Argument, Option

from pairwright.audits.examination import audit_pairs, shortened
from pairwright.audits.page import write_page
from pairwright.audits.records import Audit
from pairwright.audits.shortcuts import MIRRORED
from pairwright.errors import InputError
from pairwright.lines import write_lines, write_one
from pairwright.options import ColumnMap, LabelMap
from pairwright.pages.output import output_folder
from pairwright.pairs import MAX_SHORTCUT, column_map, label_map, read_pairs
from pairwright.progress import Note, Progress, log_notes


class AuditResult(NamedTuple):
    """An audit that was written."""

    audit: Audit
    """All checks, with every flag, and every place of personal data."""
    folder: Path
    """It holds audit.json, report.html and redactions.jsonl."""

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.audit.failed


def audit(
    path: Annotated[
        str | Path,
        Argument(help="A release, run, file or folder of pairs.", metavar="PATH_OR_HF_ID"),
    ],
    *,
    out: Annotated[
        Path | str | None,
        Option(help="Folder of the report [RUN/audit or audit-NAME].", metavar="DIR"),
    ] = None,
    max_shortcut: Annotated[
        float, Option(help="Maximum accuracy without the user.", min=0.5, max=1)
    ] = MAX_SHORTCUT,
    max_overlap: Annotated[
        float | None, Option(help="Maximum accuracy of word overlap.", min=0.5, max=1)
    ] = None,
    columns: ColumnMap = (),
    labels: LabelMap = (),
    progress: Progress = log_notes,
) -> AuditResult:
    """Audit pairs: what a scorer can tell without the user, leaks, integrity, people, balance.

    Reads a release, a run folder, a dataset of the Hub, and JSON, JSONL, CSV, TSV or
    Parquet. A row has prompt, chosen and rejected, messages or transcripts, two responses and a
    label, or options and a key. Writes audit.json, report.html, one page with the pairs that needs
    no network, and redactions.jsonl, the places of personal data. Exits with 1 if a check fails.

    WHAT is prompt, chosen, rejected, id, domain, category, user, narrative, profile,
    rubric_aspects, generator, created, source_url, licence or split. It may also be first, second
    and label, or options (a list, or columns with commas between) and key. An empty COLUMN leaves a
    column alone.
    PLACE is first, second or tie: which response a label names. A label alone, as in `--label
    first`, holds for every row; with options, `--label first=0` is the number of the first.

    Raises InputError for what cannot be read, a wrong bound and `out` in a release, and StoreError.

        >>> audit("releases/1.0.0").passed
        True

    Examples::

        pairwright audit runs/first
        pairwright audit QiyaoMa/Personalized-RewardBench
        pairwright audit theirs.jsonl --column chosen=better --column rejected=worse
        pairwright audit quiz.csv --column key=correct_answer --label first=0
        pairwright audit votes.json --label first=1 --label second=2 --label tie=0
    """
    for option, bound in (("--max-shortcut", max_shortcut), ("--max-overlap", max_overlap)):
        if bound is not None and not 0.5 <= bound <= 1:
            what = f"{bound} cannot be a bound on accuracy"
            raise InputError(what, where=option, fix="Give 0.5 to 1.")
    source = read_pairs(path, column_map(columns), label_map(labels))
    for line in source.said:
        progress(Note(line))
    if out is not None:
        folder = Path(out)
    elif source.kind == "run" and source.folder:
        folder = source.folder / "audit"
    else:
        name = re.sub(r"\.(json|jsonl|csv|tsv|parquet)(\.gz)?$", "", source.name)
        folder = Path("audit-" + re.sub(r"[^\w.-]+", "-", name))
    output_folder(folder)

    report = audit_pairs(source, max_shortcut, max_overlap, progress=progress)
    if any(one.name == "profile_empty" and one.status == "note" for one in report.checks):
        progress(Note("No posts: this cannot show whether a scorer reads the user."))
    if any(MIRRORED in one.detail for one in report.checks):
        progress(Note(f"{MIRRORED} Checks without the user decide nothing."))
    for ties in (check.count for check in report.checks if check.name == "ties"):
        progress(Note(f"ties: {ties:,}, which are no pairs"))
    write_one(folder / "audit.json", shortened(report))
    write_lines(folder / "redactions.jsonl", report.redactions)
    write_page(folder / "report.html", report, source, progress=progress)
    return AuditResult(report, folder)
