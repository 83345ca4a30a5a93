"""The files of a release: all there, nothing besides, each with its hash."""

import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import ConfigDict, ValidationError

from pairwright.dataset import Layout
from pairwright.dataset.checksums import file_digest, read_checksums, root_digest
from pairwright.dataset.lines import read_document
from pairwright.errors import InputError
from pairwright.records import Record
from pairwright.release.verify.comparison import VerifyProgress, difference, reading, same

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
