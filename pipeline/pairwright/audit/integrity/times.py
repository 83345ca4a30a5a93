"""Profiles: whether a row has one, in the order of time, and with times that are plausible."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import ClassVar

from pairwright.audit.records import Check, CheckDefinition, Definitions
from pairwright.audit.row_check import OTHERS, RowCheck
from pairwright.dataset import Row
from pairwright.sources.times import latest_moment

_TIME = re.compile(r"\d{4}-[01]\d-[0-3]\d(?:[T ][0-2]\d:[0-5]\d(?::[0-6]\d(?:\.\d{1,9})?)?)?")
"""Times without an offset, so that the order of texts is the order of times."""
FIRST, LAST = "1970-01-02", "2037-01-01"
"""Days between which texts were written. An audit reads no clock, because the same rows give the
same report on every day. `LAST` is ten years after this was written and must be raised in time.
Times before `FIRST` are what programs write where they do not know a time."""


IMPLAUSIBLE_TIME = CheckDefinition(
    family="integrity",
    name="implausible_time",
    title="Times that cannot be",
    why="Any post is older than a question from the future, and a default time that a program "
    "wrote gives no order. An audit reads no clock: it counts 1970 and times from 2037 on as "
    "wrong.",
    todo="Read the times from the source again, or leave them out.",
)


class PlausibleTimes:
    """`implausible_time`: questions and posts with a time at which nobody can have written them."""

    definitions: ClassVar[Definitions] = (IMPLAUSIBLE_TIME,)

    def __init__(self) -> None:
        self._check = RowCheck(
            IMPLAUSIBLE_TIME, limit=0.0, others=0.0,
            nothing="no row says when anything was written",
        )  # fmt: skip

    def add(self, row: Row) -> None:
        stamps = [("question", row.created)]
        stamps += [(f"post {n}", post.created) for n, post in enumerate(row.profile, 1)]
        times = [(name, time) for name, time in stamps if time]
        if not times:
            return
        wrong = (f"{name} is of {time}" for name, time in times if not FIRST <= time < LAST)
        self._check.add(row, next(wrong, None))

    def checks(self) -> Iterator[Check]:
        yield from self._check.checks(f"before {FIRST}, or from {LAST} on")


TIMES_IN_ORDER = CheckDefinition(
    family="integrity",
    name="times_in_order",
    title="Posts out of order",
    why="A reader that takes the last posts for the newest is misled, and what is older than "
    "the question cannot be determined.",
    todo="Write times in UTC, ISO 8601, and sort posts oldest first.",
)


class TimeOrder:
    """`times_in_order`: posts that are not sorted oldest first, or times that cannot be compared.
    Posts that are later than the question are a check of leakage."""

    definitions: ClassVar[Definitions] = (TIMES_IN_ORDER,)

    def __init__(self) -> None:
        self._check = RowCheck(
            TIMES_IN_ORDER, limit=0.0, others=OTHERS,
            nothing="no post says when it was written",
        )  # fmt: skip

    def add(self, row: Row) -> None:
        times = [post.created for post in row.profile if post.created is not None]
        if not times:
            return
        detail = None
        for time in (*times, *([row.created] if row.created is not None else [])):
            if not _TIME.fullmatch(time):
                detail = f"not a time in UTC, such as 2024-06-01T12:00:00: {time}"
        for one, later in pairwise(times):
            # A day without a time may be anywhere among the times of that day.
            if detail is None and one > later and latest_moment(one) > latest_moment(later):
                detail = f"a post of {one} comes before one of {later}"
        self._check.add(row, detail)

    def checks(self) -> Iterator[Check]:
        yield from self._check.checks()


PROFILE_EMPTY = CheckDefinition(
    family="integrity",
    name="profile_empty",
    title="No profile",
    why="Without a history nothing can be known of this user's preference.",
    todo="Leave these rows out, or add the posts.",
)


class EmptyProfiles:
    """`profile_empty`: rows without a post, where other rows have some or should."""

    definitions: ClassVar[Definitions] = (PROFILE_EMPTY,)

    def __init__(self) -> None:
        self._check = RowCheck(PROFILE_EMPTY, limit=0.0, others=OTHERS)
        self._personal = False

    def add(self, row: Row) -> None:
        self._personal = self._personal or bool(row.mode or row.profile)
        self._check.add(row, None if row.profile else "no posts")

    def checks(self) -> Iterator[Check]:
        if self._personal:
            yield from self._check.checks()
        else:
            yield Check(
                family=PROFILE_EMPTY.family, name=PROFILE_EMPTY.name, status="note", count=0,
                detail="no row has a profile: these pairs are not personal",
            )  # fmt: skip
