"""Responses that break off: on one side more than on the other, that gives the side away."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from pairwright.audit.found import Found
from pairwright.audit.integrity.broken import breaks_off
from pairwright.audit.records import Check, Comparison
from pairwright.dataset import Row
from pairwright.intervals import Interval, exact

APART = 0.01
"""Share of rows with one broken side below which a difference gives nothing away."""


class Endings:
    """`breaks_off`: rows of which one side ends without a sentence's end and the other does not;
    it fails where that is the rejected side, or the chosen, more often than by chance.

    Counted by cluster: of those in which the two sides differ, the share in which the rejected
    side breaks off more often, with its exact interval. Without a difference it is one half.
    """

    def __init__(self) -> None:
        self._found: dict[str, Found] = {}
        self._balance: dict[str, defaultdict[int, int]] = {}
        self._sides: dict[str, dict[str, int]] = {}

    def add(self, row: Row) -> None:
        config = row.config
        if config not in self._found:
            self._found[config] = Found(
                "integrity", "breaks_off", limit=None, others=None, by_config=True
            )
            self._balance[config] = defaultdict(int)
            self._sides[config] = {"chosen": 0, "rejected": 0}
        broken = {"chosen": breaks_off(row.chosen), "rejected": breaks_off(row.rejected)}
        for side, yes in broken.items():
            self._sides[config][side] += yes
        one = [side for side, yes in broken.items() if yes]
        said = f"the {one[0]} side breaks off" if len(one) == 1 else None
        self._found[config].add(row, said)
        if said:
            self._balance[config][hash(row.cluster)] += 1 if one == ["rejected"] else -1

    def checks(self) -> Iterator[Comparison]:
        for config in sorted(self._found):
            (check,) = self._found[config].checks()
            sides = " and ".join(f"{n:,} {side}" for side, n in self._sides[config].items())
            differ = [net for net in self._balance[config].values() if net]
            yield EndingsComparison(
                check.model_copy(
                    update={
                        "limit": 0.5,
                        "detail": f"{sides} sides break off; the share is that of clusters in which"
                        " the rejected side does so more often",
                    }
                ),
                sum(net > 0 for net in differ),
                len(differ),
            )


class EndingsComparison(NamedTuple):
    """The share of clusters in which the rejected side breaks off more often, against one half."""

    found: Check
    rejected: int
    clusters: int

    def settled(self, level: float) -> bool:
        """Few rows pass whatever their share."""
        return self._few or self._apart(level)

    def check(self, level: float) -> Check:
        low, high = self._ends(level)
        fails = not self._few and self._apart(level)
        return self.found.model_copy(
            update={
                "status": "fail" if fails else "pass",
                "found": Interval(
                    value=round(self.rejected / self.clusters, 6) if self.clusters else None,
                    low=None if low is None else round(low, 6),
                    high=None if high is None else round(high, 6),
                    n=self.found.count or 0,
                    clusters=self.clusters,
                ),
            }
        )

    @property
    def _few(self) -> bool:
        return (self.found.count or 0) <= APART * self.found.of

    def _apart(self, level: float) -> bool:
        low, high = self._ends(level)
        return low is not None and high is not None and not low <= 0.5 <= high

    def _ends(self, level: float) -> tuple[float, float] | tuple[None, None]:
        return exact(self.rejected, self.clusters, level) if self.clusters else (None, None)
