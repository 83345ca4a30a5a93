"""The rows of one mode in one condition, best first, and which of them differ."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from statsmodels.stats.multitest import multipletests

from pairwright.evaluate.board.entry import Entry
from pairwright.evaluate.board.groups import letters
from pairwright.evaluate.board.sign_flip import sign_flip
from pairwright.evaluate.shown import Condition
from pairwright.intervals import LEVEL, Floats, Places, difference
from pairwright.records import Mode, Record


class Comparison(Record):
    """Two ranked rows on the pairs that both have a score for."""

    first: str
    second: str
    difference: float
    """Accuracy of the first less that of the second."""
    low: float | None
    high: float | None
    """Its 95 % interval by cluster, of this one comparison; None where no pair is compared."""
    n: int
    clusters: int
    p: float
    """Of the sign-flip test."""
    adjusted: float
    """After Holm over all pairs of rows in the ranking."""


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

    `points`: by entry, of shape (n,) over the mode's pairs, NaN where one does not count;
    `clusters`: of shape (n,).
    """
    unranked = {of.name: why for of in entries if (why := of.unranked(mode))}
    ranked = sorted(
        (of for of in entries if of.name not in unranked),
        key=lambda of: (-_accuracy(of, mode), of.name),
    )
    names = tuple(of.name for of in ranked)
    found = [_compare(a, b, points, clusters) for a, b in combinations(names, 2)]
    if found:
        adjusted = multipletests([of.p for of in found], LEVEL, method="holm")[1]
        found = [
            of.model_copy(update={"adjusted": _six_digits(p)})
            for of, p in zip(found, adjusted, strict=True)
        ]
    apart = [(of.first, of.second) for of in found if of.adjusted < LEVEL]
    return Ranking(
        mode=mode,
        condition=condition,
        ranked=names,
        groups=letters(names, apart),
        unranked=unranked,
        comparisons=tuple(found),
    )


def _accuracy(of: Entry, mode: Mode | None) -> float:
    figure = of.figure("accuracy", mode)
    assert figure is not None
    assert figure.value is not None
    return figure.value


def _compare(first: str, second: str, points: Mapping[str, Floats], clusters: Places) -> Comparison:
    differences = points[first] - points[second]
    both = ~np.isnan(differences)
    differences, common = differences[both], clusters[both]
    p = _six_digits(sign_flip(differences, common)) if len(differences) else 1.0
    found = difference(differences, common)
    return Comparison(
        first=first,
        second=second,
        difference=found.value or 0.0 if found else 0.0,
        low=found and found.low,
        high=found and found.high,
        n=len(differences),
        clusters=len(np.unique(common)),
        p=p,
        adjusted=p,
    )


def _six_digits(p: float) -> float:
    """The same on every machine."""
    return float(f"{p:.6g}")
