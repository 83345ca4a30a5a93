"""The work of a build: one unit an item and mode, those that share a history close together."""

from collections.abc import Iterator
from typing import NamedTuple

from pairwright.construct.corpus import Corpus
from pairwright.records import Mode


class Unit(NamedTuple):
    """One piece of work. `position` is its place in the outcome files: the source's order."""

    id: str
    mode: Mode
    item: int
    position: int


def units(corpus: Corpus, modes: tuple[Mode, ...], limit: int | None = None) -> Iterator[Unit]:
    """Every unit of the first `limit` items of the source, category by category along the ring.

    A couple's units follow one another, and the histories they are held against come next.
    """
    wanted = len(corpus) if limit is None else min(limit, len(corpus))
    for category, ring in sorted(corpus.rings.items()):
        for user in ring.users:
            for item in corpus.by_user[user]:
                if item < wanted and corpus.entries[item].category == category:
                    yield from _of(corpus, item, modes)


def _of(corpus: Corpus, item: int, modes: tuple[Mode, ...]) -> Iterator[Unit]:
    for n, mode in enumerate(modes):
        yield Unit(f"{mode}:{corpus.entries[item].id}", mode, item, item * len(modes) + n)
