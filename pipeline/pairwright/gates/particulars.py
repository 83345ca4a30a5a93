"""Particulars: addresses, names and numbers of a post that hardly anybody else would write.

They are found by plain means: an address by its form, a name by its capitals, a number by its
digits; in German, where every noun has one, only a name that the post introduces. What many texts
on a matter hold ("300", "French press") is not one. Of 3,000 pairs of
answers that people wrote on a question-and-answer site, 4 (coffee) and 5 (quantum computing) in a
thousand shared one with a stranger's posts of that site by chance. To take every capitalised word
for a name would have added 7 to 32 in a thousand answers.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from pairwright.text import space_scripts

_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>()\[\]\"']+"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w@./`])@[A-Za-z_]\w{2,}"
)
_SENTENCE = re.compile(r"[.!?:\n]+(?:\s+|$)")
_WORD = re.compile(r"[^\W\d_][\w'\u2019-]*")
_CAPITALISED = r"[A-Z\u00c0-\u00de][\w'\u2019-]+"
# Two capitalised words in a row, behind a word in lower case: inside a sentence. One alone is a
# make, a language or a theorem as often as somebody's own matter, unless the post introduces it:
# "my son Tobias", "a dog called Rufus". A pattern that begins with a letter or a digit and looks
# behind it then is found in half the time.
_NAME = re.compile(rf"[A-Z\u00c0-\u00de](?<=[a-z,] .)[\w'\u2019-]+(?: {_CAPITALISED})+")
_INTRODUCED = re.compile(rf"\b(?:(?:[Mm]y|[Oo]ur)(?: [a-z]+){{1,2}}|named|called) ({_CAPITALISED})")
_GERMAN_INTRODUCED = re.compile(
    r"\b(?:(?:[Mm]ein|[Uu]nser)(?:e[mnr]?)? (?:Sohn|Tochter|Mann|Frau|Bruder|Schwester|Freund"
    rf"|Freundin|Partner|Partnerin|Hund|H\u00fcndin|Katze|Kater)|namens) ({_CAPITALISED})"
)
_NUMBER = re.compile(r"(\d(?<![\w.,/-].)\d*(?:[.,:]\d+)*)(?:[ -]?([^\W\d_]+|[%\u00b0]))?")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_DIGITS = 3


class _Particulars(NamedTuple):
    addresses: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]


def shared_particulars(
    text: str, sources: tuple[str, ...], allowed: str, language: str | None = None
) -> frozenset[str]:
    """The particulars of the sources that a text holds, and `allowed` does not; `language` is that
    of all of them.

    A number is a particular if it has three digits or more without the zeros at its ends and is
    not a year, or if it has two, is not a multiple of five, and has the same unit beside it in
    both.
    """
    known = _all_particulars(sources, language)
    text, allowed = space_scripts(text), space_scripts(allowed)
    one_line, permitted = " ".join(_straight(text).split()), _straight(allowed).lower()
    names = {name for name in known.names if _holds(one_line, name)}
    shared = (_addresses(text) & known.addresses) | names | (_numbers(text) & known.numbers)
    return frozenset(one for one in shared if not _holds(permitted, one.lower()))


def is_address(particular: str) -> bool:
    """Whether a particular is an address: a name or number has no such marks in it."""
    return bool(re.search(r"[@/]|[a-z]\.[a-z]", particular))


# Both responses of a draft are held against the same posts.
@lru_cache(maxsize=64)
def _all_particulars(sources: tuple[str, ...], language: str | None) -> _Particulars:
    each = [_particulars(source, language) for source in sources]
    return _Particulars(
        frozenset().union(*(one.addresses for one in each)),
        frozenset().union(*(one.names for one in each)),
        frozenset().union(*(one.numbers for one in each)),
    )


@lru_cache(maxsize=4096)
def _particulars(text: str, language: str | None) -> _Particulars:
    text = space_scripts(text)
    plain = _without_addresses(text)
    names = _german_names(plain) if language == "de" else _names(plain)
    return _Particulars(_addresses(text), names, _numbers(text))


def _may_hold_address(text: str) -> bool:
    # Most texts hold none, and a look is much cheaper than the pattern.
    return "@" in text or "://" in text or "www." in text


def _without_addresses(text: str) -> str:
    return _ADDRESS.sub(" ", text) if _may_hold_address(text) else text


def _addresses(text: str) -> frozenset[str]:
    if not _may_hold_address(text):
        return frozenset()
    addresses = (
        match.lower().rstrip(".,;:!?/\u3001\u3002\uff01\uff0c\uff1a\uff1f")
        for match in _ADDRESS.findall(text)
    )
    return frozenset(re.sub(r"^(?:https?://)?(?:www\.)?", "", address) for address in addresses)


def _names(text: str) -> frozenset[str]:
    plain = _straight(text)
    names: set[str] = set()
    # Most texts hold none, and to look for one costs less than to cut a text into sentences.
    if not (_NAME.search(plain) or _INTRODUCED.search(plain)):
        return frozenset()
    for sentence in _SENTENCE.split(plain):
        words = _WORD.findall(sentence)
        # In a title most words have a capital.
        if 2 * sum(word[0].isupper() for word in words) <= len(words):
            names.update(_NAME.findall(sentence), _INTRODUCED.findall(sentence))
    bare = {name.removesuffix("'s") for name in names if not name.startswith(("I ", "I'"))}
    return frozenset(name for name in bare if not _holds(plain, name.lower()))


def _german_names(text: str) -> frozenset[str]:
    """Of capitals alone two nouns in a row would be a name: "dass Menschen Angst haben"."""
    return frozenset(_GERMAN_INTRODUCED.findall(text))


def _numbers(text: str) -> frozenset[str]:
    numbers = set()
    for given, unit in _NUMBER.findall(_without_addresses(text)):
        number = given.replace(",", "")
        digits = re.sub(r"\D", "", number).strip("0")
        if _YEAR.fullmatch(number):
            continue
        if len(digits) >= _DIGITS:
            numbers.add(number)
        elif unit and len(digits) == 2 and int(digits) % 5:
            numbers.add(f"{number} {unit.lower()}")
    return frozenset(numbers)


def _straight(text: str) -> str:
    return text.replace("\u2019", "'")


def _holds(text: str, part: str) -> bool:
    """Whether a text has this part as whole words."""
    return part in text and bool(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text))
