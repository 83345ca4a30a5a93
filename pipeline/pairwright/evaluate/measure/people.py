"""The figures about people: for how many users a scorer is right more often than guessing, and how
near its probabilities are to the shares of people's votes, with the Brier score.
"""

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from scipy.stats import binom

from pairwright.evaluate.decision import PairDecision
from pairwright.evaluate.measure.calibration import choice_probability
from pairwright.evaluate.measure.figure import ScorerFigure, average, mode_group, share
from pairwright.evaluate.measure.units import ModeDecisions, points
from pairwright.intervals import LEVEL

LEAST_QUESTIONS = 10
"""The fewest questions with which a user is part of a figure."""


def users_above_chance(mode_pairs: ModeDecisions) -> ScorerFigure:
    """The share of users for whom a one-sided exact sign test over their questions finds more right
    than wrong, at 5 % for each user, of those with `LEAST_QUESTIONS` or more. Ties are left out.
    The note says how many users that leaves, and the share that guessing gives."""
    users: dict[str, list[PairDecision]] = {}
    for one in mode_pairs.due:
        if one.user is not None:
            users.setdefault(one.user, []).append(one)
    enough = [
        decisions
        for decisions in users.values()
        if len({decision.item_id for decision in decisions}) >= LEAST_QUESTIONS
    ]
    group = mode_group(mode_pairs.mode)
    note = f"{len(enough):,} of {len(users):,} users have {LEAST_QUESTIONS} or more questions"
    if not enough:
        note = note.replace("0 of", "none of", 1)
        return share("users_above_chance", group, (), (), note)
    above, chances = zip(*(_user_above_chance(decisions) for decisions in enough), strict=True)
    note += f"; guessing gives {sum(chances) / len(chances):.1%}"
    return share(
        "users_above_chance", group, above, [decisions[0].clusters for decisions in enough], note
    )


def vote_figures(mode_pairs: ModeDecisions) -> Iterator[ScorerFigure]:
    """The figures over all pairs that people judged, also those that they were split on."""
    judged = [(one, one.vote_share) for one in mode_pairs.scored if one.vote_share is not None]
    probabilities = np.array([choice_probability(one) for one, _ in judged], np.float64)
    voted = np.array([vote_share for _, vote_share in judged], np.float64)
    clusters, group = [one.clusters for one, _ in judged], mode_group(mode_pairs.mode)
    note = "" if judged else "nobody voted on these pairs"
    half = np.abs(0.5 - voted)
    for name, values, always_half in (
        ("vote_agreement", 1 - np.abs(probabilities - voted), 1 - half),
        ("brier", (probabilities - voted) ** 2, half**2),
    ):
        full_note = note or f"always saying one half gives {always_half.mean():.3f}"
        yield average(name, group, values, clusters, full_note)


def _user_above_chance(decisions: Sequence[PairDecision]) -> tuple[float, float]:
    """1 or 0, and the chance that guessing gives 1."""
    questions: dict[str, float] = {}
    for one in decisions:
        questions[one.item_id] = questions.get(one.item_id, 0.0) + points(one) - 0.5
    right = sum(ahead > 0 for ahead in questions.values())
    least, chance = _sign_test_limit(right + sum(ahead < 0 for ahead in questions.values()))
    return float(right >= least), chance


@cache
def _sign_test_limit(n: int) -> tuple[int, float]:
    """The fewest right of n that guessing gives in at most 5 %, and in how many it does."""
    for least in range(n + 1):
        chance = float(binom.sf(least - 1, n, 0.5))
        if chance <= LEVEL:
            return least, chance
    return n + 1, 0.0
