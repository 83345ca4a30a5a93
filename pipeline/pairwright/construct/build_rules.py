"""The order of the users of a category, and those that a question is tried on.

A history is read for its user's question, and for the questions of a few others. The users of a
category form one seeded ring, and everybody's others are the nearest on it who could be partners.
Work done along the ring then reads a history a few times in a row, so that a prefix cache computes
it once, and no user serves as an other much more often than the rest.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pairwright.records import content_id


class TriedUsers(NamedTuple):
    """The users that a question is tried on."""

    users: tuple[str, ...]
    suited: int
    """So many of them, the first, could be the asker's partner."""

    @property
    def candidates(self) -> tuple[str, ...]:
        """Those who could be the asker's partner."""
        return self.users[: self.suited]


class NeighbourRing:
    """Users of one category, in an order in which the source's order decides nothing."""

    def __init__(self, users: Iterable[str], seed: int) -> None:
        self.users = sorted(users, key=lambda user: content_id("circle", str(seed), user))
        self._place = {user: place for place, user in enumerate(self.users)}

    def nearest(self, user: str) -> Iterator[str]:
        """Every other user, the nearest on either side first: so a user who is near to one user has
        that user near, too."""
        place, size = self._place[user], len(self.users)
        for step in range(1, size // 2 + 1):
            yield self.users[(place + step) % size]
            if 2 * step < size:
                yield self.users[(place - step) % size]
