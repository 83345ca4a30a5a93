"""Near-duplicates of different users or in different splits, and people in two splits."""

from array import array
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
import pandas as pd

from pairwright import text
from pairwright.audit.leakage.sketch import (
    POST,
    QUESTION,
    SIMILAR,
    DistinctTexts,
    TextSketches,
    duplicate_groups,
    place_name,
    similar,
)
from pairwright.audit.records import Check, CheckDefinition, Definitions
from pairwright.audit.row_check import OTHERS, TEXT, RowCheck, RowPlace
from pairwright.dataset import Row
from pairwright.dataset.row import is_choice_text
from pairwright.modes import is_own_choice, is_twin

PEOPLE_ACROSS_SPLITS = CheckDefinition(
    family="leakage",
    name="people_across_splits",
    title="A person in two splits",
    why="A user's history, or the other half of a twin, would be known from the other split.",
    todo="Split by user, and a twin by its two users together.",
)


class PeopleAcrossSplits:
    """`people_across_splits`: a user, or a twin's two, whose rows are in two splits."""

    definitions: ClassVar[Definitions] = (PEOPLE_ACROSS_SPLITS,)

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._splits = set[str]()
        self._check = RowCheck(
            PEOPLE_ACROSS_SPLITS, limit=0.0, others=0.0,
            nothing="the rows come without splits, or name no users",
        )  # fmt: skip

    def add(self, row: Row, split: str = "") -> None:
        who = [name for name in (row.user, row.dyad, row.twin_id) if name]
        if not split or not who:
            return
        self._splits.add(split)
        elsewhere = {self._first.setdefault(name, split) for name in who} - {split}
        self._check.add(row, f"in {split}, and in {min(elsewhere)}" if elsewhere else None)

    def checks(self) -> Iterator[Check]:
        if len(self._splits) == 1:
            yield one_split("people_across_splits")
        else:
            yield from self._check.checks()


def one_split(check: str) -> Check:
    """The result of a check of two splits where there is only one."""
    return Check(
        family="leakage", name=check, status="note", count=0, detail="all rows are in one split"
    )


LEAST_WORDS = 5
"""A text of fewer words repeats another by chance."""
_METHOD = (
    f"MinHash over runs of three words, estimated overlap at least {SIMILAR}; "
    f"texts under {LEAST_WORDS} words are left out"
)


NEAR_DUPLICATE_QUESTIONS = CheckDefinition(
    family="leakage",
    name="near_duplicate_questions",
    title="Two users ask nearly the same question",
    why="Such rows count twice, and what is learned from one gives the other away.",
    todo="Keep one of each group, or see that a group is in one split and one fold.",
)

NEAR_DUPLICATE_POSTS = CheckDefinition(
    family="leakage",
    name="near_duplicate_posts",
    title="Two users wrote nearly the same post",
    why="They may be one person with two accounts, or text that both copied: neither distinguishes "
    "one user from another.",
    todo="Join the accounts or leave the copied posts out.",
)

NEAR_DUPLICATES_ACROSS_SPLITS = CheckDefinition(
    family="leakage",
    name="near_duplicates_across_splits",
    title="Nearly the same text in two splits",
    why="A model that was tuned on one split has read part of the other.",
    todo="Put a group of near-duplicates into one split.",
)


class Duplicates:
    """`near_duplicate_questions`, `near_duplicate_posts`: the same or nearly the same text of two
    users; `near_duplicates_across_splits`: in two splits.

    A twin's question is its asker's: the other half does not repeat it.
    """

    definitions: ClassVar[Definitions] = (
        NEAR_DUPLICATE_QUESTIONS,
        NEAR_DUPLICATE_POSTS,
        NEAR_DUPLICATES_ACROSS_SPLITS,
    )

    def __init__(self) -> None:
        self._texts, self._sketches = DistinctTexts(), TextSketches()
        self._users: dict[str, int] = {}
        self._splits: dict[str, int] = {}
        self._user, self._split = array("i"), array("i")
        self._names: list[str] = []
        self._natural_halves = 0
        """Halves of natural twins, whose questions are put to many users on purpose."""
        # Others ask many users one question on purpose.
        self._questions = RowCheck(
            NEAR_DUPLICATE_QUESTIONS, limit=OTHERS, others=None,
            nothing="no row names its user",
        )  # fmt: skip
        self._posts = RowCheck(
            NEAR_DUPLICATE_POSTS, limit=OTHERS, others=OTHERS,
            nothing="no row names its user and has a post",
        )  # fmt: skip
        self._across = RowCheck(
            NEAR_DUPLICATES_ACROSS_SPLITS, limit=OTHERS, others=OTHERS,
            nothing="the rows come without splits",
        )  # fmt: skip

    def add(self, row: Row, split: str = "") -> None:
        number = len(self._names)
        self._names.append(row.id)
        self._user.append(_number(self._users, row.user))
        self._split.append(_number(self._splits, split or None))
        own_choice = is_own_choice(row.mode)
        # What two users chose of is asked of both on purpose, and of others too.
        natural_half = own_choice and is_twin(row.mode)
        self._natural_halves += natural_half
        if row.user is not None and not natural_half:
            self._questions.add(row, None)
        if row.user is not None and row.profile:
            self._posts.add(row, None)
        if split:
            self._across.add(row, None)
        if row.asked and not natural_half:
            self._text(number, QUESTION, row.question)
        for place, post in enumerate(row.profile, POST):
            if not (own_choice and is_choice_text(post.text)):
                self._text(number, place, post.text)

    def checks(self) -> Iterator[Check]:
        places = self._grouped_places()
        lines = _shared(places, "user")
        self._flag(self._questions, lines[lines.place == QUESTION], "another user's")
        self._flag(self._posts, lines[lines.place >= POST], "another user's")
        self._flag(self._across, _shared(places, "split"), "another split's")
        if self._natural_halves and self._natural_halves == len(self._names):
            yield _natural_twins_note()
        else:
            yield from self._questions.checks(_METHOD)
        yield from self._posts.checks(_METHOD)
        if len(self._splits) == 1:
            yield one_split("near_duplicates_across_splits")
        else:
            yield from self._across.checks(_METHOD)

    def _text(self, row: int, place: int, passage: str) -> None:
        words = text.words(passage[:TEXT])
        if len(words) >= text.run_length(passage, LEAST_WORDS) and self._texts.add(
            row, place, passage
        ):
            self._sketches.add(words)

    def _grouped_places(self) -> pd.DataFrame:
        """The places of each text, with its group of near-duplicates, its user and its split."""
        lines = self._texts.text_places()
        signatures = self._sketches.signatures()
        group = duplicate_groups(similar(signatures), len(signatures))
        return lines.assign(
            group=group[lines.text],
            user=np.array(self._user, np.int64)[lines.row],
            split=np.array(self._split, np.int64)[lines.row],
        )

    def _flag(self, check: RowCheck, lines: pd.DataFrame, whose: str) -> None:
        columns = ["row", "place", "other_row", "other_place"]
        for row, place, other_row, other_place in (
            lines.drop_duplicates("row")[columns].to_numpy(np.int64).tolist()
        ):
            check.flag(
                RowPlace(row, "", self._names[row]),
                f"{place_name(place)} nearly repeats {whose}: "
                f"{place_name(other_place)} of {self._names[other_row]}",
            )


def _natural_twins_note() -> Check:
    """What `near_duplicate_questions` says where every pair is of a natural twin."""
    return Check(
        family="leakage",
        name=NEAR_DUPLICATE_QUESTIONS.name,
        status="note",
        count=0,
        detail="questions of natural twins are put to many users on purpose",
    )


def _number(names: dict[str, int], name: str | None) -> int:
    return -1 if name is None else names.setdefault(name, len(names))


def _shared(places: pd.DataFrame, by: str) -> pd.DataFrame:
    """The lines of groups that occur with two values of `by`, each with the first line of its
    group that has another value than its own."""
    known = places[places[by] >= 0]
    values = known.groupby("group")[by]
    lines = known[values.transform("min") != values.transform("max")]
    first = lines.drop_duplicates("group").set_index("group")
    own = lines[by].eq(lines.group.map(first[by]))
    second = lines[~own].drop_duplicates("group").set_index("group")
    return lines.assign(
        **{
            f"other_{column}": np.where(
                own, lines.group.map(second[column]), lines.group.map(first[column])
            )
            for column in ("row", "place")
        }
    )
