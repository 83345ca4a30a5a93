"""What is chosen over what: two sides, and one label a pair."""

from collections.abc import Hashable, Iterator

from pairwright import text
from pairwright.audit.found import OTHERS, TEXT, Found, Place
from pairwright.audit.records import Check
from pairwright.dataset import Row


class SameSides:
    """`same_sides`: two sides that are the same words."""

    def __init__(self) -> None:
        self._found = Found("integrity", "same_sides", limit=0.0, others=0.0)

    def add(self, row: Row) -> None:
        said = None
        if row.chosen == row.rejected:
            said = "both sides are the same"
        elif folded(row.chosen) == folded(row.rejected):
            said = "both sides are the same but for case, space and punctuation"
        self._found.add(row, said)

    def checks(self) -> Iterator[Check]:
        yield from self._found.checks()


class Labels:
    """`contradiction`: the same sides for the same question and user, with opposite labels;
    `duplicate_pair`: with the same label. Without a user, for the same question and profile."""

    def __init__(self) -> None:
        self._chosen: dict[int, tuple[int, Place]] = {}
        self._contradiction = Found("integrity", "contradiction", limit=0.0, others=0.0)
        self._twice = Found("integrity", "duplicate_pair", limit=0.0, others=OTHERS)

    def add(self, row: Row) -> None:
        contradiction, twice = self._contradiction.add(row, None), self._twice.add(row, None)
        sides = hash(folded(row.chosen)), hash(folded(row.rejected))
        if sides[0] == sides[1]:
            return
        reader: Hashable = row.user
        if reader is None:
            reader = tuple(folded(post.text) for post in row.profile)
        key = hash((folded(row.question), reader, min(sides), max(sides)))
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


def folded(passage: str) -> tuple[str, ...] | str:
    """What two texts have to share to be the same: their words, or all there is without words."""
    return text.words(passage[:TEXT]) or text.normalised(passage[:TEXT])
