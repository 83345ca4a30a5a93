"""An estimate with its interval, n and clusters: the one record for every figure that is reported.

    share(5, 20).counted()                 # "5 of 20: 25 % (11 to 47)"
    estimate.percent()                     # "25 % (11 to 47)"
    estimate.text()                        # "0.250 (0.112 to 0.469)"

An estimate that is missing, or has no interval, says why in its note.
"""

import math

from pairwright.records import Record

Z_95 = 1.959964
_MOST_DIGITS = 6


class Estimate(Record):
    """A value with its 95 % interval, rounded to six places. What is missing is None."""

    value: float | None
    low: float | None
    high: float | None
    """None beside a low end where it has no upper end."""
    n: int
    """What the value is a share, mean or coefficient of: pairs, votes, users, ..."""
    clusters: int
    """What is independent: couples, users, prompts; n where each one is."""
    note: str = ""
    """Why the value is missing, or else its interval; empty if neither is."""

    @property
    def k(self) -> int:
        """Of a share of n: how many. 0 of none."""
        return round((self.value or 0.0) * self.n)

    def __str__(self) -> str:
        return self.text()

    def text(self, digits: int = 3, *, sign: bool = False) -> str:
        """`0.712 (0.651 to 0.768)`; `n/a (why)` without a value; `sign` is for a difference."""
        return self._text(1, digits, sign, "")

    def percent(self, digits: int = 0, *, sign: bool = False) -> str:
        """`71 % (65 to 77)`; of a difference with a sign, `+12 (+3 to +21)`, in points."""
        return self._text(100, digits, sign, "" if sign else " %")

    def counted(self) -> str:
        """`5 of 20: 25 % (11 to 47)`; of none, `0 of 0`."""
        return f"{self.k:,} of {self.n:,}: {self.percent()}" if self.n else "0 of 0"

    def _text(self, scale: int, digits: int, sign: bool, unit: str) -> str:
        if self.value is None:
            return f"n/a ({self.note})" if self.note else "n/a"
        ends = [scale * end for end in (self.low, self.high) if end is not None]
        # Two ends that differ are not shown as one number, however small they are.
        while digits < _MOST_DIGITS and len({round(end, digits) for end in ends}) < len(set(ends)):
            digits += 1
        form = f"{'+' if sign else ''},.{digits}f"
        # Rounded first, so that no zero has a minus sign.
        value, low, high = (
            None if x is None else f"{round(scale * x, digits) + 0.0:{form}}"
            for x in (self.value, self.low, self.high)
        )
        if low is None:
            return f"{value}{unit} ({self.note or 'no interval'})"
        if high is None:
            return f"{value}{unit} ({low} or more)"
        return f"{value}{unit} ({low} to {high})"


def no_estimate(note: str = "") -> Estimate:
    """What is known of n = 0: nothing."""
    return Estimate(value=None, low=None, high=None, n=0, clusters=0, note=note)


def wilson(p: float, n: float, z: float = Z_95) -> tuple[float, float]:
    """Wilson's score interval of a share p of n > 0 (Wilson 1927, eq. 6): never outside 0 to 1,
    defined at 0 and 1."""
    square = z * z / n
    centre, spread = p + square / 2, z * math.sqrt(p * (1 - p) / n + square / (4 * n))
    low, high = (centre - spread) / (1 + square), (centre + spread) / (1 + square)
    return max(0.0, low), min(1.0, high)


def share(k: int, n: int, z: float = Z_95) -> Estimate:
    """k of n independent ones with Wilson's interval. Of n = 0 nothing is known."""
    if n == 0:
        return no_estimate("none of them")
    low, high = wilson(k / n, n, z)
    return Estimate(value=round(k / n, 6), low=round(low, 6), high=round(high, 6), n=n, clusters=n)


def p_value(p: float) -> str:
    """Three places, as in a table; no p is ever 0."""
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"
