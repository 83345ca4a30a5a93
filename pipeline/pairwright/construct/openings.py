"""Who took what another refused: the openings of natural twins, by couples of users."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from pairwright.construct.partners import Couple
from pairwright.records import content_id
from pairwright.sources import Chooser

OTHERS_PER_USER = 100
"""A user is compared with at most so many other users of a topic: the next ones on a ring in seeded
order."""
COMPARISONS = 5_000_000
"""About so many are made of all choices; where these are many, each is compared with fewer."""


class Meeting(NamedTuple):
    """Two users before one question, by their positions, who took what the other refused."""

    first: int
    second: int


class Openings(NamedTuple):
    """What twins there could be."""

    by_couple: dict[Couple, int]
    """How many pairs of responses each couple could have a twin of."""
    met: set[int]
    """The positions of the choosers whose reverse somebody chose."""


def count_openings(candidates: Sequence[Chooser], seed: int) -> Openings:
    """On a topic of many users each is compared with the next ones on a ring alone. The ring has
    the same order on every topic, so that two users who meet on one meet on all."""
    topics: dict[tuple[str, str], list[int]] = {}
    for n, chooser in enumerate(candidates):
        topics.setdefault(chooser.twin_key, []).append(n)
    order = {one.user: content_id("chooser", str(seed), one.user) for one in candidates}
    others = max(1, min(OTHERS_PER_USER, COMPARISONS // max(1, len(candidates))))
    found: Counter[Couple] = Counter()
    met = set[int]()
    for topic in topics.values():
        ring = sorted(topic, key=lambda n: order[candidates[n].user])
        size = len(ring)
        # On a small ring everybody is met once; each couple has one of the two directions.
        for place, n in enumerate(ring):
            for step in range(1, min(others, size - 1) + 1):
                if 2 * step > size or (2 * step == size and place >= step):
                    break
                other = ring[(place + step) % size]
                if count := _opening_count(candidates[n], candidates[other]):
                    first, second = sorted((candidates[n].user, candidates[other].user))
                    found[first, second] += count
                    met |= {n, other}
    return Openings(dict(sorted(found.items())), met)


def _opening_count(one: Chooser, two: Chooser) -> int:
    if one.user == two.user:
        return 0
    taken = len(one.taken.keys() & two.refused.keys())
    return taken * len(one.refused.keys() & two.taken.keys()) if taken else 0


def meetings_of(
    couples: Iterable[Couple], candidates: Sequence[Chooser]
) -> Iterator[tuple[Couple, list[Meeting]]]:
    """Each couple with the questions on which both took what the other refused."""
    by_user: dict[str, dict[tuple[str, str], list[int]]] = {}
    for n, chooser in enumerate(candidates):
        by_user.setdefault(chooser.user, {}).setdefault(chooser.twin_key, []).append(n)
    for couple in couples:
        one, two = (by_user[user] for user in couple)
        positions = (
            sorted(both) for key in one if key in two for both in product(one[key], two[key])
        )
        yield (
            couple,
            sorted(
                Meeting(n, other)
                for n, other in positions
                if _opening_count(candidates[n], candidates[other])
            ),
        )
