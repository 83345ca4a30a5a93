"""Replies that name the number of what they answer: their order does not matter."""

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar


class Entry(Protocol):
    """One entry of a reply."""

    @property
    def number(self) -> int:
        """The number, from 1, of what it answers."""
        ...


E = TypeVar("E", bound=Entry)


def misnumbered(entries: Iterable[Entry], due: int) -> str | None:
    """Why the entries do not answer each of 1 ... `due` exactly once, or None where they do."""
    numbers = [entry.number for entry in entries]
    wanted = range(1, due + 1)
    if unknown := [number for number in numbers if number not in wanted]:
        return f"an entry for number {unknown[0]}, which is not among 1 to {due}"
    if doubled := [number for number in wanted if numbers.count(number) > 1]:
        return f"more than one entry for number {doubled[0]}"
    if missing := [number for number in wanted if number not in numbers]:
        return f"no entry for number {missing[0]}"
    return None


def in_order(entries: Sequence[E]) -> list[E]:
    """The entries by their numbers."""
    return sorted(entries, key=lambda entry: entry.number)
