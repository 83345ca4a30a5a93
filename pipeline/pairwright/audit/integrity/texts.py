"""Texts that are empty, very long or wrongly decoded."""

import re
from collections.abc import Iterator

from pairwright.audit.found import OTHERS, TEXT, Found
from pairwright.audit.records import Check
from pairwright.dataset import Row

# What Windows-1252 makes of a UTF-8 byte from 80 to BF.
_BYTE = (
    "[\x80-\xbf\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d"
    "\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178]"
)
_WRONG = re.compile(
    "(?P<replacement>\ufffd)"
    "|(?P<byte_order_mark>\ufeff)"
    "|(?P<surrogate>[\ud800-\udfff])"
    "|(?P<control>[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f])"
    f"|(?P<mojibake>\u00c3{_BYTE}|\u00c2[\xa0-\xbf]|\u00e2\u20ac{_BYTE}|\u00f0\u0178{_BYTE}"
    "|\u00ef\u00bb\u00bf)"
)
_CLEAN = re.compile(r"[\t\n\r -~]*")


class Blank:
    """`empty_text`: a question, a side or a post without anything to read."""

    def __init__(self) -> None:
        self._found = Found("integrity", "empty_text", limit=0.0, others=0.0)

    def add(self, row: Row) -> None:
        blank = (name for name, passage in _passages(row) if not passage.strip())
        self._found.add(row, next((f"{name} is empty" for name in blank), None))

    def checks(self) -> Iterator[Check]:
        yield from self._found.checks()


class VeryLong:
    """`very_long`: texts longer than what this audit reads of one for runs of words."""

    def __init__(self) -> None:
        self._found = Found("integrity", "very_long", limit=0.0, others=OTHERS)

    def add(self, row: Row) -> None:
        long = ((name, len(passage)) for name, passage in every_text(row) if len(passage) > TEXT)
        said = next((f"{name} has {length:,} characters" for name, length in long), None)
        self._found.add(row, said)

    def checks(self) -> Iterator[Check]:
        yield from self._found.checks(
            f"over {TEXT:,} characters; what lies beyond is not searched for copied words"
        )


class Encoding:
    """`encoding`: replacement characters, controls, byte order marks, and UTF-8 that was read as
    something else (`Ã©`)."""

    def __init__(self) -> None:
        self._found = Found("integrity", "encoding", limit=OTHERS, others=OTHERS)
        self._known: dict[int, str | None] = {}

    def add(self, row: Row) -> None:
        wrong = ((name, self._wrong(passage)) for name, passage in every_text(row))
        said = (f"{kind.replace('_', ' ')} in {name}" for name, kind in wrong if kind)
        self._found.add(row, next(said, None))

    def checks(self) -> Iterator[Check]:
        yield from self._found.checks()

    def _wrong(self, passage: str) -> str | None:
        # Most texts are plain, and posts come again.
        if passage.isascii() and _CLEAN.fullmatch(passage):
            return None
        key = hash(passage)
        if key not in self._known:
            found = _WRONG.search(passage)
            self._known[key] = found.lastgroup if found else None
        return self._known[key]


def _passages(row: Row) -> Iterator[tuple[str, str]]:
    yield from (("question", row.question), ("chosen", row.chosen), ("rejected", row.rejected))
    for number, post in enumerate(row.profile, 1):
        yield f"post {number}", post.text


def every_text(row: Row) -> Iterator[tuple[str, str]]:
    """Each text of a row with its name."""
    yield from _passages(row)
    if row.narrative is not None:
        yield "narrative", row.narrative
    for number, aspect in enumerate(row.rubric_aspects, 1):
        yield f"aspect {number}", aspect.aspect
        yield f"aspect {number}'s evidence", aspect.evidence
