"""How a scorer agrees: with itself when the responses change places, with people's votes, and with
each user.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from functools import cache

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from pairwright.evaluate.decision import Choice, PairDecision
from pairwright.evaluate.measure.figure import Group, ScorerFigure, average, figure_of, share, whole
from pairwright.evaluate.measure.units import ModeDecisions, points
from pairwright.intervals import LEVEL, Floats, Interval
from pairwright.records import content_id

_OTHER: dict[Choice, Choice] = {"chosen": "rejected", "rejected": "chosen", "tie": "tie"}
_FIRST: dict[Choice, float] = {"chosen": 1.0, "rejected": 0.0, "tie": 0.5}


def order_figures(of: ModeDecisions) -> Iterator[ScorerFigure]:
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


def leans(of: ScorerFigure) -> bool:
    """Whether it is a position bias: the interval of `first_position` leaves out one half."""
    if of.name != "first_position" or of.low is None or of.high is None:
        return False
    return of.low > 0.5 or of.high < 0.5


def leaning(of: ScorerFigure) -> str:
    """What a `first_position` that leans says."""
    assert of.value is not None
    assert of.low is not None
    assert of.high is not None
    pairs = "twins" if of.mode == "twin" else f"pairs of mode {of.mode}" if of.mode else "pairs"
    return f"{pairs}, {of.value:.1%} ({of.low:.1%} to {of.high:.1%}, n = {of.n:,})"


def _kappa(
    group: Group, verdicts: list[tuple[Choice, Choice]], clusters: list[str]
) -> ScorerFigure:
    terms = kappa_terms([a for a, _ in verdicts], [b for _, b in verdicts])
    if terms is not None:
        return average("order_kappa", group, terms, clusters, least=-1)
    n, independent = len(verdicts), len(set(clusters))
    none = Interval(value=None, low=None, high=None, n=n, clusters=independent)
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


def _named(one: PairDecision, orders: tuple[Choice, Choice]) -> tuple[Choice, Choice]:
    """The verdicts with the responses called by a coin that the subject's id throws. By their own
    names the better judge would have the lower kappa: who always says "chosen" agrees by chance.
    Both halves of a twin call a response the same."""
    coin = int(content_id("side", one.twin_id or one.id)[-1], 16) % 2 == 0
    if coin == one.asked:
        return orders
    return _OTHER[orders[0]], _OTHER[orders[1]]


QUESTIONS = 10
"""Questions of a user below which nothing is said of that user."""


def users_above_chance(of: ModeDecisions) -> ScorerFigure:
    """Share of users with QUESTIONS or more where a one-sided exact sign test over their questions
    finds more right than wrong, at 5 % for each user; ties are left out. The note says how many
    users that leaves, and the share that guessing gives."""
    users: dict[str, list[PairDecision]] = {}
    for one in of.due:
        if one.user is not None:
            users.setdefault(one.user, []).append(one)
    enough = [made for made in users.values() if len({of.item_id for of in made}) >= QUESTIONS]
    group = whole(of.mode)
    told = f"{len(enough):,} of {len(users):,} users have {QUESTIONS} or more questions"
    if not enough:
        told = told.replace("0 of", "none of", 1)
        return share("users_above_chance", group, (), (), told)
    above, chances = zip(*(_user_above_chance(made) for made in enough), strict=True)
    told += f"; guessing gives {sum(chances) / len(chances):.1%}"
    return share("users_above_chance", group, above, [made[0].cluster for made in enough], told)


def _user_above_chance(decisions: Sequence[PairDecision]) -> tuple[float, float]:
    """1 or 0, and the chance that guessing gives 1."""
    questions: dict[str, float] = {}
    for one in decisions:
        questions[one.item_id] = questions.get(one.item_id, 0.0) + points(one) - 0.5
    right = sum(ahead > 0 for ahead in questions.values())
    least, chance = _needed(right + sum(ahead < 0 for ahead in questions.values()))
    return float(right >= least), chance


@cache
def _needed(n: int) -> tuple[int, float]:
    """The fewest right of n that guessing gives in at most 5 %, and in how many it does."""
    for least in range(n + 1):
        chance = float(binom.sf(least - 1, n, 0.5))
        if chance <= LEVEL:
            return least, chance
    return n + 1, 0.0


def vote_figures(of: ModeDecisions) -> Iterator[ScorerFigure]:
    """Over all pairs that people judged, those they were split on among them."""
    judged = [(one, one.vote_share) for one in of.scored if one.vote_share is not None]
    said = np.array([likely(one) for one, _ in judged], np.float64)
    voted = np.array([share for _, share in judged], np.float64)
    clusters, group = [one.cluster for one, _ in judged], whole(of.mode)
    note = "" if judged else "nobody voted on these pairs"
    half = np.abs(0.5 - voted)
    for name, values, always_half in (
        ("vote_agreement", 1 - np.abs(said - voted), 1 - half),
        ("brier", (said - voted) ** 2, half**2),
    ):
        told = note or f"always saying one half gives {always_half.mean():.3f}"
        yield average(name, group, values, clusters, told)


def likely(of: PairDecision) -> float:
    """How likely the scorer makes the chosen response: the logistic of a difference of scores
    (Bradley and Terry 1952), and for a comparing judge the mean of its two verdicts."""
    assert of.margin is not None
    return (of.margin + 1) / 2 if of.orders is not None else float(expit(of.margin))
