"""Chance without a generator: choices that are a pure function of texts."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
_SCALE = 1 << 64


def share(*parts: str) -> float:
    """A number in [0, 1) that depends on the parts alone."""
    digest = hashlib.blake2b("\x00".join(parts).encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest()) / _SCALE


def pick(n: int, *parts: str) -> int:
    """One of 0 ... n - 1."""
    return int(share(*parts) * n)


def shuffled(options: Sequence[T], *parts: str) -> list[T]:
    """All options in an order that depends on the parts alone."""
    keyed = sorted((share(str(i), *parts), i) for i in range(len(options)))
    return [options[i] for _, i in keyed]
