"""RUN/forgotten.jsonl: who and what is to be forgotten, as hashes. It is never released."""

import os
from collections.abc import Iterable
from pathlib import Path

from pydantic import Field

from pairwright.dataset import read_lines
from pairwright.dataset.tombstones import Forgotten
from pairwright.errors import on_disk
from pairwright.records import Record

FILE = "forgotten.jsonl"


class Tombstone(Record):
    """A line: the pseudonym of a user, or the name of an address."""

    name: str = Field(pattern=r"^(user|url)-[0-9a-f]{16}$")


def read_tombstones(run: Path) -> Forgotten:
    """Who and what the next release of a run goes without. Raises InputError for a line that is
    no tombstone: whom it named would come back."""
    if not (run / FILE).exists():
        return Forgotten()
    names = {line.name for line in read_lines(run / FILE, Tombstone)}
    users = frozenset(name for name in names if name.startswith("user-"))
    return Forgotten(users, frozenset(names - users))


def add_tombstones(run: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Add those that are not there yet, and return them. What is there stays as it is.

    Raises InputError for a line that is no tombstone, and StoreError where the disk refuses.
    """
    path, there = run / FILE, read_tombstones(run)
    fresh = tuple(dict.fromkeys(n for n in names if n not in there.users | there.urls))
    lines = "".join(Tombstone(name=name).model_dump_json() + "\n" for name in fresh)
    if (there.users or there.urls) and not path.read_bytes().endswith(b"\n"):
        # Somebody wrote a line by hand, and did not end it.
        lines = f"\n{lines}"
    if fresh:
        with on_disk(path), path.open("a", encoding="utf-8") as file:
            # In one piece at the end: of two commands at once neither loses what it was told.
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
    return fresh
