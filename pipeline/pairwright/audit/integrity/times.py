"""Profiles: that there is one, oldest first, and of times that can be."""

import re
from collections.abc import Iterator
from itertools import pairwise

from pairwright.audit.found import OTHERS, Found
from pairwright.audit.records import Check
from pairwright.dataset import Row

_TIME = re.compile(r"\d{4}-[01]\d-[0-3]\d(?:[T ][0-2]\d:[0-5]\d(?::[0-6]\d(?:\.\d{1,9})?)?)?")
"""Of which text order is time order: no offset."""
FIRST, LAST = "1970-01-02", "2037-01-01"
"""Days between which texts were written. An audit reads no clock, because the same rows give the
same report on every day: `LAST` is ten years after this was written, and is to be moved on. Before
`FIRST` lies what programs write where they know no time."""


class PlausibleTimes:
    """`implausible_time`: questions and posts that nobody can have written then."""

    def __init__(self) -> None:
        self._found = Found(
            "integrity", "implausible_time", limit=0.0, others=0.0,
            nothing="no row says when anything was written",
        )  # fmt: skip

    def add(self, row: Row) -> None:
        given = [("question", row.created)]
        given += [(f"post {n}", post.created) for n, post in enumerate(row.profile, 1)]
        times = [(name, time) for name, time in given if time]
        if not times:
            return
        wrong = (f"{name} is of {time}" for name, time in times if not FIRST <= time < LAST)
        self._found.add(row, next(wrong, None))

    def checks(self) -> Iterator[Check]:
        yield from self._found.checks(f"before {FIRST}, or from {LAST} on")


class TimesInOrder:
    """`times_in_order`: posts oldest first, times that can be compared. What is later than the
    question is leakage's."""

    def __init__(self) -> None:
        self._found = Found(
            "integrity", "times_in_order", limit=0.0, others=OTHERS,
            nothing="no post says when it was written",
        )  # fmt: skip

    def add(self, row: Row) -> None:
        times = [post.created for post in row.profile if post.created is not None]
        if not times:
            return
        said = None
        for time in (*times, *([row.created] if row.created is not None else [])):
            if not _TIME.fullmatch(time):
                said = f"not a time in UTC, such as 2024-06-01T12:00:00: {time}"
        for one, later in pairwise(times):
            if said is None and one > later:
                said = f"a post of {one} stands before one of {later}"
        self._found.add(row, said)

    def checks(self) -> Iterator[Check]:
        yield from self._found.checks()


class ProfileEmpty:
    """`profile_empty`: rows without a post, where other rows have some or should."""

    def __init__(self) -> None:
        self._found = Found("integrity", "profile_empty", limit=0.0, others=OTHERS)
        self._personal = False

    def add(self, row: Row) -> None:
        self._personal = self._personal or bool(row.mode or row.profile)
        self._found.add(row, None if row.profile else "no posts")

    def checks(self) -> Iterator[Check]:
        if self._personal:
            yield from self._found.checks()
        else:
            yield Check(
                family="integrity", name="profile_empty", status="note", count=0,
                detail="no row has a profile: these pairs are not personal",
            )  # fmt: skip
