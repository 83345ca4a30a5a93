"""Ids, sides and labels, and the two halves of every twin."""

import re
from collections.abc import Hashable, Iterator
from typing import ClassVar, NamedTuple

from pairwright import text
from pairwright.audit.records import Check, CheckDefinition, Definitions
from pairwright.audit.row_check import OTHERS, RowCheck, RowPlace
from pairwright.dataset import Row
from pairwright.dataset.row import derived_twin_id
from pairwright.modes import is_twin

DUPLICATE_ID = CheckDefinition(
    family="integrity",
    name="duplicate_id",
    title="Two rows with one id",
    why="Scores are joined by id: of two rows with one id, one gets the other's score.",
    todo="Give every row an id of its own, best one derived from its content.",
)


class UniqueIds:
    """`duplicate_id`: rows whose id an earlier row has."""

    definitions: ClassVar[Definitions] = (DUPLICATE_ID,)

    def __init__(self) -> None:
        self._ids: set[int] = set()
        self._check = RowCheck(DUPLICATE_ID, limit=0.0, others=0.0)

    def add(self, row: Row) -> None:
        id = hash(row.id)
        self._check.add(row, "an earlier row has this id" if id in self._ids else None)
        self._ids.add(id)

    def checks(self) -> Iterator[Check]:
        yield from self._check.checks()


MISSING_ID = CheckDefinition(
    family="integrity",
    name="missing_id",
    title="Rows without a user or an id, where others have one",
    why="Every interval takes the pairs of one user together: a row without its user counts as one "
    "of somebody else.",
    todo="Fill in the user and the id, or leave these rows out.",
)


class MissingIds:
    """`missing_id`: rows that name no user, or no item, beside rows of the same configuration that
    name theirs."""

    definitions: ClassVar[Definitions] = (MISSING_ID,)

    def __init__(self) -> None:
        self._check = RowCheck(MISSING_ID, limit=0.0, others=OTHERS)
        self._without: list[tuple[RowPlace, str, tuple[str, ...]]] = []
        self._named: set[tuple[str, str]] = set()

    def add(self, row: Row) -> None:
        names = (("user", row.user), ("id", row.item_id))
        self._named.update((row.config, what) for what, name in names if name)
        if lacking := tuple(what for what, name in names if not name):
            self._without.append((self._check.place(row), row.config, lacking))
        else:
            self._check.add(row, None)

    def checks(self) -> Iterator[Check]:
        for place, config, lacking in self._without:
            if beside := [what for what in lacking if (config, what) in self._named]:
                self._check.flag(place, f"no {' and no '.join(beside)}, and other rows have one")
        self._without = []
        yield from self._check.checks()


DERIVED_ID = CheckDefinition(
    family="integrity",
    name="derived_id",
    title="An id that is not its content's",
    why="The row was changed after it was named, or was never the one of this name.",
    todo="Download the release again and verify it; a changed pair needs a new id and a new "
    "version.",
)


class DerivedIds:
    """`derived_id`: rows of a release or run whose id is not the one that their content gives."""

    definitions: ClassVar[Definitions] = (DERIVED_ID,)

    def __init__(self) -> None:
        self._check = RowCheck(
            DERIVED_ID, limit=0.0, others=0.0,
            nothing="only rows of a release or run have ids that are derived",
        )  # fmt: skip

    def add(self, row: Row) -> None:
        if row.mode is None:
            return
        derived = row.derived_id()
        self._check.add(row, None if derived == row.id else f"its content gives {derived}")

    def checks(self) -> Iterator[Check]:
        yield from self._check.checks()


SAME_SIDES = CheckDefinition(
    family="integrity",
    name="same_sides",
    title="Both sides are the same",
    why="There is nothing to prefer: a scorer's tie would be counted as an error. Sides that "
    "differ in case, a digit or a symbol are two answers, and are not meant.",
    todo="Drop these pairs.",
)


class SameSides:
    """`same_sides`: two sides that are the same text, but for white space and Unicode form."""

    definitions: ClassVar[Definitions] = (SAME_SIDES,)

    def __init__(self) -> None:
        self._check = RowCheck(SAME_SIDES, limit=0.0, others=0.0)

    def add(self, row: Row) -> None:
        detail = None
        if row.chosen == row.rejected:
            detail = "both sides are the same"
        elif text.canonical(row.chosen) == text.canonical(row.rejected):
            detail = (
                "both sides are the same but for white space, Unicode form or hidden characters"
            )
        self._check.add(row, detail)

    def checks(self) -> Iterator[Check]:
        yield from self._check.checks()


CONTRADICTION = CheckDefinition(
    family="integrity",
    name="contradiction",
    title="One pair with opposite labels",
    why="No scorer can be right about both rows.",
    todo="Drop both, or ask people again.",
)

DUPLICATE_PAIR = CheckDefinition(
    family="integrity",
    name="duplicate_pair",
    title="One pair twice",
    why="It counts double, and may be in a training and a test fold.",
    todo="Keep one of the rows.",
)


class Labels:
    """`contradiction`: the same sides for the same question and user, with opposite labels;
    `duplicate_pair`: with the same label. Without a user, for the same question and profile.

    Texts are the same as in `same_sides`, and marks that close a sentence do not count: what
    differs in a symbol or in case is another text."""

    definitions: ClassVar[Definitions] = (
        CONTRADICTION,
        DUPLICATE_PAIR,
    )

    def __init__(self) -> None:
        self._chosen: dict[int, tuple[int, RowPlace]] = {}
        self._contradiction = RowCheck(CONTRADICTION, limit=0.0, others=0.0)
        self._twice = RowCheck(DUPLICATE_PAIR, limit=0.0, others=OTHERS)

    def add(self, row: Row) -> None:
        # Both checks examine every row, so a row has one place in both.
        place = self._contradiction.place(row)
        self._twice.add(row, None)
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

    def checks(self) -> Iterator[Check]:
        yield from self._contradiction.checks()
        yield from self._twice.checks()


# Only before white space or at the end: "!=" and "3.5" keep theirs.
# It begins with a mark, which is found in half the time of a look back.
_CLOSING = re.compile(r"[.,;:!?\u2026](?<![.,;:!?\u2026]{2})[.,;:!?\u2026]*+(?=\s|$)")


def _unmarked(passage: str) -> str:
    """A text without the marks that close sentences."""
    return _CLOSING.sub("", text.canonical(passage)).rstrip()


class _Half(NamedTuple):
    """What is kept of a half until the other one comes; hashes for texts."""

    place: RowPlace
    config: str
    asked: bool
    user: str | None
    item_id: str
    question: int
    chosen: int
    rejected: int


TWIN_NOT_WHOLE = CheckDefinition(
    family="integrity",
    name="twin_not_whole",
    title="A twin that is not whole",
    why="Only over both halves is a scorer that cannot see the user right exactly half of the "
    "time; single halves let a blind one do better.",
    todo="Drop or restore both halves together.",
)


class Twins:
    """`twin_not_whole`: two halves, on one question, with mirrored sides, of different users, one
    who asked; and the id that both give."""

    definitions: ClassVar[Definitions] = (TWIN_NOT_WHOLE,)

    def __init__(self) -> None:
        self._waiting: dict[str, _Half] = {}
        self._whole: set[int] = set()
        self._check = RowCheck(
            TWIN_NOT_WHOLE, limit=0.0, others=0.0, nothing="no row is half of a twin"
        )

    def add(self, row: Row) -> None:
        if row.twin_id is None:
            if is_twin(row.mode):
                self._check.add(row, f"a row of mode {row.mode} without a twin's id")
            return
        place = self._check.place(row)
        if hash(row.twin_id) in self._whole:
            self._check.flag(place, f"a third half of {row.twin_id}")
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
            self._check.flag(other.place, wrong)
            self._check.flag(place, wrong)

    def checks(self) -> Iterator[Check]:
        for half in self._waiting.values():
            self._check.flag(half.place, "its other half is not there")
        self._waiting = {}
        yield from self._check.checks()


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
    """The halves mirror each other, so one of them gives both."""
    mirrored = {"user": other.user, "chosen": row.rejected, "rejected": row.chosen}
    asker, partner = row, row.model_copy(update=mirrored)
    if not row.asked:
        asker, partner = partner, asker
    derived = derived_twin_id(asker, partner)
    return None if derived == row.twin_id else f"the halves give the id {derived}"
