"""The work of a build: one unit an item and mode, those that share a history close together.

Where twins are built each item is surveyed first, which is a unit, too.
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import count
from typing import Literal, NamedTuple

from pairwright.construct.corpus import Corpus
from pairwright.construct.outcomes import Failure, Pending
from pairwright.records import Mode, Rejected

Task = Mode | Literal["survey"]


class BuildUnit(NamedTuple):
    """One piece of work. `position` is its place in the outcome files: the source's order. Surveys
    are in no such file, and their positions are below zero."""

    id: str
    mode: Task
    item: int
    position: int
    partner: str | Rejected | Failure | Pending | None = None
    """Of a twin: the partner's user, or why there is none; None where the item was surveyed
    without a signal."""


def all_units(
    corpus: Corpus,
    modes: tuple[Mode, ...],
    tasks: Collection[Task],
    items: range | None = None,
) -> Iterator[BuildUnit]:
    """The units of some tasks on these `items` of the source, or on all, category by category
    along the ring: the units of an item follow one another, and those come next that read the same
    histories.

    `modes` are all that the run builds; the place of each unit goes by them.
    """
    wanted = range(len(corpus)) if items is None else items
    for category, ring in sorted(corpus.rings.items()):
        for user in ring.users:
            for item in corpus.by_user[user]:
                if item in wanted and corpus.entries[item].category == category:
                    yield from _of(corpus, item, modes, tasks)


def _of(
    corpus: Corpus, item: int, modes: tuple[Mode, ...], tasks: Collection[Task]
) -> Iterator[BuildUnit]:
    name = corpus.entries[item].id
    if "survey" in tasks:
        yield BuildUnit(f"survey:{name}", "survey", item, -1 - item)
    for n, mode in enumerate(modes):
        if mode in tasks:
            yield BuildUnit(f"{mode}:{name}", mode, item, item * len(modes) + n)


def first_items(corpus: Corpus, limit: int | None) -> range:
    """The first `limit` items of the source, or all."""
    return range(len(corpus) if limit is None else min(limit, len(corpus)))


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
