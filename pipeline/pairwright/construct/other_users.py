"""What a build knows of other users: who is read beside whom, and how rare a word is among them.

A history is read for its user's question, for the partner's, and for those of a few others. The
users of a category form one seeded ring, which puts partners side by side and takes everybody's
others from the places that follow. Work done along the ring then reads a history a few times in a
row, so that a prefix cache computes it once, and every user serves as an other equally often.
"""

import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import Any, Protocol

import numpy as np

from pairwright import text
from pairwright.records import Item, Post, content_id


class OtherUsers(Protocol):
    """The other users of a run."""

    def others(self, item: Item) -> tuple[tuple[Post, ...], ...]:
        """Histories of users other than the asker and the asker's partner."""
        ...

    def rare(self, posts: Iterable[Post]) -> frozenset[str]:
        """The terms of these posts that few users write."""
        ...


class NoOtherUsers:
    """No other users: every term is common, and specificity rests on the blind rubric."""

    def others(self, item: Item) -> tuple[tuple[Post, ...], ...]:  # noqa: ARG002
        return ()

    def rare(self, posts: Iterable[Post]) -> frozenset[str]:  # noqa: ARG002
        return frozenset()


class NeighbourRing:
    """Users of one category, in an order in which the source's order decides nothing."""

    def __init__(self, users: Iterable[str], partners: dict[str, str], seed: int) -> None:
        among = frozenset(users)

        def drawn(user: str) -> tuple[str, str]:
            partner = partners.get(user)
            first = min(user, partner) if partner in among and partner else user
            return content_id("circle", str(seed), first), content_id("side", str(seed), user)

        self.users = sorted(among, key=drawn)
        self._partners = partners
        self._place = {user: place for place, user in enumerate(self.users)}

    def others(self, user: str, count: int) -> list[str]:
        """The next `count` users after this one who are not the partner; fewer in a small ring.

        Every second place comes first: two partners, whose posts are on like matters, are
        side by side and should not both be asked.
        """
        following = (other for other in self._following(user) if other != self._partners.get(user))
        return list(islice(following, count))

    def _following(self, user: str) -> Iterator[str]:
        place, size = self._place[user], len(self.users)
        for step in chain(range(2, size, 2), range(1, size, 2)):
            yield self.users[(place + step) % size]


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
