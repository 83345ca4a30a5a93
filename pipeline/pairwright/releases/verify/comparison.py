"""Comparing a release with what it must be, and saying where it differs; and its folder: all files
are there, nothing besides, each with its hash.
"""

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pydantic import Field, ValidationError

from pairwright.dataset import Layout
from pairwright.dataset.layout import file_digest, read_checksums, root_digest
from pairwright.dataset.lines import read_document
from pairwright.errors import Difference, InputError
from pairwright.files import holds_run
from pairwright.records import Record
from pairwright.releases.primary import Provenance
from pairwright.version import code_digest

VerifyProgress = Callable[[str, int, int | None], None]
"""Called with what is being checked, how much of it is done, and of how much, where it is known."""
RELEASE_AGAIN = (
    "Take the release again from where it was published; if it is the same there, tell its"
    " maintainers."
)
_LONGEST = 100


def difference(what: str, where: str) -> Difference:
    """The error to raise; names of files are shown so that a terminal stays whole."""
    return Difference(what, where=where if where.isprintable() else ascii(where), fix=RELEASE_AGAIN)


def same(name: str, there: object, must: object, where: str) -> None:
    """Raise Difference unless what is there is what must be."""
    if there != must:
        raise difference(f"{name} is {shown(there)}, and must be {shown(must)}", where)


def shown(value: object) -> str:
    """A value for a message: escaped, and cut to about a hundred characters."""
    text = ascii(value) if not isinstance(value, str) or not value.isprintable() else repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


@contextmanager
def by_another(provenance: Provenance) -> Iterator[None]:
    """Say of a difference in what is derived that other code wrote it, where it did: pages are
    worded, and figures estimated, by the code that wrote them."""
    try:
        yield
    except Difference as found:
        if provenance.code == code_digest():
            raise
        writer = f"Pairwright {provenance.pairwright}, code {provenance.code},"
        fix = f"{writer} wrote this release, and this is another: verify it with that one."
        raise Difference(found.what, where=found.where, fix=fix) from None


@contextmanager
def reading(root: Path) -> Iterator[None]:
    """Turn what cannot be read inside the block into a Difference that names the place."""
    try:
        yield
    except InputError as error:
        raise difference(error.what, error.where.replace(f"{root}/", "", 1)) from None
    except RecursionError:
        # Of all that is read the audit alone has no schema that stops at a depth.
        name = Layout(root).inside(Layout(root).audit)
        raise difference("is nested too deep to be read", name) from None


_SHOWN = 100
_BEFORE = 40


def compare(root: Path, path: str, pieces: Iterable[str]) -> None:
    """Hold a file to its text, byte by byte.

    Raises Difference naming the first line that differs, with both texts around the place.
    """
    if not (root / path).is_file():
        raise difference("is missing: a release of this kind has it", path)
    number = 0
    with (root / path).open("rb") as file:
        for number, must in enumerate(_lines(pieces), start=1):
            # A line of the file may be of any length.
            there = file.readline(len(must) + _SHOWN)
            if there != must:
                both = enumerate(zip(there, must, strict=False))
                at = next((n for n, (a, b) in both if a != b), min(len(there), len(must)))
                actual, wanted = (_quoted(line, at) for line in (there, must))
                raise difference(f"is {actual}, and must be {wanted}", f"{path}:{number}")
        if more := file.readline(_SHOWN):
            actual = _quoted(more, 0)
            raise difference(f"is {actual}, and must be at its end", f"{path}:{number + 1}")


def _quoted(line: bytes, at: int) -> str:
    """What of a line is around a place. Its end is shown, since lines may differ in it alone."""
    if at == len(line):
        begun = ascii(line[-_BEFORE:].decode(errors="backslashreplace"))
        return f"{begun} and then its end" if line else "at its end"
    start = max(0, at - _BEFORE)
    return ascii(line[start : start + _SHOWN].decode(errors="backslashreplace"))


def _lines(pieces: Iterable[str]) -> Iterator[bytes]:
    """The lines of a text in pieces, with their ends."""
    begun = ""
    for piece in pieces:
        *whole, begun = (begun + piece).split("\n")
        for line in whole:
            yield f"{line}\n".encode()
    if begun:
        yield begun.encode()


DOWNLOADED = (".git", ".gitattributes", ".cache")
"""What git and the Hub's own tools put beside the files of a release: at the top level only, and
`.gitattributes` as a file, the others as folders."""
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def check_folder(
    root: Path, digest: str | None, progress: VerifyProgress
) -> tuple[str, dict[str, str], tuple[str, ...]]:
    """The root digest of a folder that is as its checksums say; its files with their sha256, except
    checksums.sha256; and what of DOWNLOADED lies there, which is no part of the release.

    Raises Difference; InputError where `root` is not a release or `digest` not a digest."""
    _check_use(root, digest)
    beside = list[str]()
    for name in filter(lambda name: os.path.lexists(root / name), DOWNLOADED):
        kind = "file" if name == ".gitattributes" else "folder"
        own = root / name
        if own.is_symlink() or not (own.is_file() if kind == "file" else own.is_dir()):
            raise difference(f"is not a {kind}", name)
        beside.append(name)
    there = set(_files(root, ""))
    with reading(root):
        listed = read_checksums(root)
    folded: dict[str, str] = {}
    for path in listed:
        # Names that some file systems take for one file would overwrite each other there.
        known = folded.setdefault(unicodedata.normalize("NFC", path).casefold(), path)
        if known != path:
            raise difference(f"is one file with {known} where case does not count", path)
    sums = Layout(root).checksums.name
    if sums in listed:
        raise difference("lists itself", sums)
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
    return actual, listed, tuple(beside)


def _check_use(root: Path, digest: str | None) -> None:
    if digest is not None and not _DIGEST.fullmatch(digest):
        raise InputError(
            f"{digest!r} is not a whole root digest",
            where="--digest",
            fix="Give `sha256:` and all 64 hex digits, as `pairwright verify` prints them.",
        )
    if not root.is_dir():
        raise InputError(
            "is a file, not the folder of a release" if root.exists() else "no such folder",
            where=root,
            fix="Name the folder of a release, the one that holds checksums.sha256.",
        )
    if holds_run(root):
        raise InputError(
            "is a run folder, not a release",
            where=root,
            fix=f"`pairwright release {root}` makes a release of it, and that is what this command"
            " verifies.",
        )
    layout = Layout(root)
    known = (layout.checksums, layout.provenance, layout.manifest)
    if not any(map(os.path.lexists, known)):
        raise InputError(
            "is not a release",
            where=root,
            fix="Name the folder of a release, the one that holds checksums.sha256.",
        )


def _files(root: Path, below: str) -> Iterator[str]:
    """All files, by paths with forward slashes. Raises Difference for anything else there."""
    with os.scandir(root / below) as entries:
        ordered = sorted(entries, key=lambda entry: entry.name)
    if below and not ordered:
        raise difference("an empty folder", below)
    for entry in ordered:
        path = f"{below}/{entry.name}" if below else entry.name
        if not below and entry.name in DOWNLOADED:
            continue
        if any("\ud800" <= c <= "\udfff" for c in entry.name):
            raise difference("a name that is not UTF-8", path)
        if entry.is_symlink():
            raise difference("a symbolic link, where a release has files alone", path)
        if entry.is_dir(follow_symlinks=False):
            yield from _files(root, path)
        elif entry.is_file(follow_symlinks=False):
            yield path
        else:
            raise difference("neither a file nor a folder", path)


class StatedManifest(Record, extra="ignore"):
    """What manifest.json says, which is only held to what it must be after the primary files."""

    canary: str = ""
    files: dict[str, str] = Field(default={})


def read_manifest(layout: Layout) -> StatedManifest:
    """Says nothing where it cannot be read: it is compared whole later."""
    try:
        return StatedManifest.model_validate_json(read_document(layout.manifest))
    except (InputError, ValidationError):
        return StatedManifest()


def check_digests(manifest: StatedManifest, digests: Mapping[str, str]) -> None:
    """Name the primary file that changed where the manifest still has its digest, since to compare
    the manifest with what it must be would name the manifest. Raises Difference."""
    for path, digest in digests.items():
        listed = manifest.files.get(path, digest)
        if listed != digest:
            raise difference(f"sha256 is {digest}, and manifest.json has {listed}", path)
