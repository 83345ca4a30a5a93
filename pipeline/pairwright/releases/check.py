"""Check of a release. Files have their checksums; decisions follow from the raw answers, rows from
the decisions, the manifest from the rows, and the audit's figures from both.

Needs the release's folder alone. Pages are covered by their checksums.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic_core import to_json
from typer import Option

from pairwright.audits.examination import audit_pairs
from pairwright.audits.records import Audit
from pairwright.errors import Difference, InputError
from pairwright.lines import read_document, read_lines, read_one
from pairwright.modes import halves_of
from pairwright.options import ReleasePath
from pairwright.pairs import (
    Layout,
    Part,
    ReadRow,
    Row,
    RowPost,
    decided,
    licence_of,
    open_release,
)
from pairwright.pairs.layout import file_digest, read_checksums, root_digest
from pairwright.pairs.row import derived_twin_id
from pairwright.progress import Progress, Step, log_notes
from pairwright.records import content_id
from pairwright.releases.contents import (
    Contents,
    RowCounts,
    manifest_of,
    read_contents,
    release_at,
)
from pairwright.releases.rows import left_out
from pairwright_human_eval.decisions import Decision, ReleasedStudy

TOLERANCE = 1e-6
"""Largest difference between the estimates of two versions of a library: they have six places."""
DOWNLOADED = (".git", ".gitattributes", ".cache")
"""Files of git and the Hub's own tools in a release, at the top level only."""
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_USER = re.compile(r"user-[0-9a-f]{16}")
_AGAIN = (
    "Take the release again from where it was published; if it is the same there, tell its"
    " maintainers."
)
_SHARED = ("question", "item_id", "domain", "generator", "judge", "verified")
"""Columns that are alike on both sides of a twin."""


class CheckedRelease(NamedTuple):
    """A release that is what it says."""

    digest: str
    """The root digest."""
    name: str
    version: str
    trial_because: tuple[str, ...]
    """Reasons for a trial; empty in an ordinary release."""
    rows: int
    units: dict[str, int]
    """Number of twins, placebos or single pairs, by mode."""
    answers: int
    """Answered tasks without repeats, from which every decision was derived again."""
    files: int


def check(
    release: ReleasePath,
    digest: Annotated[
        str | None, Option(help="The root digest to expect.", metavar="sha256:...")
    ] = None,
    *,
    progress: Progress = log_notes,
) -> CheckedRelease:
    """Derive decisions, rows, counts and the audit's figures of a release again, and compare.

    Needs the folder alone. Stops at the first difference and names its place; then the exit code is
    1.

    --push publishes what was checked, tagged with its version. It needs the extra [hub] and your
    own login: `hf auth login`, or HF_TOKEN. A new dataset is private, so that it can be looked at
    first; one that exists stays as visible as it is.

    Raises Difference at the first place that differs, and InputError if the folder is not a
    release or `digest` not a digest.

        >>> check("releases/1.0.0").rows
        412

    Examples::

        pairwright check releases/1.0.0 --digest sha256:...
        pairwright check releases/1.0.0 --push my-lab/my-pairs
    """
    layout = Layout(Path(release))
    actual, files = check_folder(layout.root, digest, progress)
    try:
        contents = read_contents(layout)
        progress(Step("people's answers"))
        if contents.public:
            _check_study(layout, contents.public, contents)
        rows = _RowChecks(contents)
        audit = audit_pairs(open_release(layout.root), progress=progress, look=rows.add)
        rows.end()
        counts = rows.counts
        _check_manifest(layout, contents, counts)
        figures = _figures(read_one(layout.audit, Audit))
        compare(figures, _figures(audit), layout.inside(layout.audit))
    except InputError as error:
        raise difference(error.what, error.where.replace(f"{layout.root}/", "", 1)) from None
    stated, answers = contents.stated, contents.public.tasks if contents.public else 0
    return CheckedRelease(
        actual, stated.name, stated.version, stated.trial_because, len(counts.rows),
        dict(counts.rows.drop_duplicates("subject")["mode"].value_counts()), answers, files,
    )  # fmt: skip


def difference(what: str, where: str) -> Difference:
    """The error to raise; names of files are shown so that a terminal stays whole."""
    return Difference(what, where=where if where.isprintable() else ascii(where), fix=_AGAIN)


def compare(there: Any, must: Any, where: str, name: str = "") -> None:
    """Raise Difference at the first value that is not what it must be. Figures that two versions of
    a library estimate may differ by TOLERANCE."""
    if isinstance(there, dict) and isinstance(must, dict):
        for key in {**must, **there}:
            compare(there.get(key), must.get(key), where, f"{name} {key}".strip())
    elif isinstance(there, list) and isinstance(must, list) and len(there) == len(must):
        for number, (one, due) in enumerate(zip(there, must, strict=True), start=1):
            compare(one, due, where, f"{name} {number}")
    elif isinstance(there, float) and isinstance(must, float) and abs(there - must) <= TOLERANCE:
        pass
    elif there != must:
        raise difference(f"{name} is {there!a:.100}, and must be {must!a:.100}", where)


# Files


def check_folder(
    root: Path, digest: str | None = None, progress: Progress = lambda _: None
) -> tuple[str, int]:
    """The root digest of a folder that is as its checksums say, and the number of its files.

    Raises Difference; InputError if `root` is not a release or `digest` not a digest.
    """
    if digest is not None and not _DIGEST.fullmatch(digest):
        raise InputError(
            f"{digest!r} is not a whole root digest",
            where="--digest",
            fix="Give `sha256:` and all 64 hex digits, as `pairwright check` prints them.",
        )
    sums, there = release_at(root).checksums.name, set(_files(root))
    try:
        listed = read_checksums(root)
    except InputError as error:
        raise difference(error.what, error.where.replace(f"{root}/", "", 1)) from None
    if missing := sorted(listed.keys() - there):
        raise difference("is listed in checksums.sha256, and is not there", missing[0])
    if extra := sorted(there - listed.keys() - {sums}):
        raise difference("is there, and is not listed in checksums.sha256", extra[0])
    for n, (path, expected) in enumerate(listed.items(), start=1):
        compare(file_digest(root / path), expected, path, "sha256")
        progress(Step("hashes", n, len(listed)))
    actual = root_digest(root)
    if digest is not None:
        compare(actual, digest, sums, "the root digest")
    return actual, len(there)


def _files(root: Path) -> Iterator[str]:
    """Paths of all files, with forward slashes. Raises Difference for a link or a device."""
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if inside.parts[0] in DOWNLOADED:
            continue
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise difference("is a link or a device, and a release has files alone", str(inside))
        if path.is_file():
            yield inside.as_posix()


# Answers, manifest and figures


def _check_study(layout: Layout, public: ReleasedStudy, contents: Contents) -> None:
    """Check that the study is of units that the build kept, that no one answered twice, that each
    answer is on a unit of the study, and that the decisions follow from the answers. Raises
    Difference."""
    kept = {unit.subject: unit.mode for unit in contents.units}
    for unit in public.outlines:
        compare(unit.mode, kept.get(unit.id), layout.inside(layout.asked), f"mode of {unit.id}")
    file, answered = layout.inside(layout.answers), set[tuple[object, ...]]()
    known = {(one.id, of) for one in public.outlines for of in ("", *(of.id for of in one.pairs))}
    for number, one in enumerate(public.answers, start=1):
        once = one.annotator, one.kind, one.unit, one.pair, one.item, one.round
        if (one.unit, one.pair) not in known:
            raise difference(f"{one.unit} is not a unit of the study", f"{file}:{number}")
        if once in answered:
            raise difference(f"{one.annotator} answered this before", f"{file}:{number}")
        answered.add(once)
    if contents.stated.kind == "release":
        compare(public.simulated, False, file, "simulated, in an ordinary release,")
    there = {one.unit: one.model_dump() for one in read_lines(layout.decisions, Decision)}
    must = {name: one.model_dump() for name, one in public.decisions.items()}
    compare(there, must, layout.inside(layout.decisions))


def _check_manifest(layout: Layout, contents: Contents, counts: RowCounts) -> None:
    """Check that manifest.json counts what is there, line by line. Raises Difference."""
    must = to_json(manifest_of(layout, contents, counts), indent=2).decode().splitlines()
    lines = zip_longest(read_document(layout.manifest).splitlines(), must)
    for number, (there, due) in enumerate(lines, start=1):
        compare(there, due, f"{layout.inside(layout.manifest)}:{number}", "the line")


def _figures(audit: Audit) -> dict[str, object]:
    """The figures of an audit, by check."""
    fields = {"value", "low", "high", "n"}
    return {"rows": audit.source.rows} | {
        f"{one.name} {one.config}": {
            "status": one.status, **(one.found.model_dump(include=fields) if one.found else {})
        }
        for one in audit.checks
    }  # fmt: skip


# Rows


class _RowChecks:
    """Checks of every row: by itself, with its twin, by people's decisions, and against what it
    must not share with another."""

    def __init__(self, contents: Contents) -> None:
        self.counts, self._contents, why = RowCounts(), contents, left_out(contents)
        units = ((one.subject, one.mode) for one in contents.units if one.subject)
        self._due = {subject: mode for subject, mode in units if not why[subject]}
        self._ids, self._splits = set[str](), dict[str, str]()
        self._half: ReadRow | None = None

    def add(self, line: ReadRow) -> None:
        """Check one row, part by part. Raises Difference."""
        row, where, split = line.row, line.where, line.split
        file, due = where.rpartition(":")[0], Part(row.config, split).path
        compare(file, due, where, "the file of this configuration")
        if not _USER.fullmatch(row.user or ""):
            raise difference(f"user is {row.user!r}, and must be a pseudonym", where)
        if row.id in self._ids:
            raise difference(f"{row.id} is there twice", where)
        if row.subject not in self._due:
            raise difference(f"{row.subject} does not belong into this release", where)
        self._ids.add(row.id)
        known = self._splits.setdefault(row.user or "", split)
        compare(split, known, where, f"the split of {row.user}")
        stated = decided(row.id, self._contents.decisions.get(row.subject))
        stated |= {"id": row.derived_id(), "mode": self._due[row.subject]}
        _check_fields(row, stated, where)
        there = [(aspect.support, aspect.delivery) for aspect in row.rubric_aspects]
        answers = self._contents.aspects.get(row.id) or [(None, None)] * len(there)
        compare(there, list(map(tuple, answers)), where, "answers on aspect")
        texts: list[Row | RowPost] = [row, *row.profile]
        for n, one in enumerate(texts):
            licence = licence_of(one.source_url, one.created, self._contents.stated.info.licence)
            place = f"{where} [profile.{n - 1}]" if n else where
            compare(one.licence, licence, place, "licence")
        self._check_twin(line)
        self.counts.add(split, row)

    def _check_twin(self, line: ReadRow) -> None:
        """The sides of a twin follow each other in one split."""
        if halves_of(line.row.mode) == 1:
            compare(line.row.twin_id, None, line.where, "twin_id")
        elif self._half is None:
            self._half = line
        else:
            compare(line.split, self._half.split, line.where, "the split of a twin's other side")
            _check_sides(self._half.row, line.row, line.where)
            self._half = None

    def end(self) -> None:
        """Check after the last row that nothing due is left out. Raises Difference."""
        if half := self._half:
            what = f"one side of the twin {half.row.twin_id} is missing"
            raise difference(what, half.where)
        if lost := sorted(self._due.keys() - set(self.counts.rows["subject"])):
            raise difference(f"{lost[0]} belongs into this release, and no row is of it", "data")


def _check_sides(first: Row, other: Row, where: str) -> None:
    """Both sides hold the same responses, each chosen for one of two users."""
    if other.user == first.user:
        raise difference(f"both sides are of {other.user}", where)
    dyad = content_id("dyad", *sorted((first.user or "", other.user or "")))
    shared: dict[str, object] = {"twin_id": derived_twin_id(first, other), "dyad": dyad}
    shared |= {name: getattr(first, name) for name in _SHARED}
    mirrored = {"asked": False, "chosen": first.rejected, "rejected": first.chosen}
    _check_fields(first, shared | {"asked": True}, where)
    _check_fields(other, shared | mirrored, where)


def _check_fields(row: Row, must: Mapping[str, object], where: str) -> None:
    compare({name: getattr(row, name) for name in must}, dict(must), where)
