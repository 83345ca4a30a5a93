"""Which pairs the page holds, where all are too many.

Pairs that a failed check names come first, then the others in the order of a hash of their
subject: a sample that any row's place in the source has no part in, and in which both halves of a
twin stay together.
"""

import hashlib
import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

from pairwright.audit.page.flags import Flags
from pairwright.audit.page.packing import Packed, Packing, length
from pairwright.dataset import Row


class Held(NamedTuple):
    """The pairs of a page, and of how many they are."""

    packed: Packed
    of: int
    failed: int
    """Rows of the source that a failed check names."""
    failed_held: int


class _Subject:
    """A pair or twin that may be held."""

    def __init__(self) -> None:
        self.failed = False
        self.size = 0


def hold(
    rows: Iterable[Row],
    flags: Flags,
    most: int,
    progress: Callable[[str, int | None], None] | None = None,
) -> Held:
    """Pack all rows, or as many as fit into `most` characters of base64. `rows` is gone through
    once, and again for every try where they are too many."""
    wanted: frozenset[str] | None = None
    room = math.inf
    while True:
        packing = Packing(flags)
        total = failed = failed_held = 0
        for total, row in enumerate(rows, start=1):
            if progress and total % 1000 == 0:
                progress("packing pairs", total)
            is_failed = flags.failed(row.id)
            failed += is_failed
            if wanted is None or row.subject in wanted:
                packing.add(row)
                failed_held += is_failed
                if packing.size > most:
                    break
        else:
            packed = packing.packed()
            if packed.size <= most or not packed.pairs:
                return Held(packed, total, failed, failed_held)
        # What was packed tells how well these pairs compress; others may do so less well.
        room = 0.93 * min(room, most * packing.raw / packing.size)
        wanted = _first(rows, flags, room)


def _first(rows: Iterable[Row], flags: Flags, room: float) -> frozenset[str]:
    """The subjects that come first, as many as fit into `room` characters of text."""
    subjects: dict[str, _Subject] = {}
    for row in rows:
        subject = subjects.setdefault(row.subject, _Subject())
        subject.failed |= flags.failed(row.id)
        subject.size += length(row)
    taken = set()
    for name in sorted(subjects, key=lambda name: (not subjects[name].failed, _hash(name))):
        if subjects[name].size <= room:
            room -= subjects[name].size
            taken.add(name)
    return frozenset(taken)


def _hash(subject: str) -> bytes:
    return hashlib.blake2b(subject.encode(errors="replace"), digest_size=8).digest()
