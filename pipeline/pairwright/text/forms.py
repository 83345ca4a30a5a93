"""Texts without invisible characters, and forms in which texts that look equal are equal."""

import re
import unicodedata
from collections.abc import Iterator
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


# Joiners connect emoji and letters of Persian or Hindi, and marks of direction occur in texts of
# both directions: there they are part of the writing. A hard space has no use between two words;
# beside marks, numbers and abbreviations it has.
_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufefc"
_JOINED = "\u0600-\u0dff\u1000-\u109f\u1780-\u17ff\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
_LATIN = "A-Za-z\u00c0-\u024f"
# Letters of the Cyrillic and Greek scripts that look like Latin ones.
_LOOKALIKE = (
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u04cf\u0501\u051b\u051d"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420-\u0423\u0425\u0405\u0406\u0408\u051a\u051c"
    "\u03bf\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
)
_HIDDEN = re.compile(
    "(?P<zero_width_space>[\u200b\u2060-\u2064\u180e])"
    f"|(?P<zero_width_joiner>(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}]))"
    "|(?P<soft_hyphen>\u00ad)"
    "|(?P<change_of_direction>[\u202a-\u202e\u2066-\u2069])"
    "|(?P<line_separator>[\u0085\u2028\u2029])"
    "|(?P<blank_character>[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0])"
    # They choose the form of a symbol, a digit or an ideograph.
    f'|(?P<variation_selector>(?:^|(?<=[\\s!-"$-)+-/:-@\\[-`{{-~{_LATIN}\u0370-\u052f]))'
    "[\ufe00-\ufe0f\U000e0100-\U000e01ef])"
    # All letters of the word look Latin, and some are not.
    f"|(?P<letter_of_another_script>(?<![^\\W\\d_])(?=[{_LATIN}]*[{_LOOKALIKE}])"
    f"(?=[{_LOOKALIKE}]*[{_LATIN}])[{_LATIN}{_LOOKALIKE}]+(?![^\\W\\d_])"
    "|(?<=[\u0430-\u044f\u0451])[aceopxy](?=[\u0430-\u044f\u0451]))"
    f"|(?P<mark_of_direction>[\u200e\u200f](?![^\n]{{0,80}}[{_RIGHT_TO_LEFT}])"
    f"(?<![{_RIGHT_TO_LEFT}].))"
    "|(?P<tag_character>(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0001-\U000e007f])"
    "|(?P<hard_space>(?<=[^\\W\\d_]|[,;])[\u00a0\u2000-\u2006\u202f](?=[^\\W\\d_])"
    "|[\u00a0\u202f](?=[ \u00a0\u202f]|$))"
)

# A quick search, and most texts have none of these.
_MAY_HIDE = re.compile(
    "[\u0085\u00a0\u00ad\u034f\u0391-\u051d\u115f\u1160\u17b4\u17b5\u180e\u2000-\u2006\u200b-\u200f"
    "\u2028-\u202f\u2060-\u2069\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0001-\U000e007f"
    "\U000e0100-\U000e01ef]"
)


def find_hidden(passage: str) -> Iterator[re.Match[str]]:
    """Each invisible character that is not part of the writing; `lastgroup` is its kind."""
    return _HIDDEN.finditer(passage) if _MAY_HIDE.search(passage) else iter(())
