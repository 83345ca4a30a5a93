"""Checks of a row's texts: empty, no answer, wrongly decoded, with invisible characters or in
another language; and of aspects whose evidence is found."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from scipy.stats import binomtest

from pairwright import text
from pairwright.audits.checks import Found, counted, row_check, table_check
from pairwright.audits.facts import Facts
from pairwright.audits.personal_data import mask_text
from pairwright.audits.records import Check
from pairwright.pairs import Row, RowAspect


def _passages(row: Row) -> Iterator[tuple[str, str]]:
    yield from (("question", row.question), ("chosen", row.chosen), ("rejected", row.rejected))
    for number, post in enumerate(row.profile, 1):
        yield f"post {number}", post.text


@row_check
def same_sides(row: Row) -> str:
    """Two sides that are the same text, but for white space and Unicode form."""
    if row.chosen == row.rejected:
        return "both sides are the same"
    if text.canonical(row.chosen) == text.canonical(row.rejected):
        return "both sides are the same but for white space, Unicode form or hidden characters"
    return ""


@row_check
def empty_text(row: Row) -> str:
    """A question, a side or a post without anything to read."""
    blank = (name for name, passage in _passages(row) if not passage.strip())
    return next((f"{name} is empty" for name in blank), "")


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
_CLEAN = b"\t\n\r" + bytes(range(ord(" "), ord("~") + 1))


@row_check
def encoding(row: Row) -> str:
    """Replacement characters, controls, byte order marks, and UTF-8 that was read as something else
    (`Ã©`)."""
    wrong = ((name, _wrong(passage)) for name, passage in _passages(row))
    return next((f"{kind.replace('_', ' ')} in {name}" for name, kind in wrong if kind), "")


# Posts are repeated.
@lru_cache(maxsize=1024)
def _wrong(passage: str) -> str | None:
    if passage.isascii() and not passage.encode().translate(None, _CLEAN):
        return None
    match = _WRONG.search(passage)
    return match.lastgroup if match else None


# Not joiners, variation selectors and marks of direction, which are part of some scripts' writing.
_HIDDEN = re.compile(
    "(?P<zero_width_space>[\u200b\u2060-\u2064\u180e])|(?P<soft_hyphen>\u00ad)"
    "|(?P<change_of_direction>[\u202a-\u202e\u2066-\u2069])"
    "|(?P<line_separator>[\u0085\u2028\u2029])"
    "|(?P<blank_character>[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0])"
    "|(?P<tag_character>(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0001-\U000e007f])"
)


@row_check
def hidden_characters(row: Row) -> str:
    """Rows whose question or sides hold invisible characters."""
    for name, passage in islice(_passages(row), 3):
        if match := None if passage.isascii() else _HIDDEN.search(passage):
            return f"{(match.lastgroup or '').replace('_', ' ')} in {name}"
    return ""


# The whole of a response, in lower case and without what is around it.
_PLACEHOLDER = re.compile(
    r"n/?a|nil|none|null|nan|undefined|tb[ad]|todo|fixme|xxx+|lorem ipsum\b.*|test|placeholder"
    r"|(?:deleted|removed|redacted|blank|empty)(?: by \w+)?|no (?:response|answer|output|reply)"
    r"|(?:(?:an?|internal|server|api|http|unknown) ){0,3}(?:error|exception|timeout)(?: code)?"
    r"(?: occurred[^\n]*|:? ?\d{3}\b[^\n]*|: [^\n]{1,100})?"
    r"|(?:http )?[45]\d\d(?: [a-z]+){1,4}|rate limit[^\n]{0,100}|too many requests[^\n]{0,100}"
    r"|(?:traceback \(most recent call last\)|internal server error|service unavailable).*",
    re.DOTALL,
)
_TEMPLATE = re.compile(
    r"\[(?:insert|your|enter|add|placeholder)\b[^\]\n]{0,80}\]|\{\{[^{}\n]{1,80}\}\}"
    r"|<!doctype html\b|</?html\b|</?think(?:ing)?>|<\|[a-z_]{2,30}\|>|\[/?INST\]",
    re.IGNORECASE,
)
_SHORT = 300
"""Characters; a placeholder or an error is no longer."""
_AROUND = " \t\r\n.!?:;*_`\"'()[]<>{}-"


@row_check
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
        and text.canonical(side).casefold() == text.canonical(question).casefold()
    ):
        return "is the question"
    return None


@row_check
def evidence_missing(row: Row) -> str | None:
    """Evidence that is not in a post that the aspect names; if it names none, then in no post and
    not in the narrative."""
    faults = [_fault(n, aspect, row) for n, aspect in enumerate(row.rubric_aspects, 1)]
    known = [fault for fault in faults if fault is not None]
    return next(filter(None, known), "") if known else None


def _fault(number: int, aspect: RowAspect, row: Row) -> str | None:
    """None if there is nothing to look for, or to look in."""
    if row.aspects_origin == "planner" and not aspect.post_ids:
        return f"aspect {number} names none of the row's posts"
    if not aspect.evidence.strip():
        return f"aspect {number} has no evidence" if aspect.post_ids else None
    named = "a post that it names" if aspect.post_ids else "a post or the narrative"
    where = [one.text for one in row.profile if not aspect.post_ids or one.id in aspect.post_ids]
    where += [] if aspect.post_ids else filter(None, [row.narrative])
    if not where and not aspect.post_ids:
        return None
    # Of several passages each has to be in one of the texts.
    if all(any(_holds(one, post) for post in where) for one in text.passages(aspect.evidence)):
        return ""
    return f"aspect {number}'s evidence is not in {named}: {mask_text(aspect.evidence[:500])}"


def _holds(passage: str, post: str) -> bool:
    if passage in post:
        return True
    quote = text.bare_quote(passage)
    return bool(quote) and quote in _normalised(post)


_normalised = lru_cache(maxsize=1024)(text.normalised)


LETTERS, LETTERS_UNSPACED = 100, 30
"""Letters that tell a language; in a script without spaces, or of Korean, fewer."""


@table_check
def other_language(facts: Facts) -> Check:
    """Rows with a side in another language than the question and the posts, on a sample."""
    found, rows = Found(), list(facts.sample)
    for number, row in rows:
        found.add(number, languages(row))
    found.note = f"on a sample of {len(rows):,} rows, if they are long enough"
    check = counted("other_language", found, facts)
    # A few rows of a small set may be over the limit by chance.
    if check.status == "fail":
        by_chance = binomtest(found.count, found.of, check.limit or 1.0, "greater").pvalue
        return Check(**dict(check) | {"status": "fail" if by_chance <= 0.01 else "pass"})
    return check


def languages(row: Row) -> str | None:
    """The language of each side, if they differ; None if it is unknown, e.g. for short texts."""
    own_words = " ".join((row.question[:450], *(post.text[:100] for post in row.profile[:5])))
    sides = [side[:200] for side in (row.chosen, row.rejected) if _enough(side[:200])]
    if not sides or not _enough(own_words[:450]):
        return None
    asked = text.language(own_words[:450], enough=450)
    spoken = {code for side in sides if (code := text.language(side))}
    if asked is None or not spoken:
        return None
    return "" if spoken == {asked} else f"{', '.join(sorted(spoken))} on a question in {asked}"


def _enough(passage: str) -> bool:
    """Whether the letters of a passage are enough to tell its language."""
    letters = list(filter(str.isalpha, passage))
    unspaced = 0 if passage.isascii() else sum(map(text.is_character_run, letters))
    return (len(letters) - unspaced) / LETTERS + unspaced / LETTERS_UNSPACED >= 1
