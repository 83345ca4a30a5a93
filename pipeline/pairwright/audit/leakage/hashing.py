"""Words and runs of words as 64 bit numbers, the same on every machine."""

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pairwright.text import Remembered

Hashes = npt.NDArray[np.uint64]
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SPREAD = np.uint64(0xFF51AFD7ED558CCD)


def _hash(word: str) -> int:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


_hashes = Remembered(_hash)


def hashed(words: Sequence[str]) -> Hashes:
    """One number a word."""
    return np.fromiter(map(_hashes.__getitem__, words), np.uint64, len(words))


def runs(words: Hashes, n: int) -> Hashes:
    """One number for every run of `n` words; none in a shorter text."""
    count = max(len(words) - n + 1, 0)
    out: Hashes = np.zeros(count, np.uint64)
    for place in range(n):
        out = out * _FACTOR + words[place : place + count]
    out ^= out >> np.uint64(33)
    return out * _SPREAD
