"""Content words and runs of words, by which two texts are compared.

What looks at stems takes the language of the texts, as `language` or `language_of` gives it; both
texts must be stemmed in the same. In English, and where the language is not known or Snowball has
no stemmer for it, stems are those of `stem_english`.
"""

from collections.abc import Callable, Iterable, Set
from functools import cache, lru_cache
from itertools import chain
from typing import Literal, TypeVar

from pairwright.text.forms import canonical
from pairwright.text.languages import FURTHER, LANGUAGES, STOPWORDS, carries_nothing
from pairwright.text.scripts import is_character_run, readable, run_length, words, words_of

T = TypeVar("T")
QUOTED_WORDS = 8
"""Consecutive words that count as a quotation: fewer are often an ordinary turn of phrase."""
# Of several scripts: full stops, commas and quotation marks.
_AROUND = (
    " .,;:?!\"'\u2026\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a\u300c\u300d"
    "\u300e\u300f\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f\uff61\u060c\u061b\u061f\u06d4"
    "\u0964\u17d4\u0589"
)
WHOLE_WORDS = 5
"""The least number of words of an aspect that counts as quoted where it is repeated whole."""


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

    name = LANGUAGES[language].lower()
    return name if name in algorithms() else None


@cache
def stemmer(language: str | None) -> Callable[[str], str]:
    """The function that gives the stem of a word in a language."""
    name = _snowball(language)
    if name is None:
        return cache(stem_english)
    from Stemmer import Stemmer

    algorithm: Callable[[str], str] = Stemmer(name).stemWord
    return cache(lambda word: word if is_character_run(word) else algorithm(word))


@cache
def _content_stems(language: str | None) -> Callable[[str], str]:
    """The stem of each word that carries content, by word; an empty text for other words."""
    stemmed, without, name = stemmer(language), STOPWORDS, _snowball(language)
    if name:
        from bm25s import stopwords

        listed = getattr(stopwords, f"STOPWORDS_{name.upper()}", ())
        without = frozenset(listed) | FURTHER.get(language or "", frozenset())
    least = 2 if language in _SHORT else 3

    def content(word: str) -> str:
        if is_character_run(word):
            return "" if carries_nothing(word) else word
        long = len(word) > 2 or (len(word) >= least and word.isalpha())
        return stemmed(word) if long and word not in without else ""

    return cache(content)


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


# Runs of words that two texts share


@lru_cache(maxsize=1024)
def spans(text: str, n: int) -> frozenset[tuple[str, ...]]:
    """Every run of `n` words, or of the number of `words` that equals it (`run_length`)."""
    w, n = words(text), run_length(text, n)
    return frozenset(zip(*(w[i:] for i in range(n)), strict=False))


def shared_span(text: str, sources: Iterable[str], allowed: str, n: int = 5) -> str | None:
    """A run of `n` words of `text` that is in a source and not in `allowed`; None if there is
    none."""
    own, n = words(text), run_length(text, n)
    (sources_text, known_words), (allowed_text, _) = map(_word_text, (tuple(sources), (allowed,)))
    # A run can only be where so many words in a row are known to the sources.
    known, row = bytes(map(known_words.__contains__, own)), b"\1" * n
    runs, at = [], known.find(row)
    while at >= 0:
        runs.append(f" {' '.join(own[at : at + n])} ")
        at = known.find(row, at + 1)
    copied = [run for run in runs if run in sources_text and run not in allowed_text]
    return readable(min(copied).split()) if copied else None


def holds_run(text: str, run: str) -> bool:
    """Whether a text has the words of a run, such as one from `shared_span`, consecutively."""
    return f" {' '.join(words(run))} " in _word_text((text,))[0]


def find_whole_aspect(text: str, aspects: Iterable[str], allowed: str) -> str | None:
    """The words of an aspect that `text` repeats as a whole and `allowed` does not; None if there
    is no such aspect."""
    own, allowed_text = _word_text((text,))[0], _word_text((allowed,))[0]
    for aspect in aspects:
        run = words(aspect)
        phrase = f" {' '.join(run)} "
        long = len(run) >= run_length(aspect, WHOLE_WORDS)
        if long and phrase in own and phrase not in allowed_text:
            return readable(run)
    return None


# Both responses of a draft are compared with the same posts and the same aspects.
@lru_cache(maxsize=64)
def _word_text(texts: tuple[str, ...]) -> tuple[str, frozenset[str]]:
    """The words of texts in one string, with a space on both sides of each, and as a set."""
    # No word is a bar, so no run crosses from one text to the next.
    each = [words(text) for text in texts]
    return f" {' | '.join(map(' '.join, each))} ", frozenset(chain.from_iterable(each))


def near_duplicate(a: str, b: str, limit: float = 0.8) -> bool:
    """Whether two texts share at least `limit` of their runs of three words; shorter texts must
    have the same words."""
    known, other = terms(a), terms(b)
    # Texts that share few content words share few runs; this is much cheaper to see.
    if known and other and len(known & other) < 0.5 * min(len(known), len(other)):
        return False
    first, second = spans(a, 3), spans(b, 3)
    if not first or not second:
        # Words alone would call `C` and `C++` the same.
        bare = {canonical(text).casefold().strip(_AROUND) for text in (a, b)}
        return len(bare) == 1
    return len(first & second) / min(len(first), len(second)) >= limit


def find_question(
    post: str, question: str, narrative: str | None
) -> Literal["question", "narrative"] | None:
    """Find the part of a request that a post repeats: the question alone, or question and narrative
    together. None if it repeats neither."""
    if near_duplicate(post, question):
        return "question"
    whole = narrative and near_duplicate(post, f"{question} {narrative}")
    return "narrative" if whole else None
