"""Nearly the same text by two users or in two splits.

Broder, "On the resemblance and containment of documents" (1997): MinHash estimates the Jaccard
overlap of two texts' runs of three words. Texts that share a bucket are compared by it.
"""

from array import array
from collections.abc import Iterable
from zlib import crc32

import numpy as np
import pandas as pd
from datasketch import MinHash, MinHashLSH

from pairwright import text
from pairwright.audits.catalogue import TEXT, Found, counted
from pairwright.audits.facts import Facts
from pairwright.audits.records import Check
from pairwright.manner import is_choice_text
from pairwright.modes import MODES, label_of
from pairwright.pairs import ReadRow

LEAST_WORDS = 5
"""A text of fewer words repeats another by chance."""
SIMILAR = 0.8
"""Estimated overlap from which two texts are near-duplicates."""
PLACES, BANDS = 40, 10
"""Of a signature, and the bands of its places: of two texts of overlap .8 a band is equal with
probability .995, of .5 with .48, of .2 with .02."""
RUN = 3
_EMPTY = MinHash(num_perm=PLACES, hashfunc=crc32)


class NearDuplicates:
    """`near_duplicate_questions`, `near_duplicate_posts`: the same or nearly the same text of two
    users; `near_duplicates_across_splits`: in two splits.

    A twin's question is its asker's: the other side does not repeat it. What two users chose from
    is asked of both on purpose.
    """

    def __init__(self) -> None:
        self._index = MinHashLSH(num_perm=PLACES, params=(BANDS, PLACES // BANDS))
        self._signatures: dict[int, np.ndarray[tuple[int], np.dtype[np.uint32]]] = {}
        self._known: dict[int, int | None] = {}
        """By a text's hash, the number of its group: that of the first text it is like."""
        self._texts = array("l")
        """Of each text three numbers: its row, its post (0: the question) and its group."""

    def add(self, number: int, line: ReadRow) -> None:
        """Group the texts of a row."""
        row = line.row
        own_choice = label_of(row.mode) == "given"
        if row.asked and not own_choice:
            self._note(number, 0, row.question)
        for n, post in enumerate(row.profile, 1):
            if not (own_choice and is_choice_text(post.text)):
                self._note(number, n, post.text)

    def _note(self, number: int, post: int, passage: str) -> None:
        key = hash(passage)
        if key not in self._known:
            self._known[key] = self._group(passage)
        if (group := self._known[key]) is not None:
            self._texts.extend((number, post, group))

    def _group(self, passage: str) -> int | None:
        """The group of a text that is new; None if it has too few words."""
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
        return own

    def checks(self, facts: Facts) -> Iterable[Check]:
        """The three checks, after the last row."""
        table = facts.table
        columns = np.array(self._texts, np.int64).reshape(-1, 3)
        texts = pd.DataFrame(columns, columns=["row", "post", "group"])
        texts[["user", "split"]] = table[["user", "split"]].reindex(texts["row"]).to_numpy()
        given = [name for name, mode in MODES.items() if mode.label == "given"]
        named, split = table["user"].notna(), table["split"] != ""
        asking = int((named & ~table["mode"].isin(given)).sum())
        posting = int((named & (table["posts"] > 0)).sum())
        users = texts[texts["user"].notna()]
        splits = texts[texts["split"] != ""]
        for name, of, own, owner in (
            ("questions", asking, users[users["post"] == 0], "user"),
            ("posts", posting, users[users["post"] > 0], "user"),
            ("across_splits", int(split.sum()), splits, "split"),
        ):
            kind = "near_duplicates" if owner == "split" else "near_duplicate"
            yield counted(f"{kind}_{name}", Found(of, _repeated(own, owner, facts)), facts)


def _repeated(texts: pd.DataFrame, owner: str, facts: Facts) -> dict[int, str]:
    """Rows with a text that another owner has, too, and the first row of each such group."""
    first = texts.groupby("group")[["row", "post", owner]].transform("first")
    differs = (texts[owner] != first[owner]).to_numpy()
    details: dict[int, str] = {}
    for (row, post), (earlier, other) in zip(
        texts[["row", "post"]][differs].to_numpy().tolist(),
        first[["row", "post"]][differs].to_numpy().tolist(),
        strict=True,
    ):
        here, there = (f"post {n}" if n else "question" for n in (post, other))
        said = f"nearly repeats another {owner}'s:"
        details.setdefault(row, f"{here} {said} {there} of {facts.ids[earlier]}")
        details.setdefault(earlier, f"{there} {said} {here} of {facts.ids[row]}")
    return details
