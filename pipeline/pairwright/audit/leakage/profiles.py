"""Profiles that hold the question itself, or posts that are not older than the question."""

from collections.abc import Iterator
from typing import ClassVar

from pairwright import text
from pairwright.audit.records import Check, CheckDefinition, Definitions
from pairwright.audit.row_check import OTHERS, TEXT, RowCheck
from pairwright.dataset import Row
from pairwright.sources.times import is_older, time_text

TARGET_IN_PROFILE = CheckDefinition(
    family="leakage",
    name="target_in_profile",
    title="The question is in its own profile",
    why="A post that repeats the question says what the user wanted, instead of letting it be "
    "inferred.",
    todo="Leave such posts out of the histories and build again.",
)


class QuestionInProfile:
    """`target_in_profile`: a post that repeats the question, or question and narrative, by the
    rule that a build leaves posts out by: four fifths of the shorter text's runs of three words."""

    definitions: ClassVar[Definitions] = (TARGET_IN_PROFILE,)

    def __init__(self) -> None:
        self._check = RowCheck(
            TARGET_IN_PROFILE, limit=0.0, others=OTHERS, by_config=True,
            nothing="no row has a profile",
        )  # fmt: skip

    def add(self, row: Row) -> None:
        if not row.profile:
            return
        question, narrative = row.question[:TEXT], (row.narrative or "")[:TEXT]
        details = (
            f"post {number} of its profile repeats the {part}"
            for number, post in enumerate(row.profile, 1)
            if (part := text.find_question(post.text[:TEXT], question, narrative))
        )
        self._check.add(row, next(details, None))

    def checks(self) -> Iterator[Check]:
        yield from self._check.checks()


LATER_POST = CheckDefinition(
    family="leakage",
    name="later_post",
    title="Posts that are not older than the question",
    why="What somebody wrote afterwards may hold the answer they took, which nobody could know "
    "when they asked. A day without a time counts as its end.",
    todo="Cut profiles at the time of the question.",
)


class LaterPosts:
    """`later_post`: a post that is not older than the question."""

    definitions: ClassVar[Definitions] = (LATER_POST,)

    def __init__(self) -> None:
        self._check = RowCheck(
            LATER_POST, limit=0.0, others=0.0,
            nothing="no row says when question and posts were written",
        )  # fmt: skip
        self._undated = self._posts = 0

    def add(self, row: Row) -> None:
        time = row.created
        if time is None:
            return
        self._posts += len(row.profile)
        self._undated += sum(not post.created for post in row.profile)
        dated = [(n, p.created) for n, p in enumerate(row.profile, 1) if p.created]
        if not dated:
            return
        late = ((n, written) for n, written in dated if not is_older(written, time))
        detail = (
            f"post {n} is of {time_text(written)}, the question of {time_text(time)}"
            for n, written in late
        )
        self._check.add(row, next(detail, None))

    def checks(self) -> Iterator[Check]:
        undated = (
            f"{self._undated:,} of {self._posts:,} posts have no time, and their questions have"
            " one: nothing tells whether these are older"
        )
        yield from self._check.checks(undated if self._undated else "")
