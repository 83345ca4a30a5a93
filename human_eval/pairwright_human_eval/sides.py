"""Which response stands as A: a pure function of the study's seed, a salt and the subject's id.

The salt, one a domain and kept in the key, is the first that makes the two orders about equally
frequent in that domain, among its twins and among its violate pairs. Both halves of a twin share
their subject, and so their order.
"""

from collections.abc import Iterable
from hashlib import blake2b
from itertools import count

from pairwright_human_eval.subjects import Subject


def swapped(seed: int, salt: int, subject: str) -> bool:
    """Whether the subject's second response stands as A."""
    text = f"side {seed} {salt} {subject}".encode()
    return bool(blake2b(text, digest_size=1).digest()[0] & 1)


def salts(subjects: Iterable[Subject], seed: int) -> dict[str, int]:
    """By domain, the first salt under which the numbers of both orders differ by at most
    1 + n/200: in all, among twins, and among violate pairs."""
    by_domain: dict[str, list[Subject]] = {}
    for subject in subjects:
        by_domain.setdefault(subject.domain, []).append(subject)
    return {domain: _salt(those, seed) for domain, those in sorted(by_domain.items())}


def _salt(subjects: list[Subject], seed: int) -> int:
    modes = {subject.mode for subject in subjects}
    groups = [[s.id for s in subjects]] + [[s.id for s in subjects if s.mode == m] for m in modes]
    return next(salt for salt in count() if all(_balanced(group, seed, salt) for group in groups))


def _balanced(ids: list[str], seed: int, salt: int) -> bool:
    second = sum(swapped(seed, salt, name) for name in ids)
    return abs(2 * second - len(ids)) <= 1 + len(ids) // 200
