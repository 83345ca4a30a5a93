"""Looking at data before all of it is in, without more false findings: group-sequential bounds.

At a look the share t of all information is in. On each side the errors of all looks so far may be
2 (1 - Phi(z / sqrt(t))), where z is the normal quantile for a quarter of the two-sided level: the
spending function of Lan and DeMets 1983, Biometrika 70, 659-663, of the kind of O'Brien and Fleming
1979, Biometrics 35, 549-556, which spends little early and nearly all at the end. Number and times
of the looks need not be known before. The bound of each look follows from those before it, by
integration over all paths that crossed none of them (Armitage, McPherson and Rowe 1969, J. R. Stat.
Soc. A 132, 235-244). An interval of that many standard errors at every look is a repeated
confidence interval: all looks of a study hold the truth together with probability 1 - level,
whatever made one stop (Jennison and Turnbull 1989, J. R. Stat. Soc. B 51, 305-361).
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from pairwright.intervals import Floats

NODES = 201
MOST = 12.0
"""Standard errors beyond which a bound is not looked for: no data cross it."""


def error_spent(information: float, level: float) -> float:
    """The error that the looks up to this share of the information may have together, two-sided."""
    return float(4 * ndtr(ndtri(level / 4) / math.sqrt(information)))


def look_bounds(information: Sequence[float], level: float) -> list[float]:
    """For each look the standard errors of its two-sided bound. `information` are the shares of all
    information at the looks, above 0 to 1, each greater than the one before it. Raises ValueError
    where they are not."""
    if any(
        not 0 < share <= 1 or share <= before
        for before, share in zip([0.0, *information], information, strict=False)
    ):
        raise ValueError(f"shares of information must grow, above 0 and up to 1: {information}")
    points, weights = np.polynomial.legendre.leggauss(NODES)
    bounds: list[float] = []
    # Paths that crossed no bound: where they are, on the scale of the score, and how likely.
    places: Floats = np.zeros(1)
    likely: Floats = np.ones(1)
    before, spent = 0.0, 0.0
    for share in information:
        step, may_spend = math.sqrt(share - before), error_spent(share, level) - spent

        def crossed(
            bound: float,
            share: float = share,
            step: float = step,
            places: Floats = places,
            likely: Floats = likely,
        ) -> float:
            edge = bound * math.sqrt(share)
            outside = ndtr((-edge - places) / step) + ndtr((places - edge) / step)
            return float(likely @ outside)

        open_end = crossed(MOST) >= may_spend
        found = MOST if open_end else brentq(lambda x, c=crossed, m=may_spend: c(x) - m, 0, MOST)
        bounds.append(float(found))
        edge = found * math.sqrt(share)
        after = edge * points
        density = np.exp(-(((after[:, None] - places) / step) ** 2) / 2) @ likely
        places, likely = after, density * weights * edge / (step * math.sqrt(2 * math.pi))
        before, spent = share, error_spent(share, level)
    return bounds
