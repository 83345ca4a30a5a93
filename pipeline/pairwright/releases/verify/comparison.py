"""Comparing a release with what it must be, and saying where it differs; and its folder: all files
are there, nothing besides, each with its hash.
"""

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pydantic import ConfigDict, ValidationError

from pairwright.dataset import Layout
from pairwright.dataset.layout import file_digest, read_checksums, root_digest
from pairwright.dataset.lines import read_document
from pairwright.errors import Difference, InputError
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
    rest = iter(pieces)
    lines, start, at = 0, 0, 0  # Line ends so far, where the last line begins, bytes compared.
    with (root / path).open("rb") as file:
        for piece in rest:
            must = piece.encode()
            there = file.read(len(must))
            if there != must:
                same = _shared(there, must)
                last = must.rfind(b"\n", 0, same)
                lines += must.count(b"\n", 0, same)
                start = at + last + 1 if last >= 0 else start
                file.seek(start)
                begun = file.read(at + same - start)
                raise _at(path, lines + 1, begun, file.read(_SHOWN), _line(must[same:], rest))
            lines += must.count(b"\n")
            last = must.rfind(b"\n")
            start = at + last + 1 if last >= 0 else start
            at += len(must)
        if more := file.read(_SHOWN):
            file.seek(start)
            raise _at(path, lines + 1, file.read(at - start), more, b"")


def _shared(there: bytes, must: bytes) -> int:
    """How many bytes at the start are the same."""
    pairs = enumerate(zip(there, must, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(there), len(must)))


def _line(must: bytes, rest: Iterator[str]) -> bytes:
    """The beginning of the rest of the line, for a message."""
    while b"\n" not in must and len(must) < _SHOWN and (piece := next(rest, "")):
        must += piece.encode()
    return must


def _at(path: str, line: int, begun: bytes, there: bytes, must: bytes) -> Exception:
    begun = begun[-_BEFORE:]
    actual, wanted = (_text(begun, text) for text in (there, must))
    return difference(f"is {actual}, and must be {wanted}", f"{path}:{line}")


def _text(begun: bytes, text: bytes) -> str:
    """To the end of the line, which is shown, since lines may differ in it alone."""
    if not text:
        return "at its end" if not begun else f"{_ascii(begun)} and then its end"
    head, end, _ = text.partition(b"\n")
    return _ascii((begun + head + end)[:_SHOWN])


def _ascii(text: bytes) -> str:
    return ascii(text.decode(errors="backslashreplace"))


DOWNLOADED = (".git", ".gitattributes", ".cache")
"""What git and the Hub's own tools put beside the files of a release: at the top level only, and
`.gitattributes` as a file, the others as folders."""
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class ReleaseFolder(NamedTuple):
    """The files of a folder that is as its checksums say."""

    digest: str
    """The root digest."""
    files: tuple[str, ...]
    """The files, without checksums.sha256 itself."""
    beside: tuple[str, ...]
    """Of DOWNLOADED, what is there. No part of the release."""


def check_folder(root: Path, digest: str | None, progress: VerifyProgress) -> ReleaseFolder:
    """Raises Difference; InputError where `root` is not a release or `digest` not a digest."""
    _check_use(root, digest)
    beside = tuple(_beside(root))
    there = set(_files(root, ""))
    with reading(root):
        listed = read_checksums(root)
    _check_names(listed)
    own = Layout(root).checksums.name
    if own in listed:
        raise difference("lists itself", own)
    if missing := sorted(listed.keys() - there):
        raise difference("is listed in checksums.sha256, and is not there", missing[0])
    if extra := sorted(there - listed.keys() - {own}):
        raise difference("is there, and is not listed in checksums.sha256", extra[0])
    for n, (path, expected) in enumerate(listed.items(), start=1):
        same("sha256", file_digest(root / path), expected, path)
        progress("hashes", n, len(listed))
    actual = root_digest(root)
    if digest is not None:
        same("the root digest", actual, digest, own)
    return ReleaseFolder(actual, tuple(listed), beside)


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
    if (root / "calls.sqlite").exists() or (root / "pairs.jsonl").exists():
        raise InputError(
            "is a run folder, not a release",
            where=root,
            fix=f"`pairwright status {root} --verify` checks the calls of a run; `pairwright"
            " release` makes a release of it, and that is what this command verifies.",
        )
    layout = Layout(root)
    known = (layout.checksums, layout.provenance, layout.manifest)
    if not any(map(os.path.lexists, known)):
        raise InputError(
            "is not a release",
            where=root,
            fix="Name the folder of a release, the one that holds checksums.sha256.",
        )


def _beside(root: Path) -> Iterator[str]:
    for name in DOWNLOADED:
        path, folder = root / name, name != ".gitattributes"
        if os.path.lexists(path):
            if path.is_symlink() or not (path.is_dir() if folder else path.is_file()):
                raise difference(f"is not a {'folder' if folder else 'file'}", name)
            yield name


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
        if not _utf8(entry.name):
            raise difference("a name that is not UTF-8", path)
        if entry.is_symlink():
            raise difference("a symbolic link, where a release has files alone", path)
        if entry.is_dir(follow_symlinks=False):
            yield from _files(root, path)
        elif entry.is_file(follow_symlinks=False):
            yield path
        else:
            raise difference("neither a file nor a folder", path)


def _utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_names(listed: dict[str, str]) -> None:
    """Names that some file systems take for one file would overwrite each other there."""
    folded: dict[str, str] = {}
    for path in listed:
        known = folded.setdefault(unicodedata.normalize("NFC", path).casefold(), path)
        if known != path:
            raise difference(f"is one file with {known} where case does not count", path)


class _ManifestDigests(Record):
    model_config = ConfigDict(frozen=True, extra="ignore")

    files: dict[str, str]


def check_digests(layout: Layout, digests: Mapping[str, str]) -> None:
    """Name the primary file that changed where the manifest still has its digest, since to compare
    the manifest with what it must be would name the manifest. Raises Difference."""
    try:
        listed = _ManifestDigests.model_validate_json(read_document(layout.manifest)).files
    except (InputError, ValidationError):
        return  # It is compared whole after this.
    for path, digest in digests.items():
        if listed.get(path, digest) != digest:
            raise difference(f"sha256 is {digest}, and manifest.json has {listed[path]}", path)
