"""Nearly the same text by two users or in two splits.

Broder, "On the resemblance and containment of documents" (1997): MinHash estimates the Jaccard
overlap of two texts' runs of three words. Texts that share a band of their signatures are compared
by it. Signatures are in one array, so that a text takes 160 bytes.
"""

from array import array
from collections.abc import Iterator
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from pairwright import text
from pairwright.audits.checks import TEXT, Found, counted
from pairwright.audits.facts import Facts
from pairwright.audits.records import Check
from pairwright.manner import is_choice_text
from pairwright.modes import MODES, label_of
from pairwright.pairs import ReadRow

Signatures = npt.NDArray[np.uint32]
"""A row for each text, PLACES columns."""
LEAST_WORDS = 5
"""A text of fewer words repeats another by chance."""
SIMILAR = 0.8
"""Estimated overlap from which two texts are near-duplicates."""
PLACES, BANDS = 40, 10
"""Of a signature, and the bands of its places: of two texts of overlap .8 a band is equal with
probability .995, of .5 with .48, of .2 with .02."""
RUN = 3
_CHANCE = np.random.default_rng(0)
_FACTORS, _SHIFTS = _CHANCE.integers(1 << 63, size=(2, PLACES), dtype=np.uint64) * 2 + 1
_WEIGHTS = _CHANCE.integers(1 << 63, size=PLACES // BANDS, dtype=np.uint64) * 2 + 1
_MIX = _CHANCE.integers(1 << 63, size=RUN, dtype=np.uint64)[::-1] * 2 + 1


class _Hashes(dict[str, int]):
    """The hash of each word."""

    def __missing__(self, word: str) -> int:
        self[word] = value = crc32(word.encode("utf-8", "surrogatepass"))
        return value


class NearDuplicates:
    """`near_duplicate_questions`, `near_duplicate_posts`: the same or nearly the same text of two
    users; `near_duplicates_across_splits`: in two splits.

    A twin's question is its asker's: the other side does not repeat it. What two users chose from
    is asked of both on purpose.
    """

    def __init__(self) -> None:
        self._signatures = array("I")
        self._numbers: dict[int, int] = {}
        """By the hash of a text its place in the signatures; -1 if it has too few words."""
        self._hashes = _Hashes()
        self._texts = array("l")
        """Of each text three numbers: its row, its post (0: the question) and its signature's."""

    def add(self, number: int, line: ReadRow) -> None:
        """Note the texts of a row."""
        row = line.row
        own_choice = label_of(row.mode) == "given"
        if row.asked and not own_choice:
            self._note(number, 0, row.question)
        for n, post in enumerate(row.profile, 1):
            if not (own_choice and is_choice_text(post.text)):
                self._note(number, n, post.text)

    def _note(self, number: int, post: int, passage: str) -> None:
        key = hash(passage)
        if key not in self._numbers:
            self._numbers[key] = self._sign(passage)
        if (signature := self._numbers[key]) >= 0:
            self._texts.extend((number, post, signature))

    def _sign(self, passage: str) -> int:
        """The number of the signature of a text that is new; -1 if it has too few words."""
        words = text.words(passage[:TEXT])
        if len(words) < max(RUN, text.run_length(passage, LEAST_WORDS)):
            return -1
        hashes = np.fromiter(map(self._hashes.__getitem__, words), np.uint64, len(words))
        mixed = np.convolve(hashes, _MIX, "valid")
        # Multiply-shift: the upper half of a product is nearly random.
        places = np.minimum.reduce(np.multiply.outer(mixed >> 32, _FACTORS) + _SHIFTS)
        self._signatures.frombytes((places >> 32).astype(np.uint32).tobytes())
        return len(self._signatures) // PLACES - 1

    def checks(self, facts: Facts) -> Iterator[Check]:
        """The three checks, after the last row."""
        table = facts.table
        columns = np.array(self._texts, np.int64).reshape(-1, 3)
        texts = pd.DataFrame(columns, columns=["row", "post", "group"])
        texts["group"] = groups(np.array(self._signatures, np.uint32).reshape(-1, PLACES))[
            texts["group"]
        ]
        texts[["user", "split"]] = table[["user", "split"]].reindex(texts["row"]).to_numpy()
        given = [name for name, mode in MODES.items() if mode.label == "given"]
        named, split = table["user"].notna(), table["split"] != ""
        asking = int((named & ~table["mode"].isin(given)).sum())
        posting = int((named & (table["posts"] > 0)).sum())
        users = texts[texts["user"].notna()]
        splits = texts[texts["split"] != ""]
        for name, of, own, owner in (
            ("near_duplicate_questions", asking, users[users["post"] == 0], "user"),
            ("near_duplicate_posts", posting, users[users["post"] > 0], "user"),
            ("near_duplicates_across_splits", int(split.sum()), splits, "split"),
        ):
            yield counted(name, Found(of, _repeated(own, owner, facts)), facts)


def groups(signatures: Signatures) -> npt.NDArray[np.int32]:
    """The number of each text's group: texts that are alike, or that further ones join."""
    alike: list[tuple[int, int]] = []
    for band in np.split(signatures.astype(np.uint64), BANDS, axis=1):
        keys = (band * _WEIGHTS).sum(axis=1, dtype=np.uint64)
        order = np.argsort(keys, kind="stable")
        _, starts, sizes = np.unique(keys[order], return_index=True, return_counts=True)
        for start, size in zip(starts[sizes > 1], sizes[sizes > 1], strict=True):
            bucket = order[start : start + size]
            while len(bucket) > 1:
                near = (signatures[bucket] == signatures[bucket[0]]).mean(axis=1) >= SIMILAR
                alike += [(bucket[0], other) for other in bucket[near][1:]]
                bucket = bucket[~near]
    one, other = np.array(alike, np.int64).reshape(-1, 2).T
    edges = coo_array((np.ones(len(one)), (one, other)), shape=(len(signatures),) * 2)
    return np.asarray(connected_components(edges, directed=False)[1])


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
        said, ids = f"nearly repeats another {owner}'s:", facts.table["id"]
        details.setdefault(row, f"{here} {said} {there} of {ids[earlier]}")
        details.setdefault(earlier, f"{there} {said} {here} of {ids[row]}")
    return details
