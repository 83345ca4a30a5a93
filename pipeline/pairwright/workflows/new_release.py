"""Making a release: everything is written beside its place, and put there whole.

While a release is written to OUT, it is the folder OUT.partial/release. One that fails removes it;
one that is killed leaves it behind, and the next one to the same OUT removes it.
"""

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pairwright.audits.catalogue import definition_of
from pairwright.audits.page.verdict import config_name
from pairwright.audits.records import Audit
from pairwright.blind_preference import preference_sentence
from pairwright.construct.folder import RunFolder
from pairwright.dataset import Layout, parts_of, read_rows
from pairwright.dataset.layout import write_checksums
from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright.models.store import Store
from pairwright.modes import has_own_choices
from pairwright.options import Doc, RunPath
from pairwright.pages import render_page
from pairwright.releases.changes import check_version
from pairwright.releases.derive import ReleaseContext, RowFiles, derived_files
from pairwright.releases.primary import Provenance
from pairwright.releases.run_notes import ERRATA_FILE
from pairwright.releases.summary import Summary
from pairwright.releases.write import ReleaseContent, write_primary
from pairwright.workflows.output import output_folder
from pairwright.workflows.pair_audit import write_audit
from pairwright.workflows.progress import Progress, Step, log_notes
from pairwright.workflows.release_content import (
    every_100,
    gather_release_content,
)


@dataclass(frozen=True, slots=True)
class ReleaseResult:
    """A release that was written."""

    folder: Path
    digest: str
    """Its root digest, `sha256:...`, which is to be published beside it."""
    provenance: Provenance
    """Its name, version and kind, and what it was built with."""
    previous: Provenance | None
    """The same of the release before it."""
    summary: Summary
    """Rows, subjects and users of each configuration and split."""
    subjects: Mapping[str, int]
    """By configuration: twins and pairs of the run, released or not."""
    left_out: Mapping[str, int]
    """By reason: twins and pairs that are not released."""
    failed_units: int
    """Units of the build that failed, so that the release is short of them."""
    failed_checks: tuple[str, ...]
    """The checks of its audit that failed, in words, each with its configuration."""
    moved_users: int
    """Users of the previous release's split `validation` who are in `test` now."""
    errata: int
    """Errata of the run and of the previous release."""
    errata_left_out: int
    """Those about no pair that this release or the one before may name."""
    weakness: str
    """That its study's rule is weaker than the default one, and how weak; empty where it is not."""


def release(
    run: RunPath,
    out: Annotated[str | Path, Doc("A new folder, for the release.", "DIR", name="--out")],
    version: Annotated[str, Doc("The version, higher than any before.", "X.Y.Z", name="--version")],
    *,
    previous: Annotated[
        str | Path | None, Doc("The release before this one; none for the first.", "DIR")
    ] = None,
    trial: Annotated[
        bool, Doc("For trying out: simulated and unverified pairs, too. Not a benchmark.")
    ] = False,
    validation_share: Annotated[
        float,
        Doc(
            "Share of users, such as 10%, whose pairs are in the split `validation`.",
            "SHARE",
            name="--validation",
            share=True,
        ),
    ] = 0.0,
    progress: Progress = log_notes,
) -> ReleaseResult:
    """Release what people verified of a run as a dataset folder, with its audit and pages.

    A trial says everywhere that it is one. The same run, version and previous release give the same
    bytes.

    Raises InputError for anything that keeps the run from being released, and StoreError where its
    store or the disk refuses.

        >>> made = release("runs/first", "releases/1.0.0", "1.0.0")
        >>> made.summary.rows, made.digest
        (412, 'sha256:...')
    """
    run, out = Path(run), Path(out)
    if not 0 <= validation_share < 1:
        raise InputError(
            "nothing would be left to test on"
            if validation_share >= 1
            else f"{validation_share} is not a share",
            where="--validation",
            fix="Give less than 1." if validation_share >= 1 else "Give 0 or more.",
        )
    check_version(version)
    output_folder(out)
    partial = _partial(out)
    with _store(run) as store:
        content = gather_release_content(
            run, store, version, previous=None if previous is None else Path(previous), trial=trial,
            validation_share=validation_share, progress=progress,
        )  # fmt: skip
        layout = Layout(partial / _INSIDE)
        try:
            result = _write(layout, content, out, progress)
            with on_disk(out):
                layout.root.rename(out)
                partial.rmdir()
        except Exception:
            if partial.is_dir():
                _remove(partial)
            raise
    return result


_INSIDE = "release"
"""The name of a release inside the folder in which it is written."""


def _partial(out: Path) -> Path:
    """The folder in which the release is written. What a killed release left there is removed.

    Raises InputError where something else is in the way.
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
    """Remove what an unfinished release left, and nothing else."""
    unfinished = partial / _INSIDE
    # The first file that a release writes; it may have been killed in the middle of it.
    first = Layout(unfinished).provenance
    own = {path.name for path in partial.iterdir()} <= {_INSIDE} and not unfinished.is_symlink()
    if own and unfinished.exists():
        names = {path.name for path in unfinished.iterdir()} if unfinished.is_dir() else {""}
        own = first.name in names or not names - {f"{first.name}.partial"}
    if not own:
        raise InputError(
            "was not left by an interrupted release, and is in the way",
            where=partial,
            fix="Move it away.",
        )
    with on_disk(partial):
        if unfinished.exists():
            # The first file goes last: by it the next release knows that it may remove the rest.
            for path in sorted(unfinished.iterdir(), key=lambda path: path == first):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink()
            unfinished.rmdir()
        partial.rmdir()


@contextmanager
def _store(run: Path) -> Iterator[Store]:
    """The run's store, locked, so that no build changes the run meanwhile. A run on a read-only
    disk is not locked: nothing changes it."""
    folder = RunFolder(run)
    folder.settings()
    if not folder.calls.exists():
        raise InputError(
            "is missing, and holds the outcome of each unit",
            where=folder.calls,
            fix="Restore it from a copy.",
        )
    with closing(Store(folder.calls, writing=os.access(run, os.W_OK))) as store:
        yield store


def _write(layout: Layout, content: ReleaseContent, out: Path, progress: Progress) -> ReleaseResult:
    count = every_100(progress, "writing pairs")
    primary, summary = write_primary(layout, content, count)
    with RowFiles(ReleaseContext(layout, primary, summary)) as row_files:
        audited = write_audit(
            layout.root, primary.public, layout.audit, layout.audit_page,
            lambda name, n: progress(Step(f"auditing: {name}", n)), row_files.add,
        )  # fmt: skip
    if content.primary.provenance.kind != "trial":
        _check_lean(audited, summary, out)
    primary = primary._replace(audit=json.loads(layout.audit.read_bytes()))
    progress(Step("decisions and findings"))
    known = ReleaseContext(layout, primary, summary)
    for path, pieces in derived_files(known, row_files.attributed):
        if path not in row_files.paths:
            progress(Step(f"writing {path}"))
            write_whole(layout.root / path, pieces)
    progress(Step("checksums"))
    digest = write_checksums(layout.root)
    before, errata = content.previous, len(content.primary.errata)
    moved: set[str | None] = set()
    for part in parts_of(before.layout.root) if before else ():
        if before and part.split == "validation":
            moved |= {row.user for row in read_rows(before.layout.part(part))}
    splits = content.splits
    return ReleaseResult(
        folder=out,
        digest=digest,
        provenance=content.primary.provenance,
        previous=before.primary.provenance if before else None,
        summary=summary,
        subjects=Counter(entry.config for entry in content.entries),
        left_out=Counter(reason for reason in content.why.values() if reason),
        failed_units=sum(unit.outcome == "failed" for unit in content.primary.units),
        failed_checks=tuple(
            f"{definition_of(check).title} ({config_name(check.config)})"
            for check in audited.failed
        ),
        moved_users=sum(splits.get(user or "") == "test" for user in moved),
        errata=errata,
        errata_left_out=errata - len(primary.errata),
        weakness=known.study.weakness if known.study else "",
    )


def _check_lean(audited: Audit, summary: Summary, out: Path) -> None:
    """Raise InputError where the audit found that a mode leans: no user is needed to be right."""
    leaning = {check.config for check in audited.failed if check.name == "blind_preference"}
    for figure in summary.preferences:
        if f"mode {figure.mode}" in leaning:
            raise InputError(
                f"this set leans, so it is not released. {preference_sentence(figure)}",
                where=out,
                fix="Write the weaker side better and build again, build twins alone"
                ' (modes = ["twin"]), or add --trial.',
            )


def advise(result: ReleaseResult, run: Path) -> tuple[str, ...]:
    """What the maker of a release should know of it, a paragraph each."""
    info, summary = result.provenance.info, result.summary
    needless = {"max_overlap", "max_aspects_overlap"}
    # A licence is needed where a post has none.
    if "unknown" not in summary.licences:
        needless |= {"licence"} - summary.licences.keys()
    if not (info.licence or "").startswith("CC-BY"):
        needless.add("attribution")
    if has_own_choices(config.mode for config in summary.configs):
        needless |= {"own_licence", "annotators", "payment"}
    return render_page(
        "release_advice",
        result=result,
        empty=[name for name, value in info if not value and name not in needless],
        config=str(run / "config.toml"),
        errata_file=str(run / ERRATA_FILE),
    ).opening
