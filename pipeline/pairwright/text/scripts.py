"""Word boundaries, by the script of a text.

Words are the characters between white space and punctuation marks. Chinese and Japanese have no
spaces between words, and in Korean several words are written without a space: in these scripts a
"word" here is every pair of neighbouring characters, as in Lucene's CJKBigramFilter and after
Nie and others 2000, "On the use of words and n-grams for Chinese information retrieval".
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_HANGUL = "\u1100-\u11ff\uac00-\ud7a3"
_PAIRED = f"{_KANA}{_HAN}{_HANGUL}"
_UNSPACED = re.compile(f"[{_PAIRED}]")
_PARTS = re.compile(f"([{_PAIRED}]+)|[^{_PAIRED}]+")
# Vowels, accents and the like: they are not letters to Python, but they are parts of words.
_MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0963\u0971-\u0dff\u0e31"
    "\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059"
    "\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u109a-\u109d\u17b4-\u17d3"
)
_WORD = re.compile(rf"\w[\w{_MARKS}]*(?:'[\w{_MARKS}]+)*")
_BETWEEN = bytes(n if chr(n).isalnum() or chr(n) == "'" else ord(" ") for n in range(256))
# An apostrophe with no word before it, or none after it; only of ASCII in lower case.
_STRAY = re.compile(r"'(?:(?![a-z0-9])|(?<![a-z0-9]'))")
# Letters, digits and kana of another width.
_WIDE = re.compile("[\uff01-\uffee]+")
_TURKISH = str.maketrans("I\u0130", "\u0131i")


# The texts of a draft, and of the rows that an audit looks at together, are measured again and
# again. More texts than a processor's cache holds would cost more than they spare.
@lru_cache(maxsize=512)
def words(text: str) -> tuple[str, ...]:
    """Lower-cased words in order; apostrophes stay inside a word. In a script without spaces they
    are runs of characters that overlap: `\u9ed1\u9ea6\u5305` is `\u9ed1\u9ea6`, `\u9ea6\u5305`."""
    plain = text.lower().replace("\u2019", "'")
    if plain.isascii():
        # The same for most texts, in a third of the time.
        spaced = plain.encode().translate(_BETWEEN).decode()
        return tuple((_STRAY.sub(" ", spaced) if "'" in spaced else spaced).split())
    plain = _WIDE.sub(lambda wide: unicodedata.normalize("NFKC", wide[0]), plain)
    # `ss` for the sharp s, whose capitals are SS. The dot over the i is left where a capital had
    # it: elsewhere than in Turkish it is not known.
    plain = unicodedata.normalize("NFC", plain).replace("\u00df", "ss").replace("i\u0307", "i")
    found = _WORD.findall(plain.replace("_", " "))
    if _all_spaced(plain):
        return tuple(found)
    cut: list[str] = []
    for part in _PARTS.finditer(" ".join(found)):
        run = part[0]
        if part.lastindex:
            cut += (run[n : n + 2] for n in range(max(1, len(run) - 1)))
        else:
            cut += run.split()
    return tuple(cut)


def words_of(text: str, language: str | None) -> tuple[str, ...]:
    """The `words` of a text in a language; in Turkish, a capital I is a dotless i."""
    return words(text.translate(_TURKISH) if language == "tr" else text)


def _all_spaced(text: str) -> bool:
    """Whether a text has only scripts with spaces."""
    if text.isascii():
        return True
    try:
        # What Western European languages are printed with, in a tenth of the time of a search.
        text.encode("cp1252")
    except UnicodeEncodeError:
        return _UNSPACED.search(text) is None
    return True


def is_character_run(word: str) -> bool:
    """Whether a word is a run of characters of a script without spaces (or of Korean)."""
    return not word.isascii() and _UNSPACED.match(word) is not None


CHINESE, JAPANESE = 1.6, 1.85
"""Characters of a word. Chinese is read at 255 characters or 158 words a minute, Japanese at 357 or
193 (Trauzettel-Klosinski and Dietz 2012, "Standardized assessment of reading performance: the new
International Reading Speed Texts IReST", Investigative Ophthalmology & Visual Science 53, 5452,
table 2)."""
_COUNTED = re.compile(f"([{_KANA}])|([{_HAN}])")


# A response is counted for several figures.
@lru_cache(maxsize=256)
def word_count(text: str) -> int:
    """The number of words as a person counts them: runs between white space. In Chinese and
    Japanese, which have no spaces, it is computed from the number of characters."""
    if _all_spaced(text) or not _COUNTED.search(text):
        return len(text.split())
    kinds = [match.lastindex for match in _COUNTED.finditer(text)]
    kana, han = kinds.count(1), kinds.count(2)
    unspaced = (kana + han) / (JAPANESE if kana else CHINESE)
    # Marks alone, such as an ideographic full stop, are not words here.
    tokens = _COUNTED.sub(" ", text).split()
    spaced = sum(any(map(str.isalnum, token)) for token in tokens)
    return spaced + max(1, round(unspaced))


def run_length(text: str, n: int) -> int:
    """The number of consecutive `words` of a text that equal `n` words between spaces: `n` itself,
    or in scripts without spaces (and Korean) the number of runs of characters in `n` words."""
    each = _characters(text)
    return n if each is None else max(1, round(n * each) - 1)


# A response is compared with many posts.
@lru_cache(maxsize=1024)
def _characters(text: str) -> float | None:
    """Characters of a word, where most are of a script without spaces."""
    if _all_spaced(text):
        return None
    cut = words(text)
    if 2 * sum(map(is_character_run, cut)) <= len(cut):
        return None
    return JAPANESE if any(match[1] for match in _COUNTED.finditer(text)) else CHINESE


def readable(cut: Sequence[str]) -> str:
    """Consecutive words as a text: characters that two of them share are written once."""
    shown = ""
    for before, word in zip(("", *cut), cut, strict=False):
        if before and len(word) > 1 and before[1:] == word[:-1] and is_character_run(word):
            shown += word[-1]
        else:
            shown += f" {word}" if shown else word
    return shown


# English is four characters a token. Chinese is between 0.7 (Llama 2) and 1.2 characters a token
# (Llama 3) on CC-100 (the table of Tokenizer Arena, huggingface.co/spaces/xu-song/tokenizer-arena),
# and 1.7 by DeepSeek's own documentation (0.6 tokens a character): one is taken, so that a budget
# is rather too small than too large. The same for Japanese and Korean is an assumption.
CHARACTERS_PER_TOKEN = 4


def token_estimate(text: str) -> float:
    """Tokens: one for four characters, and one for each of Chinese, Japanese or Korean."""
    unspaced = 0 if _all_spaced(text) else len(_UNSPACED.findall(text))
    return (len(text) - unspaced) / CHARACTERS_PER_TOKEN + unspaced
