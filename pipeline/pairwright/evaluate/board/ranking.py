"""The rows of one mode in one condition, best first, and which of them differ."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from pairwright.evaluate.board.entry import Entry
from pairwright.evaluate.board.groups import letters
from pairwright.evaluate.board.sign_flip import sign_flip
from pairwright.evaluate.board.step_down import step_down
from pairwright.evaluate.shown import Condition
from pairwright.intervals import LEVEL, Floats, Places, difference
from pairwright.records import Mode, Record


class Comparison(Record):
    """Two ranked rows on the same pairs; a pair without a score is wrong."""

    first: str
    second: str
    difference: float
    """Accuracy of the first less that of the second."""
    low: float | None
    high: float | None
    """Its 95 % interval by cluster, of this one comparison."""
    n: int
    clusters: int
    p: float
    """Of the sign-flip test of these two alone."""
    adjusted: float
    """Of the step-down test of all pairs of rows in the ranking."""


class Test(Record):
    """How the rows of one ranking were compared."""

    clusters: int
    """Dyads, users or prompts: what is flipped."""
    least: float
    """The smallest adjusted p that two rows of this table can have."""
    flips: int
    """How many were looked at."""
    exact: bool
    """Whether these are all there are."""


class Ranking(Record):
    """Rows by their names, SCORER.CONDITION."""

    mode: Mode | None
    condition: Condition
    ranked: tuple[str, ...]
    """By accuracy, best first; equal ones by name."""
    groups: dict[str, str]
    """Letters of each ranked row."""
    unranked: dict[str, str]
    """Why each of the others is not ranked."""
    comparisons: tuple[Comparison, ...]
    """Of all pairs of ranked rows."""
    test: Test | None
    """None below two ranked rows."""

    def next_to(self, name: str) -> Comparison | None:
        """A ranked row beside the one below it; None for the last."""
        at = self.ranked.index(name) + 1
        pair = (name, self.ranked[at]) if at < len(self.ranked) else None
        return next((of for of in self.comparisons if (of.first, of.second) == pair), None)


def ranking(
    mode: Mode | None,
    condition: Condition,
    entries: Sequence[Entry],
    points: Mapping[str, Floats],
    clusters: Places,
) -> Ranking:
    """Rank the entries, all of this condition.

    `points`: by entry, of shape (n,) over the mode's pairs, NaN where one counts for no entry;
    `clusters`: of shape (n,).
    """
    unranked = {of.name: why for of in entries if (why := of.unranked(mode))}
    ranked = sorted(
        (of for of in entries if of.name not in unranked),
        key=lambda of: (-_accuracy(of, mode), of.name),
    )
    names = tuple(of.name for of in ranked)
    found, test = _compared(names, points, clusters) if len(names) > 1 else ([], None)
    apart = [(of.first, of.second) for of in found if of.adjusted < LEVEL]
    return Ranking(
        mode=mode,
        condition=condition,
        ranked=names,
        groups=letters(names, apart),
        unranked=unranked,
        comparisons=tuple(found),
        test=test,
    )


def _compared(
    names: Sequence[str], points: Mapping[str, Floats], clusters: Places
) -> tuple[list[Comparison], Test]:
    every = np.array([points[name] for name in names])
    # What counts for one row counts for each of them.
    due = ~np.isnan(every[0])
    every, clusters = every[:, due], clusters[due]
    pairs = list(combinations(range(len(names)), 2))
    found = step_down(every, clusters, pairs)
    compared = [
        _compare((names[a], names[b]), every[a] - every[b], clusters, p)
        for (a, b), p in zip(pairs, found.p.tolist(), strict=True)
    ]
    independent = len(np.unique(clusters))
    least = _six_digits(found.least)
    return compared, Test(clusters=independent, least=least, flips=found.flips, exact=found.exact)


def _accuracy(of: Entry, mode: Mode | None) -> float:
    figure = of.figure("accuracy", mode)
    assert figure is not None
    assert figure.value is not None
    return figure.value


def _compare(
    names: tuple[str, str], differences: Floats, clusters: Places, adjusted: float
) -> Comparison:
    p = sign_flip(differences, clusters)
    found = difference(differences, clusters)
    assert found, "a ranked row has an accuracy"
    return Comparison(
        first=names[0],
        second=names[1],
        difference=found.value or 0.0,
        low=found.low,
        high=found.high,
        n=found.n,
        clusters=found.clusters,
        p=_six_digits(p),
        # Drawn flips may fall on the other side of the exact p of one comparison.
        adjusted=_six_digits(max(p, adjusted)),
    )


def _six_digits(p: float) -> float:
    """The same on every machine."""
    return float(f"{p:.6g}")
