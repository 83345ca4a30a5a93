"""Making a release: everything is written beside its place, and put there whole."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Annotated, NamedTuple

from pairwright.construct.folder import RunFolder
from pairwright.dataset import Layout
from pairwright.dataset.layout import write_checksums
from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright.models.store import Store
from pairwright.options import Doc, RunPath
from pairwright.releases.changes import check_version
from pairwright.releases.derive import ReleaseContext, RowFiles, derived_files
from pairwright.releases.primary import Provenance
from pairwright.releases.summary import Summary
from pairwright.releases.write import ReleaseContent, write_primary
from pairwright.workflows.output import output_folder
from pairwright.workflows.pair_audit import write_audit
from pairwright.workflows.progress import Progress, Step, log_notes
from pairwright.workflows.release_content import every_100, gather_release_content


class ReleaseResult(NamedTuple):
    """A release that was written."""

    folder: Path
    digest: str
    """Its root digest, `sha256:...`, which is to be published beside it."""
    provenance: Provenance
    """Its name, version and kind, and what it was built with."""
    summary: Summary
    """Rows, units and users of each configuration and split."""
    subjects: Mapping[str, int]
    """By configuration: twins and pairs of the run, released or not."""
    left_out: Mapping[str, int]
    """By reason: twins and pairs that are not released."""
    failed_units: int
    """Units of the build that failed, so that the release is short of them."""
    failed_checks: tuple[tuple[str, str], ...]
    """Name and configuration of the checks of its audit that failed."""
    not_stated: tuple[str, ...]
    """Fields of [release] that are empty on its card."""


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

    Raises InputError for anything that keeps the run from being released, and StoreError if its
    store or the disk refuses.

        >>> made = release("runs/first", "releases/1.0.0", "1.0.0")
        >>> made.summary.rows, made.digest
        (412, 'sha256:...')
    """
    run, out = Path(run), Path(out)
    if not 0 <= validation_share < 1:
        raise InputError(
            f"{validation_share} is not a share of users", where="--validation", fix="Give 0 to 1."
        )
    check_version(version)
    output_folder(out)
    if out.exists() or out.is_symlink():
        raise InputError(
            "is there already, and a release goes into a new folder",
            where=out,
            fix="Give --out the name of a folder that is not there.",
        )
    folder = RunFolder(run)
    folder.settings()
    if not folder.calls.exists():
        fix = "Restore it from a copy, or build again."
        raise InputError("is missing", where=folder.calls, fix=fix)
    # Locked, so that no build changes the run meanwhile.
    with closing(Store(folder.calls, writing=True)) as store:
        content = gather_release_content(
            run, store, version, previous=None if previous is None else Path(previous), trial=trial,
            validation_share=validation_share, progress=progress,
        )  # fmt: skip
        with on_disk(out):
            out.parent.mkdir(parents=True, exist_ok=True)
            temporary = Path(tempfile.mkdtemp(prefix=f"{out.name}.", dir=out.parent))
        try:
            result = _write(Layout(temporary), content, out, progress)
            with on_disk(out):
                temporary.chmod(0o755)
                temporary.rename(out)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return result


def _write(layout: Layout, content: ReleaseContent, out: Path, progress: Progress) -> ReleaseResult:
    primary = content.primary
    summary = write_primary(layout, content, every_100(progress, "writing pairs"))
    known = ReleaseContext(layout, primary, summary)
    with RowFiles(known) as row_files:
        write_audit(
            layout.root, primary.public, layout.audit, layout.audit_page,
            lambda name, n: progress(Step(f"auditing: {name}", n)), row_files.add,
        )  # fmt: skip
    for path, text in derived_files(known, row_files.attributed):
        progress(Step(f"writing {layout.inside(path)}"))
        write_whole(path, text)
    progress(Step("checksums"))
    return ReleaseResult(
        folder=out,
        digest=write_checksums(layout.root),
        provenance=primary.provenance,
        summary=summary,
        subjects=Counter(entry.config for entry in content.entries),
        left_out=Counter(reason.split(":")[0] for reason in content.why.values() if reason),
        failed_units=sum(unit.outcome == "failed" for unit in primary.units),
        failed_checks=known.audit.failed,
        not_stated=_not_stated(primary.provenance, summary),
    )


def _not_stated(provenance: Provenance, summary: Summary) -> tuple[str, ...]:
    """The fields of [release] that a reader of the card would miss."""
    needless = {"max_overlap", "attribution", "citation"}
    if "unknown" not in summary.licences:
        needless.add("licence")
    if "natural" in {config.mode for config in summary.configs}:
        needless |= {"own_licence", "annotators", "payment"}
    return tuple(name for name, value in provenance.info if not value and name not in needless)
