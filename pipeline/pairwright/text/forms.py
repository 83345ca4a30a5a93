"""Texts without invisible characters, and forms in which texts that look equal are equal."""

import re
import unicodedata
from functools import lru_cache

# Quotation marks of several languages. A prompt shows "<" as \u2039 (prompt.guard).
_QUOTES = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u300e\u300f"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d"), '"'),
    ord("\u2039"): "<",
}
# What may be around a quote and not in its text: quotation marks, full stops, and the full-width
# marks that end a sentence.
_AROUND = (
    "\"' .\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\u300c\u300d"
    "\u300e\u300f\uff62\uff63\u3002\uff0e\uff61\uff01\uff1f\u00a0\u202f\u3000"
)
# What prompts show of "[INST]" and its like (prompt.guard), in lower case.
_BRACKET = re.compile(r"\((?=/?[a-z_]{4,}\])")
_LINE_ENDS = re.compile("[\r\x0b\x0c\x85\u2028\u2029]")
# C0 and C1 controls but tab and newline, bidi controls, zero-width and tag characters, BOM.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# An indented line, as in code; the first line's indentation has no meaning.
_INDENTED = re.compile(r"\n[ \t]+\S")


def passages(evidence: str) -> list[str]:
    """The passages of an aspect's evidence: one on each line, without empty lines."""
    return [line for line in evidence.split("\n") if line.strip()]


def number_of(n: int, one: str, several: str = "") -> str:
    """A number with its noun: `1 pair`, `2,000 pairs`."""
    return f"{n:,} {one if n == 1 else several or f'{one}s'}"


def visible(text: str) -> str:
    """A text without invisible characters, and with plain newlines."""
    # Most texts are plain, and this test is much cheaper than the patterns.
    if text.isascii() and text.replace("\n", " ").isprintable():
        return text
    return _INVISIBLE.sub("", _LINE_ENDS.sub("\n", text.replace("\r\n", "\n")))


# One history is used in the plans of many questions.
@lru_cache(maxsize=4096)
def normalised(text: str) -> str:
    """A text for finding a quotation in it: NFKC, lower case, straight quotes, single spaces.

    The brackets that prompts show (prompt.guard) count as those that they replace.
    """
    folded = unicodedata.normalize("NFKC", visible(text)).lower()
    folded = folded.translate(_QUOTES)
    if "]" in folded:
        folded = _BRACKET.sub("[", folded)
    return " ".join(folded.split())


def bare_quote(passage: str) -> str:
    """A passage as it is looked for in a `normalised` text: normalised, without the quotation marks
    and full stops around it."""
    return normalised(passage.strip(_AROUND)).strip("\"' .")


# Both halves of a twin hold the same two responses, and two checks compare them.
@lru_cache(maxsize=1024)
def canonical(text: str) -> str:
    """A text in the form that is equal for two texts which a reader cannot distinguish: Unicode's
    composed form (NFC) without invisible characters, and single spaces.

    Case, digits, symbols and punctuation stay, since `C` and `C++` are two answers. Where lines are
    indented, as in code, indentation and line ends stay, too.
    """
    plain = visible(text)
    if not plain.isascii():
        plain = unicodedata.normalize("NFC", plain)
    if ("\n " in plain or "\n\t" in plain) and _INDENTED.search(plain):
        return "\n".join(line.rstrip() for line in plain.strip().split("\n") if line.strip())
    return " ".join(plain.split())
