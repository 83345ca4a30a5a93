"""Who rated what how: the one form in which every statistic here takes its data."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
Level = str | int


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings in long form, one place an array for every rating, in the order of items and, within
    an item, of raters. A missing rating is absent."""

    item: Indices
    """Shape (ratings,): places in `items`."""
    rater: Indices
    """Shape (ratings,): places in `raters`."""
    value: Indices
    """Shape (ratings,): places in `levels`."""
    items: tuple[str, ...]
    raters: tuple[str, ...]
    levels: tuple[Level, ...]
    """All that could be answered, in order, used or not."""

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, Level]], levels: Sequence[Level]) -> "Ratings":
        """From rows (item, rater, value) in any order.

        Raises ValueError where a rater rated an item twice or a value is none of the levels.
        """
        ordered = sorted(rows, key=lambda row: row[:2])
        for (item, rater, _), (next_item, next_rater, _) in pairwise(ordered):
            if (item, rater) == (next_item, next_rater):
                raise ValueError(f"{rater} rated {item} twice")
        codes = {level: code for code, level in enumerate(levels)}
        if len(codes) < len(levels):
            raise ValueError(f"a level is there twice among {levels}")
        for item, rater, value in ordered:
            if value not in codes:
                raise ValueError(f"{rater} rated {item} {value!r}, which is none of {levels}")
        items = {item: place for place, item in enumerate(sorted({row[0] for row in ordered}))}
        raters = {rater: place for place, rater in enumerate(sorted({row[1] for row in ordered}))}
        return cls(
            item=np.array([items[item] for item, _, _ in ordered], np.intp),
            rater=np.array([raters[rater] for _, rater, _ in ordered], np.intp),
            value=np.array([codes[value] for _, _, value in ordered], np.intp),
            items=tuple(items),
            raters=tuple(raters),
            levels=tuple(levels),
        )

    def counts(self) -> Indices:
        """Shape (items, levels): how many rated the item so."""
        shape = len(self.items), len(self.levels)
        cells = self.item * shape[1] + self.value
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)

    def pairable(self) -> npt.NDArray[np.bool_]:
        """Shape (ratings,): whether somebody else rated the same item."""
        paired: npt.NDArray[np.bool_] = np.bincount(self.item)[self.item] > 1
        return paired

    def meetings(self) -> tuple[Indices, Indices]:
        """Every two ratings of one item, once: their places, the earlier rater's first."""
        most = int(np.bincount(self.item).max(initial=0))
        firsts = [np.flatnonzero(self.item[step:] == self.item[:-step]) for step in range(1, most)]
        if not firsts:
            return np.empty(0, np.intp), np.empty(0, np.intp)
        seconds = [first + step for step, first in enumerate(firsts, start=1)]
        return np.concatenate(firsts), np.concatenate(seconds)
