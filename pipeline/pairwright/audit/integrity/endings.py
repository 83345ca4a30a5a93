"""Responses that break off: on one side more than on the other, that gives the side away."""

from collections import defaultdict
from collections.abc import Iterator

from pairwright.audit.found import Found
from pairwright.audit.integrity.broken import breaks_off
from pairwright.audit.records import Check
from pairwright.dataset import Row
from pairwright.intervals import Interval
from pairwright.stats import share

APART = 0.01
"""Share of rows with one broken side below which a difference gives nothing away."""


class Endings:
    """`breaks_off`: rows of which one side ends without a sentence's end and the other does not;
    it fails where that is the rejected side, or the chosen, clearly more often than by chance.

    Counted by cluster: of those in which the two sides differ, the share in which the rejected
    side breaks off more often, with Wilson's interval. Without a difference it is one half.
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

    def checks(self) -> Iterator[Check]:
        for config in sorted(self._found):
            (check,) = self._found[config].checks()
            yield self._decided(check, config)

    def _decided(self, check: Check, config: str) -> Check:
        differ = [net for net in self._balance[config].values() if net]
        of = share(sum(net > 0 for net in differ), len(differ))
        apart = of.low is not None and of.high is not None and not of.low <= 0.5 <= of.high
        often = (check.count or 0) > APART * check.of
        sides = " and ".join(f"{n:,} {side}" for side, n in self._sides[config].items())
        value = None if of.value is None else round(of.value, 6)
        return check.model_copy(
            update={
                "status": "fail" if apart and often else "pass",
                "limit": 0.5,
                "found": Interval(
                    value=value, low=of.low, high=of.high, n=check.count or 0, clusters=of.n
                ),
                "detail": f"{sides} sides break off; the share is that of clusters in which the "
                "rejected side does so more often",
            }
        )
