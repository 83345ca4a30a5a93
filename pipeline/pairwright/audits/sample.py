"""A sample of pairs by whole clusters, which does not depend on their order."""

import hashlib
import heapq
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class ClusterSample(Generic[T]):
    """At most `most` pairs: those of the clusters whose hashes come first, whatever the order in
    which the pairs come."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._below = 1 << 64
        self._kept: dict[int, list[T]] = {}
        self._last: list[int] = []
        """Hashes of what is kept, negative: the last one first."""
        self._pairs = 0

    def has_room(self, cluster: str) -> bool:
        """Whether a pair of this cluster would be kept for now."""
        return place_of(cluster) < self._below

    def add(self, cluster: str, pair: T) -> None:
        """Keep a pair, and let the last clusters go while there are more pairs than `most`."""
        place = place_of(cluster)
        if place >= self._below:
            return
        if place not in self._kept:
            self._kept[place] = []
            heapq.heappush(self._last, -place)
        self._kept[place].append(pair)
        self._pairs += 1
        while self._pairs > self._most:
            self._below = -heapq.heappop(self._last)
            self._pairs -= len(self._kept.pop(self._below))

    def __len__(self) -> int:
        return self._pairs

    def __iter__(self) -> Iterator[T]:
        """Cluster by cluster in the order of the hashes; in a cluster as they came."""
        for place in sorted(self._kept):
            yield from self._kept[place]


def place_of(name: str) -> int:
    """A place from 0 to 2 ** 64 - 1 for a name, the same in every audit."""
    return int.from_bytes(hashlib.blake2b(name.encode(errors="replace"), digest_size=8).digest())
