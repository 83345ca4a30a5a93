"""Auditing pairs: one pass over the rows of a release, a run or somebody else's file through every
check, and the report of it."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from threadpoolctl import threadpool_limits
from typer import Argument, Option

from pairwright.audits.balance import Balance
from pairwright.audits.catalogue import decide, note_check
from pairwright.audits.copies import copy_checks
from pairwright.audits.duplicates import Duplicates, PeopleAcrossSplits
from pairwright.audits.human import Human
from pairwright.audits.identity import identity_checks
from pairwright.audits.page import write_page
from pairwright.audits.records import EXAMPLES, Audit, Check, Flag
from pairwright.audits.rights import Licences, Tombstones
from pairwright.audits.row_check import RowReader
from pairwright.audits.scan import PersonalData
from pairwright.audits.shortcuts import MIRRORED, Shortcuts
from pairwright.audits.texts import text_checks
from pairwright.errors import InputError
from pairwright.lines import write_lines, write_one
from pairwright.options import ColumnMap, LabelMap
from pairwright.pages.output import output_folder
from pairwright.pairs import (
    TIE,
    AuditSource,
    Layout,
    PairSource,
    Part,
    ReadRow,
    Row,
    content_digest,
    open_release,
    read_pairs,
)
from pairwright.pairs.address import ForgetList, read_tombstones
from pairwright.pairs.columns import column_map, label_map
from pairwright.pairs.others import MAX_SHORTCUT, REASONS
from pairwright.progress import Note, Progress, Step, log_notes
from pairwright.sources.problems import Problems, SourceProblem
from pairwright.version import __version__
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.released import ReleasedStudy, published, read_public
from pairwright_human_eval.study import read_open_study
from pairwright_human_eval.units import outline_of

AuditProgress = Callable[[str, int | None], None]
"""Called with the name of a step, and the number of rows read so far where it reads rows."""
EVERY = 100
"""Rows between two such calls."""


class Options(NamedTuple):
    """What an auditor may choose."""

    max_shortcut: float = MAX_SHORTCUT
    """The bound on blind accuracies, 0.5 to 1."""
    max_overlap: float | None = None
    """The bound on the accuracy of word overlap with the posts, 0.5 to 1; None: that which the
    release or run states, if it states one."""
    forgotten: ForgetList | None = None
    """What tombstones name; None where there is no list of them."""
    public: ReleasedStudy | None = None
    """What people said of a run's pairs. A release has its own."""


DEFAULT = Options()


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
    columns: ColumnMap = (),
    labels: LabelMap = (),
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

    def rows(name: str, done: int | None) -> None:
        # Nobody knows how long a check takes: only reading has a total.
        progress(Step(name, done, source.total if name == source.name else None))

    run = source.folder if source.kind == "run" else None
    options = Options(
        max_shortcut,
        max_overlap,
        # A run keeps beside its pairs who is to be forgotten, and what people answered.
        forgotten=read_tombstones(run) if run else None,
        public=_study_of(run) if run else None,
    )
    report = audit_pairs(source, options, progress=rows)
    if any(one.name == "profile_empty" and one.status == "note" for one in report.checks):
        progress(Note("No posts: this cannot show whether a scorer reads the user."))
    if any(MIRRORED in one.detail for one in report.checks):
        progress(Note(f"{MIRRORED} Checks without the user decide nothing."))
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
    progress: AuditProgress = lambda _what, _n: None,
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

    report = audit_pairs(source, Options(public=public), progress=progress, look=read)
    write_one(file, shortened(report))
    write_page(page, report, source, progress=progress)
    return report


def _study_of(run: Path) -> ReleasedStudy | None:
    """What people answered on a run's pairs; None where nobody was asked."""
    if not HumanFolder(run).study.exists():
        return None
    study = read_open_study(run)
    outlines = [outline_of(unit) for unit in study.units()]
    return published(study.fixed, outlines, study.answers(), study.rules)


def audit_pairs(
    source: PairSource,
    options: Options = DEFAULT,
    *,
    progress: AuditProgress = lambda _what, _rows: None,
    look: Callable[[ReadRow], None] = lambda _line: None,
) -> Audit:
    """Audit the pairs of a source: all checks with all their flags. `shortened` gives what
    audit.json keeps of it.

    `look` is called with every row of the source as it is read. Raises InputError if a source
    cannot be read, or holds no pairs.
    """
    released = source.folder if source.kind == "release" else None
    public = options.public or (read_public(Layout(released)) if released else None)
    people, human, balance = PersonalData(), Human(public), Balance()
    parts: dict[str, list[RowReader]] = {
        "shortcuts": [Shortcuts(options.max_shortcut, options.max_overlap, source.info)],
        "leakage": [*copy_checks(), Duplicates(), PeopleAcrossSplits()],
        "integrity": [*identity_checks(), *text_checks()],
        "people": [
            people,
            Licences(has_attribution=bool(source.info.attribution.strip())),
            Tombstones(options.forgotten),
        ],
        "human": [human],
        "balance": [balance],
    }
    readers = [reader for part in parts.values() for reader in part]

    def add(line: ReadRow) -> None:
        look(line)
        for reader in readers:
            reader.add(line)

    with threadpool_limits(1):  # Else sums, and with them last digits, follow the machine.
        read, found = _read(source, add, progress)
        for name, part in parts.items():
            progress(name, None)
            found += [check for reader in part for check in reader.checks()]
    return Audit(
        pairwright=__version__,
        source=read,
        max_shortcut=options.max_shortcut,
        checks=tuple(decide(found)),
        configurations=balance.counts(),
        simulated_decisions=human.simulated,
        redactions=tuple(people.redactions()),
    )


def shortened(whole: Audit) -> Audit:
    """An audit with the first EXAMPLES flags of each check."""
    checks = (Check(**dict(check) | {"flags": check.flags[:EXAMPLES]}) for check in whole.checks)
    return Audit(**dict(whole) | {"checks": tuple(checks)})


def _read(
    source: PairSource, add: Callable[[ReadRow], None], progress: AuditProgress
) -> tuple[AuditSource, list[Check]]:
    """One pass: every row goes to `add` and into the digest; and what could not be read."""
    rows, simulated = 0, False
    configs, flags = Counter[str](), dict[str, list[Flag]]()

    def show(one: SourceProblem) -> None:
        if len(flags.setdefault(one.reason, [])) < EXAMPLES:
            said = f"{REASONS[one.reason]}: {one.detail}"
            flags[one.reason].append(Flag(row=one.where, where=one.where, detail=said))

    problems = Problems(show)

    def read_rows() -> Iterator[Row]:
        nonlocal rows, simulated
        for line in problems.sound(source.read()):
            add(line)
            rows += 1
            configs[line.row.config] += 1
            simulated |= line.row.simulated
            if rows % EVERY == 0:
                progress(source.name, rows)
            yield line.row

    digest = content_digest(read_rows())
    if not rows:
        raise InputError("holds no pairs", where=source.name, fix="Audit a source that has some.")
    unread, ties = problems.counts("refused"), problems.counts("noted").get(TIE, 0)
    read = AuditSource(
        name=source.name,
        kind=source.kind,
        version=source.version,
        digest=digest,
        rows=rows,
        configs=dict(sorted(configs.items())),
        simulated=simulated,
        problems=unread,
    )
    lost, most = sum(unread.values()), [one.reason for one in problems.of("refused")]
    checks = [
        Check(
            family="integrity", name="unreadable_rows", status="fail" if lost else "pass",
            count=lost, of=rows + lost, limit=0,
            detail="; ".join(f"{REASONS[why]}: {unread[why]:,}" for why in most),
            flags=tuple(flag for why in most for flag in flags[why]),
        )
    ]  # fmt: skip
    if source.said:
        checks.append(note_check("read_as", of=rows, detail="; ".join(source.said)))
    if ties:
        tied = Check(
            family="integrity", name="ties", status="note", count=ties, of=rows + ties,
            flags=tuple(flags[TIE]),
        )  # fmt: skip
        checks.append(tied)
    return read, checks
