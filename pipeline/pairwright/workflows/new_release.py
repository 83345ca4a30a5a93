"""Making a release: everything is written beside its place, and put there whole."""

import json
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from pairwright.audit.explain import explained
from pairwright.audit.page.shown import config_name
from pairwright.workflows.release_content import Asked, Gathered, Step, gather
from pairwright.workflows.release_audit import write_audit
from pairwright.construct.folder import RunFolder
from pairwright.dataset import Layout
from pairwright.dataset.checksums import write_checksums
from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright.models.store import Store
from pairwright.release.derive import documents, know
from pairwright.release.summary import Summary
from pairwright.release.versions import check_version
from pairwright.release.write import write_primary


class Made(NamedTuple):
    """A release that was written."""

    gathered: Gathered
    summary: Summary
    digest: str
    """Its root digest."""
    failed_checks: tuple[str, ...]
    """Of its audit: each in words, with its configuration."""
    errata_left_out: int
    """On no pair that may be named."""


def make_release(run: Path, out: Path, asked: Asked) -> Made:
    """Raises InputError for whatever keeps the run from being released, and StoreError where its
    store or the disk refuses. What an interrupted release left is removed by the next."""
    check_version(asked.version)
    partial = _partial(out)
    with _shown() as step, _held(run) as store:
        gathered = gather(run, store, asked, step)
        made = _write(Layout(partial), gathered, step)
        with on_disk(out):
            partial.rename(out)
    return made


def _partial(out: Path) -> Path:
    """Where the release is written before it is whole; what an interrupted one left is removed.

    Raises InputError where something stands in the way.
    """
    if out.exists() or out.is_symlink():
        raise InputError(
            "is there already, and a release goes into a new folder",
            where=out,
            fix="Give --out the name of a folder that is not there; move this one away first if it"
            " is of no use.",
        )
    partial = out.with_name(out.name + ".partial")
    if partial.is_symlink() or (partial.exists() and not partial.is_dir()):
        raise InputError(
            "is in the way of the new release",
            where=partial,
            fix="Move it away, or give another --out.",
        )
    if partial.is_dir():
        _remove(partial)
    return partial


def _remove(partial: Path) -> None:
    """Remove what an interrupted release left, and nothing else."""
    # The first file that a release writes; it may have been interrupted in the middle of it.
    layout = Layout(partial)
    first, there = layout.stated, {path.name for path in partial.iterdir()}
    unfinished = first.name in there or not there - {f"{first.name}.partial"}
    if not unfinished or layout.checksums.name in there:
        raise InputError(
            "was not left by an interrupted release, and stands in the way",
            where=partial,
            fix="Move it away.",
        )
    with on_disk(partial):
        # Last what tells the next release that it may remove the rest, too.
        for path in sorted(partial.iterdir(), key=lambda path: path == first):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        partial.rmdir()


@contextmanager
def _held(run: Path) -> Iterator[Store]:
    """The run's store; no build can change the run meanwhile."""
    folder = RunFolder(run)
    folder.settings()
    if not folder.calls.exists():
        raise InputError(
            "is missing, and tells what came of each unit",
            where=folder.calls,
            fix="Restore it from a copy.",
        )
    with closing(Store(folder.calls)) as store:
        yield store


def _write(layout: Layout, gathered: Gathered, step: Step) -> Made:
    primary, summary = write_primary(layout, gathered.content, lambda n: step("writing pairs", n))
    audited = write_audit(
        layout.root, primary.public, layout.audit, layout.audit_page,
        lambda what, n: step(f"auditing: {what}", n),
    )  # fmt: skip
    primary = primary._replace(audit=json.loads(layout.audit.read_bytes()))
    step("decisions and findings", None)
    known = know(layout, primary, summary)
    for path, pieces in documents(known):
        step(f"writing {path}", None)
        write_whole(layout.root / path, pieces)
    step("checksums", None)
    left_out = len(gathered.content.errata) - len(primary.errata)
    digest = write_checksums(layout.root)
    failed = tuple(f"{explained(of).title} ({config_name(of.config)})" for of in audited.failed)
    return Made(gathered, summary, digest, failed, left_out)


@contextmanager
def _shown() -> Iterator[Step]:
    """One line on standard error that says what is being done; none where it is no terminal."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}", markup=False), TextColumn("{task.fields[n]}")
    with Progress(
        SpinnerColumn(), *columns, TimeElapsedColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    ) as bar:  # fmt: skip
        task = bar.add_task("", total=None, n="")

        def step(what: str, n: int | None) -> None:
            if n is None or n % 100 == 0:
                bar.update(task, description=what, n="" if n is None else f"{n:,}")

        yield step
