"""How much of the histories an engine's prefix cache finds, in the order in which a build reads.

python benchmarks/reading_order.py

A simulation without a model: units in flight take turns at random, a cache of so many tokens drops
what was used least recently. The columns are those of docs/serve.md.
"""

import random
from collections import OrderedDict
from collections.abc import Callable, Iterator
from itertools import islice

USERS, HISTORY, OTHERS = 1200, 1500, 5
CALL = 1500
"""Tokens of a call without a history; an item has eight of them."""
SUITS = 0.5
Read = int | None
"""The user whose history a call reads, or None."""


class Cache:
    """Prompts by what they begin with; the least recently used leaves first."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._used = 0
        self._held: OrderedDict[object, int] = OrderedDict()

    def finds(self, prefix: object, tokens: int) -> bool:
        """Whether a prompt's beginning is there; it is afterwards."""
        found = prefix in self._held
        if not found:
            self._held[prefix] = tokens
            self._used += tokens
        self._held.move_to_end(prefix)
        while self._used > self._room:
            self._used -= self._held.popitem(last=False)[1]
        return found


def nearest(user: int) -> list[int]:
    """The nearest users on the ring who suit this one, on both sides."""

    def on_ring() -> Iterator[int]:
        for step in range(1, USERS // 2):
            for other in ((user + step) % USERS, (user - step) % USERS):
                if random.Random(min(user, other) * USERS + max(user, other)).random() < SUITS:
                    yield other

    return list(islice(on_ring(), OTHERS))


def at_random(user: int) -> list[int]:
    return random.Random(user).sample(range(USERS), OTHERS)


def share_found(room: int, in_flight: int, others: Callable[[int], list[int]]) -> float:
    """The share of history tokens that need not be computed."""
    units = ([user, None, None, *others(user), *[None] * 6] for user in range(USERS))
    under_way: list[list[Read]] = list(islice(units, in_flight))
    cache, turn, calls, found, read = Cache(room), random.Random(1), 0, 0, 0
    while under_way:
        place = turn.randrange(len(under_way))
        unit, calls = under_way[place], calls + 1
        history = unit.pop(0)
        if history is None:
            cache.finds(("call", calls), CALL)
        else:
            read, found = read + 1, found + cache.finds(history, HISTORY)
        if not unit:
            under_way[place : place + 1] = islice(units, 1)
    return found / read


def main() -> None:
    for room in (100_000, 200_000, 500_000, 1_000_000):
        shares = [
            share_found(room, in_flight, others)
            for in_flight, others in ((64, nearest), (256, nearest), (64, at_random))
        ]
        print(f"{room:>9,}", *(f"{share:.2f}" for share in shares))


if __name__ == "__main__":
    main()
