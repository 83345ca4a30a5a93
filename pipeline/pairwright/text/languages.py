"""The language of a text, by py3langid (142 languages, deterministic), and what is supported in
each language."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

from pairwright.text.scripts import CHINESE, JAPANESE, THAI, words
from pairwright.text.stopwords import STOPWORDS

LANGUAGE_CHARACTERS = 200
"""Characters from which a language is detected; classifying costs time for each one."""
CERTAIN = 0.9
"""The least probability at which the classifier's language is used. Of 1,297 messages of 20 words
or more in 81 languages 93 % reach it, and all of these are right; the others are in languages that
resemble another one."""
_WRITTEN_AS = {"yue": "zh", "wuu": "zh", "nn": "no", "ary": "ar", "arz": "ar"}
"""By code, the language as which another one is written."""

# What English is printed with.
_TYPOGRAPHIC = str.maketrans(dict.fromkeys("\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u2022", "'"))


class LanguageSupport(NamedTuple):
    """What is supported in a language."""

    name: str
    """The name in English, for prompts."""
    stemmer: str = ""
    """The algorithm of Snowball (PyStemmer); empty where there is none."""
    stopwords: str = ""
    """The list of function words in bm25s; empty where there is none."""
    characters: float | None = None
    """The mean number of characters in a word, where there are no spaces between words."""


# The algorithms are Snowball's and the lists are those of bm25s; neither is written here.
LANGUAGES: dict[str, LanguageSupport] = {
    "af": LanguageSupport("Afrikaans"),
    "ar": LanguageSupport("Arabic", "arabic"),
    "bg": LanguageSupport("Bulgarian"),
    "bn": LanguageSupport("Bengali"),
    "ca": LanguageSupport("Catalan", "catalan"),
    "cs": LanguageSupport("Czech", "czech"),
    "da": LanguageSupport("Danish", "danish", "DANISH"),
    "de": LanguageSupport("German", "german", "GERMAN"),
    "el": LanguageSupport("Greek", "greek"),
    "en": LanguageSupport("English"),
    "eo": LanguageSupport("Esperanto", "esperanto"),
    "es": LanguageSupport("Spanish", "spanish", "SPANISH"),
    "et": LanguageSupport("Estonian", "estonian"),
    "eu": LanguageSupport("Basque", "basque"),
    "fa": LanguageSupport("Persian", "persian"),
    "fi": LanguageSupport("Finnish", "finnish"),
    "fr": LanguageSupport("French", "french", "FRENCH"),
    "ga": LanguageSupport("Irish", "irish"),
    "he": LanguageSupport("Hebrew"),
    "hi": LanguageSupport("Hindi", "hindi"),
    "hr": LanguageSupport("Croatian"),
    "hu": LanguageSupport("Hungarian", "hungarian"),
    "hy": LanguageSupport("Armenian", "armenian"),
    "id": LanguageSupport("Indonesian", "indonesian"),
    "it": LanguageSupport("Italian", "italian", "ITALIAN"),
    "ja": LanguageSupport("Japanese", characters=JAPANESE),
    "km": LanguageSupport("Khmer", characters=THAI),
    "ko": LanguageSupport("Korean"),
    "lo": LanguageSupport("Lao", characters=THAI),
    "lt": LanguageSupport("Lithuanian", "lithuanian"),
    "lv": LanguageSupport("Latvian"),
    "ms": LanguageSupport("Malay"),
    "my": LanguageSupport("Burmese", characters=THAI),
    "ne": LanguageSupport("Nepali", "nepali"),
    "nl": LanguageSupport("Dutch", "dutch", "DUTCH"),
    "no": LanguageSupport("Norwegian", "norwegian", "NORWEGIAN"),
    "pl": LanguageSupport("Polish", "polish"),
    "pt": LanguageSupport("Portuguese", "portuguese", "PORTUGUESE"),
    "ro": LanguageSupport("Romanian", "romanian"),
    "ru": LanguageSupport("Russian", "russian", "RUSSIAN"),
    "sk": LanguageSupport("Slovak"),
    "sl": LanguageSupport("Slovenian"),
    "sr": LanguageSupport("Serbian", "serbian"),
    "st": LanguageSupport("Sesotho", "sesotho"),
    "sv": LanguageSupport("Swedish", "swedish", "SWEDISH"),
    "sw": LanguageSupport("Swahili"),
    "ta": LanguageSupport("Tamil", "tamil"),
    "th": LanguageSupport("Thai", characters=THAI),
    "tr": LanguageSupport("Turkish", "turkish", "TURKISH"),
    "uk": LanguageSupport("Ukrainian"),
    "ur": LanguageSupport("Urdu"),
    "vi": LanguageSupport("Vietnamese"),
    "zh": LanguageSupport("Chinese", characters=CHINESE),
}
"""What is supported, by ISO 639-1 code."""


def language(passage: str, enough: int = LANGUAGE_CHARACTERS) -> str | None:
    """The ISO 639-1 code of the language of a passage, from its first `enough` characters; None
    where the classifier is not certain."""
    return _language(passage[:enough])


# Both halves of a twin have the same texts.
@lru_cache(maxsize=4096)
def _language(beginning: str) -> str | None:
    return "en" if _plainly_english(beginning) else _classify(beginning)


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


def _classify(passage: str) -> str | None:
    likely: dict[str, float] = {}
    for code, probability in _identifier()(passage)[:5]:
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
