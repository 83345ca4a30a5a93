"""For how many users a scorer is better than chance."""

from collections.abc import Sequence
from functools import cache

from scipy.stats import binom

from pairwright.evaluate.decision import Decision
from pairwright.evaluate.measure.figure import Figure, share, whole
from pairwright.evaluate.measure.units import Counted, points
from pairwright.intervals import LEVEL

QUESTIONS = 10
"""Questions of a user below which nothing is said of that user."""


def users_above_chance(of: Counted) -> Figure:
    """Share of users with QUESTIONS or more where a one-sided exact sign test over their questions
    finds more right than wrong, at 5 % for each user; ties are left out. The note says how many
    users that leaves, and the share that guessing gives."""
    users: dict[str, list[Decision]] = {}
    for one in of.due:
        if one.user is not None:
            users.setdefault(one.user, []).append(one)
    enough = [made for made in users.values() if len({of.item_id for of in made}) >= QUESTIONS]
    group = whole(of.mode)
    told = f"{len(enough):,} of {len(users):,} users have {QUESTIONS} or more questions"
    if not enough:
        told = told.replace("0 of", "none of", 1)
        return share("users_above_chance", group, (), (), told)
    above, chances = zip(*(_of_user(made) for made in enough), strict=True)
    told += f"; guessing gives {sum(chances) / len(chances):.1%}"
    return share("users_above_chance", group, above, [made[0].cluster for made in enough], told)


def _of_user(decisions: Sequence[Decision]) -> tuple[float, float]:
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
