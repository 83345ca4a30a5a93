"""Estimates that are ratios of sums, with intervals that take dyads and annotators as samples.

The two-way bootstrap of Owen (2007), The pigeonhole bootstrap, Ann. Appl. Stat. 1, 386-411: dyads
and annotators are drawn with replacement, independently, and a row counts as often as both were
drawn. All estimates of a report share their draws, so differences of two of them are paired.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

from pairwright.estimate import Estimate
from pairwright.intervals import Floats
from pairwright_human_eval.report.answers import AspectVote, QualityScore, Vote

ENOUGH = 0.8
"""Least share of replicates that must define an estimate."""
CHUNK = 250
"""Replicates at a time, or more where they are small."""
SMALL = 20_000
"""Numbers that are at hand together at no cost."""


class Draws:
    """How often each dyad and each annotator was drawn in each replicate."""

    def __init__(
        self, dyads: Iterable[str], annotators: Iterable[str], replicates: int, seed: int
    ) -> None:
        chance = np.random.default_rng(seed)
        self._dyads = {name: place for place, name in enumerate(sorted(set(dyads)))}
        self._annotators = {name: place for place, name in enumerate(sorted(set(annotators)))}
        self._dyad = _drawn(len(self._dyads), replicates, chance)
        self._annotator = _drawn(len(self._annotators), replicates, chance)

    def sums(
        self, dyads: Sequence[str], values: Floats, annotators: Sequence[str] | None = None
    ) -> Floats:
        """Column sums of `values`, shape (rows, columns), in each replicate: shape (replicates,
        columns). A row weighs as often as its dyad was drawn, times its annotator where given."""
        dyad = np.array([self._dyads[name] for name in dyads], np.intp)
        named = [0] * len(dyad)
        if annotators is not None:
            named = [self._annotators[name] for name in annotators]
        who = np.array(named, np.intp)
        people, columns = int(who.max(initial=0)) + 1, values.shape[1]
        # One row for every column and annotator, one column for every dyad.
        rows, cells = np.nonzero(values)
        table = sparse.csr_array(
            (values[rows, cells], (cells * people + who[rows], dyad[rows])),
            shape=(columns * people, len(self._dyads)),
        )
        replicates = len(self._dyad)
        found: Floats = np.empty((replicates, columns))
        step = max(CHUNK, SMALL // max(1, len(self._dyads)))
        for start in range(0, replicates, step):
            stop = start + step
            summed = (table @ self._dyad[start:stop].T.astype(np.float64)).reshape(
                columns, people, -1
            )
            if annotators is None:
                found[start:stop] = summed[:, 0].T
            else:
                weights = self._annotator[start:stop, :people].astype(np.float64)
                found[start:stop] = np.einsum("cpr,rp->rc", summed, weights)
        return found


def ratio(
    draws: Draws,
    dyads: Sequence[str],
    above: Sequence[float],
    below: Sequence[float] | None = None,
    annotators: Sequence[str] | None = None,
) -> Estimate:
    """The sum of `above` over the sum of `below`, such as votes for the chosen over all votes; over
    the number of rows without it.

    Its n is the sum of `below`. Rows may be of any order.
    """
    counts = [1.0] * len(above) if below is None else below
    values = np.array([above, counts], np.float64).T
    point = values.sum(axis=0)
    counted = values[:, 1] != 0
    clusters = [name for name, keep in zip(dyads, counted, strict=True) if keep]
    people = annotators and [name for name, keep in zip(annotators, counted, strict=True) if keep]
    if not clusters:
        return missing((), "none was given")
    summed = draws.sums(clusters, values[counted], people)
    with np.errstate(divide="ignore", invalid="ignore"):
        replicates = summed[:, 0] / summed[:, 1]
    return measure(point[0] / point[1], replicates, int(point[1]), clusters, people)


ItemAnswer = Vote | AspectVote | QualityScore


def answer_ratio(
    draws: Draws,
    answers: Sequence[ItemAnswer],
    above: Sequence[float],
    below: Sequence[float] | None = None,
) -> Estimate:
    """The same over people's answers, whose annotators are drawn as well as dyads."""
    dyads, people = [one.about.dyad for one in answers], [one.annotator for one in answers]
    return ratio(draws, dyads, above, below, people)


def missing(dyads: Sequence[str], reason: str) -> Estimate:
    """Why rows about these dyads have no value."""
    clusters = len(set(dyads))
    return Estimate(value=None, low=None, high=None, n=len(dyads), clusters=clusters, note=reason)


def measure(
    value: float,
    replicates: Floats,
    n: int,
    dyads: Iterable[str],
    annotators: Iterable[str] | None = None,
) -> Estimate:
    """With the middle 95 % of the replicates, or why there is no interval."""
    clusters, low, high, reason = len(set(dyads)), None, None, ""
    defined = replicates[np.isfinite(replicates)]
    if clusters < 2:
        reason = "no interval: a single dyad of users"
    elif annotators is not None and len(set(annotators)) == 1:
        reason = "no interval: a single annotator"
    elif len(defined) < ENOUGH * len(replicates):
        reason = f"no interval: defined in {len(defined)} of {len(replicates)} replicates"
    else:
        low, high = (round(float(end), 6) for end in np.quantile(defined, [0.025, 0.975]))
        if low == high:
            low, high, reason = None, None, "no interval: nothing varies"
    value = round(float(value), 6)
    return Estimate(value=value, low=low, high=high, n=n, clusters=clusters, note=reason)


def _drawn(n: int, replicates: int, chance: np.random.Generator) -> npt.NDArray[np.uint16]:
    """Shape (replicates, n): how often each of n came up in n draws."""
    drawn = np.zeros((replicates, n), np.uint16)
    step = max(1, SMALL // max(1, n))
    for start in range(0, replicates if n else 0, step):
        rows = drawn[start : start + step]
        places = chance.integers(n, size=rows.shape) + n * np.arange(len(rows))[:, None]
        counts = np.bincount(places.ravel(), minlength=rows.size)
        rows += counts.reshape(rows.shape).astype(np.uint16)
    return drawn


def rank_correlations(counts: Floats, levels: npt.NDArray[np.intp]) -> Floats:
    """Of cross tables: `counts` has shape (tables, cells), `levels` (cells, 2) says which two
    levels meet in a cell."""
    total = counts.sum(axis=1, keepdims=True)
    products = counts.copy()
    scale = np.ones(len(counts))
    for place in levels.T:
        margin = counts @ np.eye(place.max() + 1)[place]
        ranks = np.cumsum(margin, axis=1) - margin / 2 - total / 2
        products *= ranks[:, place]
        scale *= (margin * ranks**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = products.sum(axis=1) / np.sqrt(scale)
    return found
