"""The distinct words of a text as numbers that are the same on every machine."""

import zlib
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pairwright import text

MOST = 1000
"""Distinct words kept of one response."""
Stems = npt.NDArray[np.uint32]
Flags = npt.NDArray[np.bool_]


# Both halves of a twin hold the same two responses.
@lru_cache(maxsize=1024)
def stems(given: str) -> Stems:
    """The stems of a text by their hash, ascending, each once."""
    distinct = list(dict.fromkeys(map(_numbers.__getitem__, text.words(given))))[:MOST]
    return np.array(sorted(distinct), np.uint32)


def among(own: Stems, known: frozenset[str]) -> Flags:
    """Which of a text's stems are among `known` ones."""
    numbers = frozenset(map(_hash, known))
    return np.fromiter(map(numbers.__contains__, own.tolist()), np.bool_, len(own))


def _hash(stem: str) -> int:
    return zlib.crc32(stem.encode(errors="replace"))


_numbers = text.Remembered(lambda word: _hash(text.stem(word)))
