"""Which pairs the page holds, where all are too many.

Pairs that a failed check names come first, then the others in the order of a hash of their
subject: a sample that any row's place in the source has no part in, and in which both halves of a
twin stay together.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator
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


class _Subjects:
    """The pairs and twins that may be held: the characters of their text, and which failed."""

    def __init__(self) -> None:
        self.rows = self.failed_rows = 0
        self._sizes: dict[str, int] = {}
        self._failed: set[str] = set()

    def add(self, row: Row, *, failed: bool) -> None:
        self.rows += 1
        self.failed_rows += failed
        self._sizes[row.subject] = self._sizes.get(row.subject, 0) + length(row)
        if failed:
            self._failed.add(row.subject)

    def first(self, room: float) -> frozenset[str]:
        """Those that come first, as many as fit into `room` characters of text."""
        taken = set()
        for name in sorted(self._sizes, key=lambda name: (name not in self._failed, _hash(name))):
            if self._sizes[name] <= room:
                room -= self._sizes[name]
                taken.add(name)
        return frozenset(taken)


def hold(
    rows: Iterable[Row],
    flags: Flags,
    most: int,
    expected: int = 0,
    progress: Callable[[str, int | None], None] | None = None,
) -> Held:
    """Pack all rows, or as many as fit into `most` characters of base64. `rows` is gone through
    once, and again for every try where they are too many. Where it is `expected` how many there
    are, the first of them tell that they are far too many."""
    subjects, packing, fits = _Subjects(), Packing(flags), True
    for row in _told(rows, progress):
        subjects.add(row, failed=flags.failed(row.id))
        if fits:
            packing.add(row)
            # Blocks differ, so what the rest will need is not known better than within a half.
            fits = max(packing.size, packing.size * expected / subjects.rows / 2) <= most
    failed_held, room = subjects.failed_rows, math.inf
    while True:
        if fits:
            packed = packing.packed()
            if packed.size <= most or not packed.pairs:
                return Held(packed, subjects.rows, subjects.failed_rows, failed_held)
        # What was packed tells how well these pairs compress; others may do so less well.
        room = 0.93 * min(room, most * packing.raw / packing.size)
        wanted = subjects.first(room)
        packing, fits, failed_held = Packing(flags), True, 0
        for row in _told(rows, progress):
            if fits and row.subject in wanted:
                packing.add(row)
                failed_held += flags.failed(row.id)
                fits = packing.size <= most


def _told(rows: Iterable[Row], progress: Callable[[str, int | None], None] | None) -> Iterator[Row]:
    for number, row in enumerate(rows, start=1):
        if progress and number % 1000 == 0:
            progress("packing pairs", number)
        yield row


def _hash(subject: str) -> bytes:
    return hashlib.blake2b(subject.encode(errors="replace"), digest_size=8).digest()
