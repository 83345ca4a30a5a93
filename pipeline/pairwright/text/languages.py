"""Which language a text is in, with py3langid (142 languages, deterministic), and what is known of
languages."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

from pairwright.text.scripts import CHINESE, JAPANESE, THAI, words
from pairwright.text.stopwords import STOPWORDS

ENOUGH = 200
"""Characters that tell a language; classifying costs time for each one."""
CERTAIN = 0.9
"""The least probability of a language that is taken for that of a text. Of 1,297 messages of 20
words or more in 81 languages 93 % reach it, and all of these are right; those that do not are of
languages that are near to another (benchmarks/languages.py)."""
_KIN = {"yue": "zh", "wuu": "zh", "nn": "no", "ary": "ar", "arz": "ar"}
"""Languages that are written as another one is."""

# What English is printed with.
_TYPOGRAPHIC = str.maketrans(dict.fromkeys("\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u2022", "'"))


class Language(NamedTuple):
    """What is known of a language."""

    name: str
    """In English, for prompts."""
    stemmer: str = ""
    """The algorithm of Snowball (PyStemmer); empty where there is none."""
    stopwords: str = ""
    """The list of function words in bm25s; empty where there is none."""
    characters: float | None = None
    """Characters of a word, where no space is between words."""


# Algorithms are Snowball's, lists are those of bm25s: nothing of them is written here.
LANGUAGES: dict[str, Language] = {
    "af": Language("Afrikaans"),
    "ar": Language("Arabic", "arabic"),
    "bg": Language("Bulgarian"),
    "bn": Language("Bengali"),
    "ca": Language("Catalan", "catalan"),
    "cs": Language("Czech", "czech"),
    "da": Language("Danish", "danish", "DANISH"),
    "de": Language("German", "german", "GERMAN"),
    "el": Language("Greek", "greek"),
    "en": Language("English"),
    "eo": Language("Esperanto", "esperanto"),
    "es": Language("Spanish", "spanish", "SPANISH"),
    "et": Language("Estonian", "estonian"),
    "eu": Language("Basque", "basque"),
    "fa": Language("Persian", "persian"),
    "fi": Language("Finnish", "finnish"),
    "fr": Language("French", "french", "FRENCH"),
    "ga": Language("Irish", "irish"),
    "he": Language("Hebrew"),
    "hi": Language("Hindi", "hindi"),
    "hr": Language("Croatian"),
    "hu": Language("Hungarian", "hungarian"),
    "hy": Language("Armenian", "armenian"),
    "id": Language("Indonesian", "indonesian"),
    "it": Language("Italian", "italian", "ITALIAN"),
    "ja": Language("Japanese", characters=JAPANESE),
    "km": Language("Khmer", characters=THAI),
    "ko": Language("Korean"),
    "lo": Language("Lao", characters=THAI),
    "lt": Language("Lithuanian", "lithuanian"),
    "lv": Language("Latvian"),
    "ms": Language("Malay"),
    "my": Language("Burmese", characters=THAI),
    "ne": Language("Nepali", "nepali"),
    "nl": Language("Dutch", "dutch", "DUTCH"),
    "no": Language("Norwegian", "norwegian", "NORWEGIAN"),
    "pl": Language("Polish", "polish"),
    "pt": Language("Portuguese", "portuguese", "PORTUGUESE"),
    "ro": Language("Romanian", "romanian"),
    "ru": Language("Russian", "russian", "RUSSIAN"),
    "sk": Language("Slovak"),
    "sl": Language("Slovenian"),
    "sr": Language("Serbian", "serbian"),
    "st": Language("Sesotho", "sesotho"),
    "sv": Language("Swedish", "swedish", "SWEDISH"),
    "sw": Language("Swahili"),
    "ta": Language("Tamil", "tamil"),
    "th": Language("Thai", characters=THAI),
    "tr": Language("Turkish", "turkish", "TURKISH"),
    "uk": Language("Ukrainian"),
    "ur": Language("Urdu"),
    "vi": Language("Vietnamese"),
    "zh": Language("Chinese", characters=CHINESE),
}
"""By ISO 639-1 code."""


def language(passage: str, enough: int = ENOUGH) -> str | None:
    """The ISO 639-1 code of the language of a passage's beginning; None where it cannot be told."""
    beginning = passage[:enough]
    return "en" if _plainly_english(beginning) else _classify(beginning)


def language_of(*passages: str) -> str | None:
    """The language of texts that belong together, by the beginning of each."""
    return language(" ".join(passage[:150] for passage in passages), enough=450)


def _plainly_english(passage: str) -> bool:
    """Whether two words in five are English function words: so are nine in ten English passages
    of this length, and none in 82 other languages. py3langid then says the same at much greater
    cost, loading its model included; only of 4,200 passages spliced from English and another
    language, still mostly English, it called 92 the other."""
    if not passage.isascii() and not passage.translate(_TYPOGRAPHIC).isascii():
        return False
    # Not kept: the texts that are measured again and again are others.
    tokens = words.__wrapped__(passage)
    return len(tokens) >= 12 and 5 * sum(map(STOPWORDS.__contains__, tokens)) >= 2 * len(tokens)


@lru_cache(maxsize=4096)
def _classify(passage: str) -> str | None:
    likely: dict[str, float] = {}
    for code, probability in _identifier()(passage)[:5]:
        one = _KIN.get(str(code), str(code))
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
