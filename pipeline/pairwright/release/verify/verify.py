"""The checks of a release in their order. They stop at the first difference."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from pairwright.dataset import Layout, parts_of
from pairwright.records import Record
from pairwright.release.derive import documents, know
from pairwright.release.primary import Primary, read_primary
from pairwright.release.records import Kind
from pairwright.release.verify.audited import check_audit
from pairwright.release.verify.audited_again import WriteAudit, check_audit_again
from pairwright.release.verify.difference import Progress, by_another, difference, reading
from pairwright.release.verify.documents import compare, primary_documents
from pairwright.release.verify.folder import Folder, check_folder
from pairwright.release.verify.history import check_rows_of_history
from pairwright.release.verify.manifest import check_digests
from pairwright.release.verify.outlines import check_outlines
from pairwright.release.verify.rows import Read, check_rows
from pairwright.release.verify.stated import check_stated
from pairwright.release.verify.units import Kept, check_contents, check_sampled, check_units
from pairwright.release.verify.verdicts import check_verdicts
from pairwright.release.verify.votes import Decided


class Verified(Record):
    """A release that is what it says."""

    digest: str
    """The root digest."""
    name: str
    version: str
    kind: Kind
    trial_because: tuple[str, ...]
    rows: int
    subjects: int
    units: int
    verdicts: int
    """Answers that every decision was derived from again."""
    files: int
    beside: tuple[str, ...]
    """What lies in the folder and is no part of the release, such as `.git`."""
    not_compared: tuple[str, ...] = ()
    """What could not be held to what it must be, and why."""


def verify(
    root: Path,
    digest: str | None = None,
    progress: Progress = lambda _, __, ___: None,
    *,
    write_audit: WriteAudit | None = None,
) -> Verified:
    """Hold a release to what its own files say, and its root digest to `digest` where given.

    `write_audit` derives the audit again; without it `audit/` is only held to be of these rows, and
    `not_compared` says so.

    Raises Difference at the first place that differs; InputError where `root` is no release or
    `digest` no digest.
    """
    layout = Layout(root)
    folder = check_folder(root, digest, progress)
    progress("people's answers", 0, None)
    with reading(root):
        primary = read_primary(layout)
        check_stated(layout, primary.stated, primary.history, primary.errata)
        _check_form(layout, primary, folder)
        kept = check_units(primary.units, primary.stated.format, _name(layout, layout.units))
        decided = _decided(layout, primary, kept)
        read = check_rows(layout, kept, decided, primary.stated, progress)
        decided.end(kept, "data")
        check_contents(kept, read.subjects, _name(layout, layout.units))
        rows = {of.config: of.rows for of in read.summary.configs}
        check_rows_of_history(primary.history, rows, layout.history.name)
        check_audit(layout, primary, read)
        _check_derived(layout, primary, read, folder, progress)
        not_compared = tuple(_not_compared(layout, primary, write_audit, progress))
    return Verified(
        digest=folder.digest,
        name=primary.stated.name,
        version=primary.stated.version,
        kind=primary.stated.kind,
        trial_because=primary.stated.trial_because,
        rows=read.summary.rows,
        subjects=read.summary.subjects,
        units=len(primary.units),
        verdicts=len(primary.public.verdicts) if primary.public else 0,
        files=len(folder.files) + 1,
        beside=folder.beside,
        not_compared=not_compared,
    )


def _not_compared(
    layout: Layout, primary: Primary, write_audit: WriteAudit | None, progress: Progress
) -> Iterator[str]:
    """Compare the audit, and say what was left uncompared. Raises Difference."""
    if primary.stated.format == 1:
        yield (
            "the texts of questions and posts with what the build kept: the release is of format 1,"
            " which has no hashes of them"
        )
    if write_audit is None:
        yield "audit/ with the audit that the rows give now: it was not derived again"
        return
    progress("the audit", 0, None)
    if not check_audit_again(layout, primary, write_audit).drawn_alike:
        yield (
            "how the plots of audit/report.html are drawn: other versions of the libraries drew"
            " them. The words and figures in them are the same"
        )


def _name(layout: Layout, path: Path) -> str:
    return path.relative_to(layout.root).as_posix()


def _check_form(layout: Layout, primary: Primary, folder: Folder) -> None:
    for path, pieces in primary_documents(layout, primary):
        compare(layout.root, path, pieces)
    for page in (layout.audit, layout.audit_page):
        if _name(layout, page) not in folder.files:
            raise difference("is missing: every release has it", _name(layout, page))
    if primary.public is None and primary.stated.kind == "release":
        raise difference("is missing: an ordinary release has it", _name(layout, layout.study))


def _decided(layout: Layout, primary: Primary, kept: dict[str, Kept]) -> Decided:
    """People's part, held against itself and the build, and every subject decided again."""
    public, kind = primary.public, primary.stated.kind
    if public is None:
        return Decided({}, None, kind)
    study, subjects, verdicts = (
        _name(layout, path) for path in (layout.study, layout.subjects, layout.verdicts)
    )
    outlines = check_outlines(public.outlines, public.study, subjects)
    check_sampled(outlines, kept, subjects)
    check_verdicts(public, outlines, study, verdicts)
    return Decided(outlines, public.decisions, kind)


def _check_derived(
    layout: Layout, primary: Primary, read: Read, folder: Folder, progress: Progress
) -> None:
    """Every file but the primary ones, written again; and no file that is none of either."""
    progress("decisions and findings", 0, None)
    known = know(layout, primary, read.summary)
    check_digests(layout, known.digests)
    derived: Iterable[tuple[str, Iterable[str]]] = documents(known)
    names = {part.path for part in parts_of(layout.root)}
    names |= {path for path, _ in primary_documents(layout, primary)}
    names |= {_name(layout, layout.audit), _name(layout, layout.audit_page)}
    for path, pieces in derived:
        progress(path, 0, None)
        with by_another(primary.stated):
            compare(layout.root, path, pieces)
        names.add(path)
    if strangers := sorted(set(folder.files) - names):
        raise difference("is no file of a release", strangers[0])
