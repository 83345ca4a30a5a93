"""Statistics with their n and interval."""

import math
from typing import NamedTuple


class Share(NamedTuple):
    """k of n with its 95 % Wilson interval; `low` and `high` are None at n = 0."""

    k: int
    n: int
    low: float | None
    high: float | None

    @property
    def value(self) -> float | None:
        return self.k / self.n if self.n else None

    def __str__(self) -> str:
        """`5 of 20: 25 % (11 to 47)`, in percent."""
        if self.low is None or self.high is None:
            return "0 of 0"
        middle, low, high = (round(100 * x) for x in (self.k / self.n, self.low, self.high))
        return f"{self.k:,} of {self.n:,}: {middle} % ({low} to {high})"


def p_value(p: float) -> str:
    """Three places, as in a table; no p is ever 0."""
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def p_text(p: float) -> str:
    """The same in a sentence: `p = 0.012`, `p < 0.001`."""
    return f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"


def share(k: int, n: int, z: float = 1.959964) -> Share:
    """Wilson's score interval (Wilson 1927, eq. 6): never outside 0 to 1, defined at 0 and n."""
    if n == 0:
        return Share(k, n, None, None)
    p = k / n
    centre = p + z * z / (2 * n)
    spread = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return Share(k, n, round(max(0.0, low), 6), round(min(1.0, high), 6))
