"""Stems and content words: what two texts have in common whatever their inflections.

Each function takes the language of the texts, as `language` or `language_of` tell it. Two texts are
comparable only if both are cut in one language. In English, and where the language is not known or
Snowball has no stemmer for it, stems are those of `stem_english`, as in all earlier versions.
"""

from collections.abc import Callable, Iterable, Set
from functools import cache, lru_cache
from typing import TypeVar

from pairwright.text.languages import LANGUAGES
from pairwright.text.scripts import is_gram, words
from pairwright.text.stopwords import STOPWORDS, carries_nothing

T = TypeVar("T")


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


@lru_cache(maxsize=65536)
def stem_english(word: str) -> str:
    """A crude stem (plural and verb endings), enough to match `brakes` with `braking`."""
    for ending in ("'s", "ings", "ing", "ies", "ied", "es", "ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            root = word[: -len(ending)]
            return root + "y" if ending in ("ies", "ied") else root
    return word


def stem(word: str, language: str | None = "en") -> str:
    """The stem of one of `words`; runs of characters are their own."""
    return stemmer(language)(word)


_STEMMED = {code: known for code, known in LANGUAGES.items() if known.stemmer}


@cache
def stemmer(language: str | None) -> Callable[[str], str]:
    """The stems of a language."""
    if language not in _STEMMED:
        return stem_english
    # Imported where a text is in such a language: most builds and audits have none.
    from Stemmer import Stemmer

    algorithm: Callable[[str], str] = Stemmer(_STEMMED[language].stemmer).stemWord
    return Remembered(lambda word: word if is_gram(word) else algorithm(word)).__getitem__


@cache
def _contents(language: str | None) -> Remembered[str]:
    """By word its stem if it carries content, else nothing."""
    stemmed, without = stemmer(language), STOPWORDS
    if language in _STEMMED:
        without = frozenset()
        if listed := _STEMMED[language].stopwords:
            from bm25s import stopwords

            without = frozenset(getattr(stopwords, f"STOPWORDS_{listed}"))

    def content(word: str) -> str:
        if is_gram(word):
            return "" if carries_nothing(word) else word
        return stemmed(word) if len(word) > 2 and word not in without else ""

    return Remembered(content)


def terms(text: str, language: str | None = "en") -> frozenset[str]:
    """The distinct stems that carry content: no function words, at least three characters."""
    # One place in the cache for all languages that are cut alike.
    return _terms(text, language if language in _STEMMED else "en")


@lru_cache(maxsize=2048)
def _terms(text: str, language: str | None) -> frozenset[str]:
    return frozenset(map(_contents(language).__getitem__, words(text))) - {""}


def terms_of(texts: Iterable[str], language: str | None = "en") -> frozenset[str]:
    """The same of several texts together."""
    return frozenset().union(*(terms(text, language) for text in texts))


def echo(
    response: str, aspects: Iterable[str], question: str, language: str | None = "en"
) -> float | None:
    """The share of its aspects' content words that a response repeats, without words of the
    question, which any answer has; None where the aspects have no others."""
    own = terms_of(aspects, language) - terms(question, language)
    return len(own & terms(response, language)) / len(own) if own else None


def jaccard(a: Set[T], b: Set[T]) -> float:
    """Shared over all; 0 for two empty sets, which share nothing."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) if a or b else 0.0
