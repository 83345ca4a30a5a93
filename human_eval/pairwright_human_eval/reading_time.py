"""How long it takes to read what tasks show.

Adults read English non-fiction silently at 238 words a minute, as estimated from 190 studies:
Brysbaert (2019), How many words do we read per minute? A review and meta-analysis of reading rate,
Journal of Memory and Language 109, 104047.
"""

import re
from collections.abc import Iterable
from html import unescape
from statistics import median
from typing import NamedTuple

from pydantic import JsonValue

from pairwright.text import word_count
from pairwright_human_eval.records import KINDS, Data, Kind
from pairwright_human_eval.tasks import Task

WORDS_A_MINUTE = 238
_TAG = re.compile(r"<[^>]+>")
_HTML = ("response_a", "response_b")
_OWN = "task"
"""The id, which no page shows."""


class ReadingTime(NamedTuple):
    """What some tasks show, read once."""

    kind: Kind
    tasks: int
    words: float
    """Median of a task."""
    minutes: float
    """Of all of them together."""

    @property
    def seconds(self) -> float:
        """For the words of the median task."""
        return self.words * 60 / WORDS_A_MINUTE


def readings(tasks: Iterable[Task]) -> tuple[ReadingTime, ...]:
    """By kind, in the order of the work; kinds without a task are left out."""
    words: dict[Kind, list[int]] = {kind: [] for kind in KINDS}
    for task in tasks:
        words[task.keyed.kind].append(words_shown(task.data))
    return tuple(
        ReadingTime(kind, len(found), median(found), sum(found) / WORDS_A_MINUTE)
        for kind, found in words.items()
        if found
    )


def words_shown(data: Data) -> int:
    """Words of the question, posts, responses, aspects and all else that a task shows;
    not those of the form."""
    return sum(
        word_count(unescape(_TAG.sub("", str(value)))) if name in _HTML else _words(value)
        for name, value in data.items()
        if name != _OWN
    )


def _words(value: JsonValue) -> int:
    if isinstance(value, str):
        return word_count(value)
    if isinstance(value, dict):
        return sum(map(_words, value.values()))
    return sum(map(_words, value)) if isinstance(value, list) else 0
