"""Stems and content words, by which two texts are compared without their inflections.

Each function takes the language of the texts, as `language` or `language_of` gives it. Two texts
can be compared only if both are stemmed in the same language. In English, and where the language is
not known or Snowball has no stemmer for it, stems are those of `stem_english`.
"""

from collections.abc import Callable, Iterable, Set
from functools import cache, lru_cache
from typing import TypeVar

from pairwright.text.languages import FURTHER, LANGUAGES, STOPWORDS, carries_nothing
from pairwright.text.scripts import is_character_run, words_of

T = TypeVar("T")
MOST_WORDS = 200_000
"""Words whose stems are kept: most words of any text are the same frequent ones."""


@lru_cache(maxsize=65536)
def stem_english(word: str) -> str:
    """A crude stem (plural and verb endings), enough to match `brakes` with `braking`."""
    for ending in ("'s", "ings", "ing", "ies", "ied", "es", "ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            root = word[: -len(ending)]
            return root + "y" if ending in ("ies", "ied") else root
    return word


_SHORT = frozenset({"de", "tr"})
"""Languages in which words of two letters carry content, such as `EU` or `su`: in the lists of the
others some function words of two letters are missing, such as `si` in French."""


@cache
def _snowball(language: str | None) -> str | None:
    """The name by which Snowball stems a language; None for `stem_english`."""
    if language not in LANGUAGES or language == "en":
        return None
    # Imported where a text is in such a language: most builds and audits have none.
    from Stemmer import algorithms

    name = LANGUAGES[language].name.lower()
    return name if name in algorithms() else None


@cache
def stemmer(language: str | None) -> Callable[[str], str]:
    """The function that gives the stem of a word in a language."""
    name = _snowball(language)
    if name is None:
        return stem_english
    from Stemmer import Stemmer

    algorithm: Callable[[str], str] = Stemmer(name).stemWord
    return lru_cache(MOST_WORDS)(lambda word: word if is_character_run(word) else algorithm(word))


@cache
def _content_stems(language: str | None) -> Callable[[str], str]:
    """The stem of each word that carries content, by word; an empty text for other words."""
    stemmed, without, name = stemmer(language), STOPWORDS, _snowball(language)
    if name:
        from bm25s import stopwords

        listed = getattr(stopwords, f"STOPWORDS_{name.upper()}", ())
        without = frozenset(listed) | FURTHER.get(language or "", frozenset())
    least = 2 if language in _SHORT else 3

    @lru_cache(MOST_WORDS)
    def content(word: str) -> str:
        if is_character_run(word):
            return "" if carries_nothing(word) else word
        long = len(word) > 2 or (len(word) >= least and word.isalpha())
        return stemmed(word) if long and word not in without else ""

    return content


@lru_cache(maxsize=2048)
def terms(text: str, language: str | None = "en") -> frozenset[str]:
    """The distinct stems that carry content: no function words, and at least three characters, or
    two letters in German and Turkish."""
    return frozenset(filter(None, map(_content_stems(language), words_of(text, language))))


def words_with(stems: Set[str], text: str, language: str | None = "en") -> tuple[str, ...]:
    """The words of a text that have one of these `terms` as their stem, each once, in order."""
    content = _content_stems(language)
    distinct = dict.fromkeys(words_of(text, language))
    return tuple(word for word in distinct if content(word) in stems)


def terms_of(texts: Iterable[str], language: str | None = "en") -> frozenset[str]:
    """The distinct stems that carry content, of several texts together."""
    return frozenset().union(*(terms(text, language) for text in texts))


def echo(
    response: str, aspects: Iterable[str], question: str, language: str | None = "en"
) -> float | None:
    """The share of its aspects' content words that a response repeats, without words of the
    question, which any answer has; None where the aspects have no others."""
    own = terms_of(aspects, language) - terms(question, language)
    return len(own & terms(response, language)) / len(own) if own else None


def jaccard(a: Set[T], b: Set[T]) -> float:
    """The Jaccard index: the size of the intersection over that of the union; 0 for two empty
    sets."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) if a or b else 0.0
