"""The checks of a release in their order, which stop at the first difference; and the release that
another follows: whole, lower, and of the same dataset.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from pairwright.dataset import Layout, parts_of
from pairwright.dataset.parquet import count_rows
from pairwright.errors import Difference, InputError
from pairwright.modes import has_rubric
from pairwright.records import Record
from pairwright.releases.changes import TRIAL, check_version
from pairwright.releases.derive import ReleaseContext, derived_files
from pairwright.releases.primary import (
    PrimaryFiles,
    ReleaseFiles,
    ReleaseKind,
    primary_paths,
    primary_texts,
    read_primary,
    read_release,
)
from pairwright.releases.verify.audit import WriteAudit, check_audit, check_audit_again
from pairwright.releases.verify.comparison import (
    StatedManifest,
    VerifyProgress,
    by_another,
    check_digests,
    check_folder,
    compare,
    difference,
    read_manifest,
    reading,
)
from pairwright.releases.verify.provenance import (
    KeptUnits,
    check_contents,
    check_provenance,
    check_rows_of_history,
    check_sampled,
    check_units,
)
from pairwright.releases.verify.rows import DecisionCheck, RowTotals, check_rows
from pairwright.releases.verify.study import check_outlines, check_verdicts


def read_previous(root: Path, version: str, name: str, *, trial: bool) -> ReleaseFiles:
    """The release before `version` of the dataset `name`.

    Raises InputError where it is not whole, not lower, of another dataset, or, before an ordinary
    release, a trial.
    """
    previous = read_release(root)
    provenance = previous.primary.provenance
    if provenance.info.name != name:
        raise InputError(
            f"is a release of {provenance.info.name!r}, and this run makes {name!r}",
            where=root,
            fix="Name a release of the same dataset, or mend [release] name in the run's config.",
        )
    if provenance.kind == "trial" and not trial:
        raise InputError(
            "is a trial, and no ordinary release follows one",
            where=root,
            fix="Name the last ordinary release, or leave --previous out for the first.",
        )
    if check_version(provenance.version.removesuffix(TRIAL)) >= check_version(version):
        raise InputError(
            f"is version {provenance.version}, which {version} does not follow",
            where=root,
            fix="Give --version a higher number than the previous release has.",
        )
    _check_whole(previous)
    return previous


def _check_whole(previous: ReleaseFiles) -> None:
    """Raise InputError for what `verify` would say of its files and of its history, which the next
    release goes on with."""
    layout, there = previous.layout, Counter[str]()
    try:
        check_folder(layout.root, None, lambda _, __, ___: None)
        check_provenance(layout, previous.primary)
        for part in parts_of(layout.root):
            there[part.config] += count_rows(layout.part(part))
        check_rows_of_history(previous.primary.history, there, layout.history.name)
    except Difference as found:
        raise InputError(
            found.what,
            where=layout.root / found.where,
            fix="Take the previous release again from where it was published, and verify it.",
        ) from None


class VerifiedRelease(Record):
    """A release that is what it says."""

    digest: str
    """The root digest."""
    name: str
    version: str
    kind: ReleaseKind
    trial_because: tuple[str, ...]
    rows: int
    subjects: int
    units: int
    verdicts: int
    """Answers that every decision was derived from again."""
    files: int
    beside: tuple[str, ...]
    """What lies in the folder beside the release, such as `.git`."""
    not_compared: tuple[str, ...] = ()
    """What could not be held to what it must be, and why."""


def verify_release(
    root: Path,
    digest: str | None = None,
    progress: VerifyProgress = lambda _, __, ___: None,
    *,
    write_audit: WriteAudit | None = None,
) -> VerifiedRelease:
    """Hold a release to what its own files say, and its root digest to `digest` where given.

    `write_audit` derives the audit again; without it `audit/` is only held to be of these rows, and
    `not_compared` says so.

    Raises Difference at the first place that differs; InputError where `root` is not a release or
    `digest` not a digest.
    """
    layout = Layout(root)
    root_digest, files, beside = check_folder(root, digest, progress)
    progress("people's answers", 0, None)
    with reading(root):
        primary = read_primary(layout)
        check_provenance(layout, primary)
        _check_form(layout, primary, files)
        kept = check_units(primary.units, primary.provenance.format, layout.inside(layout.units))
        decided = _decided(layout, primary, kept)
        manifest = read_manifest(layout)
        read = check_rows(layout, kept, decided, primary.provenance, manifest.canary, progress)
        decided.end("data")
        check_contents(kept, read.subjects, layout.inside(layout.units))
        rows = {config.config: config.rows for config in read.summary.configs}
        check_rows_of_history(primary.history, rows, layout.history.name)
        check_audit(layout, primary, read)
        _check_derived(layout, primary, read, manifest, files, progress)
        read.attributed.clear()  # The audit needs the room.
        not_compared = tuple(_not_compared(layout, primary, digest, write_audit, progress))
    return VerifiedRelease(
        digest=root_digest,
        name=primary.provenance.name,
        version=primary.provenance.version,
        kind=primary.provenance.kind,
        trial_because=primary.provenance.trial_because,
        rows=read.summary.rows,
        subjects=read.summary.subjects,
        units=len(primary.units),
        verdicts=len(primary.public.verdicts) if primary.public else 0,
        files=len(files) + 1,
        beside=beside,
        not_compared=not_compared,
    )


def _not_compared(
    layout: Layout,
    primary: PrimaryFiles,
    digest: str | None,
    write_audit: WriteAudit | None,
    progress: VerifyProgress,
) -> Iterator[str]:
    """Compare the audit, and say what was left uncompared. Raises Difference."""
    if primary.provenance.format == 1:
        yield (
            "the texts of questions and posts with what the build kept: the release is of format 1,"
            " which has no hashes of them"
        )
    if primary.public and digest is None:
        yield (
            "the study's rule with the one that was fixed at its export, which is in a private"
            " file. Give --digest, which its makers published: it shows whether it was changed"
        )
    if write_audit is None:
        yield "audit/ with the audit that the rows give now: it was not derived again"
        return
    progress("the audit", 0, None)
    if not check_audit_again(layout, primary, write_audit):
        yield (
            "how the plots of audit/report.html are drawn: other versions of the libraries drew"
            " them. The words and figures in them are the same"
        )


def _check_form(layout: Layout, primary: PrimaryFiles, files: Mapping[str, str]) -> None:
    for path, pieces in primary_texts(layout, primary):
        with by_another(primary.provenance):
            compare(layout.root, path, pieces)
    for page in (layout.audit, layout.audit_page):
        if layout.inside(page) not in files:
            raise difference("is missing: every release has it", layout.inside(page))
    to_verify = any(unit.subject and has_rubric(unit.mode) for unit in primary.units)
    if primary.public is None and primary.provenance.kind == "release" and to_verify:
        raise difference("is missing: an ordinary release has it", layout.inside(layout.study))


def _decided(layout: Layout, primary: PrimaryFiles, kept: KeptUnits) -> DecisionCheck:
    """People's part, held against itself and the build, and every subject decided again."""
    public, provenance = primary.public, primary.provenance
    if public is None:
        return DecisionCheck({}, None, provenance, kept)
    study, subjects, verdicts = (
        layout.inside(path) for path in (layout.study, layout.subjects, layout.verdicts)
    )
    outlines = check_outlines(public.outlines, public.study, subjects)
    check_sampled(outlines, kept, subjects)
    check_verdicts(public, outlines, study, verdicts)
    return DecisionCheck(outlines, public, provenance, kept)


def _check_derived(
    layout: Layout,
    primary: PrimaryFiles,
    read: RowTotals,
    manifest: StatedManifest,
    files: Mapping[str, str],
    progress: VerifyProgress,
) -> None:
    """Every file but the primary ones, written again; no further file may be there."""
    progress("decisions and findings", 0, None)
    context = ReleaseContext(layout, primary, read.summary)
    check_digests(manifest, context.digests)
    names = set(primary_paths(layout, primary, read.summary))
    for path, pieces in derived_files(context, read.attributed):
        progress(path, 0, None)
        names.add(path)
        # The canary of these hashes is that of manifest.json, which was compared before.
        if read.preference.get(path, "") != files.get(path):
            with by_another(primary.provenance):
                compare(layout.root, path, pieces)
    if strangers := sorted(set(files) - names):
        raise difference("is not a file of a release", strangers[0])
