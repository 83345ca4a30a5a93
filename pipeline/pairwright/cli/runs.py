"""Printers of `build`, `status`, `show`, `doctor`, `batch` and `human import`."""

import json
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from typer import Option

from pairwright.cli.printing import command, print_words, say
from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import iterate_pairs
from pairwright.construct.status import RunStatus
from pairwright.models.recording import NOT_RECORDED
from pairwright.modes import MODES, STAGES
from pairwright.text import visible

if TYPE_CHECKING:
    from pairwright.construct.build import BuildResult
    from pairwright.models.batch import Ingest
    from pairwright.models.doctor import ServerReport
    from pairwright_human_eval.answers import ImportedAnswers


def print_build(
    work: "Callable[[], BuildResult]",
    config: Path,
    run: Path,
    limit: int | None = None,
    columns: Iterable[str] = (),
    address: str | None = None,
    batch: bool = False,
) -> int:
    """Print what a build made, what is missing and why, and what comes next."""
    words: list[object] = [word for column in columns for word in ("--column", column)]
    words += ["--limit", limit] if limit else []
    words += ["--address", address] if address else []
    same_build = command("build", config, "--run", run, *words, *["--batch"] * batch)
    result = work()
    found = result.status
    pairs = [] if result.requests else list(islice(iterate_pairs(run), 2))
    print_words(
        "build", found=found, sent=result.usage.sent, run=run, pairs=pairs, same_build=same_build,
        units={mode: MODES[mode].units for mode in found.config.modes}, requests=result.requests,
    )  # fmt: skip
    # A recording says the same again; the build has said what to do.
    worth = not found.count("waiting") and any(
        why != NOT_RECORDED for why in found.reasons("failed")
    )
    print_words("shortfalls", err=True, found=found, again=same_build if worth else "")
    return 3 if found.count("waiting") else int(not result.whole)


def print_status(
    result: RunStatus,
    run: Path,
    as_json: Annotated[bool, Option("--json", help="Print the manifest instead.")] = False,
) -> int:
    """Print what a run made, or its manifest, and whether it is whole."""
    if as_json:
        manifest = run / "manifest.json"
        if not manifest.exists():
            typer.echo(f"{manifest}: not written yet; the build has not finished", err=True)
            return 1
        # In ASCII, so that it is JSON in a terminal of any encoding.
        typer.echo(json.dumps(json.loads(manifest.read_bytes()), indent=2))
    else:
        print_words("status", found=result, names=STAGES, problems=RunFolder(run).problems)
        print_words("shortfalls", err=True, found=result)
    if result.count("waiting"):
        return 3
    nothing = result.finished and result.nothing_kept
    return int(bool(result.count("failed") or result.short_of_replies or nothing))


def print_lines(result: list[str], wanted: str | None = None) -> None:
    """Print the outcome of a unit, or a line for each of them."""
    for line in result:
        say(Console(), visible(line), wrap=wanted is not None)


def print_examination(result: "tuple[ServerReport, ...]") -> int:
    """Print what was found of each server, and whether a build can use them all."""
    usable = all(report.usable for report in result)
    notes = sum(finding.state == "note" for report in result for finding in report.findings)
    print_words("doctor", reports=result, usable=usable, notes=notes)
    return 0 if usable else 2


def print_ingested(result: "Ingest") -> int:
    """Print how far each file of requests is, and the outcome of each line of replies."""
    print_words("batch", ingested=result)
    if any(file.waiting for file in result.files):
        return 3
    return int(bool(result.problems or any(file.failed for file in result.files)))


def print_import(result: "ImportedAnswers", run: Path) -> int:
    """Print which files were imported, and how many answers changed."""
    print_words("import", result=result, run=run)
    return int(bool(result.refused))
