"""What a measure would give by chance."""

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pairwright.evaluate.correlate.measures import Measure
from pairwright.evaluate.correlate.table import Scores
from pairwright.records import Record

Places = NDArray[np.intp]
"""Places of models in the table, of shape (rows, models)."""
EXACT = 7
"""Up to so many models every order is looked at: 5,040."""
ORDERS = 2000


class Chance(Record):
    """The measure over orders of the downstream scores that have nothing to do with the benchmark.

    `p` is the share of orders as far out as the value that was found: on both sides of the mean
    where the measure has two, above it otherwise. Sampled orders count the one found, too
    (Phipson and Smyth 2010), so `p` is never 0.
    """

    mean: float
    low: float
    high: float
    """The middle 95 % of orders."""
    p: float
    orders: int
    exact: bool


def by_chance(measure: Measure, x: Scores, y: Scores, seed: int) -> Chance:
    """Shuffle the downstream scores: every order up to EXACT models, else ORDERS seeded ones."""
    exact = len(x) <= EXACT
    orders = _orders(len(x), exact, seed)
    found = np.concatenate([measure.of(x, y[some]) for some in _in_pieces(orders)])
    value, mean = float(measure.of(x, y)), float(found.mean())
    # Sums come out in another order: equal values may differ in their last digits.
    edge = 1e-9
    if measure.both_ways:
        beyond = int((np.abs(found - mean) >= abs(value - mean) - edge).sum())
    else:
        beyond = int((found >= value - edge).sum())
    p = beyond / len(found) if exact else (beyond + 1) / (len(found) + 1)
    low, high = np.quantile(found, (0.025, 0.975))
    return Chance(mean=mean, low=float(low), high=float(high), p=p, orders=len(found), exact=exact)


def _orders(n: int, exact: bool, seed: int) -> Places:
    if exact:
        return np.array(list(itertools.permutations(range(n))))
    return np.random.default_rng(seed).permuted(np.tile(np.arange(n), (ORDERS, 1)), axis=1)


def _in_pieces(places: Places) -> Iterator[Places]:
    """Some hundred rows at a time: a measure may look at each pair of models."""
    for start in range(0, len(places), 250):
        yield places[start : start + 250]
