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
from pairwright.modes import mode_pairs
from pairwright.records import content_id

_OTHER: dict[Choice, Choice] = {"chosen": "rejected", "rejected": "chosen", "tie": "tie"}
_FIRST: dict[Choice, float] = {"chosen": 1.0, "rejected": 0.0, "tie": 0.5}


def order_figures(mode_pairs: ModeDecisions) -> Iterator[ScorerFigure]:
    """The figures of the pairs with a verdict in both orders; none where no judge compared."""
    compared = [(one, one.orders) for one in mode_pairs.scored if one.orders is not None]
    if not compared:
        return
    group, clusters = whole(mode_pairs.mode), [one.cluster for one, _ in compared]
    same = [float(forward == backward) for _, (forward, backward) in compared]
    yield share("swap_consistency", group, same, clusters)
    first = [(_FIRST[forward] + 1 - _FIRST[backward]) / 2 for _, (forward, backward) in compared]
    yield share("first_position", group, first, clusters)
    yield _kappa(group, [_named(one, orders) for one, orders in compared], clusters)


def leans(figure: ScorerFigure) -> bool:
    """Whether it is a position bias: the interval of `first_position` leaves out one half."""
    if figure.name != "first_position" or figure.low is None or figure.high is None:
        return False
    return figure.low > 0.5 or figure.high < 0.5


def leaning(figure: ScorerFigure) -> str:
    """What a `first_position` that leans says."""
    assert figure.value is not None
    assert figure.low is not None
    assert figure.high is not None
    pairs = mode_pairs(figure.mode)
    return f"{pairs}, {figure.value:.1%} ({figure.low:.1%} to {figure.high:.1%}, n = {figure.n:,})"


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


def people_figures(mode_pairs: ModeDecisions) -> Iterator[ScorerFigure]:
    """For how many users a scorer is better than chance, and its agreement with people's votes."""
    yield users_above_chance(mode_pairs)
    yield from vote_figures(mode_pairs)


QUESTIONS = 10
"""The fewest questions of a user of whom anything is said."""


def users_above_chance(mode_pairs: ModeDecisions) -> ScorerFigure:
    """Share of users with QUESTIONS or more where a one-sided exact sign test over their questions
    finds more right than wrong, at 5 % for each user; ties are left out. The note says how many
    users that leaves, and the share that guessing gives."""
    users: dict[str, list[PairDecision]] = {}
    for one in mode_pairs.due:
        if one.user is not None:
            users.setdefault(one.user, []).append(one)
    enough = [
        decisions
        for decisions in users.values()
        if len({decision.item_id for decision in decisions}) >= QUESTIONS
    ]
    group = whole(mode_pairs.mode)
    note = f"{len(enough):,} of {len(users):,} users have {QUESTIONS} or more questions"
    if not enough:
        note = note.replace("0 of", "none of", 1)
        return share("users_above_chance", group, (), (), note)
    above, chances = zip(*(_user_above_chance(decisions) for decisions in enough), strict=True)
    note += f"; guessing gives {sum(chances) / len(chances):.1%}"
    return share(
        "users_above_chance", group, above, [decisions[0].cluster for decisions in enough], note
    )


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


def vote_figures(mode_pairs: ModeDecisions) -> Iterator[ScorerFigure]:
    """The figures over all pairs that people judged, also those that they were split on."""
    judged = [(one, one.vote_share) for one in mode_pairs.scored if one.vote_share is not None]
    likelihoods = np.array([likely(one) for one, _ in judged], np.float64)
    voted = np.array([share for _, share in judged], np.float64)
    clusters, group = [one.cluster for one, _ in judged], whole(mode_pairs.mode)
    note = "" if judged else "nobody voted on these pairs"
    half = np.abs(0.5 - voted)
    for name, values, always_half in (
        ("vote_agreement", 1 - np.abs(likelihoods - voted), 1 - half),
        ("brier", (likelihoods - voted) ** 2, half**2),
    ):
        full_note = note or f"always saying one half gives {always_half.mean():.3f}"
        yield average(name, group, values, clusters, full_note)


def likely(decision: PairDecision) -> float:
    """The scorer's probability of the chosen response: the logistic of a difference of scores
    (Bradley and Terry 1952), and for a comparing judge the mean of its two verdicts."""
    assert decision.margin is not None
    return (
        (decision.margin + 1) / 2 if decision.orders is not None else float(expit(decision.margin))
    )
