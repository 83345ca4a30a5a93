"""What is chosen over what: two sides, and one label a pair."""

from collections.abc import Hashable, Iterator

from pairwright import text
from pairwright.audit.found import OTHERS, Found, Place
from pairwright.audit.records import Check
from pairwright.dataset import Row


class SameSides:
    """`same_sides`: two sides that are the same text, but for white space and Unicode form."""

    def __init__(self) -> None:
        self._found = Found("integrity", "same_sides", limit=0.0, others=0.0)

    def add(self, row: Row) -> None:
        said = None
        if row.chosen == row.rejected:
            said = "both sides are the same"
        elif text.canonical(row.chosen) == text.canonical(row.rejected):
            said = "both sides are the same but for white space, Unicode form or hidden characters"
        self._found.add(row, said)

    def checks(self) -> Iterator[Check]:
        yield from self._found.checks()


class Labels:
    """`contradiction`: the same sides for the same question and user, with opposite labels;
    `duplicate_pair`: with the same label. Without a user, for the same question and profile.

    Texts are the same as in `same_sides`: what differs in a symbol or in case is another text."""

    def __init__(self) -> None:
        self._chosen: dict[int, tuple[int, Place]] = {}
        self._contradiction = Found("integrity", "contradiction", limit=0.0, others=0.0)
        self._twice = Found("integrity", "duplicate_pair", limit=0.0, others=OTHERS)

    def add(self, row: Row) -> None:
        contradiction, twice = self._contradiction.add(row, None), self._twice.add(row, None)
        sides = hash(text.canonical(row.chosen)), hash(text.canonical(row.rejected))
        if sides[0] == sides[1]:
            return
        reader: Hashable = row.user
        if reader is None:
            reader = tuple(text.canonical(post.text) for post in row.profile)
        key = hash((text.canonical(row.question), reader, min(sides), max(sides)))
        chosen, earlier = self._chosen.setdefault(key, (sides[0], contradiction))
        if earlier.order == contradiction.order:
            return
        if chosen == sides[0]:
            self._twice.flag(twice, f"the same as {earlier.row}")
        else:
            self._contradiction.flag(contradiction, f"the opposite of {earlier.row}")

    def checks(self) -> Iterator[Check]:
        yield from self._contradiction.checks()
        yield from self._twice.checks()
