"""What the run folder notes for its next release, beside the build.

RUN/errata.jsonl: known faults of released pairs, written by hand and released.
RUN/forgotten.jsonl: who and what is to be forgotten, as hashes. It is never released.
"""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import Field

from pairwright.dataset import read_lines
from pairwright.dataset.tombstones import ForgetList
from pairwright.errors import InputError, on_disk
from pairwright.records import Record
from pairwright.release.history import numbers_of
from pairwright.release.records import Erratum

ERRATA_FILE = "errata.jsonl"
_PAIR = re.compile(r"pair-[0-9a-f]{16}")
_TO = " to "


def read_errata(run: Path, before: Sequence[Erratum]) -> tuple[Erratum, ...]:
    """The previous release's errata with those of the run, which may say that one is mended.

    Raises InputError for a line of the run's file that is none, or is there twice.
    """
    path, own = run / ERRATA_FILE, list[Erratum]()
    if path.exists():
        for number, erratum in enumerate(read_lines(path, Erratum), start=1):
            if why := "is there twice" if erratum in own else fault(erratum):
                raise InputError(
                    why,
                    where=f"{path}:{number}",
                    fix="Write the id of a released pair, its versions, and what is wrong with it.",
                )
            own.append(erratum)
    return tuple({(erratum.pair, erratum.what): erratum for erratum in (*before, *own)}.values())


def fault(erratum: Erratum) -> str:
    """What is wrong with an erratum; empty where nothing is."""
    if not _PAIR.fullmatch(erratum.pair):
        return f"pair is {erratum.pair[:100]!a}, and must be the id of a pair"
    versions = [numbers_of(version) for version in erratum.versions.split(_TO)]
    known = [numbers for numbers in versions if numbers]
    if len(versions) > 2 or known != versions:
        return (
            f"versions is {erratum.versions[:100]!a}, and must be one such as 1.0.0, or the first"
            f" and last: 1.0.0{_TO}1.1.0"
        )
    if known != sorted(known):
        return f"versions is {erratum.versions!a}, which runs backwards"
    return "" if erratum.what.strip() else "what is empty, and must say what is wrong with the pair"


TOMBSTONES_FILE = "forgotten.jsonl"


class Tombstone(Record):
    """A line: the pseudonym of a user, or the name of an address."""

    name: str = Field(pattern=r"^(user|url)-[0-9a-f]{16}$")


def read_tombstones(run: Path) -> ForgetList:
    """Who and what the next release of a run goes without. Raises InputError for a line that is
    no tombstone: whom it named would come back."""
    if not (run / TOMBSTONES_FILE).exists():
        return ForgetList()
    names = {line.name for line in read_lines(run / TOMBSTONES_FILE, Tombstone)}
    users = frozenset(name for name in names if name.startswith("user-"))
    return ForgetList(users, frozenset(names - users))


def add_tombstones(run: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Add those that are not there yet, and return them. What is there stays as it is.

    Raises InputError for a line that is not a tombstone, and StoreError where the disk refuses.
    """
    path, there = run / TOMBSTONES_FILE, read_tombstones(run)
    fresh = tuple(dict.fromkeys(n for n in names if n not in there.users | there.urls))
    lines = "".join(Tombstone(name=name).model_dump_json() + "\n" for name in fresh)
    if (there.users or there.urls) and not path.read_bytes().endswith(b"\n"):
        # Somebody wrote a line by hand, and did not end it.
        lines = f"\n{lines}"
    if fresh:
        with on_disk(path), path.open("a", encoding="utf-8") as file:
            # In one piece at the end: two commands at once lose nothing of each other.
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
    return fresh
