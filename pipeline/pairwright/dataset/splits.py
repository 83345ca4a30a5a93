"""The users whose pairs are in the split `validation`, of a release or of what is trained on.

Users who are partners of a twin stay together, over all configurations. Where a group goes in a
release depends on the pseudonyms in it and on nothing else, so that other users who come or go
change nothing.
"""

from collections.abc import Iterable, Sequence

from pairwright.records import content_id

_ALL = 1 << 64


def splits_of(subjects: Iterable[Sequence[str]], share: float) -> dict[str, str]:
    """The split of every user; each subject is the pseudonyms it is about, one or two."""
    limit = int(share * _ALL)
    return {
        user: "validation" if place < limit else "test"
        for user, place in places_of(subjects).items()
    }


def places_of(subjects: Iterable[Sequence[str]], *purpose: str) -> dict[str, int]:
    """A place from 0 to 2^64 for every user, by chance, the same for those who stay together. The
    places for two purposes have nothing to do with each other; without one they are those of a
    release's splits, which stay as they are."""
    leader: dict[str, str] = {}
    for users in subjects:
        roots = sorted({_root(user, leader) for user in users})
        for root in roots:
            # The first by name leads, whichever subject comes first.
            leader[root] = roots[0]
    return {user: _place(*purpose, _root(user, leader)) for user in leader}


def _root(user: str, leader: dict[str, str]) -> str:
    path = []
    while (above := leader.setdefault(user, user)) != user:
        path.append(user)
        user = above
    for passed in path:
        leader[passed] = user
    return user


def _place(*parts: str) -> int:
    return int(content_id("place", *parts).removeprefix("place-"), 16)
