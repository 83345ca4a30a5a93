"""The items of a run, on disk.

`items.jsonl` in the run folder is the source as Pairwright understood it. Memory holds one short
entry per item, however long its history. Every run writes the file again.
"""

import math
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple

from pairwright.errors import on_disk
from pairwright.records import Item, content_id

BLOCK = 200
"""The users of a category who are looked at together: candidates are of one block."""


class ItemEntry(NamedTuple):
    """The facts on an item that are known without reading it."""

    id: str
    user: str
    category: str
    """In lower case."""
    posts: int
    offset: int


class Corpus:
    """Items by position."""

    def __init__(self, path: Path, entries: list[ItemEntry], seed: int) -> None:
        self._opened = path.absolute(), entries, seed
        self.entries = entries
        self._seed = seed
        self._file = path.open("rb")
        self.item = lru_cache(maxsize=512)(self._read)
        """Reads the item at a position of the source order."""
        self.by_user: dict[str, list[int]] = {}
        for position, entry in enumerate(entries):
            self.by_user.setdefault(entry.user, []).append(position)
        self._longest = {
            # The first by id on a tie.
            user: max(sorted(own, key=lambda p: entries[p].id), key=lambda p: entries[p].posts)
            for user, own in self.by_user.items()
        }

    @classmethod
    def write(cls, items: Iterable[Item], path: Path, seed: int) -> "Corpus":
        """Write the items and open them; the file appears whole or not at all."""
        partial = path.with_suffix(".partial")
        entries, offset = [], 0
        with on_disk(path), partial.open("wb") as file:
            for item in items:
                line = item.model_dump_json().encode() + b"\n"
                file.write(line)
                category = intern(item.category.lower())
                entries.append(ItemEntry(item.id, item.user, category, len(item.profile), offset))
                offset += len(line)
        partial.replace(path)
        return cls(path, entries, seed)

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process opens the file for itself.
        return Corpus, self._opened

    def close(self) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self.entries)

    def _read(self, position: int) -> Item:
        self._file.seek(self.entries[position].offset)
        return Item.model_validate_json(self._file.readline())

    def longest_item(self, user: str) -> Item:
        """The user's item with the longest history (the first by id on a tie)."""
        return self.item(self._longest[user])

    @cached_property
    def blocks(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """The users who may be each other's candidates, by category and user: those of a category
        in a seeded order, in which the source's order decides nothing, cut into blocks."""
        by_category: dict[str, set[str]] = {}
        for entry in self.entries:
            by_category.setdefault(entry.category, set()).add(entry.user)
        blocks = dict[tuple[str, str], tuple[str, ...]]()
        for category, users in sorted(by_category.items()):
            ring = sorted(users, key=lambda user: content_id("circle", str(self._seed), user))
            # Of about equal size, so that nobody is left alone.
            size = math.ceil(len(ring) / math.ceil(len(ring) / BLOCK))
            for n in range(0, len(ring), size):
                block = tuple(ring[n : n + size])
                blocks |= {(category, user): block for user in block}
        return blocks

    def in_reading_order(self, items: range) -> Iterator[int]:
        """The items of this range, block by block: those that read the same histories are close
        together, so that a prefix cache computes a history once."""
        for category, user in self.blocks:
            for position in self.by_user[user]:
                if position in items and self.entries[position].category == category:
                    yield position

    def near(self, item: Item) -> Iterator[str]:
        """Every other user of the asker's block, the nearest on either side first: so a user who is
        near to another has that one near, too."""
        users = self.blocks[item.category.lower(), item.user]
        place, size = users.index(item.user), len(users)
        for step in range(1, size // 2 + 1):
            yield users[(place + step) % size]
            if 2 * step < size:
                yield users[(place - step) % size]
