"""The work of a build in chunks, to be given to workers as they become free."""

from collections.abc import Iterable, Iterator
from itertools import count
from typing import NamedTuple

from pairwright.construct.units import Unit

MOST_UNITS = 256
CHUNKS_EACH = 16
"""Chunks a worker would get if all took equally long: the last ones then end close together."""


class Chunk(NamedTuple):
    """Units that one worker builds, with one shard."""

    number: int
    units: tuple[Unit, ...]


def size_of(units: int, workers: int) -> int:
    """Units of one chunk, for so many units in all."""
    return max(1, min(MOST_UNITS, units // (CHUNKS_EACH * workers)))


def chunks(units: Iterable[Unit], size: int) -> Iterator[Chunk]:
    """The units in their order, cut between items once a chunk has `size` of them.

    The units of one item ask for the same calls. Those of two items have none in common unless
    their questions are the same.
    """
    numbers = count()
    gathered: list[Unit] = []
    for unit in units:
        if len(gathered) >= size and unit.item != gathered[-1].item:
            yield Chunk(next(numbers), tuple(gathered))
            gathered = []
        gathered.append(unit)
    if gathered:
        yield Chunk(next(numbers), tuple(gathered))
