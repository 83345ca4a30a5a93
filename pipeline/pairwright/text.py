"""Words, spans and overlaps of texts: what retrieval, gates and sources all measure with."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Set
from functools import lru_cache
from typing import NamedTuple, TypeVar

T = TypeVar("T")
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d\u2039", "''\"\"<")
# What prompts show of "[INST]" and its like (prompt.guard), in lower case.
_BRACKET = re.compile(r"\((?=/?[a-z_]{4,}\])")
_LINE_ENDS = re.compile("[\r\x0b\x0c\x85\u2028\u2029]")
# C0 and C1 controls but tab and newline, bidi controls, zero-width and tag characters, BOM.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# A line that is indented, as code is; where the first line begins tells nothing.
_INDENTED = re.compile(r"\n[ \t]+\S")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*", re.UNICODE)
_BETWEEN = bytes(n if chr(n).isalnum() or chr(n) == "'" else ord(" ") for n in range(256))
# An apostrophe with no word before it, or none after it; only of ASCII in lower case.
_STRAY = re.compile(r"'(?:(?![a-z0-9])|(?<![a-z0-9]'))")

# Function words of English: they carry no topic, so overlaps leave them out.
_FUNCTION_WORDS = """
    a about above after again against all almost also although always am among an and
    another any anyone anything are around as at away back be became because become been
    before being below better between both but by came can cannot can't come could couldn't
    did didn't do does doesn't doing don't done down during each either else enough even
    ever every everyone everything few find first for from further gave get gets getting
    give given go goes going gone good got great had has hasn't have haven't having he her
    here hers herself him himself his how however i i'd i'll i'm i've if in instead into is
    isn't it it's its itself just keep kind know last least less let like little long look
    looking lot made make makes making many may me might more most much must my myself need
    needs never new next no nobody none nor not nothing now of off often old on once one
    ones only onto or other others otherwise our ours ourselves out over own part people per
    perhaps put quite rather really right said same say second see seem seems several shall
    she should since so some someone something sometimes soon still such take tell than that
    that's the their theirs them themselves then there these they they're thing things think
    this those though three through thus time times to together too took toward towards try
    two under until up upon us use used uses using usually very want wants was wasn't way
    ways we we're well went were weren't what whatever when where whether which while who
    whole whom whose why will with within without won't work would wouldn't yes yet you
    you're your yours yourself
"""
STOPWORDS = frozenset(_FUNCTION_WORDS.split())


# The same posts and responses are measured again and again.
@lru_cache(maxsize=1024)
def words(text: str) -> tuple[str, ...]:
    """Lower-cased words in order; apostrophes stay inside a word."""
    plain = text.lower().replace("\u2019", "'")
    if not plain.isascii():
        return tuple(_WORD.findall(plain))
    # The same for most texts, in a third of the time.
    apart = plain.encode().translate(_BETWEEN).decode()
    return tuple((_STRAY.sub(" ", apart) if "'" in apart else apart).split())


def word_count(text: str) -> int:
    """Words as a person counts them: runs between white space."""
    return len(text.split())


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A crude stem (plural and verb endings), enough to match `brakes` with `braking`."""
    for ending in ("'s", "ings", "ing", "ies", "ied", "es", "ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            root = word[: -len(ending)]
            return root + "y" if ending in ("ies", "ied") else root
    return word


def _content(word: str) -> str:
    """The stem of a word that carries content, else nothing."""
    return stem(word) if len(word) > 2 and word not in STOPWORDS else ""


class Remembered(dict[str, T]):
    """By word what a function makes of it: most of any text are the same frequent words, and of
    these it is looked up in half the time of an `lru_cache`."""

    MOST = 200_000

    def __init__(self, values: Callable[[str], T]) -> None:
        super().__init__()
        self._of = values

    def __missing__(self, word: str) -> T:
        if len(self) >= self.MOST:
            self.clear()
        self[word] = value = self._of(word)
        return value


_contents = Remembered(_content)


@lru_cache(maxsize=2048)
def terms(text: str) -> frozenset[str]:
    """The distinct stems that carry content: no function words, at least three characters."""
    return frozenset(map(_contents.__getitem__, words(text))) - {""}


def terms_of(texts: Iterable[str]) -> frozenset[str]:
    """The same of several texts together."""
    return frozenset().union(*map(terms, texts))


def jaccard(a: Set[T], b: Set[T]) -> float:
    """Shared over all; 0 for two empty sets, which share nothing."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) if a or b else 0.0


@lru_cache(maxsize=1024)
def spans(text: str, n: int) -> frozenset[tuple[str, ...]]:
    """Every run of `n` words."""
    w = words(text)
    return frozenset(zip(*(w[i:] for i in range(n)), strict=False))


def shared_span(text: str, sources: Iterable[str], allowed: str, n: int = 5) -> str | None:
    """A run of `n` words of `text` that is in a source and not in `allowed`, if any does."""
    own, sources_text, allowed_text = (
        words(text),
        _word_text(tuple(sources)),
        _word_text((allowed,)),
    )
    # A run can only be where so many words in a row are known to the sources.
    known, row = bytes(map(sources_text.words.__contains__, own)), b"\1" * n
    runs, at = [], known.find(row)
    while at >= 0:
        runs.append(f" {' '.join(own[at : at + n])} ")
        at = known.find(row, at + 1)
    spans = [
        run.strip() for run in runs if run in sources_text.text and run not in allowed_text.text
    ]
    return min(spans, default=None)


QUOTED_WORDS = 8
"""Words in a row that are taken to be quoted: fewer are often an ordinary turn of phrase."""
WHOLE_WORDS = 5
"""The least words of an aspect that is taken to be quoted where it is repeated whole."""


def quoted_whole(text: str, aspects: Iterable[str], allowed: str) -> str | None:
    """The words of an aspect that `text` repeats from end to end and `allowed` does not, if any."""
    own, allowed_text = _word_text((text,)).text, _word_text((allowed,)).text
    for aspect in aspects:
        run = words(aspect)
        phrase = f" {' '.join(run)} "
        if len(run) >= WHOLE_WORDS and phrase in own and phrase not in allowed_text:
            return phrase.strip()
    return None


class _WordText(NamedTuple):
    """The words of some texts in one string, a space at both sides of each, and as a set."""

    text: str
    words: frozenset[str]


# Both responses of a draft are held against the same posts, and against the same aspects.
@lru_cache(maxsize=64)
def _word_text(texts: tuple[str, ...]) -> _WordText:
    # No word is a bar, so no run goes over from one text to the next.
    joined = " | ".join([" ".join(words(text)) for text in texts])
    return _WordText(f" {joined} ", frozenset(joined.split()))


def passages(evidence: str) -> list[str]:
    """The passages of an aspect's evidence, one a line; empty lines are none."""
    return [line for line in evidence.split("\n") if line.strip()]


def number_of(n: int, one: str, several: str = "") -> str:
    """`1 pair`, `2,000 pairs`."""
    return f"{n:,} {one if n == 1 else several or f'{one}s'}"


def visible(text: str) -> str:
    """A text without invisible characters, and with plain newlines."""
    # Most texts are, and a look is much cheaper than the patterns.
    if text.isascii() and text.replace("\n", " ").isprintable():
        return text
    return _INVISIBLE.sub("", _LINE_ENDS.sub("\n", text.replace("\r\n", "\n")))


# One history is planned from for many questions.
@lru_cache(maxsize=4096)
def normalised(text: str) -> str:
    """For finding a quote again: NFKC, lower case, straight quotes, single spaces.

    What prompts show (prompt.guard) counts as what it replaces.
    """
    folded = unicodedata.normalize("NFKC", visible(text)).lower()
    folded = folded.translate(_QUOTES)
    if "]" in folded:
        folded = _BRACKET.sub("[", folded)
    return " ".join(folded.split())


# Both halves of a twin hold the same two responses, and two checks compare them.
@lru_cache(maxsize=1024)
def canonical(text: str) -> str:
    """What two texts have in common that are the same to a reader: Unicode's composed form (NFC)
    without invisible characters, and single spaces.

    Case, digits, symbols and punctuation stay, since `C` and `C++` are two answers. Where lines are
    indented, as in code, indentation and line ends stay, too.
    """
    plain = visible(text)
    if not plain.isascii():
        plain = unicodedata.normalize("NFC", plain)
    if ("\n " in plain or "\n\t" in plain) and _INDENTED.search(plain):
        return "\n".join(line.rstrip() for line in plain.strip().split("\n") if line.strip())
    return " ".join(plain.split())


def near_duplicate(a: str, b: str, limit: float = 0.8) -> bool:
    """Whether two texts share at least `limit` of their runs of three words (or all words)."""
    known, other = terms(a), terms(b)
    # Texts that share few content words share few runs; this is much cheaper to see.
    if known and other and len(known & other) < 0.5 * min(len(known), len(other)):
        return False
    first, second = spans(a, 3), spans(b, 3)
    if not first or not second:
        # Words alone would call `C` and `C++` the same.
        return _bare(a) == _bare(b)
    return len(first & second) / min(len(first), len(second)) >= limit


def _bare(text: str) -> str:
    """A text in lower case, without punctuation around it."""
    return canonical(text).casefold().strip(" .,;:?!\"'\u2026")
