"""Texts that are empty, no answer, very long or wrongly decoded, or that hold invisible
characters."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from pairwright.audit.row_check import OTHERS, TEXT, remembering_check, row_check
from pairwright.dataset import Row
from pairwright.text import canonical, find_hidden

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


@row_check("empty_text", limit=0.0, others=0.0)
def empty_text(row: Row) -> str:
    """A question, a side or a post without anything to read."""
    blank = (name for name, passage in _passages(row) if not passage.strip())
    return next((f"{name} is empty" for name in blank), "")


@row_check(
    "very_long",
    limit=0.0,
    others=OTHERS,
    detail=f"over {TEXT:,} characters; what lies beyond is not searched for copied words",
)
def very_long(row: Row) -> str:
    """Texts longer than the part in which this audit looks for runs of words."""
    long = ((name, len(passage)) for name, passage in every_text(row) if len(passage) > TEXT)
    return next((f"{name} has {length:,} characters" for name, length in long), "")


@remembering_check("encoding", dict[int, str | None], limit=OTHERS, others=OTHERS)
def encoding(row: Row, known: dict[int, str | None]) -> str:
    """Replacement characters, controls, byte order marks, and UTF-8 that was read as something else
    (`Ã©`)."""
    wrong = ((name, _wrong(passage, known)) for name, passage in every_text(row))
    return next((f"{kind.replace('_', ' ')} in {name}" for name, kind in wrong if kind), "")


def _wrong(passage: str, known: dict[int, str | None]) -> str | None:
    # Most texts are plain, and posts are repeated.
    if passage.isascii() and _CLEAN.fullmatch(passage):
        return None
    key = hash(passage)
    if key not in known:
        match = _WRONG.search(passage)
        known[key] = match.lastgroup if match else None
    return known[key]


# The whole of a response, in lower case and without what is around it.
_PLACEHOLDER = re.compile(
    r"n/?a|nil|none|null|nan|undefined|tb[ad]|todo|fixme|xxx+|lorem ipsum\b.*|test|placeholder"
    r"|(?:deleted|removed|redacted|blank|empty)(?: by \w+)?|no (?:response|answer|output|reply)"
    r"|(?:(?:an?|internal|server|api|http|unknown) ){0,3}(?:error|exception|timeout)(?: code)?"
    r"(?: occurred[^\n]*|:? ?\d{3}\b[^\n]*|: [^\n]{1,100})?"
    r"|(?:answer|response|reply|output)"
    r"|(?:http )?[45]\d\d(?: [a-z]+){1,4}|rate limit[^\n]{0,100}|too many requests[^\n]{0,100}"
    r"|(?:traceback \(most recent call last\)|internal server error|service unavailable).*",
    re.DOTALL,
)
_TEMPLATE = re.compile(
    r"\[(?:insert|your|enter|add|placeholder)\b[^\]\n]{0,80}\]|\{\{[^{}\n]{1,80}\}\}"
    r"|<!doctype html\b|</?html\b|</?think(?:ing)?>|<\|[a-z_]{2,30}\|>|\[/?INST\]",
    re.IGNORECASE,
)


@row_check(
    "no_answer",
    limit=OTHERS,
    others=OTHERS,
    detail="placeholders and errors in English, by a list of words; marks alone; the question; "
    "`<think>` and marks of templates. Misspelt words are not looked for",
)
def no_answer(row: Row) -> str:
    """A side that is a placeholder, an error or the question, has no letter, digit or symbol, or
    holds what a template or a model's own format left behind."""
    sides = (("chosen", row.chosen), ("rejected", row.rejected))
    wrong = ((name, _no_answer(side, row.question)) for name, side in sides if side.strip())
    return next((f"{name} {what}" for name, what in wrong if what), "")


def _no_answer(side: str, question: str) -> str | None:
    if match := _TEMPLATE.search(side):
        return f"holds {match.group()}"
    if len(side) <= _SHORT:
        if all(unicodedata.category(c)[0] in "PZC" for c in side):
            return f"is {side.strip()} alone"
        if _PLACEHOLDER.fullmatch(side.strip(_AROUND).lower()):
            return f"is {side.strip()}"
    if (
        len(side) < 2 * len(question)
        and canonical(side).casefold() == canonical(question).casefold()
    ):
        return "is the question"
    return None


_SHORT = 300
"""Characters; a placeholder or an error is no longer."""
_AROUND = " \t\r\n.!?:;*_`\"'()[]<>{}-"


class _Hidden:
    """What was hidden in the rows read so far."""

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self.noted = 0
        """Rows with some in posts or aspects, or with a hard space in the question."""
        self.known: dict[int, tuple[str, ...]] = {}
        """The kinds in a text, in their order, by its hash."""

    def details(self) -> str:
        counts = [f"{kind.replace('_', ' ')} {n:,}" for kind, n in self.kinds.most_common()]
        if self.noted:
            counts.append(
                f"{self.noted:,} rows have some in posts or aspects, or hard spaces in the"
                " question, which decides nothing"
            )
        return "; ".join(counts)


@remembering_check(
    "hidden_characters", _Hidden, limit=OTHERS, others=OTHERS, details=_Hidden.details
)
def hidden_characters(row: Row, hidden: _Hidden) -> str:
    """Rows whose question or sides hold invisible characters or words of mixed scripts, or whose
    sides hold hard spaces. Posts, and hard spaces of a question, which mark no side, are as people
    left them: those with some are noted, and decide nothing."""
    detail, noted = "", False
    for name, passage in every_text(row):
        if passage.isascii():
            continue
        key = hash(passage)
        if key not in hidden.known:
            found = (match.lastgroup or "" for match in find_hidden(passage))
            hidden.known[key] = tuple(dict.fromkeys(found))
        kinds = hidden.known[key]
        if name == "question":
            telling = [kind for kind in kinds if kind != "hard_space"]
        else:
            telling = [*kinds] if name in ("chosen", "rejected") else []
        noted |= len(telling) < len(kinds)
        if telling:
            hidden.kinds[telling[0]] += not detail
            detail = detail or f"{telling[0].replace('_', ' ')} in {name}"
    hidden.noted += noted
    return detail
