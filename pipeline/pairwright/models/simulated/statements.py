"""What people say about themselves in a post, found by the cues.

The few words after a cue are a statement's phrase, and the clause around both is its evidence,
character by character.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from pairwright.models.simulated.cues import CUES, CueMatch
from pairwright.models.simulated.frames import FRAMES
from pairwright.text import stem, terms, words


class Statement(NamedTuple):
    """One thing a person says about themselves."""

    kind: str
    """The row of `frames.FRAMES` that makes an aspect of it."""
    phrase: str
    evidence: str
    weight: float


_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?=[^\s.!?])[^.!?\n]+)*[.!?]*")
_PAUSE = re.compile(r"[,;:()\u2013\u2014]| - | (?:and|but|because|since|so|although|though) ")
_FIRST_PERSON = re.compile(r"\b(?:i|my|we|our|me|us|mine)\b", re.IGNORECASE)


def sentences(text: str) -> list[str]:
    """The sentences of a text, as they stand in it."""
    return [match.group() for match in _SENTENCE.finditer(text)]


@lru_cache(maxsize=8192)
def read_statements(post: str) -> tuple[Statement, ...]:
    """Everything a post says about its author, in order."""
    statements: list[Statement] = []
    for whole in sentences(post):
        if _FIRST_PERSON.search(whole) or whole.lstrip().startswith("No "):
            statements += _in_sentence(whole, 0.6 if whole.endswith("?") else 1.0)
    return tuple(statements)


def _in_sentence(sentence: str, trust: float) -> Iterator[Statement]:
    for cue in CUES:
        for match in cue.opening.finditer(sentence):
            rest = sentence[match.end() :]
            if phrase := cue.phrase(CueMatch(match, rest)):
                evidence = _clause(sentence, match.start(), match.end() + _reach(rest, phrase))
                if evidence:
                    yield Statement(cue.kind, phrase, evidence, cue.weight * trust)


def _reach(rest: str, phrase: str) -> int:
    """How far into `rest` the phrase goes: to the end of its last word."""
    at = rest.lower().find(phrase.split()[-1].lower())
    return at + len(phrase.split()[-1]) if at >= 0 else len(rest.split(" ")[0])


def _clause(sentence: str, start: int, end: int) -> str:
    """The shortest clause of 4 to 25 words around sentence[start:end]; empty where none is."""
    cuts = [0, *(m.end() for m in _PAUSE.finditer(sentence)), len(sentence)]
    ends = [0, *(m.start() for m in _PAUSE.finditer(sentence)), len(sentence)]
    first = max(i for i, cut in enumerate(cuts) if cut <= start)
    last = min(i for i, stop in enumerate(ends) if stop >= end)
    while True:
        clause = sentence[cuts[first] : ends[last]].strip(" \"'.!?,;:")
        count = len(clause.split())
        if count >= 4 or (first == 0 and last == len(cuts) - 1):
            return clause if 4 <= count <= 25 else ""
        first, last = (first - 1, last) if first else (first, last + 1)


class AspectSubject(NamedTuple):
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
def subject(aspect: str) -> AspectSubject:
    """The kind and phrase of an aspect of ours; of any other, kind `other` and all its words."""
    plain = " ".join(aspect.split()).rstrip(". ")
    for kind, reader in _READERS:
        if match := reader.fullmatch(plain):
            return AspectSubject(kind, match[1])
    return AspectSubject("other", plain)


@lru_cache(maxsize=8192)
def content(aspect: str) -> frozenset[str]:
    """The stems that an answer has to hold to serve the aspect."""
    phrase = subject(aspect).phrase
    return frozenset(terms(phrase) or {stem(w) for w in words(phrase)})
