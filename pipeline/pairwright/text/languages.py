"""The language of a text, by py3langid (142 languages, deterministic); by language what is
supported, and the function words, which carry no topic (languages.toml)."""

import re
import tomllib
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from pairwright.text.scripts import CHINESE, JAPANESE, words

LANGUAGE_CHARACTERS = 200
"""Characters from which a language is detected; classifying costs time for each one."""
CERTAIN = 0.9
"""The least probability at which the classifier's language is used. Of 1,297 messages of 20 words
or more in 81 languages 93 % reach it, and all of these are right; the others are in languages that
resemble another one."""
_WRITTEN_AS = {"yue": "zh", "wuu": "zh", "nn": "no", "ary": "ar", "arz": "ar"}
"""The language for each code that is handled as another language."""
# What English is printed with.
_TYPOGRAPHIC = str.maketrans(dict.fromkeys("\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u2022", "'"))

_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
LANGUAGES: dict[str, str] = _TABLES["names"]
"""Names of the supported languages in English, by ISO 639-1 code."""
WORD_LENGTHS = {"ja": JAPANESE, "zh": CHINESE}
"""The mean number of characters in a word, where there are no spaces between words."""


def language(passage: str, enough: int = LANGUAGE_CHARACTERS) -> str | None:
    """The ISO 639-1 code of the language of a passage, from its first `enough` characters; None
    where the classifier is not certain."""
    return _language(passage[:enough])


def language_of(*passages: str) -> str | None:
    """The language of texts that belong together, by the beginning of each."""
    return language(" ".join(passage[:150] for passage in passages), enough=450)


def _plainly_english(passage: str) -> bool:
    """Whether two words in five are English function words. That holds for nine in ten English
    passages of this length, and for none in 82 other languages. py3langid then gives the same
    answer at much greater cost, loading its model included. The exception: of 4,200 passages
    spliced from English and another language, mostly English, it called 92 the other one."""
    if not passage.isascii() and not passage.translate(_TYPOGRAPHIC).isascii():
        return False
    # Without the cache, which is for texts that are measured again and again.
    tokens = words.__wrapped__(passage)
    return len(tokens) >= 12 and 5 * sum(map(STOPWORDS.__contains__, tokens)) >= 2 * len(tokens)


# Both halves of a twin have the same texts.
@lru_cache(maxsize=4096)
def _language(beginning: str) -> str | None:
    if _plainly_english(beginning):
        return "en"
    likely: dict[str, float] = {}
    for code, probability in _identifier()(beginning)[:5]:
        one = _WRITTEN_AS.get(str(code), str(code))
        likely[one] = likely.get(one, 0.0) + probability
    best = max(likely, key=likely.__getitem__)
    return best if likely[best] >= CERTAIN else None


@cache
def _identifier() -> Callable[[str], list[tuple[Any, float]]]:
    # Half a second, and most texts are plainly English.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    rank: Callable[[str], list[tuple[Any, float]]]
    rank = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True).rank
    return rank


# Function words

FURTHER = {code: frozenset(listed.split()) for code, listed in _TABLES["words"].items()}
"""Function words that the lists of bm25s lack, by language; for English, all."""
STOPWORDS = FURTHER["en"]

_RUNS: dict[str, list[str]] = {name: listed.split() for name, listed in _TABLES["runs"].items()}
_FUNCTION_CHARACTERS = frozenset("".join(_RUNS["characters"]))
_FUNCTION_RUNS = frozenset(_RUNS["chinese"] + _RUNS["korean"])
_HIRAGANA = re.compile("[\u3041-\u309f\u30fc]+")


def carries_nothing(gram: str) -> bool:
    """Whether a run of characters has only function words. Japanese writes its endings and
    particles in hiragana, so a run in hiragana alone counts as one of them, too."""
    return (
        _FUNCTION_CHARACTERS.issuperset(gram)
        or gram in _FUNCTION_RUNS
        or _HIRAGANA.fullmatch(gram) is not None
    )
