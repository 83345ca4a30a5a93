"""Whether a judge's verdict depends on the order of the responses: consistency, position bias, and
Cohen's kappa of the two orders.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from pairwright.estimate import Estimate
from pairwright.evaluate.decision import Choice, PairDecision
from pairwright.evaluate.measure.figure import (
    Group,
    ScorerFigure,
    average,
    figure_of,
    mode_group,
    share,
)
from pairwright.evaluate.measure.units import ModeDecisions
from pairwright.intervals import Floats, cluster_numbers, first_clusters
from pairwright.modes import mode_pairs as mode_pairs_in_words
from pairwright.records import Cluster, content_id

_OTHER: dict[Choice, Choice] = {"chosen": "rejected", "rejected": "chosen", "tie": "tie"}
_FIRST: dict[Choice, float] = {"chosen": 1.0, "rejected": 0.0, "tie": 0.5}


def order_figures(mode_pairs: ModeDecisions) -> Iterator[ScorerFigure]:
    """The figures of the pairs with a verdict in both orders; none where no judge compared."""
    compared = [(one, one.orders) for one in mode_pairs.scored if one.orders is not None]
    if not compared:
        return
    group, clusters = mode_group(mode_pairs.mode), [one.clusters for one, _ in compared]
    same = [float(forward == backward) for _, (forward, backward) in compared]
    yield share("swap_consistency", group, same, clusters)
    first = [first_place_points(one) for one, _ in compared]
    yield share("first_position", group, first, clusters)
    yield _kappa(group, [_blind_names(one, orders) for one, orders in compared], clusters)


def first_place_points(decision: PairDecision) -> float:
    """The share of a judge's two verdicts for the response in the first place."""
    assert decision.orders is not None, "only of judges that compare"
    forward, backward = decision.orders
    return (_FIRST[forward] + 1 - _FIRST[backward]) / 2


def is_position_bias(figure: ScorerFigure) -> bool:
    """Whether a figure is a position bias: the interval of `first_position` leaves out one half."""
    if figure.name != "first_position" or figure.low is None or figure.high is None:
        return False
    return figure.low > 0.5 or figure.high < 0.5


def position_bias_text(figure: ScorerFigure) -> str:
    """The pairs and the value of a `first_position` that is a position bias."""
    assert figure.value is not None
    assert figure.low is not None
    assert figure.high is not None
    pairs = mode_pairs_in_words(figure.mode)
    return f"{pairs}, {figure.value:.1%} ({figure.low:.1%} to {figure.high:.1%}, n = {figure.n:,})"


def _kappa(
    group: Group, verdicts: list[tuple[Choice, Choice]], clusters: list[Cluster]
) -> ScorerFigure:
    terms = kappa_terms([a for a, _ in verdicts], [b for _, b in verdicts])
    if terms is not None:
        return average("order_kappa", group, terms, clusters, least=-1)
    independent = len(np.unique(first_clusters(cluster_numbers(clusters))))
    none = Estimate(value=None, low=None, high=None, n=len(verdicts), clusters=independent)
    return figure_of("order_kappa", group, none, "every verdict is the same, in either order")


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


def _blind_names(one: PairDecision, orders: tuple[Choice, Choice]) -> tuple[Choice, Choice]:
    """The verdicts with the responses called by a coin that the subject's id throws. By their own
    names the better judge would have the lower kappa: who always says "chosen" agrees by chance.
    Both halves of a twin call a response the same."""
    coin = int(content_id("side", one.twin_id or one.id)[-1], 16) % 2 == 0
    if coin == one.asked:
        return orders
    return _OTHER[orders[0]], _OTHER[orders[1]]
