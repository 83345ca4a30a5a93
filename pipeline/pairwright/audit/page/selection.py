"""The pairs that the page holds if the file has no room for all.

Pairs that a failed check names come first, then the others in the order of a hash of their
subject: a sample that does not depend on a row's place in the source, and in which both halves of a
twin stay together.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from pairwright.audit.page.flags import Flags
from pairwright.audit.page.packing import PackedPairs, PairPacker, length
from pairwright.dataset import Row


class SelectedPairs(NamedTuple):
    """The pairs that a page holds."""

    packed: PackedPairs
    total: int
    """Rows of the source."""
    failed: int
    """Rows of the source that a failed check names."""
    failed_held: int


class Sizes:
    """The characters of text of every pair or twin, collected while an audit reads them, so that
    the choice of pairs needs no further reading."""

    def __init__(self) -> None:
        self.rows = 0
        self._lengths: dict[str, int] = {}
        self._subjects: dict[str, list[str]] = {}
        """The subjects of the rows with one id; pairs of others may repeat an id."""

    def add(self, row: Row) -> None:
        """Count one row."""
        self.rows += 1
        self._lengths[row.subject] = self._lengths.get(row.subject, 0) + length(row)
        self._subjects.setdefault(row.id, []).append(row.subject)

    def subjects(self, ids: Iterable[str]) -> list[str]:
        """One for every row that has one of these ids."""
        return [subject for row in ids for subject in self._subjects.get(row, ())]

    def first(self, room: float, failed: Iterable[str]) -> frozenset[str]:
        """The subjects that come first, as many as fit into `room` characters of text; `failed`
        come before others."""
        before, taken = set(failed), set()
        for name in sorted(self._lengths, key=lambda name: (name not in before, _hash(name))):
            if self._lengths[name] <= room:
                room -= self._lengths[name]
                taken.add(name)
        return frozenset(taken)


def select_pairs(
    rows: Iterable[Row],
    sizes: Sizes,
    flags: Flags,
    most: int,
    *,
    simulated: Mapping[str, bool],
    progress: Callable[[str, int | None], None] | None = None,
) -> SelectedPairs:
    """Pack all rows, or as many as fit into `most` characters of base64. `rows`, whose sizes are
    known, is read again for every try where they are too many. `simulated` are the
    decisions of simulated annotators, as an `Audit` has them."""
    failed = sizes.subjects(flags.failed_rows)
    wanted, room = None, math.inf
    while True:
        packing, failed_held = PairPacker(flags, simulated), 0
        for number, row in enumerate(_with_progress(rows, progress), start=1):
            if wanted is None or row.subject in wanted:
                packing.add(row)
                failed_held += flags.failed(row.id)
            # Blocks differ, so what the rest will need is not known better than within a half.
            expected = packing.size * sizes.rows / number / 2 if wanted is None else 0
            if max(packing.size, expected) > most:
                break
        else:
            packed = packing.packed()
            if packed.size <= most or not packed.pairs:
                return SelectedPairs(packed, sizes.rows, len(failed), failed_held)
        # What was packed shows how well these pairs compress; others may do so less well.
        room = 0.93 * min(room, most * packing.raw / packing.size)
        wanted = sizes.first(room, failed)


def _with_progress(
    rows: Iterable[Row], progress: Callable[[str, int | None], None] | None
) -> Iterator[Row]:
    for number, row in enumerate(rows, start=1):
        if progress and number % 1000 == 0:
            progress("packing pairs", number)
        yield row


def _hash(subject: str) -> bytes:
    return hashlib.blake2b(subject.encode(errors="replace"), digest_size=8).digest()
