"""The coefficients as functions of sums over items, for many sets of sums at once.

Leaving out items takes their part from the sums, so a coefficient without each cluster or each
rater in turn costs little more than the coefficient itself. On all ratings these are the
coefficients of `coefficients`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from pairwright_human_eval.agreement.coefficients import Measurement
from pairwright_human_eval.agreement.ratings import Floats, Indices


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over items: a row for each set of items, shape (sets, 3 + 2 levels + levels squared)."""

    rows: Floats
    levels: int

    @classmethod
    def of_items(cls, counts: Indices) -> "Sums":
        """Every item as a set of its own; `counts` has shape (items, levels)."""
        given = counts.astype(np.float64)
        items, levels = given.shape
        rated = given.sum(axis=1)
        paired = (rated > 1).astype(np.float64)
        shares = given / np.maximum(rated, 1)[:, None]
        # Krippendorff's coincidences: an item with m ratings spreads m over its ordered pairs.
        pairs = given[:, :, None] * given[:, None, :]
        every = np.arange(levels)
        pairs[:, every, every] -= given
        pairs *= (paired / np.maximum(rated - 1, 1))[:, None, None]
        agreed = np.einsum("ikk->i", pairs) / np.maximum(rated, 1)
        single = np.stack([agreed, paired, (rated > 0).astype(np.float64)], axis=1)
        rows = [single, shares, shares * paired[:, None], pairs.reshape(items, levels * levels)]
        return cls(np.concatenate(rows, axis=1), levels)

    def grouped(self, place: Indices, sets: int) -> "Sums":
        """The rows added up by place."""
        shape = (sets, len(place))
        table = sparse.csr_array((np.ones(len(place)), (place, np.arange(len(place)))), shape=shape)
        return Sums(table @ self.rows, self.levels)

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(self.rows + other.rows, self.levels)

    def __sub__(self, other: "Sums") -> "Sums":
        return Sums(self.rows - other.rows, self.levels)

    @property
    def percent(self) -> Floats:
        """Shape (sets,): agreement in percent, as a share."""
        found: Floats = self.rows[:, 0] / self.rows[:, 1]
        return found

    @property
    def shares(self) -> Floats:
        """Shape (sets, levels): the mean share of each level over all rated items."""
        found: Floats = self.rows[:, 3 : 3 + self.levels] / self.rows[:, 2:3]
        return found

    @property
    def paired_shares(self) -> Floats:
        """The same over the items with two ratings or more."""
        found: Floats = self.rows[:, 3 + self.levels : 3 + 2 * self.levels] / self.rows[:, 1:2]
        return found

    @property
    def coincidences(self) -> Floats:
        """Shape (sets, levels, levels)."""
        return self.rows[:, 3 + 2 * self.levels :].reshape(-1, self.levels, self.levels)


def alpha(sums: Sums, measurement: Measurement, numbers: Floats) -> Floats:
    """Shape (sets,). `numbers`: the levels as numbers, for `interval`."""
    margins = sums.coincidences.sum(axis=2)
    squared = _distances(measurement, margins, numbers)
    expected = np.einsum("si,sij,sj->s", margins, squared, margins) / (margins.sum(axis=1) - 1)
    found: Floats = 1 - (sums.coincidences * squared).sum(axis=(1, 2)) / expected
    return found


def _distances(measurement: Measurement, margins: Floats, numbers: Floats) -> Floats:
    """Shape (sets, levels, levels): squared distances."""
    sets, levels = margins.shape
    if measurement == "nominal":
        return np.broadcast_to(1 - np.eye(levels), (sets, levels, levels))
    places = np.broadcast_to(numbers, (sets, levels))
    if measurement == "ordinal":
        # How many ratings lie between two levels, those of the two by half: a difference of ranks.
        places = np.cumsum(margins, axis=1) - margins / 2
    found: Floats = (places[:, :, None] - places[:, None, :]) ** 2
    return found


def ac1(sums: Sums) -> Floats:
    expected = (sums.shares * (1 - sums.shares)).sum(axis=1) / (sums.levels - 1)
    found: Floats = (sums.percent - expected) / (1 - expected)
    return found


def fleiss(sums: Sums) -> Floats:
    expected = (sums.paired_shares**2).sum(axis=1)
    found: Floats = (sums.percent - expected) / (1 - expected)
    return found


COEFFICIENTS: dict[str, Callable[[Sums, Floats], Floats]] = {
    "percent": lambda sums, _: sums.percent,
    "alpha_nominal": lambda sums, numbers: alpha(sums, "nominal", numbers),
    "alpha_ordinal": lambda sums, numbers: alpha(sums, "ordinal", numbers),
    "alpha_interval": lambda sums, numbers: alpha(sums, "interval", numbers),
    "gwet_ac1": lambda sums, _: ac1(sums),
    "fleiss_kappa": lambda sums, _: fleiss(sums),
}
"""By name: a coefficient of sums and of the levels as numbers. Where the sums define none, 0 / 0
says so. Cohen's kappa by two is no function of these sums: `left_out` has it."""
