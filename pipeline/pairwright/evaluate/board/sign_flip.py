"""Whether two scorers differ, by flipping the sign of whole clusters.

If both are equally good, each cluster's difference could as well have come out with the other sign
(Fisher 1935, The Design of Experiments, section 21). Points are halves, so the sums over all 2^c
flips of c clusters lie on a grid, and their distribution is a convolution of binomials: it is
computed for every c, and nothing is drawn. Of independent pairs without ties it is McNemar's exact
test.
"""

import math

import numpy as np
from scipy.signal import convolve
from scipy.stats import binom

from pairwright.intervals import Floats, Places


def sign_flip(differences: Floats, clusters: Places) -> float:
    """The two-sided p of a sum of differences of points, which are multiples of one half; both
    arguments of shape (n,). 1 where all clusters are even."""
    _, places = np.unique(clusters, return_inverse=True)
    # In halves, so that sums are whole numbers.
    sums = np.rint(2 * np.bincount(places, differences)).astype(np.intp)
    sizes, counts = np.unique(np.abs(sums[sums != 0]), return_counts=True)
    found = abs(int(sums.sum()))
    if not found:
        return 1.0
    chances = np.ones(1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        of_size = np.zeros(size * count + 1)
        of_size[::size] = binom.pmf(np.arange(count + 1), count, 0.5)
        chances = convolve(chances, of_size)
    # chances[k]: that the clusters with the one sign come to k; the sum is then 2 k - total.
    total = len(chances) - 1
    p = 2 * float(chances[: (total - found) // 2 + 1].sum())
    # Never below the share of the two outermost flips: a transform may lose so little.
    least = math.ldexp(1.0, 1 - int(counts.sum()))
    return min(1.0, max(p, least))
