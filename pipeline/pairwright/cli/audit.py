"""`pairwright audit`."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from pairwright.cli.audit_tables import tell
from pairwright.text import visible
from pairwright.workflows import collector
from pairwright.workflows.output import output_folder

if TYPE_CHECKING:
    from pairwright.audit.read import PairSource
    from pairwright.dataset.tombstones import Forgotten
    from pairwright_human_eval.public_study import ReleasedStudy


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
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="PATH_OR_HF_ID",
            help="Pairs whose figures stand beside, such as QiyaoMa/Personalized-RewardBench.",
        ),
    ] = None,
    corpus: Annotated[
        list[Path] | None,
        typer.Option(
            "--corpus", metavar="FILE", help="Texts the pairs are held against; may be repeated."
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
    texts, which give a pair for each place. Writes audit.json, report.html, one page with plots
    and a browser of pairs that needs no network, and redactions.jsonl, the places of personal
    data. Exits with 1 if a check fails, or if a release holds another audit than this comes to.

    WHAT is prompt, chosen, rejected, id, domain, category, user, narrative, profile,
    rubric_aspects, generator, created, source_url, licence or split; or first, second and label
    (1, 2 or tie: which is better). An empty COLUMN leaves a column alone.

    Examples:

      pairwright audit runs/first

      pairwright audit releases/1.0.0 --against QiyaoMa/Personalized-RewardBench

      pairwright audit theirs.jsonl --column chosen=better_text --column rejected=worse_text

      pairwright audit llmbar.json --column prompt=input --column first=output_1
      --column second=output_2 --column label=label
    """
    # Statistics and plots take a while to import, and other commands do without.
    from pairwright.audit.page import Sizes, write_page
    from pairwright.audit.read import open_source
    from pairwright.audit.run import Options, audit, shortened
    from pairwright.dataset import write_lines, write_one

    collector.ease()
    source = open_source(given, column or ())
    beside = open_source(against, against_column or ()) if against else None
    folder = _folder(source, out)
    options = Options(max_shortcut, tuple(corpus or ()))
    with _Shown(source) as shown:
        if source.kind == "run" and source.folder:
            forgotten, public = _of_run(source.folder, shown)
            options = options._replace(forgotten=forgotten, public=public)
        sizes = Sizes()
        found = audit(source.seen_by(sizes.add), options, against=beside, progress=shown)
        write_one(folder / "audit.json", shortened(found))
        write_lines(folder / "redactions.jsonl", found.redactions)
        write_page(folder / "report.html", found, source.rows(), sizes, progress=shown)
    if as_json:
        typer.echo((folder / "audit.json").read_text(encoding="utf-8"), nl=False)
    else:
        tell(Console(), found, folder)
    if source.kind == "release" and source.folder and options == Options() and beside is None:
        alike, told = _held_against(source.folder, folder)
        typer.echo(told, err=True)
        if not alike:
            raise typer.Exit(1)
    if found.failed:
        raise typer.Exit(1)


def _held_against(release: Path, folder: Path) -> tuple[bool, str]:
    """Whether this came to the audit that the release holds, byte for byte, and a line on it."""
    from pairwright.dataset import Layout

    layout = Layout(release)
    for own, made in ((layout.audit, "audit.json"), (layout.audit_page, "report.html")):
        if not own.is_file() or own.read_bytes() != (folder / made).read_bytes():
            return False, (
                f"The release's own audit/{made} is not what this audit came to: it was changed, or"
                " another version of Pairwright or of a library made it. `pairwright verify` says"
                " which."
            )
    return True, "The release's own audit is the same, byte for byte."


def _folder(source: "PairSource", out: Path | None) -> Path:
    """Where to write. Raises InputError where that would break a release's checksums."""
    if out is not None:
        folder = out
    elif source.kind == "run" and source.folder:
        folder = source.folder / "audit"
    else:
        name = re.sub(r"\.(json|jsonl|csv|tsv|parquet)(\.gz)?$", "", source.name)
        folder = Path("audit-" + re.sub(r"[^\w.-]+", "-", name))
    output_folder(folder)
    return folder


def _of_run(run: Path, shown: "_Shown") -> "tuple[Forgotten, ReleasedStudy | None]":
    """Who is to be forgotten, and what people said, which a run keeps beside its pairs.

    Raises InputError where they cannot be read, or another command works on the study.
    """
    from pairwright.cli.human.opened import opened
    from pairwright.dataset.tombstones import Forgotten
    from pairwright.release.select import survey
    from pairwright.release.tombstones import read_tombstones
    from pairwright_human_eval.folder import HumanFolder
    from pairwright_human_eval.public_study import published

    forgotten = read_tombstones(run)
    if not HumanFolder(run).study.exists():
        return forgotten, None
    with opened(run) as study:
        answers = study.answers()
        found = survey(study.pairs(), Forgotten(), study.fixed.key, lambda n: shown("subjects", n))
        return forgotten, published(
            study.fixed, found.outlines, answers.verdicts, answers.set_aside, study.config.human
        )


class _Shown:
    """A bar on standard error while an audit runs; nothing where that is no terminal."""

    def __init__(self, source: "PairSource") -> None:
        console = Console(stderr=True)
        self._source = source
        self._progress = Progress(
            TextColumn("{task.description}", markup=False), BarColumn(),
            TextColumn("{task.completed:,.0f} pairs"), TimeElapsedColumn(),
            console=console, transient=True, disable=not console.is_terminal,
        )  # fmt: skip
        self._task = self._progress.add_task("", total=source.total)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def __call__(self, what: str, rows: int | None) -> None:
        # Without a total the bar moves to and fro: nobody knows how long a check takes.
        total = self._source.total if what == self._source.name else None
        self._progress.update(self._task, description=visible(what), total=total, completed=rows)
