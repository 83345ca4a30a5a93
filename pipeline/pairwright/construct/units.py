"""The work of a build: one unit an item and mode, those that share a history close together."""

from collections.abc import Iterable, Iterator
from itertools import count
from typing import NamedTuple

from pairwright.construct.corpus import Corpus
from pairwright.records import Mode


class BuildUnit(NamedTuple):
    """One piece of work. `position` is its place in the outcome files: the source's order."""

    id: str
    mode: Mode
    item: int
    position: int


def all_units(
    corpus: Corpus, modes: tuple[Mode, ...], limit: int | None = None
) -> Iterator[BuildUnit]:
    """Every unit of the first `limit` items of the source, category by category along the ring.

    A couple's units follow one another, and the histories they are held against come next.
    """
    wanted = len(corpus) if limit is None else min(limit, len(corpus))
    for category, ring in sorted(corpus.rings.items()):
        for user in ring.users:
            for item in corpus.by_user[user]:
                if item < wanted and corpus.entries[item].category == category:
                    yield from _of(corpus, item, modes)


def _of(corpus: Corpus, item: int, modes: tuple[Mode, ...]) -> Iterator[BuildUnit]:
    for n, mode in enumerate(modes):
        yield BuildUnit(f"{mode}:{corpus.entries[item].id}", mode, item, item * len(modes) + n)


MOST_UNITS = 256
CHUNKS_EACH = 16
"""Chunks a worker would get if all took equally long: the last ones then end close together."""


class Chunk(NamedTuple):
    """Units that one worker builds, with one shard."""

    number: int
    units: tuple[BuildUnit, ...]


def size_of(units: int, workers: int) -> int:
    """Units of one chunk, for so many units in all."""
    return max(1, min(MOST_UNITS, units // (CHUNKS_EACH * workers)))


def chunks(units: Iterable[BuildUnit], size: int) -> Iterator[Chunk]:
    """The units in their order, cut between items once a chunk has `size` of them.

    The units of one item ask for the same calls. Those of two items have none in common unless
    their questions are the same.
    """
    numbers = count()
    gathered: list[BuildUnit] = []
    for unit in units:
        if len(gathered) >= size and unit.item != gathered[-1].item:
            yield Chunk(next(numbers), tuple(gathered))
            gathered = []
        gathered.append(unit)
    if gathered:
        yield Chunk(next(numbers), tuple(gathered))
