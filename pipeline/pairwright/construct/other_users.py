"""What a build knows of other users: who is read beside whom, and how rare a word is among them.

A history is read for its user's question, and for the questions of a few others. The users of a
category form one seeded ring, and everybody's others are the nearest on it who could be partners.
Work done along the ring then reads a history a few times in a row, so that a prefix cache computes
it once, and no user serves as an other much more often than the rest.
"""

import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from pairwright import text
from pairwright.records import Item, Post, content_id


class OtherUsers(Protocol):
    """The other users of a run."""

    def others(self, item: Item, user: str) -> tuple[tuple[Post, ...], ...]:
        """Histories of users other than `user`, whose rubric for the item's question is wanted:
        the asker's, or a partner's."""
        ...

    def rare(self, posts: Iterable[Post]) -> frozenset[str]:
        """The terms of these posts that few users write."""
        ...


class TriedUsers(NamedTuple):
    """The users that a question is tried on."""

    users: tuple[str, ...]
    suited: int
    """So many of them, the first, could be the asker's partner."""

    @property
    def candidates(self) -> tuple[str, ...]:
        """Those who could be the asker's partner."""
        return self.users[: self.suited]


class NoOtherUsers:
    """No other users: every term is common, and specificity rests on the blind rubric."""

    def others(self, item: Item, user: str) -> tuple[tuple[Post, ...], ...]:  # noqa: ARG002
        return ()

    def rare(self, posts: Iterable[Post]) -> frozenset[str]:  # noqa: ARG002
        return frozenset()


class NeighbourRing:
    """Users of one category, in an order in which the source's order decides nothing."""

    def __init__(self, users: Iterable[str], seed: int) -> None:
        self.users = sorted(users, key=lambda user: content_id("circle", str(seed), user))
        self._place = {user: place for place, user in enumerate(self.users)}

    def nearest(self, user: str) -> Iterator[str]:
        """Every other user, the nearest on either side first: so whoever is near to one user has
        that user near, too."""
        place, size = self._place[user], len(self.users)
        for step in range(1, size // 2 + 1):
            yield self.users[(place + step) % size]
            if 2 * step < size:
                yield self.users[(place - step) % size]


class Rarity:
    """How many users write each term, in a table of fixed size.

    Terms that fall on one cell are counted together: that makes a term look more common than
    it is, never rarer.
    """

    CELLS = 1 << 18

    def __init__(self, share: float) -> None:
        self._share = share
        self._users: set[str] = set()
        self._counts = np.zeros(self.CELLS, dtype=np.uint32)
        self._rare = lru_cache(maxsize=2048)(self._rare_of)

    def __reduce__(self) -> tuple[Any, ...]:
        return _counted, (self._share, self._users, self._counts)

    def add(self, item: Item) -> None:
        """Count a user by the first item: later ones repeat most of the posts."""
        if item.user in self._users:
            return
        self._users.add(item.user)
        cells = {_cell(term) for post in item.profile for term in text.terms(post.text)}
        self._counts[list(cells)] += 1

    def rare(self, posts: Iterable[Post]) -> frozenset[str]:
        """The rare terms of some posts; to be asked once all users are counted."""
        return frozenset().union(*(self._rare(post.text) for post in posts))

    def _rare_of(self, post: str) -> frozenset[str]:
        # Among few users a word is rare if only its own writer has it.
        most = max(1, int(self._share * len(self._users)))
        terms = text.terms(post)
        return frozenset(term for term in terms if self._counts[_cell(term)] <= most)


def _counted(share: float, users: set[str], counts: Any) -> Rarity:
    rarity = Rarity(share)
    rarity._users, rarity._counts = users, counts
    return rarity


# Most words are common ones.
@lru_cache(maxsize=65536)
def _cell(term: str) -> int:
    return zlib.crc32(term.encode()) % Rarity.CELLS
