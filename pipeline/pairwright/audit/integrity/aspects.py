"""Aspects: whether their evidence can be found, and whether they are distinct and enough."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import ClassVar

from pairwright import text
from pairwright.audit.people.scan import mask_text
from pairwright.audit.records import Check, CheckDefinition, Definitions
from pairwright.audit.row_check import OTHERS, TEXT, RowCheck, RowPlace
from pairwright.dataset import Row, RowAspect
from pairwright.modes import is_own_choice

SAME = 0.6
"""Share of content words (Jaccard) from which two aspects are one, as in the build."""


EVIDENCE_MISSING = CheckDefinition(
    family="integrity",
    name="evidence_missing",
    title="Evidence that no text holds",
    why="An aspect whose evidence nobody wrote may be made up.",
    todo="Drop the aspect, and the pair where none is left.",
)


class Evidence:
    """`evidence_missing`: evidence that is not in a post that the aspect names. Where it
    names none, the evidence is in the narrative or, but for narrative aspects, in any post."""

    definitions: ClassVar[Definitions] = (EVIDENCE_MISSING,)

    def __init__(self) -> None:
        self._check = RowCheck(
            EVIDENCE_MISSING, limit=0.0, others=OTHERS, by_config=True,
            nothing="no row has aspects with evidence, and posts or a narrative to look in",
        )  # fmt: skip
        self._nowhere = 0

    def add(self, row: Row) -> None:
        if not row.rubric_aspects:
            return
        faults = [_fault(n, aspect, row) for n, aspect in enumerate(row.rubric_aspects, 1)]
        if all(fault is NOWHERE for fault in faults):
            self._nowhere += 1
        else:
            detail = next((f for f in faults if f and f is not NOWHERE), None)
            self._check.add(row, detail, built=row.aspects_origin != "gold")

    def checks(self) -> Iterator[Check]:
        left = f"{self._nowhere:,} rows have aspects and nothing to look for their evidence in"
        yield from self._check.checks(left if self._nowhere else "")


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


ASPECTS_REPEATED = CheckDefinition(
    family="integrity",
    name="aspects_repeated",
    title="An aspect twice",
    why="It counts double in the adherence score.",
    todo="Keep one of the two.",
)


class RepeatedAspects:
    """`aspects_repeated`: two aspects of a row in nearly the same words."""

    definitions: ClassVar[Definitions] = (ASPECTS_REPEATED,)

    def __init__(self) -> None:
        self._check = RowCheck(
            ASPECTS_REPEATED, limit=0.0, others=OTHERS,
            nothing="no row has two aspects",
        )  # fmt: skip

    def add(self, row: Row) -> None:
        if len(row.rubric_aspects) < 2:
            return
        pairs = combinations(enumerate(row.rubric_aspects, 1), 2)
        same = (
            f"{m} and {n}: {mask_text(b.aspect[:500])}"
            for (m, a), (n, b) in pairs
            if _same(a.aspect[:TEXT], b.aspect[:TEXT], row.language)
        )
        self._check.add(row, next((f"aspects {detail}" for detail in same), None))

    def checks(self) -> Iterator[Check]:
        yield from self._check.checks()


def _same(a: str, b: str, language: str | None) -> bool:
    if text.jaccard(text.terms(a, language), text.terms(b, language)) >= SAME:
        return True
    return text.canonical(a).casefold() == text.canonical(b).casefold()


ASPECTS_MISSING = CheckDefinition(
    family="integrity",
    name="aspects_missing",
    title="No aspect",
    why="Without an aspect there is no statement of what this user wants and others do not.",
    todo="Refuse such items, as a build does.",
)


class MissingAspects:
    """`aspects_missing`: no aspect, or none with words, in a row of a build or beside rows that
    have some. A user's own choice needs none."""

    definitions: ClassVar[Definitions] = (ASPECTS_MISSING,)

    def __init__(self) -> None:
        self._check = self._new()
        self._without: list[RowPlace] = []
        self._needed = False

    def add(self, row: Row) -> None:
        if is_own_choice(row.mode):
            return
        there = any(aspect.aspect.strip() for aspect in row.rubric_aspects)
        self._needed |= there or row.mode is not None
        if there:
            self._check.add(row, None)
        else:
            self._without.append(self._check.place(row))

    def checks(self) -> Iterator[Check]:
        if self._needed:
            for place in self._without:
                self._check.flag(place, "no aspect")
        yield from (self._check if self._needed else self._new()).checks()

    @staticmethod
    def _new() -> RowCheck:
        return RowCheck(ASPECTS_MISSING, limit=0.0, others=OTHERS, nothing="no row has aspects")
