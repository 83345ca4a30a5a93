"""Verifying a release: its files have their checksums, decisions follow from the raw answers, rows
from the decisions, the manifest from the rows, and the audit's figures from both.

Pages are held to their checksums alone.
"""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from pairwright.errors import InputError
from pairwright.files import holds_run
from pairwright.lines import read_lines, read_one
from pairwright.pairs import Layout
from pairwright.pairs.layout import file_digest, read_checksums, root_digest
from pairwright.records import Record
from pairwright.releases.derive import Manifest, ReleaseContext, make_manifest
from pairwright.releases.derive.context import read_audit
from pairwright.releases.primary import PrimaryFiles, ReleaseKind, read_primary
from pairwright.releases.summary import Summary
from pairwright.releases.verify.rows import check_rows, difference, same
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.released import ReleasedStudy

VerifyProgress = Callable[[str, int, int | None], None]
"""Called with what is being checked, how much of it is done, and of how much, if that is known."""
WriteAudit = Callable[[Path, ReleasedStudy | None, Path, Path], object]
"""Audits the release in a folder with its study, and writes audit.json and report.html to two
places. Release and audit know each other by files alone."""
TOLERANCE = 1e-6
"""Between figures that two versions of a library estimate: they are rounded to six places."""
DOWNLOADED = (".git", ".gitattributes", ".cache")
"""What git and the Hub's own tools put beside the files of a release, at the top level only."""
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


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
    answers: int
    """Answers that every decision was derived from again."""
    files: int


def verify_release(
    root: Path,
    digest: str | None = None,
    progress: VerifyProgress = lambda _, __, ___: None,
    *,
    write_audit: WriteAudit | None = None,
) -> VerifiedRelease:
    """Hold a release to what its own files say, and its root digest to `digest` if given.

    `write_audit` audits the rows again; without it the audit's figures are not compared.

    Raises Difference at the first place that differs; InputError if `root` is not a release or
    `digest` not a digest.
    """
    layout = Layout(root)
    actual, files = check_folder(root, digest, progress)
    for own in (layout.card, layout.licences, layout.croissant, layout.audit, layout.audit_page):
        if not own.is_file():
            raise difference("is missing: every release has it", layout.inside(own))
    try:
        primary = read_primary(layout)
        progress("people's answers", 0, None)
        if primary.public:
            _check_answers(layout, primary.public)
        summary = check_rows(layout, primary, progress)
        stated = read_one(layout.manifest, Manifest)
        must = make_manifest(ReleaseContext(layout, primary, summary))
        for name in Manifest.model_fields:
            there, due = getattr(stated, name), getattr(must, name)
            same(name, there, due, layout.inside(layout.manifest))
        if write_audit:
            progress("the audit", 0, None)
            _check_audit(layout, primary, summary, write_audit)
    except InputError as error:
        raise difference(error.what, error.where.replace(f"{root}/", "", 1)) from None
    return VerifiedRelease(
        digest=actual,
        name=primary.provenance.name,
        version=primary.provenance.version,
        kind=primary.provenance.kind,
        trial_because=primary.provenance.trial_because,
        rows=summary.rows,
        subjects=summary.subjects,
        units=len(primary.units),
        answers=primary.public.tasks if primary.public else 0,
        files=files,
    )


def check_folder(
    root: Path, digest: str | None = None, progress: VerifyProgress = lambda _, __, ___: None
) -> tuple[str, int]:
    """The root digest of a folder that is as its checksums say, and the number of its files.

    Raises Difference; InputError if `root` is not a release or `digest` not a digest."""
    _check_use(root, digest)
    layout = Layout(root)
    sums = layout.checksums.name
    there = set(_files(root))
    try:
        listed = read_checksums(root)
    except InputError as error:
        raise difference(error.what, error.where.replace(f"{root}/", "", 1)) from None
    if missing := sorted(listed.keys() - there):
        raise difference("is listed in checksums.sha256, and is not there", missing[0])
    if extra := sorted(there - listed.keys() - {sums}):
        raise difference("is there, and is not listed in checksums.sha256", extra[0])
    for n, (path, expected) in enumerate(listed.items(), start=1):
        same("sha256", file_digest(root / path), expected, path)
        progress("hashes", n, len(listed))
    actual = root_digest(root)
    if digest is not None:
        same("the root digest", actual, digest, sums)
    return actual, len(there)


def _check_use(root: Path, digest: str | None) -> None:
    if digest is not None and not _DIGEST.fullmatch(digest):
        raise InputError(
            f"{digest!r} is not a whole root digest",
            where="--digest",
            fix="Give `sha256:` and all 64 hex digits, as `pairwright verify` prints them.",
        )
    own = Layout(root).checksums, Layout(root).manifest
    if holds_run(root) or not any(map(os.path.lexists, own)):
        raise InputError(
            "is not a release" if root.exists() else "no such folder",
            where=root,
            fix="Name the folder of a release, the one that holds checksums.sha256.",
        )


def _files(root: Path) -> Iterator[str]:
    """All files, by paths with forward slashes. Raises Difference for a link or a device."""
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if inside.parts[0] in DOWNLOADED:
            continue
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise difference("is a link or a device, and a release has files alone", str(inside))
        if path.is_file():
            yield inside.as_posix()


def _check_answers(layout: Layout, public: ReleasedStudy) -> None:
    """Nobody answered twice, each answer is on a unit of the study, and the decisions are those
    that the answers give. Raises Difference."""
    file, answered = layout.inside(layout.answers), set[tuple[object, ...]]()
    known = {outline.id: {pair.id for pair in outline.pairs} for outline in public.outlines}
    for number, answer in enumerate(public.answers, start=1):
        where = f"{file}:{number}"
        if answer.unit not in known or answer.pair not in {*known[answer.unit], ""}:
            raise difference(f"{answer.unit} is not a unit of the study", where)
        once = (
            answer.annotator, answer.kind, answer.unit, answer.pair, answer.item, answer.round
        )  # fmt: skip
        if once in answered:
            raise difference(f"{answer.annotator} answered this before", where)
        answered.add(once)
    file = layout.inside(layout.decisions)
    there = {line.unit: line for line in read_lines(layout.decisions, Decision)}
    if lost := sorted(there.keys() ^ public.decisions.keys()):
        raise difference(f"{lost[0]} is there or follows from the answers, and not both", file)
    for line, (subject, own) in enumerate(there.items(), start=1):
        for field in Decision.model_fields:
            due = getattr(public.decisions[subject], field)
            same(f"{field} of {subject}", getattr(own, field), due, f"{file}:{line}")


def _check_audit(
    layout: Layout, primary: PrimaryFiles, summary: Summary, write: WriteAudit
) -> None:
    """The audit is of these rows, and its figures are those that they give now. Raises
    Difference."""
    there = read_audit(layout)
    file = layout.inside(layout.audit)
    same("the rows of the audit", there.source.rows, summary.rows, file)
    with TemporaryDirectory(prefix="pairwright-audit-") as folder:
        write(layout.root, primary.public, Path(folder) / "audit.json", Path(folder) / "page.html")
        must = read_audit(layout, Path(folder) / "audit.json")
    checks = {(check.name, check.config): check for check in must.checks}
    stated = {(check.name, check.config): check for check in there.checks}
    for name in {**checks, **stated}:
        own, due = stated.get(name), checks.get(name)
        where = f"{file} [{' '.join(filter(None, name))}]"
        same("its status", own and own.status, due and due.status, where)
        for field in ("value", "low", "high", "n"):
            a, b = (getattr(one.found, field) if one and one.found else None for one in (own, due))
            if a is None or b is None or abs(a - b) > TOLERANCE:
                same(field, a, b, where)
