"""How many pairs there are of each configuration, whether one user has most of them, and prompts
that come again.

The limit on a user's share is 5 %, or three equal shares where there are fewer than 60 users: of 20
users, one with 2 pairs where the others have 1 is not a finding.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np

from pairwright.audits.records import Check, Count, Flag
from pairwright.audits.row_check import RowCheck, RowPlace
from pairwright.pairs import ReadRow
from pairwright.text import normalised, word_count

MAX_SHARE = 0.05
MIN_USERS = 20
"""With fewer users, the share of one is not compared with a limit."""


class Balance:
    """Counts of each configuration, and the rows of each user."""

    def __init__(self) -> None:
        self._sums: defaultdict[str, np.ndarray[tuple[int], np.dtype[np.int64]]] = defaultdict(
            lambda: np.zeros(3, np.int64)
        )
        """Of a configuration: pairs, and words of chosen and rejected responses."""
        self._users_of: defaultdict[str, set[str]] = defaultdict(set)
        self._users: Counter[str] = Counter()
        self._first: dict[str, RowPlace] = {}
        """The first row of each user."""
        self._prompts: dict[int, tuple[str, str]] = {}
        """Item and id of the first row with a prompt, by the prompt's hash."""
        self._repeated = RowCheck(
            "repeated_prompts", limit=None, others=None, nothing="every row names its user"
        )

    def add(self, line: ReadRow) -> None:
        row = line.row
        self._sums[row.config] += 1, word_count(row.chosen), word_count(row.rejected)
        if row.user is not None:
            self._users_of[row.config].add(row.user)
            self._users[row.user] += 1
            self._first.setdefault(row.user, RowPlace(0, row.id, line.where))
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
        limit, first = max(MAX_SHARE, 3 / users), self._first[most]
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
            flags=(Flag(row=first.row, where=first.where),) if over else (),
        )

    def counts(self) -> tuple[Count, ...]:
        """Pairs, users and mean words of each configuration, by name."""
        return tuple(
            Count(
                name=config, pairs=int(n), users=len(self._users_of[config]),
                chosen_words=round(chosen / n, 1), rejected_words=round(rejected / n, 1),
            )
            for config, (n, chosen, rejected) in sorted(self._sums.items())
        )  # fmt: skip
