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


def told(of: Interval | None) -> str:
    """A mean with its interval and n, for people."""
    if of is None or of.value is None:
        return "none (n = 0)"
    if of.low is None or of.high is None:
        return f"{of.value:.3f} (no interval, n = {of.n:,})"
    return f"{of.value:.3f} ({of.low:.3f} to {of.high:.3f}, n = {of.n:,})"
