"""Who rated what how."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.intp]
Level = str | int


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings in long form, in the order of items and, within an item, of raters. A missing rating
    is absent."""

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

        Raises ValueError where a rater rated an item twice, or a value is none of the levels.
        """
        ordered = sorted(rows, key=lambda row: row[:2])
        for (item, rater, _), (next_item, next_rater, _) in pairwise(ordered):
            if (item, rater) == (next_item, next_rater):
                raise ValueError(f"{rater} rated {item} twice")
        codes = {level: code for code, level in enumerate(levels)}
        for item, rater, value in ordered:
            if value not in codes:
                raise ValueError(f"{rater} rated {item} {value!r}, which is none of {levels}")
        items, item_of = np.unique([row[0] for row in ordered], return_inverse=True)
        raters, rater_of = np.unique([row[1] for row in ordered], return_inverse=True)
        values = np.array([codes[row[2]] for row in ordered], np.intp)
        return cls(
            item_of, rater_of, values,
            items=tuple(items.tolist()), raters=tuple(raters.tolist()), levels=tuple(levels),
        )  # fmt: skip

    def counts(self) -> Indices:
        """Shape (items, levels): how many rated the item so."""
        shape = len(self.items), len(self.levels)
        cells = self.item * shape[1] + self.value
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)

    def pairable(self) -> npt.NDArray[np.bool_]:
        """Shape (ratings,): whether somebody else rated the same item."""
        paired: npt.NDArray[np.bool_] = np.bincount(self.item)[self.item] > 1
        return paired
