"""Which users' pairs are in the split `validation`.

Users who are partners of a twin stay together, over all configurations. Where a group goes depends
on the pseudonyms in it and on nothing else, so that other users who come or go change nothing.
"""

from collections.abc import Iterable, Sequence

from pairwright.records import content_id

_ALL = 1 << 64


def splits_of(subjects: Iterable[Sequence[str]], share: float) -> dict[str, str]:
    """The split of every user; each subject is the pseudonyms it is about, one or two."""
    leader: dict[str, str] = {}
    for users in subjects:
        roots = sorted({_root(user, leader) for user in users})
        for root in roots:
            # The first by name leads, whichever subject comes first.
            leader[root] = roots[0]
    limit = int(share * _ALL)
    return {
        user: "validation" if _place(_root(user, leader)) < limit else "test" for user in leader
    }


def _root(user: str, leader: dict[str, str]) -> str:
    path = []
    while (above := leader.setdefault(user, user)) != user:
        path.append(user)
        user = above
    for passed in path:
        leader[passed] = user
    return user


def _place(leader: str) -> int:
    return int(content_id("split", leader).removeprefix("split-"), 16)
