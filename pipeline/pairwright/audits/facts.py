"""What an audit keeps of each row while it reads them: a line of a table, with hashes for texts.

Checks that compare rows are functions of this table, so that no row is in memory twice.
"""

import re
from collections.abc import Hashable
from functools import cached_property, lru_cache

import pandas as pd

from pairwright import text
from pairwright.audits.blind import COUNTS, counts
from pairwright.pairs import ReadRow
from pairwright_human_eval.released import ReleasedStudy

COLUMNS = (
    "split", "config", "mode", "user", "dyad", "twin", "subject", "item", "asked", "cluster",
    "verified", "simulated", "judged", "blind",
    # The place of a question with options; how many there are, and right ones; the key's place.
    "at", "options", "rights", "key",
    # Hashes: of the question and its item, of both sides, of the prompt alone; of what two rows
    # with one label have in common, and of the sides in the form in which they are compared.
    "question", "chosen", "rejected", "prompt", "pair", "better", "worse",
    "posts", *COUNTS,
)  # fmt: skip


class Facts:
    """The rows of one audit as far as other rows are compared with them."""

    def __init__(self, public: ReleasedStudy | None = None) -> None:
        """`public` is what people answered; None if nobody was asked."""
        self.public = public
        self.ids: list[str] = []
        self.places: list[str] = []
        """By a row's number its id, and `file:line`."""
        self.built = False
        """Whether any row is of a build, ours or another's."""
        self._lines: list[tuple[object, ...]] = []

    def add(self, line: ReadRow) -> None:
        """Keep one row."""
        row, choice = line.row, line.choice
        self.ids.append(row.id)
        self.places.append(line.where)
        self.built |= row.mode is not None
        sides = hash(_unmarked(row.chosen)), hash(_unmarked(row.rejected))
        reader: Hashable = row.user
        if reader is None:
            reader = tuple(text.canonical(post.text) for post in row.profile)
        more, less = (counts(row.question, one, row.language) for one in (row.chosen, row.rejected))
        self._lines.append(
            (
                line.split, row.config, row.mode, row.user, row.dyad, row.twin_id, row.subject,
                row.item_id or row.id, row.asked, row.cluster,
                row.verified, row.simulated, bool(row.judge), row.blind_preference,
                choice.question if choice else "", choice.options if choice else 0,
                choice.rights if choice else 0,
                -1 if choice is None or choice.place is None else choice.place,
                hash((row.question, row.item_id)), hash(row.chosen), hash(row.rejected),
                hash(text.normalised(row.question)) if row.user is None else 0,
                hash((_unmarked(row.question), reader, min(sides), max(sides))), *sides,
                len(row.profile),
                *((a > b) - (a < b) for a, b in zip(more, less, strict=True)),
            )
        )  # fmt: skip

    @cached_property
    def table(self) -> pd.DataFrame:
        """COLUMNS of all rows, by number. The columns of COUNTS are 1 if the chosen response has
        more, -1 if it has less."""
        table = pd.DataFrame(self._lines, columns=list(COLUMNS), dtype=object)
        self._lines.clear()
        numbers = dict.fromkeys(COLUMNS[COLUMNS.index("options") :], "int64")
        flags = dict.fromkeys(("asked", "verified", "simulated", "judged"), "bool")
        return table.astype(numbers | flags).assign(id=self.ids)


# Only before white space or at the end: "!=" and "3.5" keep theirs.
# It begins with a mark, which is found in half the time of a look back.
_CLOSING = re.compile(r"[.,;:!?\u2026](?<![.,;:!?\u2026]{2})[.,;:!?\u2026]*+(?=\s|$)")


# Both halves of a twin hold the same two responses.
@lru_cache(maxsize=1024)
def _unmarked(passage: str) -> str:
    """A text without white space, Unicode form, hidden characters and marks that close sentences:
    what differs in a symbol or in case is another text."""
    return _CLOSING.sub("", text.canonical(passage)).rstrip()
