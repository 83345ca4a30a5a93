"""Auditing pairs: of a release, of a run, or of somebody else's files."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from pairwright.audits.page import write_page
from pairwright.audits.records import Audit
from pairwright.audits.run import Options, shortened
from pairwright.audits.run import audit as audit_source
from pairwright.errors import InputError
from pairwright.lines import write_lines, write_one
from pairwright.pages.output import output_folder
from pairwright.pairs import Part, ReadRow, Row, open_release, read_pairs
from pairwright.pairs.address import ForgetList
from pairwright.pairs.columns import column_map, label_map
from pairwright.progress import Note, Progress, Step, log_notes
from pairwright.releases.run_notes import read_tombstones
from pairwright.releases.selection import read_candidates
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.released import ReleasedStudy, published
from pairwright_human_eval.study import read_open_study

MAX_SHORTCUT = Options().max_shortcut


@dataclass(frozen=True, slots=True)
class AuditResult:
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
        float, Option(help="Bound on accuracy without the user.", min=0.5, max=1)
    ] = MAX_SHORTCUT,
    max_overlap: Annotated[
        float | None, Option(help="Bound on word overlap's accuracy [the run's].", min=0.5, max=1)
    ] = None,
    against: Annotated[
        str | Path | None,
        Option(help="Pairs whose figures are shown beside.", metavar="PATH_OR_HF_ID"),
    ] = None,
    columns: Annotated[
        Iterable[str],
        Option("--column", help="Which column holds what; repeatable.", metavar="WHAT=COLUMN"),
    ] = (),
    labels: Annotated[
        Iterable[str],
        Option(
            "--label",
            help="Which labels mean first, second or tie; repeatable.",
            metavar="PLACE=LABEL,...",
        ),
    ] = (),
    progress: Progress = log_notes,
) -> AuditResult:
    """Audit pairs: what a scorer can tell without the user, leaks, integrity, people, balance.

    Reads a release, a run folder, a dataset of the Hub, and JSON, JSONL, CSV, TSV (packed as .gz,
    too) or Parquet: prompt, chosen and rejected, one of which may be a list; messages and
    transcripts; two responses and a label; options and a key. Writes audit.json, report.html, one
    page with the pairs that needs no network, and redactions.jsonl, the places of personal data.
    Exits with 1 if a check fails.

    WHAT is prompt, chosen, rejected, id, domain, category, user, narrative, profile,
    rubric_aspects, generator, created, source_url, licence or split; or first, second and label; or
    options (a list, or columns with commas between) and key. An empty COLUMN leaves a column alone.
    PLACE is first, second or tie: which response a label names. A label alone, as in `--label
    first`, holds for every row; with options, `--label first=0` is the number of the first.

    Raises InputError for what cannot be read, a wrong bound, or `out` in a release, and StoreError.

        >>> audit("releases/1.0.0").passed
        True

    Examples::

        pairwright audit runs/first
        pairwright audit releases/1.0.0 --against QiyaoMa/Personalized-RewardBench
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
    beside = read_pairs(against) if against is not None else None
    if out is not None:
        folder = Path(out)
    elif source.kind == "run" and source.folder:
        folder = source.folder / "audit"
    else:
        name = re.sub(r"\.(json|jsonl|csv|tsv|parquet)(\.gz)?$", "", source.name)
        folder = Path("audit-" + re.sub(r"[^\w.-]+", "-", name))
    output_folder(folder)
    options = Options(max_shortcut, max_overlap)

    def rows(name: str, done: int | None) -> None:
        # Nobody knows how long a check takes: only reading has a total.
        progress(Step(name, done, source.total if name == source.name else None))

    if source.kind == "run" and source.folder:
        forgotten, public = _people(source.folder, progress)
        options = options._replace(forgotten=forgotten, public=public)
    report = audit_source(source, options, against=beside, progress=rows)
    for ties in (check.count for check in report.checks if check.name == "ties"):
        progress(Note(f"ties: {ties:,}, which are no pairs"))
    write_one(folder / "audit.json", shortened(report))
    write_lines(folder / "redactions.jsonl", report.redactions)
    write_page(folder / "report.html", report, source, progress=rows)
    return AuditResult(report, folder)


def write_audit(
    root: Path,
    public: ReleasedStudy | None,
    file: Path,
    page: Path,
    progress: Callable[[str, int | None], None] = lambda _what, _n: None,
    look: Callable[[Part, Row], None] = lambda _part, _row: None,
) -> Audit:
    """Audit the rows of the release at `root`, and write audit.json and its page to two places.

    `public` is the release's study; `look` is called with every row once. Raises InputError where
    the rows cannot be read, and StoreError where the disk refuses. The same rows and study give the
    same bytes with the same libraries.
    """
    source = open_release(root)

    def read(line: ReadRow) -> None:
        look(Part(line.row.config, line.split), line.row)

    report = audit_source(source, Options(public=public), progress=progress, look=read)
    write_one(file, shortened(report))
    write_page(page, report, source, progress=progress)
    return report


def _people(run: Path, progress: Progress) -> tuple[ForgetList, ReleasedStudy | None]:
    """Who is to be forgotten, and what people answered: a run keeps both beside its pairs."""
    forgotten = read_tombstones(run)
    if not HumanFolder(run).study.exists():
        return forgotten, None
    study = read_open_study(run)
    answers = study.answers()
    _, outlines = read_candidates(
        study.pairs(), ForgetList(), study.fixed, lambda n: progress(Step("subjects", n))
    )
    return forgotten, published(study.fixed, outlines, answers, study.rules)
