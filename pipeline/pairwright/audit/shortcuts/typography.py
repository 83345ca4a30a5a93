"""Habits of typing, in counts: nobody prefers an answer for them, and a scorer can read them."""

import re

from pairwright.audit.integrity.hidden import hidden

_DOUBLED = re.compile(r"(?<=\S)  +(?=\S)")
_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)
_LOWER = re.compile(r"(?:^|[.!?]\s+)[\"'\u201c\u2018(*_]*[^\W\d_A-Z]", re.MULTILINE)
_SPACED = re.compile(r"\w [,.;:!?](?:\s|$)")
_CURLY = "\u2018\u2019\u201c\u201d\u2026"
_END = (".", "!", "?", ":", "\u2026", ")", "\u3002")


def habits(given: str) -> tuple[int, ...]:
    """Double spaces, spaces at the end of lines, white space around it all, tabs, a small letter
    first of all and first in sentences, spaces before marks, curly marks, hidden characters, and no
    mark at its end."""
    bare = given.strip()
    return (
        len(_DOUBLED.findall(given)) if "  " in given else 0,
        len(_TRAILING.findall(given)),
        len(given) - len(bare),
        given.count("\t"),
        bare[:1].islower(),
        sum(found[-1].islower() for found in _LOWER.findall(given)),
        len(_SPACED.findall(given)),
        sum(map(given.count, _CURLY)),
        0 if given.isascii() else sum(1 for _ in hidden(given)),
        not bare.endswith(_END),
    )
