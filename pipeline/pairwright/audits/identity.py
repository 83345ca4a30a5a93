"""Ids, sides and labels, and the two halves of every twin."""

import re
from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import NamedTuple

from pairwright import text
from pairwright.audits.records import Check
from pairwright.audits.row_check import OTHERS, RowCheck, RowPlace, RowReader
from pairwright.modes import halves_of
from pairwright.pairs import ReadRow, Row


def identity_checks() -> list[RowReader]:
    return [
        _duplicate_id(), RowCheck("same_sides", same_sides), Labels(), Twins(),
    ]  # fmt: skip


def _duplicate_id() -> RowCheck:
    ids = set[int]()

    def duplicate_id(row: Row) -> str:
        known = len(ids)
        ids.add(hash(row.id))
        return "an earlier row has this id" if len(ids) == known else ""

    return RowCheck("duplicate_id", duplicate_id)


def same_sides(row: Row) -> str:
    """Two sides that are the same text, but for white space and Unicode form."""
    if row.chosen == row.rejected:
        return "both sides are the same"
    if text.canonical(row.chosen) == text.canonical(row.rejected):
        return "both sides are the same but for white space, Unicode form or hidden characters"
    return ""


class Labels:
    """`contradiction`: the same sides for the same question and user, with opposite labels;
    `duplicate_pair`: with the same label. Without a user, for the same question and profile.

    Texts are the same as in `same_sides`, and marks that close a sentence do not count: what
    differs in a symbol or in case is another text."""

    def __init__(self) -> None:
        self._chosen: dict[int, tuple[int, RowPlace]] = {}
        self._contradiction = RowCheck("contradiction")
        self._twice = RowCheck("duplicate_pair", others=OTHERS)

    def add(self, line: ReadRow) -> None:
        row = line.row
        # Both checks examine every row, so a row has one place in both.
        place = self._contradiction.place(line)
        self._twice.place(line)
        sides = hash(_unmarked(row.chosen)), hash(_unmarked(row.rejected))
        if sides[0] == sides[1]:
            return
        reader: Hashable = row.user
        if reader is None:
            reader = tuple(text.canonical(post.text) for post in row.profile)
        key = hash((_unmarked(row.question), reader, min(sides), max(sides)))
        chosen, earlier = self._chosen.setdefault(key, (sides[0], place))
        if earlier.order == place.order:
            return
        if chosen == sides[0]:
            self._twice.flag(place, f"the same as {earlier.row}")
        else:
            self._contradiction.flag(place, f"the opposite of {earlier.row}")

    def checks(self) -> Iterable[Check]:
        return [self._contradiction.check(), self._twice.check()]


# Only before white space or at the end: "!=" and "3.5" keep theirs.
# It begins with a mark, which is found in half the time of a look back.
_CLOSING = re.compile(r"[.,;:!?\u2026](?<![.,;:!?\u2026]{2})[.,;:!?\u2026]*+(?=\s|$)")


# Both halves of a twin hold the same two responses.
@lru_cache(maxsize=1024)
def _unmarked(passage: str) -> str:
    """A text without the marks that close sentences."""
    return _CLOSING.sub("", text.canonical(passage)).rstrip()


class _Half(NamedTuple):
    """What is kept of a half until the other one comes; hashes for texts."""

    place: RowPlace
    config: str
    asked: bool
    user: str | None
    question: int
    chosen: int
    rejected: int


class Twins:
    """`twin_not_whole`: two halves, on one question, with mirrored sides, of different users, one
    who asked."""

    def __init__(self) -> None:
        self._waiting: dict[str, _Half] = {}
        self._whole: set[int] = set()
        self._check = RowCheck("twin_not_whole", nothing="no row is half of a twin")

    def add(self, line: ReadRow) -> None:
        row = line.row
        if row.twin_id is None:
            if halves_of(row.mode) == 2:
                self._check.count(line, f"a row of mode {row.mode} without a twin's id")
            return
        place = self._check.place(line)
        if hash(row.twin_id) in self._whole:
            self._check.flag(place, f"a third half of {row.twin_id}")
            return
        own = _Half(
            place, row.config, row.asked, row.user, hash((row.question, row.item_id)),
            hash(row.chosen), hash(row.rejected),
        )  # fmt: skip
        other = self._waiting.pop(row.twin_id, None)
        if other is None:
            self._waiting[row.twin_id] = own
            return
        self._whole.add(hash(row.twin_id))
        if wrong := _wrong(own, other):
            self._check.flag(other.place, wrong)
            self._check.flag(place, wrong)

    def checks(self) -> Iterable[Check]:
        for half in self._waiting.values():
            self._check.flag(half.place, "its other half is not there")
        return self._check.checks()


def _wrong(own: _Half, other: _Half) -> str | None:
    if own.question != other.question:
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
