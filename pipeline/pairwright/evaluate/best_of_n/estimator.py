"""The worth of the best of k samples of one question: of the first k, and of every k.

A scorer picks among samples; what it picks is worth what the judge says of it. Where it scores
several best ones alike, each is picked equally often.
"""

from math import comb

import numpy as np

from pairwright.intervals import Floats


def of_first(scores: Floats, worth: Floats, k: int) -> float:
    """The mean worth of those among the first k that have the highest score. Both of shape (N,),
    in the order of the draws; raises ValueError where k is not from 1 to N."""
    _check(len(scores), k)
    first = scores[:k]
    return float(worth[:k][first == first.max()].mean())


def of_subsets(scores: Floats, worth: Floats, k: int) -> float:
    """The mean of that over all subsets of k of the N samples, each as likely: an unbiased estimate
    of best-of-k that uses every sample. Raises ValueError as `of_first`.

    Without ties the sample of rank r (1 is the lowest) is the best of C(r - 1, k - 1) of the C(N,
    k) subsets: the others are among the r - 1 below. The best of a subset is among m samples that
    tie above a lower ones where it is one of the C(a + m, k) subsets of these a + m, and not one of
    the C(a, k) of the lower ones; of that each of the m has an equal share, for the subsets are the
    same whichever of them change places. With m = 1 that is the first formula, by Pascal's rule.
    """
    return float(weights(scores, k) @ worth)


def weights(scores: Floats, k: int) -> Floats:
    """How often each of the N samples is picked from a random subset of k: shape (N,), sum 1."""
    _check(len(scores), k)
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    subsets = comb(len(scores), k)
    ends = np.cumsum(sizes)
    shares = [
        (comb(int(end), k) - comb(int(end - size), k)) / subsets / int(size)
        for end, size in zip(ends, sizes, strict=True)
    ]
    found: Floats = np.array(shares, np.float64)[group]
    return found


def powers(n: int) -> tuple[int, ...]:
    """1, 2, 4, ... up to n, and n itself."""
    below = [2**power for power in range(n.bit_length())]
    return tuple(dict.fromkeys([*below, n]))


def _check(n: int, k: int) -> None:
    if not 1 <= k <= n:
        raise ValueError(f"k is {k}, and there are {n} samples")
