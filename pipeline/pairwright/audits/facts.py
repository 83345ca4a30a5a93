"""The facts that an audit keeps of its rows: a table with hashes for texts, and samples.

Checks that compare rows are functions of this table, so that no row is in memory twice.
"""

import hashlib
import heapq
import re
from array import array
from collections.abc import Hashable, Iterator
from functools import cached_property, lru_cache
from typing import Generic, TypeVar

import pandas as pd

from pairwright import text
from pairwright.audits.records import Flag
from pairwright.audits.ways import COUNTS, more_of_each
from pairwright.pairs import ReadRow, Row
from pairwright.pairs.address import ForgetList
from pairwright_human_eval.decisions import ReleasedStudy

NAMES = (
    "id", "split", "config", "mode", "user", "dyad", "twin", "subject", "cluster",
    # The place of a question with options; and why a row must be forgotten, else None.
    "at", "forgotten",
)  # fmt: skip
"""Columns of texts, which may be None."""
NUMBERS = (
    "asked", "verified", "simulated", "judged",
    # In how many of two orders the blind judge prefers the chosen response; -1: it was not asked.
    "blind",
    # How many options a question has, and how many right ones; the key's place, or -1.
    "options", "rights", "key",
    # Hashes: of the question and its item, and of both sides; of what two rows with one label have
    # in common, and of the sides in the form in which they are compared.
    "question", "chosen", "rejected", "pair", "better", "worse",
    "posts",
    # 1 if the chosen response has more, -1 if it has less.
    *COUNTS,
)  # fmt: skip
FLAGS = NUMBERS[:4]
SAMPLE = 1000
"""Rows that are kept whole, for a check that would take longer than the rest of the audit."""


class Facts:
    """The rows of one audit as far as other rows are compared with them."""

    def __init__(
        self, public: ReleasedStudy | None = None, forgotten: ForgetList | None = None
    ) -> None:
        """`public` has the annotators' answers; None without a study. `forgotten` has the names on
        tombstones; None without a list of them."""
        self.public, self.forgotten = public, forgotten
        self.places: list[str] = []
        """By a row's number, `file:line`."""
        self.built = False
        """Whether any row is of a build, ours or another's."""
        self.sample: ClusterSample[tuple[int, Row]] = ClusterSample(SAMPLE)
        self._names: dict[str, list[str | None]] = {name: [] for name in NAMES}
        self._numbers = {name: array("q") for name in NUMBERS}
        self._known: dict[str, str] = {}
        """Each text of the table once."""

    def __len__(self) -> int:
        return len(self.places)

    def add(self, line: ReadRow) -> None:
        """Keep one row."""
        row, choice = line.row, line.choice
        if self.sample.has_room(row.cluster):
            self.sample.add(row.cluster, (len(self), row))
        self.places.append(line.where)
        self.built |= row.mode is not None
        sides = hash(_unmarked(row.chosen)), hash(_unmarked(row.rejected))
        reader: Hashable = row.user
        if reader is None:
            reader = tuple(text.canonical(post.text) for post in row.profile)
        names = (
            row.id, line.split, row.config, row.mode, row.user, row.dyad, row.twin_id, row.subject,
            row.cluster, choice.question if choice else "", self._why_forgotten(row),
        )  # fmt: skip
        numbers = (
            row.asked, row.verified, row.simulated, bool(row.judge),
            -1 if row.blind_preference is None else row.blind_preference,
            choice.options if choice else 0, choice.rights if choice else 0,
            -1 if choice is None or choice.place is None else choice.place,
            hash((row.question, row.item_id)), hash(row.chosen), hash(row.rejected),
            hash((_unmarked(row.question), reader, min(sides), max(sides))), *sides,
            len(row.profile),
            *more_of_each(row),
        )  # fmt: skip
        for texts, name in zip(self._names.values(), names, strict=True):
            texts.append(name and self._known.setdefault(name, name))
        for values, number in zip(self._numbers.values(), numbers, strict=True):
            values.append(number)

    def _why_forgotten(self, row: Row) -> str | None:
        if self.forgotten is None:
            return None
        if row.user in self.forgotten.users:
            return "its user must be forgotten"
        if self.forgotten.holds(row.source_url, ()):
            return "its question must be forgotten"
        return "a post must be forgotten" if self.forgotten.holds(None, row.profile) else None

    @cached_property
    def table(self) -> pd.DataFrame:
        """The columns NAMES and NUMBERS of all rows, by number, after the last row."""
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
        self._most = most
        self._below = 1 << 64
        self._kept: dict[int, list[K]] = {}
        self._last: list[int] = []
        """Hashes of what is kept, negative: the last one first."""
        self._pairs = 0

    def has_room(self, cluster: str) -> bool:
        """Whether a pair of this cluster would be kept for now."""
        return place_of(cluster) < self._below

    def add(self, cluster: str, pair: K) -> None:
        """Keep a pair that there is room for, and let the last clusters go while there are more
        pairs than `most`."""
        place = place_of(cluster)
        if place not in self._kept:
            self._kept[place] = []
            heapq.heappush(self._last, -place)
        self._kept[place].append(pair)
        self._pairs += 1
        while self._pairs > self._most:
            self._below = -heapq.heappop(self._last)
            self._pairs -= len(self._kept.pop(self._below))

    def __iter__(self) -> Iterator[K]:
        """Cluster by cluster in the order of the hashes; in a cluster as they came."""
        for place in sorted(self._kept):
            yield from self._kept[place]


def place_of(name: str) -> int:
    """A place from 0 to 2 ** 64 - 1 for a name, the same in every audit."""
    return int.from_bytes(hashlib.blake2b(name.encode(errors="replace"), digest_size=8).digest())
