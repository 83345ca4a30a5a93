"""Near-duplicates of different users or in different splits, pairs that repeat another pair in
nearly the same words, and people in two splits."""

from array import array
from collections.abc import Iterator

import numpy as np
import pandas as pd

from pairwright import text
from pairwright.audits.leakage.sketch import (
    POST,
    QUESTION,
    SIMILAR,
    DistinctTexts,
    TextSketches,
    duplicate_groups,
    place_name,
    similar,
)
from pairwright.audits.read.source import ReadRow
from pairwright.audits.records import Check
from pairwright.audits.row_check import OTHERS, TEXT, RowCheck, RowPlace
from pairwright.dataset.row import is_choice_text
from pairwright.modes import is_own_choice, is_twin


class PeopleAcrossSplits:
    """`people_across_splits`: a user, or a twin's two, whose rows are in two splits."""

    names = ("people_across_splits",)

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._splits = set[str]()
        self._check = RowCheck(
            "people_across_splits", nothing="the rows come without splits, or name no users"
        )

    def add(self, line: ReadRow) -> None:
        row, split = line.row, line.split
        who = [name for name in (row.user, row.dyad, row.twin_id) if name]
        if not split or not who:
            return
        self._splits.add(split)
        elsewhere = {self._first.setdefault(name, split) for name in who} - {split}
        self._check.add(row, f"in {split}, and in {min(elsewhere)}" if elsewhere else None)

    def checks(self) -> Iterator[Check]:
        if len(self._splits) == 1:
            yield self._check.note(_ONE_SPLIT)
        else:
            yield from self._check.checks()


_ONE_SPLIT = "all rows are in one split"


LEAST_WORDS = 5
"""A text of fewer words repeats another by chance."""
_METHOD = (
    f"MinHash over runs of three words, estimated overlap at least {SIMILAR}; "
    f"texts under {LEAST_WORDS} words are left out"
)


class Duplicates:
    """`near_duplicate_questions`, `near_duplicate_posts`: the same or nearly the same text of two
    users; `near_duplicates_across_splits`: in two splits.

    A twin's question is its asker's: the other half does not repeat it.
    """

    names = ("near_duplicate_questions", "near_duplicate_posts", "near_duplicates_across_splits")

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
            "near_duplicate_questions", limit=OTHERS, others=None,
            nothing="no row names its user",
        )  # fmt: skip
        self._posts = RowCheck(
            "near_duplicate_posts", limit=OTHERS, others=OTHERS,
            nothing="no row names its user and has a post",
        )  # fmt: skip
        self._across = RowCheck(
            "near_duplicates_across_splits", limit=OTHERS, others=OTHERS,
            nothing="the rows come without splits",
        )  # fmt: skip

    def add(self, line: ReadRow) -> None:
        row, split = line.row, line.split
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
        signatures = self._sketches.signatures()
        group = duplicate_groups(similar(signatures), len(signatures))
        places = self._texts.text_places()
        places = places.assign(
            group=group[places.text],
            user=np.array(self._user, np.int64)[places.row],
            split=np.array(self._split, np.int64)[places.row],
        )
        lines = _shared(places, "user")
        self._flag(self._questions, lines[lines.place == QUESTION], "another user's")
        self._flag(self._posts, lines[lines.place >= POST], "another user's")
        self._flag(self._across, _shared(places, "split"), "another split's")
        if self._natural_halves and self._natural_halves == len(self._names):
            yield self._questions.note(
                "questions of natural twins are put to many users on purpose"
            )
        else:
            yield from self._questions.checks(_METHOD)
        yield from self._posts.checks(_METHOD)
        if len(self._splits) == 1:
            yield self._across.note(_ONE_SPLIT)
        else:
            yield from self._across.checks(_METHOD)

    def _text(self, row: int, place: int, passage: str) -> None:
        words = text.words(passage[:TEXT])
        if len(words) >= text.run_length(passage, LEAST_WORDS) and self._texts.add(
            row, place, passage
        ):
            self._sketches.add(words)

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


ALIKE = 0.7
"""Share of content words (Jaccard, estimated) from which two pairs are near-duplicates. Sentences
in another order change none of them; with one content word in ten replaced .82 are shared, with
one in six .71, with one in four .6."""
LEAST_PAIR_WORDS = 20
"""The least number of content words: pairs of fewer are alike by chance."""


class NearDuplicatePairs:
    """`near_duplicate_pairs`: rows whose question and sides together have nearly the content words
    of an earlier row of another item. Both halves of a twin are one."""

    names = ("near_duplicate_pairs",)

    def __init__(self) -> None:
        self._sketches = TextSketches(run=1)
        self._places: list[RowPlace] = []
        self._items = array("q")
        self._twins: set[int] = set()
        self._check = RowCheck("near_duplicate_pairs", limit=None, others=None)

    def add(self, line: ReadRow) -> None:
        row = line.row
        place = self._check.place(row)
        if row.twin_id is not None:
            twin = hash(row.twin_id)
            if twin in self._twins:
                return
            self._twins.add(twin)
        words = text.terms_of(
            (one[:TEXT] for one in (row.question, row.chosen, row.rejected)), row.language
        )
        if len(words) >= LEAST_PAIR_WORDS:
            self._sketches.add(tuple(words))
            self._places.append(place)
            # Pairs of one item share its question on purpose.
            self._items.append(hash(row.item_id or row.id))

    def checks(self) -> Iterator[Check]:
        signatures, items = self._sketches.signatures(), np.array(self._items, np.int64)
        pairs = similar(signatures, ALIKE)
        across = pairs[items[pairs[:, 0]] != items[pairs[:, 1]]]
        firsts: dict[int, int] = {}
        for number, group in enumerate(duplicate_groups(across, len(signatures)).tolist()):
            first = firsts.setdefault(group, number)
            if first != number:
                detail = f"nearly the words of {self._places[first].row}"
                self._check.flag(self._places[number], detail)
        return self._check.checks(
            f"estimated overlap of content words at least {ALIKE}: another order of sentences is"
            " found, and one content word in seven replaced; a free retelling is not"
        )
