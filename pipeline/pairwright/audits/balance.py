"""How many pairs there are of each kind, whether one user has most of them, repeated prompts, and
beside them the figures of other pairs, which decide nothing.

The limit on a user's share is 5 %, or three equal shares where there are fewer than 60 users: of 20
users, one with 2 pairs where the others have 1 is not a finding.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from pairwright.audits.catalogue import note_check
from pairwright.audits.records import Breakdown, Check, Count, Flag
from pairwright.audits.row_check import RowCheck
from pairwright.audits.blind import COUNTS
from pairwright.pairs import ReadRow, Row
from pairwright.text import normalised, word_count

MAX_SHARE = 0.05
MIN_USERS = 20
"""With fewer users, the share of one is not compared with a limit."""
MOST_VALUES = 30
"""Values of a property in a breakdown."""


class PairSums:
    """Pairs that have one value of one property."""

    def __init__(self) -> None:
        self.pairs = self.chosen_words = self.rejected_words = 0
        self.users: set[str] = set()

    def add(self, row: Row, words: tuple[int, int]) -> None:
        self.pairs += 1
        if row.user is not None:
            self.users.add(row.user)
        self.chosen_words += words[0]
        self.rejected_words += words[1]

    def count(self, name: str) -> Count:
        return Count(
            name=name,
            pairs=self.pairs,
            users=len(self.users),
            chosen_words=round(self.chosen_words / self.pairs, 1),
            rejected_words=round(self.rejected_words / self.pairs, 1),
        )


class Balance:
    """Counts by property, and the rows of each user."""

    def __init__(self) -> None:
        self._sums: dict[str, dict[str, PairSums]] = defaultdict(lambda: defaultdict(PairSums))
        self._users: Counter[str] = Counter()
        self._first: dict[str, str] = {}
        """The first row of each user."""
        self._prompts: dict[int, tuple[str, str]] = {}
        """Item and id of the first row with a prompt, by the prompt's hash."""
        self._repeated = RowCheck(
            "repeated_prompts", limit=None, others=None, nothing="every row names its user"
        )

    def add(self, line: ReadRow) -> None:
        row = line.row
        words = word_count(row.chosen), word_count(row.rejected)
        for by in ("config", "category"):
            self._sums[by][getattr(row, by)].add(row, words)
        if row.user is not None:
            self._users[row.user] += 1
            self._first.setdefault(row.user, row.id)
            return
        # Pairs that one row of a file holds are of one item, and repeat nothing.
        item = row.item_id or row.id
        first, name = self._prompts.setdefault(hash(normalised(row.question)), (item, row.id))
        self._repeated.count(line, f"the prompt of {name}" if first != item else "")

    def checks(self) -> Iterable[Check]:
        """The share of the user with the most pairs; repeated prompts in rows without users."""
        if self._users:
            yield self._dominance()
        if self._prompts:
            yield self._repeated.check(f"{len(self._prompts):,} different prompts")

    def _dominance(self) -> Check:
        most = min(self._users, key=lambda user: (-self._users[user], user))
        pairs, count, users = self._users.total(), self._users[most], len(self._users)
        limit = max(MAX_SHARE, 3 / users)
        few = users < MIN_USERS
        over = not few and count / pairs > limit
        detail = f"{count:,} of {pairs:,} pairs are of {most}; {users:,} users"
        return Check(
            family="balance",
            name="user_dominates",
            status="note" if few else "fail" if over else "pass",
            count=count,
            of=pairs,
            limit=None if few else round(limit, 6),
            detail=f"{detail}, too few for a limit" if few else detail,
            flags=(Flag(row=self._first[most]),) if over else (),
        )

    def breakdowns(self) -> tuple[Breakdown, ...]:
        """Configurations and categories, if any row has one."""
        names = {"config": "configuration", "category": "category"}
        return tuple(
            Breakdown(by=names[by], rows=tuple(own.count(value) for value, own in self._most(by)))
            for by in self._sums
            if set(self._sums[by]) != {""}
        )

    def _most(self, by: str) -> list[tuple[str, PairSums]]:
        ordered = sorted(self._sums[by].items(), key=lambda item: (-item[1].pairs, item[0]))
        return ordered[:MOST_VALUES]


def compare(own: Sequence[Check], other: Sequence[Check], name: str) -> Iterator[Check]:
    """Accuracies without the user beside those of other pairs: of configurations that have one
    name, or that are the only ones of both sets."""
    names = (*COUNTS, "bag_of_words")
    sides = [[one for one in checks if one.name in names] for checks in (own, other)]
    alone = all(len({one.config for one in side}) == 1 for side in sides)
    for check in sides[0]:
        for there in sides[1]:
            if check.name != there.name or not (alone or check.config == there.config):
                continue
            if check.found and there.found:
                detail = f"{check.name}: {check.found.text()}; {there.found.text()} in {name}"
                yield note_check("blind_accuracy", check.config, check.found, detail=detail)
