"""How long it takes to read what tasks show, in the language of their texts.

Adults read English non-fiction silently at 238 words a minute, as estimated from 190 studies:
Brysbaert (2019), How many words do we read per minute? A review and meta-analysis of reading rate,
Journal of Memory and Language 109, 104047. The rates of other languages are those of texts that
have the same content in 17 languages, read aloud by about 25 native speakers each:
Trauzettel-Klosinski and Dietz (2012), Standardized assessment of reading performance: the new
International Reading Speed Texts IReST, Investigative Ophthalmology & Visual Science 53, 5452,
table 2. English was read at 228 words a minute there, 4 % more slowly than silently.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from html import unescape
from statistics import median
from typing import NamedTuple

from pydantic import JsonValue

from pairwright.text import word_count
from pairwright.text.languages import LANGUAGES, language_of
from pairwright_human_eval.records import KINDS, Data, Kind
from pairwright_human_eval.subjects import Subject
from pairwright_human_eval.tasks import Task

WORDS_A_MINUTE = {
    "ar": 138, "de": 179, "en": 238, "es": 218, "fi": 161, "fr": 195, "he": 187, "it": 188,
    "ja": 193, "nl": 202, "pl": 166, "pt": 181, "ru": 184, "sl": 180, "sv": 199, "tr": 166,
    "zh": 158,
}  # fmt: skip
"""By the code of a language."""
MEAN_RATE = 184
"""The mean of the 17 languages, words a minute."""
LOOKED_AT = 50
"""Subjects of a study by which the language of its texts is determined."""
_TAG = re.compile(r"<[^>]+>")
_HTML = ("response_a", "response_b")
_OWN = "task"
"""The id, which no page shows."""


class ReadingRate(NamedTuple):
    """How fast the texts of a study are read."""

    words: int
    """A minute."""
    of: str
    """What the rate is of, such as `German`."""

    def __str__(self) -> str:
        return f"{self.words} words a minute ({self.of})"


class ReadingTime(NamedTuple):
    """What some tasks show, read once."""

    kind: Kind
    tasks: int
    words: float
    """Median of a task."""
    minutes: float
    """Of all of them together."""
    seconds: float
    """For the words of the median task."""


def reading_rate(subjects: Sequence[Subject], otherwise: str = "en") -> ReadingRate:
    """The rate of the language that most of the questions and responses are in. `otherwise` is
    taken where no language is certain. A language that was not measured has the mean rate."""
    code = language_of_texts(subjects) or otherwise
    if code in WORDS_A_MINUTE:
        return ReadingRate(WORDS_A_MINUTE[code], LANGUAGES[code].name)
    return ReadingRate(MEAN_RATE, "the mean of 17 languages")


def language_of_texts(subjects: Sequence[Subject]) -> str:
    """The code of the language that most of the questions and responses are in; empty where none
    is certain."""
    looked_at = subjects[:: max(1, len(subjects) // LOOKED_AT)]
    found = Counter(
        code
        for subject in looked_at
        if (code := language_of(subject.asked.question, subject.asked.chosen))
    )
    return found.most_common(1)[0][0] if found else ""


def readings(tasks: Iterable[Task], rate: ReadingRate) -> tuple[ReadingTime, ...]:
    """By kind, in the order of the work; kinds without a task are left out."""
    words: dict[Kind, list[int]] = {kind: [] for kind in KINDS}
    for task in tasks:
        words[task.keyed.kind].append(words_shown(task.data))
    return tuple(
        ReadingTime(
            kind,
            tasks=len(found),
            words=median(found),
            minutes=sum(found) / rate.words,
            seconds=median(found) * 60 / rate.words,
        )
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
