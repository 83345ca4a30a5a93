"""The facts that an audit keeps of its rows: a table with hashes for texts, and samples.

Checks that compare rows are functions of this table, so that no row is in memory twice.
"""

import hashlib
import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from functools import cached_property, lru_cache
from typing import Generic, TypeVar

import pandas as pd

from pairwright import text
from pairwright.audits.records import Flag
from pairwright.audits.ways import more_of_each
from pairwright.pairs import ReadRow, Row

FLAGS = ("asked", "simulated", "judged")
SAMPLE = 1000
"""Rows that are kept whole, for a check that would take longer than the rest of the audit."""


class Facts:
    """The rows of one audit as far as other rows are compared with them."""

    def __init__(self) -> None:
        self.places: list[str] = []
        """By a row's number, `file:line`."""
        self.built = False
        """Whether any row is of a build, ours or another's."""
        self.sample: ClusterSample[tuple[int, Row]] = ClusterSample(SAMPLE)
        self._names = defaultdict[str, list[str | None]](list)
        self._numbers = defaultdict[str, "array[int]"](lambda: array("q"))
        self._known: dict[str, str] = {}
        """Each text of the table once."""

    def __len__(self) -> int:
        return len(self.places)

    def add(self, line: ReadRow) -> None:
        """Keep one row."""
        row, choice = line.row, line.choice
        number = len(self)
        self.sample.offer(row.cluster, lambda: (number, row))
        self.places.append(line.where)
        self.built |= row.mode is not None
        sides = hash(_unmarked(row.chosen)), hash(_unmarked(row.rejected))
        reader: Hashable = row.user
        if reader is None:
            reader = tuple(text.canonical(post.text) for post in row.profile)
        names = {
            "id": row.id, "split": line.split, "config": row.config, "mode": row.mode,
            "user": row.user, "dyad": row.dyad, "twin": row.twin_id, "subject": row.subject,
            "cluster": row.cluster,
            # The place of a question with options.
            "at": choice.question if choice else "",
        }  # fmt: skip
        numbers = {
            "asked": row.asked, "simulated": row.simulated, "judged": bool(row.judge),
            # In how many of two orders the blind judge prefers the chosen response; -1: not asked.
            "blind": -1 if row.blind_preference is None else row.blind_preference,
            # How many options a question has, and how many right ones; the key's place, or -1.
            "options": choice.options if choice else 0, "rights": choice.rights if choice else 0,
            "key": -1 if choice is None or choice.place is None else choice.place,
            # Hashes: of the question and its item, and of both sides; of what two rows with one
            # label have in common, and of the sides in the form in which they are compared.
            "question": hash((row.question, row.item_id)),
            "chosen": hash(row.chosen), "rejected": hash(row.rejected),
            "pair": hash((_unmarked(row.question), reader, min(sides), max(sides))),
            "better": sides[0], "worse": sides[1],
            "posts": len(row.profile), **more_of_each(row),
        }  # fmt: skip
        for name, value in names.items():
            self._names[name].append(value and self._known.setdefault(value, value))
        for name, number in numbers.items():
            self._numbers[name].append(number)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The columns of all rows, by number, after the last row."""
        names = {name: pd.Series(texts, dtype=object) for name, texts in self._names.items()}
        numbers = {name: pd.Series(values, dtype="int64") for name, values in self._numbers.items()}
        self._known.clear()
        return pd.DataFrame(names | numbers).astype(dict.fromkeys(FLAGS, "bool"))

    def flag(self, number: int, detail: str = "") -> Flag:
        """A row as a check names it."""
        return Flag(row=str(self._names["id"][number]), detail=detail, where=self.places[number])


# Only before white space or at the end: "!=" and "3.5" keep theirs.
# It begins with a mark, which is found in half the time of a look back.
_CLOSING = re.compile(r"[.,;:!?\u2026](?<![.,;:!?\u2026]{2})[.,;:!?\u2026]*+(?=\s|$)")


# Both halves of a twin hold the same two responses.
@lru_cache(maxsize=1024)
def _unmarked(passage: str) -> str:
    """A text without white space, Unicode form, hidden characters and marks that close sentences:
    what differs in a symbol or in case is another text."""
    return _CLOSING.sub("", text.canonical(passage)).rstrip()


K = TypeVar("K")


class ClusterSample(Generic[K]):
    """At most `most` pairs: those of the clusters whose hashes come first, whatever the order in
    which the pairs come."""

    def __init__(self, most: int) -> None:
        self._most, self._below = most, 1 << 64
        self._kept: list[tuple[int, K]] = []

    def offer(self, cluster: str, pair: Callable[[], K]) -> None:
        """Keep what is called for a pair of this cluster, if there is room."""
        if (place := place_of(cluster)) < self._below:
            self._kept.append((place, pair()))
            if len(self._kept) > 1.1 * self._most:
                self._cut()

    def _cut(self) -> None:
        """Let the last clusters go if there are more pairs than `most`."""
        self._kept.sort(key=lambda one: one[0])
        if len(self._kept) > self._most:
            self._below = self._kept[self._most][0]
            self._kept = [one for one in self._kept if one[0] < self._below]

    def __iter__(self) -> Iterator[K]:
        """Cluster by cluster in the order of the hashes; in a cluster as they came."""
        self._cut()
        return (pair for _, pair in self._kept)


def place_of(name: str) -> int:
    """A place from 0 to 2 ** 64 - 1 for a name, the same in every audit."""
    return int.from_bytes(hashlib.blake2b(name.encode(errors="replace"), digest_size=8).digest())
