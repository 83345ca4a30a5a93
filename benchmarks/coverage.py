"""How often the two intervals of `stats` contain the truth, on clusters that are drawn anew.

A table has 5 to 100 clusters of two pairs each (twins), or of one to six (users). A cluster has
its own share of right pairs, drawn from a beta distribution: its mean is the truth, and the pairs
of a cluster correlate by 0 or 0.3. `share` is the interval of accuracies. `jackknife` is that of a
gain: how much more often a pair is right than under a second condition, in which 50 % are right.

    python benchmarks/coverage.py           # 4,000 tables per case: about half a minute
    python benchmarks/coverage.py 200       # tables per case

The last line is JSON: the lowest coverage of each over all cases, that of the jackknife from ten
clusters on; a table whose clusters all have one gain has no such interval (`jackknife_none`).
"""

import json
import sys
from itertools import product

import numpy as np

from pairwright.stats import Floats, Places, jackknife_mean, mean_points

CLUSTERS = 5, 10, 20, 50, 100
SIZES = {"two": (2, 3), "one to six": (1, 7)}
SHARES = 0.05, 0.2, 0.5, 0.8, 0.95
ALIKE = 0.0, 0.3


def right(random: np.random.Generator, places: Places, truth: float, alike: float) -> Floats:
    """Which pairs are right, shape (n,), 0 or 1; `places` are their clusters."""
    clusters = int(places[-1]) + 1
    shares: Floats = np.full(clusters, truth)
    if alike:
        size = 1 / alike - 1
        shares = random.beta(truth * size, (1 - truth) * size, clusters)
    return np.where(random.random(len(places)) < shares[places], 1.0, 0.0)


def coverage(
    tables: int, clusters: int, sizes: str, truth: float, alike: float
) -> tuple[float, float, float]:
    """Of `share`; of the jackknife, among tables with an interval; and the share without one."""
    random = np.random.default_rng(20_000 + clusters)
    shares = gains = none = 0
    for _ in range(tables):
        places = np.repeat(np.arange(clusters), random.integers(*SIZES[sizes], clusters))
        points = right(random, places, truth, alike)
        found = mean_points(points, places)
        shares += found.low is not None and found.low <= truth <= (found.high or 0)
        gain = jackknife_mean(points - right(random, places, 0.5, alike), places).estimate()
        none += gain.low is None
        gains += gain.low is not None and gain.low <= truth - 0.5 <= (gain.high or 0)
    return shares / tables, gains / (tables - none), none / tables


def main(tables: int = 4_000) -> None:
    lowest = {"share_lowest": 1.0, "jackknife_lowest": 1.0}
    without = 0.0
    for clusters, sizes, truth, alike in product(CLUSTERS, SIZES, SHARES, ALIKE):
        share, gain, none = coverage(tables, clusters, sizes, truth, alike)
        print(f"{clusters:4} clusters of {sizes:10}, truth {truth:.2f}, alike {alike:.1f}: "
              f"share {share:.3f}, jackknife {gain:.3f}, without {none:.3f}")  # fmt: skip
        lowest["share_lowest"] = min(lowest["share_lowest"], share)
        if clusters >= 10:
            lowest["jackknife_lowest"] = min(lowest["jackknife_lowest"], gain)
            without = max(without, none)
    found = {name: round(value, 3) for name, value in lowest.items()}
    print(json.dumps({**found, "jackknife_none": round(without, 3), "tables": tables}))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
