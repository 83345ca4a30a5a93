"""What a row holds: texts that are empty, no answer, very long, wrongly decoded or with invisible
characters; profiles whose posts are in order; and aspects that differ and whose evidence is found.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import combinations, pairwise

from pairwright import text
from pairwright.audits.people.scan import mask_text
from pairwright.audits.row_check import OTHERS, TEXT, LackCheck, remembering_check, row_check
from pairwright.dataset import Row, RowAspect
from pairwright.modes import has_rubric
from pairwright.times import latest_moment

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


@row_check()
def empty_text(row: Row) -> str:
    """A question, a side or a post without anything to read."""
    blank = (name for name, passage in _passages(row) if not passage.strip())
    return next((f"{name} is empty" for name in blank), "")


@row_check(
    others=OTHERS,
    detail=f"over {TEXT:,} characters; what lies beyond is not searched for copied words",
)
def very_long(row: Row) -> str:
    """Texts longer than the part in which this audit looks for runs of words."""
    long = ((name, len(passage)) for name, passage in every_text(row) if len(passage) > TEXT)
    return next((f"{name} has {length:,} characters" for name, length in long), "")


@remembering_check(dict[int, str | None], limit=OTHERS, others=OTHERS)
def encoding(row: Row, known: dict[int, str | None]) -> str:
    """Replacement characters, controls, byte order marks, and UTF-8 that was read as something else
    (`Ã©`)."""
    wrong = ((name, _wrong(passage, known)) for name, passage in every_text(row))
    return next((f"{kind.replace('_', ' ')} in {name}" for name, kind in wrong if kind), "")


def _wrong(passage: str, known: dict[int, str | None]) -> str | None:
    # Most texts are plain, and posts are repeated.
    if passage.isascii() and not passage.encode().translate(None, _CLEAN):
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
        and text.canonical(side).casefold() == text.canonical(question).casefold()
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


@remembering_check(_Hidden, limit=OTHERS, others=OTHERS, details=_Hidden.details)
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
            found = (match.lastgroup or "" for match in text.find_hidden(passage))
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


_TIME = re.compile(r"\d{4}-[01]\d-[0-3]\d(?:[T ][0-2]\d:[0-5]\d(?::[0-6]\d(?:\.\d{1,9})?)?)?")
"""Times without an offset, so that the order of texts is the order of times."""
FIRST, LAST = "1970-01-02", "2037-01-01"
"""Days between which texts were written. An audit reads no clock, because the same rows give the
same report on every day. `LAST` is ten years after this was written and must be raised in time.
Times before `FIRST` are what programs write where they do not know a time."""


@row_check(others=OTHERS, nothing="no post says when it was written")
def times_in_order(row: Row) -> str | None:
    """Posts that are not sorted oldest first, or times that cannot be compared. Posts that are
    later than the question are a check of leakage."""
    times = [post.created for post in row.profile if post.created is not None]
    if not times:
        return None
    detail = ""
    for time in (*times, *([row.created] if row.created is not None else [])):
        if not _TIME.fullmatch(time):
            detail = f"not a time in UTC, such as 2024-06-01T12:00:00: {time}"
    for one, later in pairwise(times):
        # A day without a time may be anywhere among the times of that day.
        if not detail and one > later and latest_moment(one) > latest_moment(later):
            detail = f"a post of {one} comes before one of {later}"
    return detail


@row_check(
    nothing="no row says when anything was written",
    detail=f"before {FIRST}, or from {LAST} on",
)
def implausible_time(row: Row) -> str | None:
    """Questions and posts with a time at which nobody can have written them."""
    stamps = [("question", row.created)]
    stamps += [(f"post {n}", post.created) for n, post in enumerate(row.profile, 1)]
    times = [(name, time) for name, time in stamps if time]
    if not times:
        return None
    wrong = (f"{name} is of {time}" for name, time in times if not FIRST <= time < LAST)
    return next(wrong, "")


@remembering_check(
    Counter[str],
    others=OTHERS,
    by_config=True,
    built=lambda row: row.aspects_origin != "gold",
    nothing="no row has aspects with evidence, and posts or a narrative to look in",
    details=lambda left: (
        f"{left['rows']:,} rows have aspects and nothing to look for their evidence in"
        if left
        else ""
    ),
)
def evidence_missing(row: Row, left: Counter[str]) -> str | None:
    """Evidence that is not in a post that the aspect names. Where it names none, the evidence is in
    the narrative or, but for narrative aspects, in any post."""
    if not row.rubric_aspects:
        return None
    faults = [_fault(n, aspect, row) for n, aspect in enumerate(row.rubric_aspects, 1)]
    if all(fault is NOWHERE for fault in faults):
        left["rows"] += 1
        return None
    return next((f for f in faults if f and f is not NOWHERE), "")


NOWHERE = "nothing to look in"


def _fault(number: int, aspect: RowAspect, row: Row) -> str | None:
    planned = row.aspects_origin == "planner"
    if planned or aspect.post_ids:
        where = [post.text for post in row.profile if post.id in aspect.post_ids]
        named = "a post of the profile"
    else:
        where, named = [row.narrative] if row.narrative else [], "a narrative"
        # The author of gold aspects may have quoted the posts or the narrative.
        if row.aspects_origin != "narrative" and row.profile:
            where += [post.text for post in row.profile]
            named = "a post or the narrative" if row.narrative else "any post"
    if not planned and not (where and aspect.evidence) and not aspect.post_ids:
        return NOWHERE
    if not where:
        return f"aspect {number} names none of the row's posts"
    if not aspect.evidence.strip():
        return f"aspect {number} has no evidence"
    if any(_holds(aspect.evidence, post) for post in where):
        return None
    # Of several passages each has to be in one of the posts.
    if all(any(_holds(one, post) for post in where) for one in text.passages(aspect.evidence)):
        return None
    return f"aspect {number}'s evidence is not in {named}: {mask_text(aspect.evidence[:500])}"


def _holds(passage: str, post: str) -> bool:
    if passage in post:
        return True
    quote = text.bare_quote(passage)
    return bool(quote) and quote in _normalised(post)


_normalised = lru_cache(maxsize=1024)(text.normalised)


@row_check(others=OTHERS, nothing="no row has two aspects")
def aspects_repeated(row: Row) -> str | None:
    """Two aspects of a row in nearly the same words."""
    if len(row.rubric_aspects) < 2:
        return None
    same = (
        f"aspects {m} and {n}: {mask_text(b.aspect[:500])}"
        for (m, a), (n, b) in combinations(enumerate(row.rubric_aspects, 1), 2)
        if _same(a.aspect[:TEXT], b.aspect[:TEXT], row.language)
    )
    return next(same, "")


SAME = 0.6
"""Share of content words (Jaccard) from which two aspects are one, as in the build."""


def _same(a: str, b: str, language: str | None) -> bool:
    if text.jaccard(text.terms(a, language), text.terms(b, language)) >= SAME:
        return True
    return text.canonical(a).casefold() == text.canonical(b).casefold()


def _has_aspect(row: Row) -> bool | None:
    """Whether it has an aspect with words; None of modes without rubrics."""
    if not has_rubric(row.mode):
        return None
    return any(one.aspect.strip() for one in row.rubric_aspects)


aspects_missing = partial(
    LackCheck, "aspects_missing", _has_aspect, "no aspect", nothing="no row has aspects"
)
profile_empty = partial(
    LackCheck, "profile_empty", lambda row: bool(row.profile), "no posts",
    nothing="no row has a profile: these pairs are not personal",
)  # fmt: skip
