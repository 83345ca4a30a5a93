"""Reading an aspect back: which phrase it is about, once its frame is taken off.

    subject("Ways to manage with no oven at all")      Subject(kind='lack', phrase='oven')

An aspect that is not of our making is about all of its words.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from pairwright.models.simulated.frames import FRAMES
from pairwright.text import stem, terms, words


class Subject(NamedTuple):
    """What an aspect is about."""

    kind: str
    phrase: str


def _reader(frame: str) -> str:
    pattern = re.escape(frame).replace(r"\{a\}", "(?:an?|the)").replace(r"\{p\}", "(.+)")
    return f"(?:{pattern})"


_READERS = [
    (kind, re.compile(_reader(frame), re.IGNORECASE))
    for kind, frames in FRAMES.items()
    for frame in frames.aspects
]


@lru_cache(maxsize=8192)
def subject(aspect: str) -> Subject:
    """The kind and phrase of an aspect of ours; of any other, kind `other` and all its words."""
    plain = " ".join(aspect.split()).rstrip(". ")
    for kind, reader in _READERS:
        if match := reader.fullmatch(plain):
            return Subject(kind, match[1])
    return Subject("other", plain)


@lru_cache(maxsize=8192)
def content(aspect: str) -> frozenset[str]:
    """The stems that an answer has to hold to serve the aspect."""
    phrase = subject(aspect).phrase
    return frozenset(terms(phrase) or {stem(w) for w in words(phrase)})
