"""Near-duplicates of different users or in different splits."""

from array import array
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pairwright import text
from pairwright.audit.found import OTHERS, TEXT, Found, Place
from pairwright.audit.leakage.sketch import SIMILAR, Sketches, similar
from pairwright.audit.leakage.splits import one_split
from pairwright.audit.leakage.texts import POST, QUESTION, Texts, place_name
from pairwright.audit.records import Check
from pairwright.dataset import Row

WORDS = 5
"""A text of fewer words repeats another by chance."""
_METHOD = (
    f"MinHash over runs of three words, estimated overlap at least {SIMILAR}; "
    f"texts under {WORDS} words are left out"
)


class Duplicates:
    """`near_duplicate_questions`, `near_duplicate_posts`: the same or nearly the same text of two
    users; `near_duplicates_across_splits`: in two splits.

    A twin's question is its asker's: the other half does not repeat it.
    """

    def __init__(self) -> None:
        self._texts, self._sketches = Texts(), Sketches()
        self._users: dict[str, int] = {}
        self._splits: dict[str, int] = {}
        self._user, self._split = array("i"), array("i")
        self._names: list[str] = []
        # Others ask many users one question on purpose.
        self._questions = Found(
            "leakage", "near_duplicate_questions", limit=OTHERS, others=None,
            nothing="no row names its user",
        )  # fmt: skip
        self._posts = Found(
            "leakage", "near_duplicate_posts", limit=OTHERS, others=OTHERS,
            nothing="no row names its user and has a post",
        )  # fmt: skip
        self._across = Found(
            "leakage", "near_duplicates_across_splits", limit=OTHERS, others=OTHERS,
            nothing="the rows come without splits",
        )  # fmt: skip

    def add(self, row: Row, split: str) -> None:
        number = len(self._names)
        self._names.append(row.id)
        self._user.append(_number(self._users, row.user))
        self._split.append(_number(self._splits, split or None))
        if row.user is not None:
            self._questions.add(row, None)
        if row.user is not None and row.profile:
            self._posts.add(row, None)
        if split:
            self._across.add(row, None)
        if row.asked:
            self._text(number, QUESTION, row.question)
        for place, post in enumerate(row.profile, POST):
            self._text(number, place, post.text)

    def checks(self) -> Iterator[Check]:
        standing = self._standing()
        lines = _shared(standing, "user")
        self._flag(self._questions, lines[lines.place == QUESTION], "another user's")
        self._flag(self._posts, lines[lines.place >= POST], "another user's")
        self._flag(self._across, _shared(standing, "split"), "another split's")
        for found in (self._questions, self._posts):
            yield from found.checks(_METHOD)
        if len(self._splits) == 1:
            yield one_split("near_duplicates_across_splits")
        else:
            yield from self._across.checks(_METHOD)

    def _text(self, row: int, place: int, passage: str) -> None:
        words = text.words(passage[:TEXT])
        if len(words) >= WORDS and self._texts.add(row, place, passage):
            self._sketches.add(words)

    def _standing(self) -> pd.DataFrame:
        """Where each text stands, with its group of near-duplicates, its user and its split."""
        lines = self._texts.standing()
        signatures = self._sketches.signatures()
        first, second = similar(signatures).T
        near = coo_matrix((np.ones(len(first)), (first, second)), shape=(len(signatures),) * 2)
        _, group = connected_components(near, directed=False)
        return lines.assign(
            group=group[lines.text],
            user=np.array(self._user, np.int64)[lines.row],
            split=np.array(self._split, np.int64)[lines.row],
        )

    def _flag(self, found: Found, lines: pd.DataFrame, whose: str) -> None:
        columns = ["row", "place", "other_row", "other_place"]
        for row, place, other_row, other_place in (
            lines.drop_duplicates("row")[columns].to_numpy(np.int64).tolist()
        ):
            found.flag(
                Place(row, "", self._names[row]),
                f"{place_name(place)} nearly repeats {whose}: "
                f"{place_name(other_place)} of {self._names[other_row]}",
            )


def _number(names: dict[str, int], name: str | None) -> int:
    return -1 if name is None else names.setdefault(name, len(names))


def _shared(standing: pd.DataFrame, by: str) -> pd.DataFrame:
    """The lines of groups that stand with two values of `by`, each with the first line of its
    group that has another value than its own."""
    known = standing[standing[by] >= 0]
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
