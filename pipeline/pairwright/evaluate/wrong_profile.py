"""Somebody else's history in place of the user's: what a scorer gains from reading is what it loses
with the wrong one.

The other user writes in the same category, has a history of about the same length, and is shown as
the user would be: with as many posts, ranked for this question. Twins have no such condition: the
same stranger for both halves makes every scorer right on one of them, and the partner makes it
right where it was wrong.
"""

import math
from collections.abc import Collection, Iterable
from typing import NamedTuple

from pairwright import text
from pairwright.dataset import Row
from pairwright.evaluate.release import posts_of
from pairwright.modes import is_twin
from pairwright.records import Post, content_id

NEAREST = 5
"""Users closest in length, of whom one is drawn."""


class Stranger(NamedTuple):
    """Another user of the category, with the posts that may be shown."""

    user: str
    length: int
    """Characters of all posts."""
    posts: tuple[Post, ...]


class Asker(NamedTuple):
    """A person who asks a question."""

    item: str
    user: str | None
    twin: bool
    """Whether somebody else asks the same of it: they are not strangers to each other."""
    domain: str
    category: str
    question: str
    created: str | None
    posts: tuple[Post, ...]


def asker_of(row: Row) -> Asker:
    """The person who asks in a release's pair."""
    return Asker(
        item=row.item_id,
        user=row.user,
        twin=is_twin(row.mode),
        domain=row.domain,
        category=row.category,
        question=row.question,
        created=row.created,
        posts=posts_of(row),
    )


class Strangers:
    """The users of a release or a source, by category."""

    def __init__(self, askers: Iterable[Asker], seed: int) -> None:
        self._seed = seed
        self._there: dict[tuple[str, str], dict[str, Stranger]] = {}
        self._partners: dict[str, set[str]] = {}
        for asker in askers:
            if asker.user is None or not asker.posts:
                continue
            people = self._there.setdefault((asker.domain, asker.category), {})
            # The longest of a user's histories; each later question of theirs has a longer one.
            if asker.user not in people or len(asker.posts) > len(people[asker.user].posts):
                people[asker.user] = Stranger(asker.user, _length(asker.posts), asker.posts)
            # By item, because its pair of mode violate is about the asker alone.
            if asker.twin:
                self._partners.setdefault(asker.item, set()).add(asker.user)

    def instead_of(self, asker: Asker) -> tuple[Post, ...] | None:
        """The posts of one of the users closest in length, older than the question; None where
        nobody in the category has any. The same for both modes of an item."""
        if not (closest := self._nearest(asker)[:NEAREST]):
            return None
        draw = content_id("wrong-profile", str(self._seed), asker.item, asker.user or "")
        return closest[int(draw[-8:], 16) % len(closest)].posts

    def several(
        self,
        asker: Asker,
        n: int,
        left_out: Collection[str] = (),
        preferred: Collection[str] = (),
    ) -> tuple[Stranger, ...]:
        """`n` different users, drawn from the `NEAREST` or twice as many closest in length, of whom
        the `preferred` come first; fewer where there are fewer. None is one of `left_out`."""
        there = [one for one in self._nearest(asker) if one.user not in left_out]
        drawn = sorted(
            there[: max(NEAREST, 2 * n)],
            key=lambda one: (
                one.user not in preferred,
                content_id("n-let", str(self._seed), asker.item, asker.user or "", one.user),
            ),
        )
        return tuple(drawn[:n])

    def _nearest(self, asker: Asker) -> list[Stranger]:
        """The users of the category with posts older than the question, closest in length first,
        without those who repeat the question."""
        own = _length(asker.posts)
        near = {asker.user, *self._partners.get(asker.item, ())}
        people = [
            person._replace(posts=older, length=_length(older))
            for person in self._there.get((asker.domain, asker.category), {}).values()
            if person.user not in near and (older := _older(asker, person.posts))
        ]
        people.sort(key=lambda person: (_distance(own, person.length), person.user))
        return [person for person in people if not _repeats(asker.question, person.posts)]


def _length(posts: tuple[Post, ...]) -> int:
    return sum(len(post.text) for post in posts)


def _distance(own: int, other: int) -> float:
    return abs(math.log((other + 1) / (own + 1)))


def _older(asker: Asker, posts: tuple[Post, ...]) -> tuple[Post, ...]:
    if asker.created is None:
        return posts
    asked_at = asker.created
    return tuple(post for post in posts if post.created is None or post.created < asked_at)


def _repeats(question: str, posts: tuple[Post, ...]) -> bool:
    return any(text.near_duplicate(question, post.text) for post in posts)
