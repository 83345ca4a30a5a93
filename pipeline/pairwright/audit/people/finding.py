"""Kinds of personal data, and findings of them in a text.

Every pattern of this package starts at the edge of a word and repeats a bounded number of times,
so that a text costs at most some dozens of steps for each character.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Finding(NamedTuple):
    """Personal data in a text: `text[start:end]`."""

    kind: str
    """The name of its kind's check."""
    start: int
    end: int


class DataKind(NamedTuple):
    """One kind of personal data."""

    name: str
    """The name of its check."""
    find: Callable[[str], Iterator[Finding]]
    """Everything of this kind in a text."""
    fails: bool = False
    """Whether a row that holds it fails the check: by it anybody can reach or rob a person, or pass
    for one. The other kinds are public names, often of somebody famous: they are noted and
    logged."""
    needs_digits: bool = False
    """Whether a text without a digit cannot hold it."""
    covers: str = ""
    """What is looked for, where that is less than the check's title says."""


def mask(text: str, finding: Finding) -> str:
    """A finding as a report may show it: its first character and its form."""
    own = text[finding.start : finding.end][:60]
    return own[:1] + re.sub(r"[^\W_]", "*", own[1:])


_BEFORE = re.compile(r"[\w.,+/$\u20ac\u00a3-]")


def starts_alone(text: str, start: int) -> bool:
    """Whether what begins at `start` is not part of a longer number or name. This is checked after
    a match, because a pattern that begins with a look back is slow."""
    return start == 0 or not _BEFORE.match(text, start - 1)
