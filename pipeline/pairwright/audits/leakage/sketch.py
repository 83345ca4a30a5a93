"""Near-duplicates among many texts: MinHash signatures, compared within bands.

Broder, "On the resemblance and containment of documents" (1997): the share of equal places of two
signatures estimates the Jaccard overlap of their texts' runs of three words. Leskovec, Rajaraman
and Ullman, Mining of Massive Datasets, section 3.4: with 16 bands of 4 places, two texts of
overlap .8 meet in a band with probability .9998, of .5 with .64, of .2 with .03.
"""

import hashlib
from array import array
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pairwright.text import WordCache

QUESTION, CHOSEN, REJECTED, POST = 0, 1, 2, 3
"""Places in a row; posts are numbered on from `POST`."""


def place_name(place: int) -> str:
    return ("question", "chosen", "rejected")[place] if place < POST else f"post {place - POST + 1}"


class DistinctTexts:
    """Numbers for distinct texts; of a text only its hash is kept."""

    def __init__(self) -> None:
        # Python's own hash, which a repeated text has at hand. It differs from run to run; the
        # numbers do not.
        self._numbers: dict[int, int] = {}
        self._rows, self._places, self._texts = array("I"), array("I"), array("I")

    def add(self, row: int, place: int, text: str) -> bool:
        """Note the place of a text. True if the text is new."""
        key, known = hash(text), len(self._numbers)
        self._rows.append(row)
        self._places.append(place)
        self._texts.append(self._numbers.setdefault(key, known))
        return len(self._numbers) > known

    def text_places(self) -> pd.DataFrame:
        """Columns row, place and text: a line for each place of a text."""
        columns = {"row": self._rows, "place": self._places, "text": self._texts}
        return pd.DataFrame({name: np.array(values, np.int64) for name, values in columns.items()})


Hashes = npt.NDArray[np.uint64]
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SPREAD = np.uint64(0xFF51AFD7ED558CCD)


def _hash(word: str) -> bytes:
    return hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()


_hashes = WordCache(_hash)


def hash_words(words: Sequence[str]) -> Hashes:
    """One number for each word."""
    return np.frombuffer(b"".join(map(_hashes.__getitem__, words)), "<u8")


def runs(words: Hashes, n: int) -> Hashes:
    """One number for every run of `n` words; none in a shorter text."""
    count = max(len(words) - n + 1, 0)
    out: Hashes = np.zeros(count, np.uint64)
    for place in range(n):
        out = out * _FACTOR + words[place : place + count]
    out ^= out >> np.uint64(33)
    return out * _SPREAD


PLACES, BAND = 64, 4
SIMILAR = 0.8
"""Estimated overlap from which two texts are near-duplicates; its standard error is .05."""
RUN = 3
_AT_ONCE = 20_000
"""Words that are worked on together: their numbers stay in a processor's cache."""

Signatures = npt.NDArray[np.uint32]
TextPairs = npt.NDArray[np.int64]


class TextSketches:
    """The signatures of texts of at least `run` words, in the order in which they come. With a
    run of one word they are of sets of words."""

    def __init__(self, run: int = RUN) -> None:
        self._run = run
        chance = np.random.default_rng(0)
        self._factors = chance.integers(0, 2**63, PLACES, np.uint64) * np.uint64(2) + np.uint64(1)
        self._shifts = chance.integers(0, 2**63, PLACES, np.uint64)
        self._done: list[Signatures] = []
        self._waiting: list[Hashes] = []
        self._words = 0

    def add(self, words: Sequence[str]) -> None:
        if len(words) < self._run:
            raise ValueError(f"a sketch needs {self._run} words")
        self._waiting.append(hash_words(words))
        self._words += len(words)
        if self._words >= _AT_ONCE:
            self._work()

    def signatures(self) -> Signatures:
        """(texts, PLACES)."""
        self._work()
        return np.concatenate([np.zeros((0, PLACES), np.uint32), *self._done])

    def _work(self) -> None:
        """Multiply-shift hashing (Dietzfelbinger and others, 1997), and the least of each text."""
        if not self._waiting:
            return
        ends = np.cumsum([len(own) for own in self._waiting])
        run = self._run
        # Runs of all texts at once, but for those that begin in one text and end in the next.
        whole = np.ones(ends[-1] - run + 1, np.bool_)
        for before in range(1, run):
            whole[ends[:-1] - before] = False
        together = runs(np.concatenate(self._waiting), run)[whole]
        starts = np.append(0, ends[:-1] - (run - 1) * np.arange(1, len(ends)))
        least = np.empty((len(self._waiting), PLACES), np.uint32)
        for place in range(PLACES):
            mixed = together * self._factors[place] + self._shifts[place]
            least[:, place] = np.minimum.reduceat(mixed >> np.uint64(32), starts)
        self._done.append(least)
        self._waiting, self._words = [], 0


def similar(signatures: Signatures, least: float = SIMILAR) -> TextPairs:
    """(pairs, 2): neighbours within a band's bucket whose signatures agree in `least` of places.

    Of a bucket only neighbours are compared, so that ten thousand copies cost ten thousand
    comparisons; they still come out connected.
    """
    parts: list[TextPairs] = [np.zeros((0, 2), np.int64)]
    for start in range(0, PLACES, BAND):
        band = signatures[:, start : start + BAND].astype(np.uint64)
        keys = runs(band.ravel(), BAND)[::BAND]
        order = np.argsort(keys, kind="stable")
        same = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
        pairs = np.stack([order[same], order[same + 1]], axis=1)
        for part in np.array_split(pairs, len(pairs) // 50_000 + 1):
            equal = (signatures[part[:, 0]] == signatures[part[:, 1]]).mean(axis=1)
            parts.append(part[equal >= least])
    return np.unique(np.concatenate(parts), axis=0)


def duplicate_groups(pairs: TextPairs, n: int) -> npt.NDArray[np.int32]:
    """Shape (n,): the number of each text's group. Texts that a chain of pairs connects are in one
    group."""
    first, second = pairs.T
    near = coo_matrix((np.ones(len(pairs)), (first, second)), shape=(n, n))
    groups: npt.NDArray[np.int32] = connected_components(near, directed=False)[1]
    return groups
