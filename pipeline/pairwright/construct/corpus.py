"""The items of a run, on disk, and the work on them: one unit an item and mode.

`items.jsonl` in the run folder is the source as Pairwright understood it: memory holds one short
entry an item, however long its history. Every run writes it again, and a release is made from it.

Units that share a history are close together. Where twins are built each item is surveyed first,
which is a unit, too.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import count
from pathlib import Path
from sys import intern
from typing import Any, BinaryIO, NamedTuple

from pairwright.construct.build_rules import NeighbourRing, TriedUsers
from pairwright.construct.outcomes import Failure, Pending
from pairwright.drafting.posts import fair_posts
from pairwright.errors import on_disk
from pairwright.records import Dropped, Item, Post
from pairwright.settings.config import Config


class ItemEntry(NamedTuple):
    """What is known of an item without reading it."""

    id: str
    user: str
    category: str
    posts: int
    offset: int


class Corpus:
    """Items by position, and what they say together."""

    def __init__(self, path: Path, entries: list[ItemEntry], *, seed: int) -> None:
        self._path = path.absolute()
        self.entries = entries
        self._seed = seed
        self.choose_tried: Callable[[Corpus], dict[str, TriedUsers]] = lambda _: {}
        self.by_user: dict[str, list[int]] = {}
        self.by_category: dict[str, dict[str, int]] = {}
        """The users of each category, with their first item in it."""
        for position, entry in enumerate(entries):
            self.by_user.setdefault(entry.user, []).append(position)
            self.by_category.setdefault(entry.category, {}).setdefault(entry.user, position)
        self._file: BinaryIO = path.open("rb")
        self._recent = lru_cache(maxsize=512)(self._read)
        self._longest = {
            # The first by id on a tie.
            user: max(sorted(own, key=lambda p: entries[p].id), key=lambda p: entries[p].posts)
            for user, own in self.by_user.items()
        }

    @classmethod
    def write(cls, items: Iterable[Item], path: Path, config: Config) -> "Corpus":
        """Write the items and open them; the file appears whole or not at all."""
        partial = path.with_suffix(".partial")
        entries, offset = [], 0
        with on_disk(path), partial.open("wb") as file:
            for item in items:
                line = item.model_dump_json().encode() + b"\n"
                file.write(line)
                entries.append(
                    ItemEntry(
                        item.id, item.user, intern(item.category.lower()), len(item.profile), offset
                    )
                )
                offset += len(line)
        partial.replace(path)
        return cls(path, entries, seed=config.seed)

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process opens the file for itself.
        return _reopened, (self._path, self.entries, self._seed, self.tried)

    def close(self) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self.entries)

    def item(self, position: int) -> Item:
        """The item at a position of the source order."""
        return self._recent(position)

    def _read(self, position: int) -> Item:
        self._file.seek(self.entries[position].offset)
        return Item.model_validate_json(self._file.readline())

    def longest_item(self, user: str) -> Item:
        """The user's item with the longest history (the first by id on a tie)."""
        return self.item(self._longest[user])

    def category_of(self, user: str) -> str:
        """The category of that item, in lower case."""
        return self.entries[self._longest[user]].category

    @cached_property
    def tried(self) -> dict[str, TriedUsers]:
        """By item, the users that its question is tried on. They are chosen when the first unit
        asks for them: a build that has no work to do chooses none."""
        return self.choose_tried(self)

    @cached_property
    def rings(self) -> dict[str, NeighbourRing]:
        """The users of each category in their ring."""
        return {
            category: NeighbourRing(users, self._seed)
            for category, users in self.by_category.items()
        }

    def others(self, item: Item, user: str) -> tuple[tuple[Post, ...], ...]:
        """The histories with whose plans a user's aspects for the item's question are compared.

        The asker is compared with the users that the question was tried on. Where `user` is one of
        these, the asker takes that user's place: so both halves of a twin are compared with equally
        many users, and nobody with themselves. There are fewer where the category has fewer users,
        or one of them wrote nothing before the question.
        """
        users = self.tried[item.id].users
        if user != item.user:
            users = tuple(item.user if other == user else other for other in users)
        histories = (
            item.profile
            if other == item.user
            else fair_posts(item, self.longest_item(other).profile)
            for other in users
        )
        return tuple(posts for posts in histories if posts)


def _reopened(
    path: Path, entries: list[ItemEntry], seed: int, tried: dict[str, TriedUsers]
) -> Corpus:
    corpus = Corpus(path, entries, seed=seed)
    corpus.tried = tried
    return corpus


UnitTask = str
"""A mode, or `survey`."""


class BuildUnit(NamedTuple):
    """One piece of work. `position` is its place in the outcome files: the source's order. Surveys
    are in no such file, and their positions are below zero."""

    id: str
    mode: UnitTask
    item: int
    position: int
    partner: str | Dropped | Failure | Pending | None = None
    """Of a unit that needs a second user: that user, or why there is none; None where the survey
    rules the item out."""


def all_units(
    corpus: Corpus,
    modes: tuple[str, ...],
    tasks: Collection[UnitTask],
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
                if item not in wanted or corpus.entries[item].category != category:
                    continue
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
