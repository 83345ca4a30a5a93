"""Nearly the same text by two users or in two splits, and people in two splits.

Broder, "On the resemblance and containment of documents" (1997): MinHash estimates the Jaccard
overlap of two texts' runs of three words. Texts that share a bucket are compared by it.
"""

from collections.abc import Iterable
from zlib import crc32

import numpy as np
from datasketch import MinHash, MinHashLSH

from pairwright import text
from pairwright.audits.records import Check
from pairwright.audits.row_check import OTHERS, TEXT, RowCheck, RowPlace
from pairwright.manner import is_choice_text
from pairwright.modes import label_of
from pairwright.pairs import ReadRow


class PeopleAcrossSplits:
    """`people_across_splits`: a user, or a twin's two, whose rows are in two splits."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._check = RowCheck(
            "people_across_splits", nothing="the rows come without splits, or name no users"
        )

    def add(self, line: ReadRow) -> None:
        row, split = line.row, line.split
        who = [name for name in (row.user, row.dyad, row.twin_id) if name]
        if not split or not who:
            return
        elsewhere = {self._first.setdefault(name, split) for name in who} - {split}
        self._check.count(line, f"in {split}, and in {min(elsewhere)}" if elsewhere else "")

    def checks(self) -> Iterable[Check]:
        return self._check.checks()


LEAST_WORDS = 5
"""A text of fewer words repeats another by chance."""
SIMILAR = 0.8
"""Estimated overlap from which two texts are near-duplicates."""
PLACES, BANDS = 40, 10
"""Of a signature, and the bands of its places: of two texts of overlap .8 a band is equal with
probability .995, of .5 with .48, of .2 with .02."""
RUN = 3


class NearDuplicates:
    """Texts by number; a text that nearly repeats earlier ones knows the first of them."""

    def __init__(self) -> None:
        self._index = MinHashLSH(num_perm=PLACES, params=(BANDS, PLACES // BANDS))
        self._signatures: dict[int, np.ndarray[tuple[int], np.dtype[np.uint32]]] = {}
        self._known: dict[int, int] = {}
        """By a text's hash, the number of its group: that of the first text it is like."""

    def group(self, passage: str) -> int | None:
        """The group of a text; None of one with too few words."""
        key = hash(passage)
        if key in self._known:
            return self._known[key]
        words = text.words(passage[:TEXT])
        if len(words) < max(RUN, text.run_length(passage, LEAST_WORDS)):
            return None
        sketch = _EMPTY.copy()
        sketch.update_batch({" ".join(words[n : n + RUN]).encode("utf-8", "surrogatepass")
                             for n in range(len(words) - RUN + 1)})  # fmt: skip
        near = [
            number
            for number in self._index.query(sketch)
            if np.mean(self._signatures[number] == sketch.hashvalues) >= SIMILAR
        ]
        own = min(near, default=len(self._signatures))
        if not near:
            self._signatures[own] = sketch.hashvalues.astype(np.uint32)
            self._index.insert(own, sketch, check_duplication=False)
        self._known[key] = own
        return own


_EMPTY = MinHash(num_perm=PLACES, hashfunc=crc32)


class _FirstSeen:
    """Of every group of texts, where one is of another user or split than an earlier one."""

    def __init__(self, check: RowCheck, whose: str) -> None:
        self._check, self._whose = check, whose
        self._first: dict[int, tuple[str, RowPlace, str]] = {}
        self._flagged: set[int] = set()

    def add(self, group: int, owner: str, place: RowPlace, named: str) -> None:
        """Note a text; the first of the group is flagged, too, once another owner has it."""
        first, earlier, there = self._first.setdefault(group, (owner, place, named))
        if first == owner:
            return
        self._flag(place, f"{named} nearly repeats {self._whose}: {there} of {earlier.row}")
        self._flag(earlier, f"{there} nearly repeats {self._whose}: {named} of {place.row}")

    def _flag(self, place: RowPlace, detail: str) -> None:
        if place.order not in self._flagged:
            self._flagged.add(place.order)
            self._check.flag(place, detail)


class Duplicates:
    """`near_duplicate_questions`, `near_duplicate_posts`: the same or nearly the same text of two
    users; `near_duplicates_across_splits`: in two splits.

    A twin's question is its asker's: the other half does not repeat it.
    """

    def __init__(self) -> None:
        self._texts = NearDuplicates()
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
        self._of_questions = _FirstSeen(self._questions, "another user's")
        self._of_posts = _FirstSeen(self._posts, "another user's")
        self._of_splits = _FirstSeen(self._across, "another split's")

    def add(self, line: ReadRow) -> None:
        row = line.row
        # What two users chose of is asked of both on purpose, and of others too.
        own_choice = label_of(row.mode) == "given"
        asks = row.user is not None and not own_choice
        question = self._questions.place(line) if asks else None
        post = self._posts.place(line) if row.user is not None and row.profile else None
        across = self._across.place(line) if line.split else None
        texts = [("question", row.question)] if row.asked and not own_choice else []
        texts += [
            (f"post {n}", one.text)
            for n, one in enumerate(row.profile, 1)
            if not (own_choice and is_choice_text(one.text))
        ]
        for name, passage in texts:
            group = self._texts.group(passage)
            if group is None:
                continue
            if name == "question" and question and row.user:
                self._of_questions.add(group, row.user, question, name)
            elif name != "question" and post and row.user:
                self._of_posts.add(group, row.user, post, name)
            if across:
                self._of_splits.add(group, line.split, across, name)

    def checks(self) -> Iterable[Check]:
        method = (
            f"MinHash over runs of three words, estimated overlap at least {SIMILAR}; texts under"
            f" {LEAST_WORDS} words are left out"
        )
        for check in (self._questions, self._posts, self._across):
            yield check.check(method)
