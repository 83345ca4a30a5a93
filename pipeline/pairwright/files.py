"""Writing a file whole or not at all, and by one process at a time; and which folder is a run's."""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from pairwright.errors import PairwrightError, StoreError, on_disk

CALLS = "run.sqlite"
"""The stored calls of a run, or of what asked models later, in its folder."""

ITEMS = "items.jsonl"
"""The source of a run as Pairwright understood it, in its folder."""


def holds_run(folder: Path) -> bool:
    """Whether a folder holds a run, which may not have ended."""
    return (folder / CALLS).exists() or (folder / "pairs.jsonl").exists()


def write_whole(path: Path, content: str | bytes | Iterable[str | bytes]) -> None:
    """Write a text, bytes, or pieces of either. Raises StoreError where the disk refuses."""
    chunks = (content,) if isinstance(content, str | bytes) else content
    with whole_file(path) as file:
        for chunk in chunks:
            file.write(chunk if isinstance(chunk, bytes) else chunk.encode())


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Write beside the place and rename: a kill or an error leaves the old file or the new one.
    Folders are made. Raises StoreError where the disk refuses."""
    partial = path.with_name(path.name + ".partial")
    with on_disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.unlink(missing_ok=True)
        with partial.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)


def locked(file: TextIO, busy: PairwrightError) -> TextIO:
    """An open file that this process now holds until it is closed.

    Raises `busy` where another process holds it, StoreError where the disk cannot lock a file.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise busy from None
    except OSError as error:
        file.close()
        what = f"{file.name}: this disk cannot lock a file ({error.strerror})"
        raise StoreError(f"{what}\n  Name a folder on a local disk.") from None
    return file
