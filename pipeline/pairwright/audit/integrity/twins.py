"""Both halves of every twin."""

from collections.abc import Iterator
from typing import NamedTuple

from pairwright.audit.found import Found, Place
from pairwright.audit.records import Check
from pairwright.dataset import Row
from pairwright.dataset.row import derived_twin_id


class _Half(NamedTuple):
    """What is kept of a half until the other one comes; hashes for texts."""

    place: Place
    config: str
    asked: bool
    user: str | None
    item_id: str
    question: int
    chosen: int
    rejected: int


class Twins:
    """`twin_not_whole`: two halves, on one question, with mirrored sides, of different users, one
    of whom asked; and the id that both give."""

    def __init__(self) -> None:
        self._waiting: dict[str, _Half] = {}
        self._whole: set[int] = set()
        self._found = Found(
            "integrity", "twin_not_whole", limit=0.0, others=0.0, nothing="no row is half of a twin"
        )

    def add(self, row: Row) -> None:
        if row.twin_id is None:
            if row.mode == "twin":
                self._found.add(row, "a row of mode twin without a twin's id")
            return
        place = self._found.add(row, None)
        if hash(row.twin_id) in self._whole:
            self._found.flag(place, f"a third half of {row.twin_id}")
            return
        own = _Half(
            place, row.config, row.asked, row.user, row.item_id,
            hash(row.question), hash(row.chosen), hash(row.rejected),
        )  # fmt: skip
        other = self._waiting.pop(row.twin_id, None)
        if other is None:
            self._waiting[row.twin_id] = own
            return
        self._whole.add(hash(row.twin_id))
        if wrong := _wrong(own, other) or _other_id(row, other):
            self._found.flag(other.place, wrong)
            self._found.flag(place, wrong)

    def checks(self) -> Iterator[Check]:
        for half in self._waiting.values():
            self._found.flag(half.place, "its other half is not there")
        self._waiting = {}
        yield from self._found.checks()


def _wrong(own: _Half, other: _Half) -> str | None:
    if (own.question, own.item_id) != (other.question, other.item_id):
        return "the halves are of different questions"
    if own.config != other.config:
        return f"the halves are in {other.config} and {own.config}"
    if (own.chosen, own.rejected) != (other.rejected, other.chosen):
        return "the halves' sides do not mirror each other"
    if own.user is None or own.user == other.user:
        return "the halves do not name two different users"
    if own.asked == other.asked:
        return "both halves' users asked the question" if own.asked else "no half's user asked"
    return None


def _other_id(row: Row, other: _Half) -> str | None:
    """The halves mirror each other, so that the one at hand tells both."""
    mirrored = {"user": other.user, "chosen": row.rejected, "rejected": row.chosen}
    asked, partner = row, row.model_copy(update=mirrored)
    if not row.asked:
        asked, partner = partner, asked
    derived = derived_twin_id(asked, partner)
    return None if derived == row.twin_id else f"the halves give the id {derived}"
