"""Results as one file that can be sent to another person: written, and read with distrust.

A submission is a ZIP archive with results of `evaluate`, the stored replies behind them without the
prompts, and `submission.json`, which names the release and has the hash of every file. An archive
comes from a stranger, so only files that its manifest names are read, only under plain names, and
only up to a size.
"""

import hashlib
import json
import re
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import JsonValue, ValidationError

from pairwright.dataset import read_one
from pairwright.dataset.checksums import file_digest
from pairwright.errors import InputError, on_disk
from pairwright.evaluate.release import ReleaseRef
from pairwright.evaluate.results import ResultSummary
from pairwright.files import whole_file
from pairwright.models.store.file import is_copy_of_replies
from pairwright.records import Record
from pairwright.text import visible

MANIFEST = "submission.json"
REPLIES = "calls.sqlite"
LARGEST = 4_000_000_000
"""The most bytes of all files together, unpacked."""
_LARGEST_MANIFEST = 4_000_000
_MOST_FILES = 2_000
"""The most files of a submission."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}\.[a-z-]{1,40}\.jsonl?|calls\.sqlite")
_CHUNK = 1 << 20


class SubmissionFile(Record):
    """One file of a submission."""

    name: str
    digest: str
    bytes: int


class SubmissionManifest(Record):
    """The contents of a submission, as it states them."""

    format: Literal[1] = 1
    pairwright: str
    """The version that wrote it."""
    release: ReleaseRef
    """The release that its results are of."""
    results: tuple[str, ...]
    """SCORER.CONDITION of each."""
    scorers: dict[str, JsonValue]
    """The tables of a file of scorers: what was used, without addresses and keys."""
    files: tuple[SubmissionFile, ...]
    """All other files, by name."""


def is_submission(path: Path) -> bool:
    """Whether a path is that of an archive."""
    return path.suffix == ".zip" and path.is_file()


def write_submission(path: Path, about: SubmissionManifest, sources: Mapping[str, Path]) -> None:
    """Write the archive; `sources` has a path for each name in `files` of `about`.

    Raises StoreError."""
    with whole_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        # A fixed time, so that the same results give the same archive.
        archive.writestr(_entry(MANIFEST), about.model_dump_json(indent=2) + "\n")
        for one in about.files:
            with (
                on_disk(sources[one.name]),
                sources[one.name].open("rb") as source,
                archive.open(_entry(one.name), "w", force_zip64=True) as target,
            ):
                while chunk := source.read(_CHUNK):
                    target.write(chunk)


def submission_files(sources: Mapping[str, Path]) -> tuple[SubmissionFile, ...]:
    """The entries of a manifest for these files, by name."""
    return tuple(
        SubmissionFile(
            name=name, digest=file_digest(sources[name]), bytes=sources[name].stat().st_size
        )
        for name in sorted(sources)
    )


def unpack_submission(path: Path, folder: Path) -> SubmissionManifest:
    """Unpack an archive into a new folder, and return what it says of itself.

    Raises InputError where it is not a submission, holds what its manifest does not name, or a file
    is not the one whose hash the manifest has; and StoreError.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            about = _manifest(path, archive)
            _check_names(path, archive, about)
            folder.mkdir(parents=True)
            for one in about.files:
                _unpack(path, archive, one, folder)
            _check_results(path, about, folder)
    except (
        zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError,
    ) as error:  # fmt: skip
        # RuntimeError: an encrypted file. OSError: a place beyond the archive's end.
        raise _broken_archive(path, f"cannot be read as a ZIP archive: {error}") from None
    return about


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _manifest(path: Path, archive: zipfile.ZipFile) -> SubmissionManifest:
    known = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    if any(entry.compress_type not in known for entry in archive.infolist()):
        raise _broken_archive(path, "is compressed by another method than deflate")
    if MANIFEST not in archive.namelist():
        raise InputError(
            f"is not a submission: it has no {MANIFEST}",
            where=path,
            fix="Name an archive that `pairwright evaluate --submission` wrote.",
        )
    with archive.open(MANIFEST) as file:
        content = file.read(_LARGEST_MANIFEST + 1)
    if len(content) > _LARGEST_MANIFEST:
        raise _broken_archive(path, f"{MANIFEST} is larger than {_LARGEST_MANIFEST:,} bytes")
    try:
        return SubmissionManifest.model_validate(json.loads(content))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(map(str, first["loc"]))
        raise _broken_archive(path, f"{MANIFEST} [{key}]: {first['msg']}") from None
    except (ValueError, RecursionError) as error:
        raise _broken_archive(path, f"{MANIFEST} is not JSON: {error}") from None


def _check_names(path: Path, archive: zipfile.ZipFile, about: SubmissionManifest) -> None:
    named = [one.name for one in about.files]
    there = sorted(name for name in archive.namelist() if name != MANIFEST)
    if there != sorted(named) or archive.namelist().count(MANIFEST) > 1:
        raise _broken_archive(path, f"holds other files than its {MANIFEST} names")
    if len(named) > _MOST_FILES or len(set(named)) < len(named):
        raise _broken_archive(path, f"names a file twice, or more than {_MOST_FILES:,} files")
    if odd := next((name for name in named if not _NAME.fullmatch(name)), None):
        raise _broken_archive(path, f"{odd!r} is not the name of a result")
    if sum(one.bytes for one in about.files) > LARGEST:
        raise _broken_archive(path, f"is larger than {LARGEST:,} bytes")
    listed = {f"{stem}{end}" for stem in about.results for end in (".json", ".jsonl")}
    if set(named) - {REPLIES} != listed:
        raise _broken_archive(path, f"its files are not those of the results in its {MANIFEST}")


def _check_results(path: Path, about: SubmissionManifest, folder: Path) -> None:
    """Raise InputError where a result is not the one that its file's name and the manifest say."""
    for stem in about.results:
        own = read_one(folder / f"{stem}.json", ResultSummary)
        if own.stem != stem:
            raise _broken_archive(path, f"{stem}.json is the result {visible(own.stem)}")
        releases = [(one.name, one.version, one.digest) for one in (own.release, about.release)]
        if releases[0] != releases[1]:
            raise _broken_archive(path, f"{stem}.json is of another release than {MANIFEST} says")
    replies = folder / REPLIES
    if replies.is_file() and not is_copy_of_replies(replies):
        # A view in place of a table could compute for ever.
        raise _broken_archive(path, f"{REPLIES} does not have exactly the tables of stored replies")


def _unpack(path: Path, archive: zipfile.ZipFile, one: SubmissionFile, folder: Path) -> None:
    digest, size, target = hashlib.sha256(), 0, folder / one.name
    with archive.open(one.name) as source, on_disk(target), target.open("xb") as file:
        # The manifest's size cannot be trusted: at most one chunk more than it says is written.
        while size <= one.bytes and (chunk := source.read(_CHUNK)):
            size += len(chunk)
            digest.update(chunk)
            file.write(chunk)
    if size != one.bytes or file_digest(target) != one.digest:
        raise _broken_archive(path, f"{one.name} is not the file that {MANIFEST} names")


def _broken_archive(path: Path, what: str) -> InputError:
    return InputError(what, where=path, fix="Ask its sender for it again.")
