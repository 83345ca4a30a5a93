"""Profiles and aspects: posts in order, evidence that can be found, distinct aspects."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, pairwise

from pairwright import text
from pairwright.audits.people.scan import mask_text
from pairwright.audits.row_check import OTHERS, TEXT, remembering_check, row_check, set_check
from pairwright.dataset import Row, RowAspect
from pairwright.modes import is_own_choice
from pairwright.sources.fields import latest_moment


@set_check(
    "profile_empty",
    lambda row: (bool(row.profile), row.mode is not None),
    limit=0.0,
    others=OTHERS,
    nothing="no row has a profile: these pairs are not personal",
)
def profile_empty(rows: Sequence[tuple[bool, bool]]) -> Iterator[tuple[int, str]] | None:
    """Rows without a post, where other rows have some or should."""
    if not any(map(any, rows)):
        return None
    return ((n, "no posts") for n, (there, _) in enumerate(rows) if not there)


_TIME = re.compile(r"\d{4}-[01]\d-[0-3]\d(?:[T ][0-2]\d:[0-5]\d(?::[0-6]\d(?:\.\d{1,9})?)?)?")
"""Times without an offset, so that the order of texts is the order of times."""
FIRST, LAST = "1970-01-02", "2037-01-01"
"""Days between which texts were written. An audit reads no clock, because the same rows give the
same report on every day. `LAST` is ten years after this was written and must be raised in time.
Times before `FIRST` are what programs write where they do not know a time."""


@row_check("times_in_order", limit=0.0, others=OTHERS, nothing="no post says when it was written")
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
    "implausible_time",
    limit=0.0,
    others=0.0,
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
    "evidence_missing",
    Counter[str],
    limit=0.0,
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
    return bool(quote) and quote in _normalised_post(post)


@lru_cache(maxsize=1024)
def _normalised_post(post: str) -> str:
    return text.normalised(post)


@row_check("aspects_repeated", limit=0.0, others=OTHERS, nothing="no row has two aspects")
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


def _aspects(row: Row) -> tuple[bool, bool] | None:
    """Whether it has an aspect with words, and whether it needs one. A user's own choice does
    not."""
    if is_own_choice(row.mode):
        return None
    return any(one.aspect.strip() for one in row.rubric_aspects), row.mode is not None


@set_check("aspects_missing", _aspects, limit=0.0, others=OTHERS, nothing="no row has aspects")
def aspects_missing(rows: Sequence[tuple[bool, bool]]) -> Iterator[tuple[int, str]] | None:
    """No aspect, or none with words, in a row of a build or beside rows that have some."""
    if not any(map(any, rows)):
        return None
    return ((n, "no aspect") for n, (there, _) in enumerate(rows) if not there)
