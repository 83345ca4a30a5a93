"""Means over items of several users."""

from collections.abc import Sequence

import numpy as np

from pairwright.intervals import Interval, mean, with_width


def mean_by_user(values: Sequence[tuple[str, float]], least: float = 0.0) -> Interval | None:
    """The mean of each item's value, from `least` to 1, beside its user, with its 95 % interval by
    user; None of no items. Where nothing varies, nothing shows how wide that is: it has none."""
    places = {user: n for n, user in enumerate(dict.fromkeys(user for user, _ in values))}
    points = np.array([value for _, value in values], dtype=float)
    clusters = np.array([places[user] for user, _ in values], dtype=np.intp)
    found = mean(points, clusters, least=least, most=1.0)
    return found and with_width(found)


def told(interval: Interval | None) -> str:
    """A mean with its interval and n, for people."""
    if interval is None or interval.value is None:
        return "none (n = 0)"
    if interval.low is None or interval.high is None:
        return f"{interval.value:.3f} (no interval, n = {interval.n:,})"
    return f"{interval.value:.3f} ({interval.low:.3f} to {interval.high:.3f}, n = {interval.n:,})"
