"""What a build knows of other users: whose history is read beside whose.

A history is read for its user's question, for the partner's, and for those of a few others. The
users of a category form one seeded ring, which puts partners side by side and takes everybody's
others from the places that follow. Work done along the ring then reads a history a few times in a
row, so that a prefix cache computes it once, and every user serves as an other equally often.
"""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Protocol

from pairwright.records import Item, Post, content_id


class OtherUsers(Protocol):
    """The other users of a run."""

    def others(self, item: Item) -> tuple[tuple[Post, ...], ...]:
        """Histories of users other than the asker and the asker's partner."""
        ...


class NoOtherUsers:
    """No other users: specificity rests on the blind rubric."""

    def others(self, item: Item) -> tuple[tuple[Post, ...], ...]:  # noqa: ARG002
        return ()


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
