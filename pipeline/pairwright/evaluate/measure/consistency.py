"""Whether a comparing judge keeps to its verdict when the two responses change places."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from pairwright.evaluate.decision import Choice, Decision
from pairwright.evaluate.measure.figure import (
    Figure,
    Group,
    average,
    figure,
    share,
    whole,
)
from pairwright.evaluate.measure.units import Counted
from pairwright.intervals import Floats, Interval
from pairwright.records import content_id

_OTHER: dict[Choice, Choice] = {"chosen": "rejected", "rejected": "chosen", "tie": "tie"}
_FIRST: dict[Choice, float] = {"chosen": 1.0, "rejected": 0.0, "tie": 0.5}


def consistency(of: Counted) -> Iterator[Figure]:
    """Of the pairs with a verdict in both orders; nothing where nobody compared."""
    compared = [(one, one.orders) for one in of.scored if one.orders is not None]
    if not compared:
        return
    group, clusters = whole(of.mode), [one.cluster for one, _ in compared]
    same = [float(forward == backward) for _, (forward, backward) in compared]
    yield share("swap_consistency", group, same, clusters)
    first = [(_FIRST[forward] + 1 - _FIRST[backward]) / 2 for _, (forward, backward) in compared]
    yield share("first_position", group, first, clusters)
    yield _kappa(group, [_named(one, orders) for one, orders in compared], clusters)


def leans(of: Figure) -> bool:
    """Whether it is a position bias: the interval of `first_position` leaves out one half."""
    if of.name != "first_position" or of.low is None or of.high is None:
        return False
    return of.low > 0.5 or of.high < 0.5


def leaning(of: Figure) -> str:
    """What a `first_position` that leans says."""
    assert of.value is not None
    assert of.low is not None
    assert of.high is not None
    pairs = "twins" if of.mode == "twin" else f"pairs of mode {of.mode}" if of.mode else "pairs"
    return f"{pairs}, {of.value:.1%} ({of.low:.1%} to {of.high:.1%}, n = {of.n:,})"


def _kappa(group: Group, verdicts: list[tuple[Choice, Choice]], clusters: list[str]) -> Figure:
    terms = kappa_terms([a for a, _ in verdicts], [b for _, b in verdicts])
    if terms is not None:
        return average("order_kappa", group, terms, clusters, least=-1)
    n, independent = len(verdicts), len(set(clusters))
    none = Interval(value=None, low=None, high=None, n=n, clusters=independent)
    return figure("order_kappa", group, none, "every verdict is the same, in either order")


def kappa_terms(first: Sequence[Hashable], second: Sequence[Hashable]) -> Floats | None:
    """One term a pair of ratings, shape (n,): their mean is Cohen's kappa, and their spread is its
    standard error. None where agreement by chance is whole.

    Cohen 1960, Educ. Psychol. Meas. 20, 37-46, (po - pe) / (1 - pe); each term is kappa plus what
    its pair weighs in the first-order expansion (the delta method of Fleiss, Cohen and Everitt
    1969, Psychol. Bull. 72, 323-327), so that sums by cluster give an interval by cluster.
    """
    n, left, right = len(first), Counter(first), Counter(second)
    chance = sum(left[name] * right[name] for name in left) / n**2
    if chance == 1:
        return None
    same = np.array([a == b for a, b in zip(first, second, strict=True)], np.float64)
    expected = np.array(
        [(right[a] + left[b]) / n for a, b in zip(first, second, strict=True)], np.float64
    )
    agreed = float(same.mean())
    kappa = (agreed - chance) / (1 - chance)
    weight = (1 - agreed) / (1 - chance) ** 2
    terms: Floats = kappa + (same - agreed) / (1 - chance) - weight * (expected - 2 * chance)
    return terms


def _named(one: Decision, orders: tuple[Choice, Choice]) -> tuple[Choice, Choice]:
    """The verdicts with the responses called by a coin that the subject's id throws. By their own
    names the better judge would have the lower kappa: who always says "chosen" agrees by chance.
    Both halves of a twin call a response the same."""
    coin = int(content_id("side", one.twin_id or one.id)[-1], 16) % 2 == 0
    if coin == one.asked:
        return orders
    return _OTHER[orders[0]], _OTHER[orders[1]]
