"""Telephone numbers: international, North American, with a trunk prefix, or after words such as
`call me`."""

import re
from collections.abc import Iterator

from pairwright.audit.people.finding import REDACT, DataKind, Finding
from pairwright.audit.records import CheckDefinition

PHONE = CheckDefinition(
    family="people",
    name="phone",
    title="Telephone numbers",
    why="They reach a person who did not agree to be in a benchmark.",
    todo=REDACT,
)


_GAP = r"[ .\-\u2010\u2011\u00a0/]"
_INTERNATIONAL = re.compile(
    rf"(?:(?<![\w+.,:-])|(?<=\b[Tt][Ee][Ll]:))(?:\+|00(?=[1-9]\d{{0,2}}{_GAP}|[1-9]\d{{9,12}}(?!\d)))[1-9]\d{{0,2}}{_GAP}?(?:\(\d{{1,5}}\){_GAP}?)?"
    rf"\d(?:{_GAP}?\d){{5,13}}(?![\w%]|[.,]\d)"
)
_NORTH_AMERICAN = re.compile(
    r"(?<![\w.+/=-])(?:1[ .-])?(?:\([2-9][0-8]\d\) ?|[2-9][0-8]\d[.-])"
    r"[2-9]\d{2}[.-]\d{4}(?![\w/-]|\.\d)"
)
_TRUNK = re.compile(
    r"(?<![\w.,+/:$£€=-])\(?0\d{1,4}\)?[ /-]{1,2}\d{2,8}(?:[ -]\d{2,4}){0,4}"
    r"(?![\w/:%-]|[.,]\d| [\da-f]{2}\b)"
)
_CUED = re.compile(
    r"\b(?:tel|telephone|phone|mobile|cell|whatsapp|fax|sms|call me|text me|reach me|ring me)\b"
    rf"[^\d\n+]{{0,15}}(?P<number>\(?\d(?:[)(]{{0,2}}{_GAP}?\(?\d){{6,14}})(?![\w%]|[.,]\d)",
    re.IGNORECASE,
)
_CUE = re.compile(r"tel|phone|mobile|cell|whatsapp|fax|sms| me", re.IGNORECASE)
_BOOK = re.compile(r"\b(?:ISBN|ISSN|EAN|DOI|UPC|ASIN|OCLC)(?:-1[03])?\W{0,3}$", re.IGNORECASE)
_DATED = re.compile(
    r"(?<!\d)(?:1[5-9]|20)\d\d ?[-\u2013/] ?(?:1[5-9]|20)\d\d(?!\d)"
    r"|^\d{1,2}[/.-]\d{1,2}[/.-](?:\d\d|\d{4})\b|^(?:1[5-9]|20)\d\d[ /.-]\d\d[ /.-]\d\d"
)
# Numbers kept for fiction, those that only firms have, and postal codes of New England.
_NO_PERSON = re.compile(
    r"555\W?01\d\d$|^0\d{4}-\d{4}$|^(?:\+?1\W?)?\(?8(?:00|22|33|44|55|66|77|88)\b"
)
# Round numbers count things, and so do all three of a range's.
_RANGE = re.compile(r"\d\d0[.-]\d\d0[.-]\d\d00")
# Bytes and the like; five pairs are how France writes numbers.
_PAIRS = re.compile(r"\d\d(?: \d\d){5,}")


# Seven digits with no more than marks between them: quick to look for, and few texts have it.
_LONG = re.compile(rf"\d(?:(?:{_GAP}|[()]){{0,4}}\d){{6}}")


def phones(text: str) -> Iterator[Finding]:
    if not _LONG.search(text):
        return
    for match in _INTERNATIONAL.finditer(text):
        if _plausible(match.group().removeprefix("00"), 8, 15):
            yield Finding(PHONE.name, *match.span())
    for match in _NORTH_AMERICAN.finditer(text):
        number = match.group()
        if _RANGE.fullmatch(number) or _of_a_book(text, match.start()):
            continue
        if _plausible(number, 10, 11):
            yield Finding(PHONE.name, *match.span())
    for match in _TRUNK.finditer(text):
        if _plausible(match.group(), 9, 12) and not _of_a_book(text, match.start()):
            yield Finding(PHONE.name, *match.span())
    if _CUE.search(text):
        for match in _CUED.finditer(text):
            if _plausible(match["number"], 7, 15):
                yield Finding(PHONE.name, *match.span("number"))


def _plausible(number: str, least: int, most: int) -> bool:
    """Of a length, and none of what looks like it; round numbers count things."""
    digits = "".join(filter(str.isdigit, number))
    if not least <= len(digits) <= most or digits.endswith("0000"):
        return False
    return not (_DATED.search(number) or _NO_PERSON.search(number) or _PAIRS.fullmatch(number))


def _of_a_book(text: str, start: int) -> bool:
    return bool(_BOOK.search(text[max(0, start - 16) : start]))


TELEPHONE = DataKind(PHONE, phones, fails=True, needs_digits=True)
