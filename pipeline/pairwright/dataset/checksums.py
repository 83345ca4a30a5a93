"""checksums.sha256: every file of a release but itself, in the form that `sha256sum -c` reads.

The root digest is the hash of this one file, so it covers all of them.
"""

import hashlib
import re
from pathlib import Path, PurePosixPath

from pairwright.dataset.layout import Layout
from pairwright.errors import InputError
from pairwright.files import write_whole

_LARGEST = 64_000_000
"""Bytes: half a million files."""
_LINE = re.compile(r"([0-9a-f]{64})  ([^\n]+)\n")


def file_digest(path: Path) -> str:
    """64 hex digits of sha256 over a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_checksums(root: Path) -> str:
    """Write them for all files below `root`, and return the root digest."""
    layout = Layout(root)
    paths = sorted(
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if path.is_file() and path != layout.checksums
    )
    write_whole(layout.checksums, (f"{file_digest(root / path)}  {path}\n" for path in paths))
    return root_digest(root)


def root_digest(root: Path) -> str:
    """`sha256:` over checksums.sha256. Raises InputError where there is none."""
    try:
        return f"sha256:{file_digest(Layout(root).checksums)}"
    except OSError as error:
        raise InputError(
            f"no checksums can be read: {error.strerror}",
            where=Layout(root).checksums,
            fix="Name the folder of a release, whole as it was published.",
        ) from None


def read_checksums(root: Path) -> dict[str, str]:
    """Digest by path, in the order of the file.

    Raises InputError, naming the line, for anything that `write_checksums` would not write: a path
    that is absolute or leaves the folder, a path twice, lines out of order.
    """
    path, digests = Layout(root).checksums, dict[str, str]()
    root_digest(root)
    if (size := path.stat().st_size) > _LARGEST:
        raise _wrong(path, 1, f"the file has {size:,} bytes, and may have {_LARGEST:,}")
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True), start=1):
        try:
            text = line.decode()
        except UnicodeDecodeError:
            raise _wrong(path, number, "not UTF-8") from None
        parts = _LINE.fullmatch(text)
        if not parts:
            raise _wrong(path, number, "not a checksum, two spaces and a path")
        digest, name = parts.groups()
        pure = PurePosixPath(name)
        if pure.is_absolute() or ".." in pure.parts or pure.as_posix() != name or "\\" in name:
            raise _wrong(path, number, f"{name!r} is not a path inside the release")
        if digests and name <= next(reversed(digests)):
            raise _wrong(path, number, f"{name!r} is there twice or out of order")
        digests[name] = digest
    return digests


def _wrong(path: Path, number: int, what: str) -> InputError:
    return InputError(
        what, where=f"{path}:{number}", fix="Take the release again from where it was published."
    )
